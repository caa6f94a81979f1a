//! A moving point against a segment or a parallelogram, exactly: the squared distance is convex, and quadratic between
//! the times at which the nearest feature changes.

use dashu_int::IBig;
use phalanx::TimeInterval;

use super::Exact;
use super::exact::{Scale, Time, Vec3, abs, sq};
use super::segments::Squared;

/// The squared distance of a point at a time, and its slope times something positive.
struct Distance {
    squared: Squared,
    slope: IBig,
}

/// A static set near a moving point.
pub trait Still {
    /// The squared distance of a point at some time.
    fn least(&self, path: &Path) -> Squared;
    /// The distance to each piece at a time.
    fn at(&self, path: &Path, time: &Time) -> Vec<(Squared, IBig)>;
}

/// The path of a point.
#[derive(Clone)]
pub struct Path {
    pub start: Vec3,
    pub moves: Vec3,
}

impl Path {
    /// The position of the point at a time, times the time's denominator.
    fn at(&self, time: &Time) -> Vec3 {
        &(&self.start * &time.1) + &(&self.moves * &time.0)
    }

    fn moved(&self, by: &Vec3) -> Path {
        Path {
            start: &self.start + by,
            ..self.clone()
        }
    }

    /// The squared length of a vector at a time, given it times `over`.
    fn squared(&self, numerator: IBig, over: &IBig, time: &Time) -> Squared {
        Squared {
            numerator,
            denominator: over * sq(&time.1),
        }
    }
}

fn in_frame(time: &Time) -> bool {
    Time::of(0.0).cmp(time).is_le() && time.cmp(&Time::of(1.0)).is_le()
}

/// The segment between `-half_axis` and `half_axis`.
pub struct Segment(pub Vec3);

impl Segment {
    /// The nearest end at a time, 1 or −1; 0 if an inner point is nearest.
    fn end(&self, path: &Path, time: &Time) -> i32 {
        let (along, half) = (path.at(time).dot(&self.0), self.0.length_sq() * &time.1);
        i32::from(along >= half) - i32::from(along <= -half)
    }

    /// Half the slope of the squared distance of a piece as a function of time, times a positive factor: the value at
    /// 0, and the increase to 1.
    fn slopes(&self, path: &Path, end: i32) -> (IBig, IBig) {
        let half_axis = &self.0;
        if end != 0 || half_axis.length_sq() == IBig::ZERO {
            let to_end = &path.start - &(half_axis * &IBig::from(end));
            return (to_end.dot(&path.moves), path.moves.length_sq());
        }
        let (length_sq, along) = (half_axis.length_sq(), path.moves.dot(half_axis));
        (
            path.start.dot(&path.moves) * &length_sq - path.start.dot(half_axis) * &along,
            path.moves.length_sq() * length_sq - sq(&along),
        )
    }

    fn distance(&self, path: &Path, time: &Time) -> Distance {
        let (p, end) = (path.at(time), self.end(path, time));
        let (at_0, more) = self.slopes(path, end);
        let squared = if end == 0 && self.0.length_sq() != IBig::ZERO {
            path.squared(p.cross(&self.0).length_sq(), &self.0.length_sq(), time)
        } else {
            let to_end = &p - &(&self.0 * &(IBig::from(end) * &time.1));
            path.squared(to_end.length_sq(), &IBig::ONE, time)
        };
        Distance {
            squared,
            slope: at_0 * &time.1 + more * &time.0,
        }
    }

    /// A time of the frame at which the point is nearest.
    fn nearest(&self, path: &Path) -> Time {
        let mut times = vec![Time::of(0.0), Time::of(1.0)];
        let (along, half) = (path.moves.dot(&self.0), self.0.length_sq());
        for half in [&half, &-&half] {
            if along != IBig::ZERO {
                times.push(Time::new(half - path.start.dot(&self.0), along.clone()));
            }
        }
        times.retain(in_frame);
        times.sort_by(Time::cmp);
        let slope = |time: &Time| self.distance(path, time).slope;
        match times.iter().position(|time| slope(time) >= IBig::ZERO) {
            None => Time::of(1.0),
            Some(0) => Time::of(0.0),
            Some(after) => {
                let within = times[after - 1].between(&times[after]);
                let (at_0, more) = self.slopes(path, self.end(path, &within));
                Time::new(-at_0, more)
            }
        }
    }
}

impl Still for Segment {
    fn least(&self, path: &Path) -> Squared {
        self.distance(path, &self.nearest(path)).squared
    }

    fn at(&self, path: &Path, time: &Time) -> Vec<(Squared, IBig)> {
        let Distance { squared, slope } = self.distance(path, time);
        vec![(squared, slope)]
    }
}

