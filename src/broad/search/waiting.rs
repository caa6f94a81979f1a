//! Pairs that wait for the kernel.

use crate::broad::search::bundle::{Bundle, MEMBERS};
use crate::broad::search::traveller::Traveller;
use crate::broad::search::wanted::PAIRS;
use crate::pairs::Pair;
use crate::store::tree::Block;

/// Pairs that wait for the kernel.
#[derive(Debug)]
pub struct WaitingPairs {
    pub list: [Pair; PAIRS],
    /// Place in the search of the shape of each pair; the traveller if the search lists several results.
    pub places: [u32; PAIRS],
    pub len: usize,
}

impl Default for WaitingPairs {
    fn default() -> Self {
        WaitingPairs {
            list: [Pair::new(0, 0); PAIRS],
            places: [0; PAIRS],
            len: 0,
        }
    }
}

impl WaitingPairs {
    /// Adds pairs of members of a bundle, whose first one has a place in the search, with another shape.
    #[inline(always)]
    pub fn extend(&mut self, mut members: u32, bundle: &Bundle, first: u32, other: u32) {
        while members != 0 {
            let member = members.trailing_zeros();
            let shape = bundle.shapes[member as usize % MEMBERS];
            self.list[self.len % PAIRS] = Pair::new(shape, other);
            self.places[self.len % PAIRS] = first + member;
            self.len += 1;
            members &= members - 1;
        }
    }
}

/// Pairs of points whose distances are to be measured.
#[derive(Debug)]
pub struct WaitingPoints {
    /// Of both points of each pair.
    pub positions: [[[f32; PAIRS]; 3]; 2],
    /// Place in the tree of the second point of each pair.
    pub others: [u32; PAIRS],
    /// Place in the search of the first point of each pair.
    pub places: [u32; PAIRS],
    pub len: usize,
}

impl WaitingPoints {
    /// Adds the reached points of a leaf.
    #[inline(always)]
    pub fn extend(&mut self, mut reached: u32, traveller: &Traveller, block: &Block) {
        let [a, b] = &mut self.positions;
        while reached != 0 {
            let (lane, at) = (reached.trailing_zeros() as usize % 8, self.len % PAIRS);
            for k in 0..3 {
                (a[k][at], b[k][at]) = (traveller.way.lead[k], block[k][lane]);
            }
            self.others[at] = 8 * traveller.block + lane as u32;
            self.places[at] = traveller.place;
            self.len += 1;
            reached &= reached - 1;
        }
    }
}

impl Default for WaitingPoints {
    fn default() -> Self {
        WaitingPoints {
            positions: [[[0.0; PAIRS]; 3]; 2],
            others: [0; PAIRS],
            places: [0; PAIRS],
            len: 0,
        }
    }
}
