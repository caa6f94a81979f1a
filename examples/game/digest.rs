//! A digest of answers, to the bit.

use phalanx::{CastHit, SceneContact};

pub struct Digest(pub u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    fn add_floats(&mut self, numbers: &[f32]) {
        for number in numbers {
            self.add(number.to_bits().into());
        }
    }

    pub fn add_hit(&mut self, hit: &CastHit) {
        self.add(hit.id.to_bits());
        self.add(hit.part.into());
        self.add_floats(&[hit.time.enter, hit.time.exit]);
        self.add_floats(&hit.normal);
        for x in hit.point {
            self.add(x.to_bits());
        }
    }

    pub fn add_contact(&mut self, contact: &SceneContact) {
        for id in [contact.a, contact.b] {
            self.add(id.to_bits());
        }
        self.add(contact.part_a.into());
        self.add(contact.part_b.into());
        self.add_floats(&contact.contact.normal);
        self.add_floats(&[contact.contact.separation]);
        for point in contact.contact.points() {
            self.add_floats(&point.at);
            self.add_floats(&[point.separation]);
            self.add(point.feature.into());
        }
    }
}
