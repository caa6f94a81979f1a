//! The kernels of the crate, each with its peers, on the shapes of a scene.

use std::hint::black_box;

use phalanx::query::{Query, Supports};
use phalanx::{Detector, Error, Overlaps, Pair, Pairs, Shapes, Simd, Sphere, Sweeps};

use crate::bench::{Open, Player};
use crate::peers::{self, ONE_TO_ALL, Peer, PeerRun};
use crate::scenes::{InScene, Scene};

/// The kernels of every bench.
pub const MAIN: [&str; 5] = [
    "sphere_sphere_overlap",
    "sphere_sphere_sweep",
    "aabb_aabb_overlap",
    "aabb_aabb_sweep",
    "obb_obb_overlap",
];

/// Largest share of pairs with different results; above it, a peer tests something else.
/// parry3d steps towards the time of contact of capsules and boxes and stops short of it: 0.7 % of
/// its times for two capsules are more than [`TIME_TOLERANCE`] off, nearly all of them late.
pub const MAX_DIFFERENT: f64 = 1e-2;
/// Largest difference of equal times of contact.
pub const TIME_TOLERANCE: f32 = 1e-3;
/// Tolerance of a contest that compares only hits and misses. For shapes that hardly move, the rounding of a length is
/// a large part of the frame.
pub const ANY_TIME: f32 = f32::MAX;

/// A kernel of phalanx, and its peers.
pub struct Kernel {
    pub name: &'static str,
    peers: Vec<Peer>,
    phalanx: fn(&Scene) -> Box<dyn Phalanx + '_>,
}

/// phalanx with some settings.
pub struct Instance {
    pub name: String,
    pub detector: Detector,
    /// Whether calls get the same stores and may cache them. Otherwise they get columns that may have changed.
    pub stores_rest: bool,
}

/// One thread on each instruction set, the best first. One lane is omitted: kernels run it with four lanes.
pub fn instances() -> Vec<Instance> {
    let available = Simd::available().rev().filter(|simd| simd.lanes() > 1);
    let serial = available.map(|simd| Instance {
        name: simd.to_string(),
        detector: Detector::new().simd(simd).parallel(false),
        stores_rest: false,
    });
    serial.collect()
}

/// All kernels of the crate, by its index.
pub fn all() -> Vec<Kernel> {
    macro_rules! list {
        ($($name:ident: $verb:ident($($shape:ident),+);)*) => {
            vec![$(list!(@ $verb, stringify!($name), $($shape),+)),*]
        };
        (@ $verb:ident, $name:expr, $a:ident) => { list!(@ $verb, $name, $a, $a) };
        (@ overlap, $name:expr, $a:ident, $b:ident) => {
            Kernel::of::<Overlaps, phalanx::$a, phalanx::$b>($name)
        };
        (@ sweep, $name:expr, $a:ident, $b:ident) => {
            Kernel::of::<Sweeps, phalanx::$a, phalanx::$b>($name)
        };
    }
    phalanx::kernels!(list)
}

/// The kernels of [`MAIN`].
pub fn main_kernels() -> Vec<Kernel> {
    let all = all();
    for name in MAIN {
        let exists = all.iter().any(|kernel| kernel.name == name);
        assert!(exists, "{name} is no kernel");
    }
    let is_main = |kernel: &Kernel| MAIN.contains(&kernel.name);
    all.into_iter().filter(is_main).collect()
}