/// The points s a + r b, s and r from −1 to 1: a face, unless it is flat, and four edges.
pub struct Parallelogram(pub Vec3, pub Vec3);

impl Parallelogram {
    /// Each edge, and the path of the point relative to its middle.
    fn edges<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (Segment, Path)> + 'a {
        let Parallelogram(a, b) = self;
        [(a, b), (b, a)].into_iter().flat_map(move |(to, along)| {
            [to.clone(), -to].map(|to| (Segment(along.clone()), path.moved(&to)))
        })
    }

    /// The coordinates that are at most `normal`² while the point is over the face, as functions of time: the value at
    /// 0, and the increase to 1.
    fn coordinates(&self, path: &Path, normal: &Vec3) -> [(IBig, IBig); 2] {
        let Parallelogram(a, b) = self;
        [b.cross(normal), normal.cross(a)].map(|to| (path.start.dot(&to), path.moves.dot(&to)))
    }

    fn is_over_face(&self, path: &Path, normal: &Vec3, time: &Time) -> bool {
        let most = normal.length_sq() * &time.1;
        let mut coordinates = self.coordinates(path, normal).into_iter();
        coordinates.all(|(at_0, more)| abs(&(at_0 * &time.1 + more * &time.0)) <= most)
    }

    /// Distance from the plane of the face at a time.
    fn height(path: &Path, normal: &Vec3, time: &Time) -> Squared {
        let height = path.at(time).dot(normal);
        path.squared(sq(&height), &normal.length_sq(), time)
    }

    /// The least distance from the plane while the point is over the face.
    fn least_over_face(&self, path: &Path, normal: &Vec3) -> Option<Squared> {
        let most = normal.length_sq();
        if most == IBig::ZERO {
            return None;
        }
        let mut times = vec![Time::of(0.0), Time::of(1.0)];
        let mut add = |numerator: IBig, denominator: &IBig| {
            if *denominator != IBig::ZERO {
                times.push(Time::new(numerator, denominator.clone()));
            }
        };
        for (at_0, more) in self.coordinates(path, normal) {
            add(&most - &at_0, &more);
            add(-&most - at_0, &more);
        }
        add(-path.start.dot(normal), &path.moves.dot(normal));
        times.retain(|time| in_frame(time) && self.is_over_face(path, normal, time));
        let heights = times.iter().map(|time| Self::height(path, normal, time));
        (!times.is_empty()).then(|| Squared::least(heights))
    }
}

impl Still for Parallelogram {
    fn least(&self, path: &Path) -> Squared {
        let normal = self.0.cross(&self.1);
        let edges = self.edges(path).map(|(edge, path)| edge.least(&path));
        Squared::least(edges.chain(self.least_over_face(path, &normal)))
    }

    fn at(&self, path: &Path, time: &Time) -> Vec<(Squared, IBig)> {
        let normal = self.0.cross(&self.1);
        let edges = self
            .edges(path)
            .flat_map(|(edge, path)| edge.at(&path, time));
        let mut all: Vec<_> = edges.collect();
        if normal.length_sq() != IBig::ZERO && self.is_over_face(path, &normal, time) {
            let slope = path.at(time).dot(&normal) * path.moves.dot(&normal);
            all.push((Self::height(path, &normal, time), slope));
        }
        all
    }
}

/// The exact answer for a moving point and a set, which touch within `reach`. All in units of a scale.
pub fn exact(
    path: &Path,
    still: &impl Still,
    reach: &IBig,
    claim: Option<TimeInterval>,
    scale: Scale,
    band: f64,
) -> Exact {
    let (hit, gap) = still.least(path).within(reach);
    let gap = scale.f64(gap);
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    // The gap; whether the point is approaching and was not within reach before; and whether it is receding and is not
    // within reach later.
    let judge = |time: f32| {
        let all = still.at(path, &Time::of(time));
        let nearest = all.into_iter().reduce(|least, other| {
            if other.0.is_below(&least.0) {
                other
            } else {
                least
            }
        });
        let (squared, slope) = nearest.expect("a distance");
        let outside = squared.numerator >= sq(reach) * &squared.denominator;
        let gap = scale.f64(squared.within(reach).1);
        (
            gap,
            outside && slope < IBig::ZERO,
            outside && slope > IBig::ZERO,
        )
    };
    let (at_enter, not_late, _) = judge(claim.enter);
    let (at_exit, _, not_early) = judge(claim.exit);
    let not_late = not_late || claim.enter == 0.0;
    let not_early = not_early || claim.exit == 1.0;
    Exact {
        hit,
        gap,
        band,
        encloses: claim.enter <= claim.exit && (!hit || (not_late && not_early)),
        slack: at_enter.max(at_exit),
    }
}
