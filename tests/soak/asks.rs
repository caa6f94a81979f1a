//! The queries: by a detector that has seen earlier frames, and by a test of all pairs of new stores.

use phalanx::traits::{Bounded, Collide, Distance, Overlap, Shape, Sweep};
use phalanx::{
    Aabbs, Contact, Contacts, Detector, Distances, During, FirstHits, InvalidShapes, Nearest,
    Neighbors, OrderedHits, Overlaps, Pair, Pairs, Point, Shapes, StoreRef, Sweeps, TimeInterval,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::{Any, Subject};

#[derive(Clone, Copy, Debug)]
pub enum Verb {
    Candidates(During),
    Touching,
    FirstHits,
    /// `first_hits`, then `nearer_hits` of the same stores.
    NearerHits,
    /// `first_hits`, then their contacts.
    HitContacts,
    OrderedHits,
    MeetsAny(During),
    Nearest,
    Neighbors,
    Overlap(List),
    Sweep(List),
    Distance(List),
}

#[derive(Clone, Copy, Debug)]
pub enum List {
    Listed,
    Zip,
    OneToAll,
}

/// A query, with its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub verb: Verb,
    margin: f32,
    radius: f32,
    /// The longest list of a shape.
    most: usize,
    /// Whether hits that the motion does not approach are passed.
    approaching: bool,
    /// For the pairs of lists.
    seed: u64,
}

impl Ask {
    pub fn random(rng: &mut StdRng) -> Self {
        let during = [During::Start, During::Frame, During::Way][rng.random_range(0..3)];
        let list = [List::Listed, List::Zip, List::OneToAll][rng.random_range(0..3)];
        let verb = match rng.random_range(0..20) {
            0..=3 => Verb::Candidates(during),
            4 => Verb::Touching,
            5 | 6 => Verb::FirstHits,
            7 => Verb::NearerHits,
            8 | 9 => Verb::MeetsAny(during),
            10 | 11 => Verb::Nearest,
            12 | 13 => Verb::Overlap(list),
            14 => Verb::Sweep(list),
            15 => Verb::Distance(list),
            16 | 17 => Verb::OrderedHits,
            18 => Verb::HitContacts,
            _ => Verb::Neighbors,
        };
        let margin = match verb {
            Verb::Nearest | Verb::Neighbors | Verb::Distance(_) => 0.0,
            _ => [0.0, 0.0, 0.0, 0.05][rng.random_range(0..4)],
        };
        Ask {
            verb,
            margin,
            radius: [0.0, 0.3, 1.0, 1e6][rng.random_range(0..4)],
            most: [1, 3, usize::MAX][rng.random_range(0..3)],
            approaching: rng.random_bool(0.3),
            seed: rng.random_range(0..u64::MAX),
        }
    }

    fn list(&self, list: List, [len_a, len_b]: [usize; 2]) -> Vec<Pair> {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let [a, b] = [len_a as u32, len_b as u32];
        if a == 0 || b == 0 {
            return Vec::new();
        }
        match list {
            List::Listed => (0..rng.random_range(0..400))
                .map(|_| Pair::new(rng.random_range(0..a), rng.random_range(0..b)))
                .collect(),
            List::Zip => (0..a.min(b)).map(|i| Pair::new(i, i)).collect(),
            List::OneToAll => {
                let one = rng.random_range(0..a);
                (0..b).map(|i| Pair::new(one, i)).collect()
            }
        }
    }

    /// Pairs in the form of the query, or explicitly. `None` if the form does not fit the stores.
    fn pairs<'p>(
        &self,
        list: List,
        listed: &'p [Pair],
        lens: [usize; 2],
        is_explicit: bool,
    ) -> Option<Pairs<'p>> {
        let pairs = match list {
            List::Listed => Some(listed.into()),
            List::Zip => (lens[0] == lens[1]).then(Pairs::zip),
            List::OneToAll => listed.first().map(|pair| Pairs::one_to_all(pair.a)),
        }?;
        Some(if is_explicit { listed.into() } else { pairs })
    }
}

/// Results as words, to be compared.
#[derive(Default)]
struct Words(Vec<u64>);