impl Kernel {
    fn of<V, A, B>(name: &'static str) -> Self
    where
        V: Answers + for<'o> Query<Out<'o> = &'o mut V> + 'static,
        A: Supports<V, B> + InScene,
        B: InScene,
    {
        Kernel {
            name,
            peers: peers::peers_of(name),
            phalanx: |scene| {
                let (a, b) = (A::columns_in(scene), B::columns_in(scene));
                Run::<V, _>::boxed(move |instance, pairs, out| {
                    let detector = &mut instance.detector;
                    let (a, b) = if instance.stores_rest {
                        (A::store(scene).view(), B::store(scene).view())
                    } else {
                        (a.view(), b.view())
                    };
                    detector.query::<V, _, _>(&a, &b, pairs, out)
                })
            },
        }
    }

    /// One sphere against all, without a pair list.
    pub fn one_to_all(name: &'static str) -> Self {
        Kernel {
            peers: peers::peers_of(ONE_TO_ALL),
            ..Kernel::of::<Overlaps, Sphere, Sphere>(name)
        }
    }

    /// Keeps only the first `count` peers.
    pub fn with_peers(mut self, count: usize) -> Self {
        self.peers.truncate(count);
        self
    }

    /// The players of a contest, instances first.
    pub fn players(&self, instances: &[Instance]) -> Vec<Player> {
        let phalanx = instances
            .iter()
            .map(|instance| Player::phalanx(instance.name.clone()));
        let peers = self.peers.iter();
        let peers = peers.map(|peer| Player::peer(peer.name, peer.call));
        phalanx.chain(peers).collect()
    }

    /// Prepares all players.
    pub fn open<'s>(&self, scene: &'s Scene, instances: Vec<Instance>) -> Opponents<'s> {
        Opponents {
            phalanx: (self.phalanx)(scene),
            instances,
            peers: self.peers.iter().map(|peer| (peer.open)(scene)).collect(),
        }
    }
}

/// Pairs to test.
pub struct List {
    pub pairs: Vec<Pair>,
    /// The shape that is paired with all, in order; `None` for other lists.
    one: Option<u32>,
}

impl From<Vec<Pair>> for List {
    fn from(pairs: Vec<Pair>) -> Self {
        List { pairs, one: None }
    }
}

impl List {
    pub fn one_to_all(one: u32, len: u32) -> Self {
        List {
            pairs: (0..len).map(|other| Pair::new(one, other)).collect(),
            one: Some(one),
        }
    }

    /// The list as an argument of phalanx.
    fn told(&self) -> Pairs<'_> {
        match self.one {
            Some(one) => Pairs::one_to_all(one),
            None => Pairs::from(&self.pairs),
        }
    }
}

/// A kernel and its peers on the shapes of one scene.
pub struct Opponents<'s> {
    phalanx: Box<dyn Phalanx + 's>,
    instances: Vec<Instance>,
    peers: Vec<Box<dyn PeerRun + 's>>,
}

/// Comparison of results with phalanx on one lane.
#[derive(Default)]
pub struct Checked {
    pairs: usize,
    hits: usize,
    /// Number of results of each player that differ.
    different: Vec<usize>,
}

impl Checked {
    /// Adds the comparison of another list.
    pub fn and(mut self, other: Checked) -> Self {
        self.pairs += other.pairs;
        self.hits += other.hits;
        self.different.resize(other.different.len(), 0);
        for (count, other) in self.different.iter_mut().zip(other.different) {
            *count += other;
        }
        self
    }

    /// Opens a contest in which all players do the same work.
    ///
    /// # Panics
    ///
    /// If a player differs on more than [`MAX_DIFFERENT`] of the pairs.
    pub fn open<'s>(self, call: impl FnMut(usize) + 's) -> Open<'s> {
        for (player, &different) in self.different.iter().enumerate() {
            assert!(
                different as f64 <= MAX_DIFFERENT * self.pairs as f64,
                "player {player} differs on {different} of {} pairs",
                self.pairs,
            );
        }
        Open {
            call: Box::new(call),
            pairs: Some(self.pairs),
            hits: Some(self.hits),
            different: self.different,
        }
    }
}

impl<'s> Opponents<'s> {
    /// Runs a player, by its index in [`Kernel::players`].
    pub fn call(&mut self, player: usize, list: &List) {
        match player.checked_sub(self.instances.len()) {
            None => {
                self.phalanx.call(&mut self.instances[player], list.told());
            }
            Some(peer) => self.peers[peer].run(&list.pairs),
        }
    }