impl Words {
    fn add(&mut self, word: impl Into<u64>) {
        self.0.push(word.into());
    }

    fn count(&mut self, invalid: InvalidShapes) {
        self.counts([invalid.a, invalid.b]);
    }

    fn counts(&mut self, invalid: [usize; 2]) {
        invalid.iter().for_each(|count| self.add(*count as u64));
    }

    fn pair(&mut self, pair: Pair) {
        self.add(u64::from(pair.a) << 32 | u64::from(pair.b));
    }

    fn numbers(&mut self, numbers: [f32; 2]) {
        numbers.iter().for_each(|x| self.add(x.to_bits()));
    }

    fn overlaps(&mut self, overlaps: &Overlaps) {
        self.add(overlaps.len() as u64);
        self.0.extend(overlaps.words());
        self.0.extend(overlaps.invalid_words());
    }

    fn sweeps(&mut self, sweeps: &Sweeps) {
        self.0.extend(sweeps.words());
        self.0.extend(sweeps.invalid_words());
        for i in 0..sweeps.len() {
            self.numbers([sweeps.enter()[i], sweeps.exit()[i]]);
        }
    }

    fn contact(&mut self, a: u32, contact: &Contact) {
        self.add(a);
        self.add(contact.is_inner);
        contact.normal.iter().for_each(|x| self.add(x.to_bits()));
        self.add(contact.separation.to_bits());
        for point in contact.points() {
            self.add(point.feature);
            point.at.iter().for_each(|x| self.add(x.to_bits()));
            self.add(point.separation.to_bits());
        }
    }

    fn distances(&mut self, distances: &Distances) {
        self.0.extend(distances.unsettled_words());
        self.0.extend(distances.invalid_words());
        for i in 0..distances.len() {
            self.numbers([distances.lower()[i], distances.upper()[i]]);
        }
    }
}

/// Calls the method of `$call` for the shapes of two stores: `own` if the second is `None`, the first itself; `both` if
/// both are bounded, `against` if the second is not. Points with points have only the broad phase and distances: `own_points`
/// and `points`.
macro_rules! each_pair {
    ($a:expr, $b:expr, $call:expr) => {{
        let (a, b, mut call) = ($a, $b, $call);
        macro_rules! with {
            ($one:expr, $own:ident, $points:ident) => {{
                let one = &**$one;
                match b {
                    None => call.$own(one),
                    Some(Any::Point(other)) => call.$points(one, &**other),
                    Some(Any::Sphere(other)) => call.both(one, &**other),
                    Some(Any::Capsule(other)) => call.both(one, &**other),
                    Some(Any::Aabb(other)) => call.both(one, &**other),
                    Some(Any::Obb(other)) => call.both(one, &**other),
                    Some(Any::Triangle(other)) => call.both(one, &**other),
                    Some(Any::PlacedHull(other)) => call.both(one, &**other),
                    Some(Any::Plane(other)) => call.against(one, &**other),
                    Some(Any::HalfSpace(other)) => call.against(one, &**other),
                }
            }};
        }
        match a {
            Any::Point(one) => with!(one, own_points, points),
            Any::Sphere(one) => with!(one, own, both),
            Any::Capsule(one) => with!(one, own, both),
            Any::Aabb(one) => with!(one, own, both),
            Any::Obb(one) => with!(one, own, both),
            Any::Triangle(one) => with!(one, own, both),
            Any::PlacedHull(one) => with!(one, own, both),
            Any::Plane(_) | Any::HalfSpace(_) => None,
        }
    }};
}
/// The result of a query by this detector. `None` for shapes that it does not accept.
pub fn kept(detector: &mut Detector, a: &Any, b: Option<&Any>, ask: &Ask) -> Option<Vec<u64>> {
    detector.set_margin(ask.margin).unwrap();
    detector.set_approaching(ask.approaching);
    let is_explicit = false;
    each_pair!(
        a,
        b,
        Kept {
            detector,
            ask,
            is_explicit
        }
    )
}

/// The result by a test of all pairs of new stores.
pub fn expected(a: &Any, b: Option<&Any>, ask: &Ask) -> Option<Vec<u64>> {
    each_pair!(a, b, AllPairs { ask })
}

/// Both stores as a query reads them.
fn show<A: Shape, B: Shape>(
    a: &dyn Subject<A>,
    b: &dyn Subject<B>,
    query: &mut dyn FnMut(StoreRef<'_, A>, StoreRef<'_, B>),
) {
    a.show(&mut |a| b.show(&mut |b| query(a.view(), b)));
}

struct Kept<'k> {
    detector: &'k mut Detector,
    ask: &'k Ask,
    /// Whether pairs are listed, whatever the form of the query.
    is_explicit: bool,
}

impl Kept<'_> {
    fn own<A>(&mut self, a: &dyn Subject<A>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<A> + Sweep<A> + Collide<A> + Distance<A>,
    {
        let mut words = None;
        a.show(&mut |a| words = self.bounded(&a, &a).or_else(|| self.any(&a, &a)));
        words
    }

    fn both<A, B>(&mut self, a: &dyn Subject<A>, b: &dyn Subject<B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Bounded,
    {
        let mut words = None;
        show(a, b, &mut |a, b| {
            words = self.bounded(&a, &b).or_else(|| self.any(&a, &b));
        });
        words
    }

    fn against<A, B>(&mut self, a: &dyn Subject<A>, b: &dyn Subject<B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Shape,
    {
        let mut words = None;
        show(a, b, &mut |a, b| words = self.any(&a, &b));
        words
    }

    fn own_points(&mut self, a: &dyn Subject<Point>) -> Option<Vec<u64>> {
        let mut words = None;
        a.show(&mut |a| words = self.listed(&a, &a).or_else(|| self.near(&a, &a)));
        words
    }

    fn points(&mut self, a: &dyn Subject<Point>, b: &dyn Subject<Point>) -> Option<Vec<u64>> {
        let mut words = None;
        show(a, b, &mut |a, b| {
            words = self.listed(&a, &b).or_else(|| self.near(&a, &b));
        });
        words
    }

    fn listed<A: Bounded, B: Bounded>(
        &mut self,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
    ) -> Option<Vec<u64>> {
        let Verb::Candidates(during) = self.ask.verb else {
            return None;
        };
        let (mut words, mut pairs) = (Words::default(), Vec::new());
        words.count(self.detector.candidates(a, b, during, &mut pairs).unwrap());
        pairs.iter().for_each(|pair| words.pair(*pair));
        Some(words.0)
    }

    fn bounded<A: Bounded + Overlap<B>, B: Bounded>(
        &mut self,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
    ) -> Option<Vec<u64>> {
        if !matches!(self.ask.verb, Verb::Touching) {
            return self.listed(a, b);
        }
        let (mut words, mut pairs) = (Words::default(), Vec::new());
        words.count(self.detector.touching(a, b, &mut pairs).unwrap());
        pairs.iter().for_each(|pair| words.pair(*pair));
        Some(words.0)
    }

    fn near<A: Bounded + Distance<B>, B: Shape>(
        &mut self,
        a: &StoreRef<'_, A>,
        b: &StoreRef<'_, B>,
    ) -> Option<Vec<u64>> {
        let (mut words, lens) = (Words::default(), [a.len(), b.len()]);
        match self.ask.verb {
            Verb::Nearest => {
                let mut nearest = Nearest::new();
                let radius = self.ask.radius;
                words.count(self.detector.nearest(a, b, radius, &mut nearest).unwrap());
                for i in 0..nearest.len() {
                    words.add(nearest.index()[i]);
                    words.add(nearest.is_invalid(i));
                    words.numbers([nearest.lower()[i], nearest.upper()[i]]);
                }
            }
            Verb::Neighbors => {
                let mut near = Neighbors::new();
                let (radius, most) = (self.ask.radius, self.ask.most);
                let counts = self.detector.neighbors(a, b, radius, most, &mut near);
                words.count(counts.unwrap());
                for i in 0..near.len() {
                    words.add(near.is_invalid(i));
                    for (other, range) in near.of(i) {
                        words.pair(Pair::new(i as u32, other));
                        words.numbers([range.upper, range.lower]);
                    }
                }
            }
            Verb::Distance(list) => {
                let (listed, mut distances) = (self.ask.list(list, lens), Distances::new());
                let pairs = self.ask.pairs(list, &listed, lens, self.is_explicit)?;
                self.detector.distance(a, b, pairs, &mut distances).unwrap();
                words.distances(&distances);
            }
            _ => return None,
        }
        Some(words.0)
    }

    fn any<A, B>(&mut self, a: &StoreRef<'_, A>, b: &StoreRef<'_, B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Shape,
    {
        let (mut words, lens) = (Words::default(), [a.len(), b.len()]);
        match self.ask.verb {
            Verb::FirstHits | Verb::NearerHits | Verb::HitContacts => {
                let mut firsts = FirstHits::new();
                words.count(self.detector.first_hits(a, b, &mut firsts).unwrap());
                if matches!(self.ask.verb, Verb::NearerHits) {
                    self.detector.nearer_hits(a, b, &mut firsts).unwrap();
                }
                for hit in &firsts {
                    assert_eq!(hit.store, 0);
                    words.pair(Pair::new(hit.a, hit.b));
                    words.numbers([hit.time.enter, hit.time.exit]);
                }
                (0..firsts.len()).for_each(|i| words.add(firsts.is_invalid(i)));
                if matches!(self.ask.verb, Verb::HitContacts) {
                    let mut contacts = Contacts::new();
                    let found = self.detector.hit_contacts(a, b, &firsts, 0, &mut contacts);
                    found.unwrap();
                    for contact in &contacts {
                        words.contact(contact.position as u32, &contact);
                    }
                }
            }
            Verb::OrderedHits => {
                let mut hits = OrderedHits::new();
                let counts = self.detector.ordered_hits(a, b, self.ask.most, &mut hits);
                words.count(counts.unwrap());
                for i in 0..hits.len() {
                    words.add(hits.is_invalid(i));
                    for (other, time) in hits.of(i) {
                        words.pair(Pair::new(i as u32, other));
                        words.numbers([time.enter, time.exit]);
                    }
                }
            }
            Verb::MeetsAny(during) => {
                let mut overlaps = Overlaps::new();
                let counts = self.detector.meets_any(a, b, during, &mut overlaps);
                words.count(counts.unwrap());
                words.overlaps(&overlaps);
            }
            Verb::Overlap(list) => {
                let (listed, mut overlaps) = (self.ask.list(list, lens), Overlaps::new());
                let pairs = self.ask.pairs(list, &listed, lens, self.is_explicit)?;
                self.detector.overlap(a, b, pairs, &mut overlaps).unwrap();
                words.overlaps(&overlaps);
            }
            Verb::Sweep(list) => {
                let (listed, mut sweeps) = (self.ask.list(list, lens), Sweeps::new());
                let pairs = self.ask.pairs(list, &listed, lens, self.is_explicit)?;
                self.detector.sweep(a, b, pairs, &mut sweeps).unwrap();
                words.sweeps(&sweeps);
            }
            _ => return self.near(a, b),
        }
        Some(words.0)
    }
}

struct AllPairs<'q> {
    ask: &'q Ask,
}

/// New stores, and whether each shape is valid: for the start of the frame, with its displacement, and with its turn.
struct Fresh<'f, A: Shape, B: Shape> {
    a: StoreRef<'f, A>,
    b: StoreRef<'f, B>,
    is_own: bool,
    valid: [Vec<[bool; 3]>; 2],
}

/// A pair that touches during the frame.
#[derive(Clone, Copy)]
struct Hit {
    pair: Pair,
    time: TimeInterval,
    /// `None` if it is not asked for.
    contact: Option<Contact>,
}

impl<A: Shape, B: Shape> Fresh<'_, A, B> {
    /// The definition of groups and bodies.
    fn admits(&self, i: u32, j: u32) -> bool {
        let (a, b) = (self.a.groups(i).unwrap(), self.b.groups(j).unwrap());
        let meet = a.is & b.meets != 0 && b.is & a.meets != 0;
        let bodies = [self.a.body(i).unwrap(), self.b.body(j).unwrap()];
        meet && (bodies[0] != bodies[1] || bodies[0] == phalanx::NO_BODY)
    }

    /// The admitted pairs of a shape, without itself.
    fn of(&self, i: u32) -> Vec<Pair> {
        (0..self.b.len() as u32)
            .filter(|j| !(self.is_own && *j == i) && self.admits(i, *j))
            .map(|j| Pair::new(i, j))
            .collect()
    }

    fn all(&self) -> impl Iterator<Item = (u32, Vec<Pair>)> + '_ {
        (0..self.a.len() as u32).map(|i| (i, self.of(i)))
    }

    /// Adds the admitted pairs that overlap in these stores; pairs within a store once.
    fn add_touching<C: Shapes, D: Shapes>(
        &self,
        detector: &mut Detector,
        c: &C,
        d: &D,
        words: &mut Words,
    ) where
        C::Shape: Overlap<D::Shape>,
    {
        let mut overlaps = Overlaps::new();
        for (_, pairs) in self.all() {
            detector.overlap(c, d, &pairs, &mut overlaps).unwrap();
            let hits = overlaps.iter().map(|k| pairs[k]);
            hits.filter(|pair| !self.is_own || pair.a < pair.b)
                .for_each(|pair| words.pair(pair));
        }
    }

    /// The definition of an approach.
    fn approaches(&self, hit: &Hit) -> bool {
        let [own, other] = [
            self.a.displacement(hit.pair.a),
            self.b.displacement(hit.pair.b),
        ]
        .map(|motion| motion.unwrap().map(f64::from));
        let v = [0, 1, 2].map(|k| own[k] - other[k]);
        let n = hit.contact.unwrap().normal.map(f64::from);
        let dot = |x: [f64; 3], y: [f64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        let along = dot(n, v);
        along > 0.0 && along * along > 2f64.powi(-40) * dot(v, v)
    }

    fn counts(&self, motion: usize) -> [usize; 2] {
        let count = |valid: &Vec<[bool; 3]>| valid.iter().filter(|valid| !valid[motion]).count();
        self.valid.each_ref().map(count)
    }

    fn is_valid(&self, i: u32, motion: usize) -> bool {
        self.valid[0][i as usize][motion]
    }
}