    /// Compares all results. Times of contact may differ by `tolerance`.
    ///
    /// # Panics
    ///
    /// If an instance differs in a single bit.
    pub fn check(&mut self, list: &List, tolerance: f32) -> Checked {
        let times = self.phalanx.check(&mut self.instances, list.told());
        let mut different = vec![0; self.instances.len()];
        for peer in &mut self.peers {
            peer.run(&list.pairs);
            let is_different = |&(position, &time): &(usize, &f32)| {
                let peer_time = peer.enter(position);
                // The difference of two misses is NaN.
                let same = time == peer_time || (time - peer_time).abs() <= tolerance;
                !same
            };
            different.push(times.iter().enumerate().filter(is_different).count());
        }
        Checked {
            pairs: times.len(),
            hits: times.iter().filter(|time| time.is_finite()).count(),
            different,
        }
    }

    /// A contest over one list.
    pub fn into_contest(mut self, list: List) -> Open<'s> {
        let checked = self.check(&list, TIME_TOLERANCE);
        checked.open(move |player| self.call(player, &list))
    }
}

/// A kernel of phalanx on the shapes of one scene. Outputs are reused.
trait Phalanx: Send {
    fn call(&mut self, instance: &mut Instance, pairs: Pairs<'_>);
    /// The results, as in [`Answers::enter`]. Panics if an instance differs from one lane.
    fn check(&mut self, instances: &mut [Instance], pairs: Pairs<'_>) -> Vec<f32>;
}

struct Run<V, C> {
    call: C,
    out: V,
}

impl<V: Answers, C> Run<V, C> {
    fn boxed<'s>(call: C) -> Box<dyn Phalanx + 's>
    where
        C: Fn(&mut Instance, Pairs<'_>, &mut V) -> Result<(), Error> + Send + 's,
    {
        let out = V::default();
        Box::new(Run { call, out })
    }
}

impl<V: Answers, C> Phalanx for Run<V, C>
where
    C: Fn(&mut Instance, Pairs<'_>, &mut V) -> Result<(), Error> + Send,
{
    fn call(&mut self, instance: &mut Instance, pairs: Pairs<'_>) {
        (self.call)(instance, pairs, &mut self.out).expect("scenes name shapes that exist");
        black_box(&self.out);
    }

    fn check(&mut self, instances: &mut [Instance], pairs: Pairs<'_>) -> Vec<f32> {
        let one_lane = Simd::available().find(|simd| simd.lanes() == 1);
        let mut reference = Detector::new().parallel(false);
        if let Some(simd) = one_lane {
            reference = reference.simd(simd);
        }
        let mut reference = Instance {
            name: "the reference".into(),
            detector: reference,
            stores_rest: false,
        };
        self.call(&mut reference, pairs);
        let expected = std::mem::take(&mut self.out);
        for instance in instances {
            self.call(instance, pairs);
            let same = expected.same_bits(&self.out);
            assert!(same, "{} gives another answer", instance.name);
        }
        let positions = 0..expected.len();
        positions.map(|position| expected.enter(position)).collect()
    }
}

/// Results of phalanx, common to both verbs.
trait Answers: Default + Send + 'static {
    fn len(&self) -> usize;
    /// The first time of contact, zero for an overlap; +∞ for a miss.
    fn enter(&self, position: usize) -> f32;
    fn same_bits(&self, other: &Self) -> bool;
}

impl Answers for Overlaps {
    fn len(&self) -> usize {
        self.len()
    }
    fn enter(&self, position: usize) -> f32 {
        if self.is_hit(position) {
            0.0
        } else {
            f32::INFINITY
        }
    }
    fn same_bits(&self, other: &Self) -> bool {
        self == other
    }
}

impl Answers for Sweeps {
    fn len(&self) -> usize {
        self.len()
    }
    fn enter(&self, position: usize) -> f32 {
        self.get(position)
            .map_or(f32::INFINITY, |interval| interval.enter)
    }
    fn same_bits(&self, other: &Self) -> bool {
        fn bits(times: &[f32]) -> impl Iterator<Item = u32> {
            times.iter().map(|time| time.to_bits())
        }
        self.words() == other.words()
            && self.iter_invalid().eq(other.iter_invalid())
            && bits(self.enter()).eq(bits(other.enter()))
            && bits(self.exit()).eq(bits(other.exit()))
    }
}