impl AllPairs<'_> {
    fn detector(&self) -> Detector {
        let detector = Detector::new().parallel(false);
        detector.margin(self.ask.margin).unwrap()
    }

    /// The query by a new detector, of listed pairs.
    fn by_new(&self, query: impl FnOnce(Kept<'_>) -> Option<Vec<u64>>) -> Option<Vec<u64>> {
        query(Kept {
            detector: &mut self.detector(),
            ask: self.ask,
            is_explicit: true,
        })
    }

    fn own<A>(&mut self, a: &dyn Subject<A>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<A> + Sweep<A> + Collide<A> + Distance<A>,
    {
        fresh_own(a, |fresh| self.bounded(fresh).or_else(|| self.any(fresh)))
    }

    fn both<A, B>(&mut self, a: &dyn Subject<A>, b: &dyn Subject<B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Bounded,
    {
        fresh(a, b, |fresh| {
            self.bounded(fresh).or_else(|| self.any(fresh))
        })
    }

    fn against<A, B>(&mut self, a: &dyn Subject<A>, b: &dyn Subject<B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Shape,
    {
        fresh(a, b, |fresh| self.any(fresh))
    }

    fn own_points(&mut self, a: &dyn Subject<Point>) -> Option<Vec<u64>> {
        fresh_own(a, |fresh| self.listed(fresh).or_else(|| self.near(fresh)))
    }

    fn points(&mut self, a: &dyn Subject<Point>, b: &dyn Subject<Point>) -> Option<Vec<u64>> {
        fresh(a, b, |fresh| {
            self.listed(fresh).or_else(|| self.near(fresh))
        })
    }

    /// Pairs whose bounds touch, or a new detector's pairs along the way.
    fn listed<A: Bounded, B: Bounded>(&self, fresh: &Fresh<'_, A, B>) -> Option<Vec<u64>> {
        let Verb::Candidates(during) = self.ask.verb else {
            return None;
        };
        let mut words = Words::default();
        words.counts(fresh.counts(if during == During::Start { 0 } else { 2 }));
        let mut detector = self.detector();
        if during == During::Way {
            let found = self.by_new(|mut new| new.listed(&fresh.a, &fresh.b))?;
            assert_eq!(found[..2], words.0);
            return Some(found);
        }
        let (mut bounds_a, mut bounds_b) = (Aabbs::new(), Aabbs::new());
        fresh.a.bounds(during, &mut bounds_a);
        fresh.b.bounds(during, &mut bounds_b);
        // Of the margin along the axes of a box, and its rounding.
        let reach = self.ask.margin * f32::max(A::GROWTH, B::GROWTH);
        detector.set_margin(reach + reach / 2048.0).unwrap();
        fresh.add_touching(&mut detector, &bounds_a, &bounds_b, &mut words);
        Some(words.0)
    }

    fn bounded<A: Bounded + Overlap<B>, B: Bounded>(
        &self,
        fresh: &Fresh<'_, A, B>,
    ) -> Option<Vec<u64>> {
        if !matches!(self.ask.verb, Verb::Touching) {
            return self.listed(fresh);
        }
        let (mut words, mut detector) = (Words::default(), self.detector());
        words.counts(fresh.counts(0));
        fresh.add_touching(&mut detector, &fresh.a, &fresh.b, &mut words);
        Some(words.0)
    }

    fn near<A: Bounded + Distance<B>, B: Shape>(
        &self,
        fresh: &Fresh<'_, A, B>,
    ) -> Option<Vec<u64>> {
        let (mut words, mut distances) = (Words::default(), Distances::new());
        let mut detector = self.detector();
        match self.ask.verb {
            Verb::Nearest => {
                words.counts(fresh.counts(0));
                for (i, pairs) in fresh.all() {
                    detector
                        .distance(&fresh.a, &fresh.b, &pairs, &mut distances)
                        .unwrap();
                    let (mut lower, mut best) = (self.ask.radius, (u32::MAX, f32::INFINITY));
                    for (k, pair) in pairs.iter().enumerate() {
                        let Some(range) = distances.get(k) else {
                            continue;
                        };
                        lower = lower.min(range.lower);
                        if range.upper <= self.ask.radius && range.upper < best.1 {
                            best = (pair.b, range.upper);
                        }
                    }
                    let is_valid = fresh.is_valid(i, 0);
                    words.add(best.0);
                    words.add(!is_valid);
                    words.numbers([if is_valid { lower } else { 0.0 }, best.1]);
                }
            }
            Verb::Neighbors => {
                words.counts(fresh.counts(0));
                for (i, pairs) in fresh.all() {
                    detector
                        .distance(&fresh.a, &fresh.b, &pairs, &mut distances)
                        .unwrap();
                    let mut near: Vec<_> = (0..pairs.len())
                        .filter_map(|k| Some((pairs[k], distances.get(k)?)))
                        .filter(|(_, range)| range.lower <= self.ask.radius)
                        .collect();
                    near.sort_by(|x, y| x.1.upper.total_cmp(&y.1.upper));
                    words.add(!fresh.is_valid(i, 0));
                    for (pair, range) in near.iter().take(self.ask.most) {
                        words.pair(*pair);
                        words.numbers([range.upper, range.lower]);
                    }
                }
            }
            Verb::Distance(_) => return self.by_new(|mut new| new.near(&fresh.a, &fresh.b)),
            _ => return None,
        }
        Some(words.0)
    }

    /// The hits of each shape, in order of time, equal ones in order of the index.
    fn hits<A, B>(&self, fresh: &Fresh<'_, A, B>) -> Vec<Vec<Hit>>
    where
        A: Bounded + Sweep<B> + Collide<B>,
        B: Shape,
    {
        let (a, b, mut detector) = (&fresh.a, &fresh.b, self.detector());
        let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
        let are_contacts_read = self.ask.approaching || matches!(self.ask.verb, Verb::HitContacts);
        let mut hits_of = |pairs: Vec<Pair>| {
            if are_contacts_read {
                detector
                    .sweep_contacts(a, b, &pairs, &mut sweeps, &mut contacts)
                    .unwrap();
            } else {
                detector.sweep(a, b, &pairs, &mut sweeps).unwrap();
            }
            let mut contacts = contacts.iter().peekable();
            let hit = |(position, &pair): (usize, &Pair)| {
                let time = sweeps.get(position)?;
                let contact = contacts.next_if(|contact| contact.position == position);
                Some(Hit {
                    pair,
                    time,
                    contact,
                })
            };
            let is_wanted = |hit: &Hit| !self.ask.approaching || fresh.approaches(hit);
            let hits = pairs.iter().enumerate().filter_map(hit);
            let mut hits: Vec<Hit> = hits.filter(is_wanted).collect();
            hits.sort_by(|x, y| x.time.enter.partial_cmp(&y.time.enter).unwrap());
            hits
        };
        fresh.all().map(|(_, pairs)| hits_of(pairs)).collect()
    }

    fn any<A, B>(&self, fresh: &Fresh<'_, A, B>) -> Option<Vec<u64>>
    where
        A: Bounded + Overlap<B> + Sweep<B> + Collide<B> + Distance<B>,
        B: Shape,
    {
        let mut words = Words::default();
        let (mut detector, len) = (self.detector(), fresh.a.len());
        let mut overlaps = Overlaps::new();
        let (a, b) = (&fresh.a, &fresh.b);
        match self.ask.verb {
            Verb::FirstHits | Verb::NearerHits | Verb::HitContacts => {
                words.counts(fresh.counts(1));
                let all = self.hits(fresh);
                let firsts: Vec<Hit> = all
                    .iter()
                    .filter_map(|hits| hits.first().copied())
                    .collect();
                for Hit { pair, time, .. } in &firsts {
                    words.pair(*pair);
                    words.numbers([time.enter, time.exit]);
                }
                (0..len as u32).for_each(|i| words.add(!fresh.is_valid(i, 1)));
                if matches!(self.ask.verb, Verb::HitContacts) {
                    for hit in &firsts {
                        words.contact(hit.pair.a, &hit.contact.unwrap());
                    }
                }
            }
            Verb::OrderedHits => {
                words.counts(fresh.counts(1));
                for (i, hits) in (0..).zip(self.hits(fresh)) {
                    words.add(!fresh.is_valid(i, 1));
                    for hit in hits.iter().take(self.ask.most) {
                        words.pair(hit.pair);
                        words.numbers([hit.time.enter, hit.time.exit]);
                    }
                }
            }
            Verb::MeetsAny(during) => {
                let motion = usize::from(during != During::Start);
                words.counts(fresh.counts(motion));
                words.add(len as u64);
                let mut hits = vec![0u64; len.div_ceil(64)];
                let mut bad = hits.clone();
                let swept = (motion != 0).then(|| self.hits(fresh));
                for (i, pairs) in fresh.all() {
                    let is_hit = match &swept {
                        Some(hits) => !hits[i as usize].is_empty(),
                        None => {
                            detector.overlap(a, b, &pairs, &mut overlaps).unwrap();
                            overlaps.count() > 0
                        }
                    };
                    hits[i as usize / 64] |= u64::from(is_hit) << (i % 64);
                    bad[i as usize / 64] |= u64::from(!fresh.is_valid(i, motion)) << (i % 64);
                }
                words.0.extend(hits);
                words.0.extend(bad);
            }
            Verb::Overlap(_) | Verb::Sweep(_) => return self.by_new(|mut new| new.any(a, b)),
            _ => return self.near(fresh),
        }
        Some(words.0)
    }
}

fn fresh<A: Shape, B: Shape>(
    a: &dyn Subject<A>,
    b: &dyn Subject<B>,
    query: impl FnOnce(&Fresh<'_, A, B>) -> Option<Vec<u64>>,
) -> Option<Vec<u64>> {
    let (new_a, new_b) = (a.fresh(), b.fresh());
    query(&Fresh {
        a: new_a.view(),
        b: new_b.view(),
        is_own: false,
        valid: [a.valid(), b.valid()],
    })
}

fn fresh_own<A: Shape>(
    a: &dyn Subject<A>,
    query: impl FnOnce(&Fresh<'_, A, A>) -> Option<Vec<u64>>,
) -> Option<Vec<u64>> {
    let new = a.fresh();
    query(&Fresh {
        a: new.view(),
        b: new.view(),
        is_own: true,
        valid: [a.valid(), a.valid()],
    })
}
