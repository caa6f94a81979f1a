//! Contact manifolds: normal, separation or penetration depth, and up to four points.
//!
//! The kernel of a pair receives overlapping or nearly touching shapes. It returns world axes, relative to the center
//! of the first shape. [`Contacts`](crate::Contacts) defines the numbers.
//!
//! # The separation
//!
//! For any unit vector n the gap along it, n·t − r_a(n) − r_b(−n), is at most the exact separation, r being the support
//! of a shape. So a kernel may guess any normals if it *evaluates* the gap along each and returns the greatest, less
//! the error bound of the evaluation. A guess spoilt by rounding then loses against a good guess, without a threshold.
//!
//! # The band β
//!
//! Let G be the exact separation of a pair that touches, and S the sum of its lengths. G less the reported separation
//! has four parts:
//!
//! 1. **Loss**: G less the greatest exact gap along the normals that are tried, at the numbers that are computed.
//! 2. **Bias**: how far the winner's gap may be below the greatest.
//! 3. **Rounding** of gaps: products, sums, the length of the normal, comparisons.
//! 4. **Taken**: the error bound that [`reported`] subtracts.
//!
//! Two facts make parts 2 and 4 the largest. In the frame of a box the size is S′, with ‖t‖₁ ≤ √3 |t|: at most √3 S, and
//! for two boxes that touch, |t| ≤ ‖a‖₁ + ‖b‖₁, at most (√3 + 1) / 2 S. And S′ is scaled to 1/2 or more, so that a bias of
//! k u is a length of up to 2 k u S′. In units of u S, each kernel's head having the proof:
//!
//! ```text
//!                       loss    bias    rounding   taken    sum
//! capsule, OBB           109     111       15        70     305     capsule_box_contact
//! box, triangle          114      64        5       113     296     box_triangle_contact
//! two OBBs                57      88       24        47     216     box_contact
//! capsule, triangle       84      32        5        89     210     capsule_triangle_contact
//! sphere, triangle        84      32        5        89     210     sphere_triangle_contact
//! AABB, OBB               89      64       24        34     211
//! two capsules           127       4       16        14     161     capsule_capsule_contact
//! capsule, AABB           52      64       15        16     147
//! sphere, capsule         46       4       14        12      76
//! box, plane               0       0       32        48      80     `of_aabb` takes 16 u of up to 3 S
//! sphere, OBB             23       0        8        30      61
//! ```
//!
//! All others are below these. So β = 320 u S + 2⁻⁶⁰, the absolute part covering underflow and [`FLOOR`].
//!
//! The gap along the reported normal has loss and bias, the rounding of the winner twice, and the turn to the world: a
//! vector in a box's frame is off by √3 (η + 3 u) < 20 u there. That sums to 285 u S for a capsule and an OBB, and 250 u S
//! for two OBBs. Boxes that are apart have no loss and no bias.
//!
//! Points are within β where they come from one face over the other along the normal (`contact::box_box`,
//! `contact::capsule_box`). Where roundings and biases leave no such place, the nearest one stands in. For that case there
//! is no derivation; torture and tests hold it to β.

use crate::lane::{Float, Lanes, Routine, Vec3, select, unit};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::gap::{Gap, signed};
use crate::shapes::shape::{Movable, Shape};

/// Manifold kernel of the pair `Self`, `B`.
pub trait ManifoldKernel<B: Shape>: Movable {
    /// Maximum number of points: 1, 2 or 4.
    const POINTS: usize;

    /// Manifold of one pair per lane. `margin` is at least zero: the largest separation of a reported pair.
    fn manifold<L: Lanes>(
        lanes: L,
        a: Self::Wide<L::F>,
        b: B::Wide<L::F>,
        margin: L::F,
    ) -> Manifold<L::F>;

    /// Whether `f32` is fine for a pair of any sizes: B is a plane.
    const IS_FINE: bool = false;

    /// Whether B is a triangle, whose normals a mesh may clamp.
    const CLAMPS: bool = false;

    /// Center of A, relative to a corner of B. Only for a B that clamps.
    #[inline(always)]
    fn above<L: Lanes>(lanes: L, _a: Self::Wide<L::F>, _b: B::Wide<L::F>) -> Vec3<L::F> {
        Vec3([lanes.splat(0.0); 3])
    }

    /// The way of A out of B along a unit vector. Only for a B that clamps.
    #[inline(always)]
    fn exit<L: Lanes>(
        lanes: L,
        _a: Self::Wide<L::F>,
        _b: B::Wide<L::F>,
        _outward: Vec3<L::F>,
    ) -> Exit<L> {
        let zero = lanes.splat(0.0);
        Exit {
            length: zero,
            touches: zero.lt(zero),
        }
    }

    /// Normal of the face of B. Only for a B that clamps.
    #[inline(always)]
    fn face_normal<L: Lanes>(lanes: L, _b: B::Wide<L::F>) -> Vec3<L::F> {
        Vec3([lanes.splat(0.0); 3])
    }

    /// Manifold along a given unit vector from A to B. Only for a B that clamps.
    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        a: Self::Wide<L::F>,
        b: B::Wide<L::F>,
        margin: L::F,
        _normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        Self::manifold(lanes, a, b, margin)
    }
}

/// The way of a shape out of a triangle, along a direction.
#[derive(Clone, Copy)]
pub struct Exit<L: Lanes> {
    /// Its length, never too small; zero for a shape that does not touch.
    pub length: L::F,
    /// Whether the shape touches the triangle.
    pub touches: L::M,
}

/// Contact manifold of a pair.
#[derive(Clone, Copy)]
pub struct Manifold<F> {
    /// Unit vector from A to B.
    pub normal: Vec3<F>,
    pub separation: F,
    /// Center of B less the center of A; zero if B has none, as a plane or a triangle.
    pub offset: Vec3<F>,
    /// Number of points.
    pub count: F,
    pub points: [ManifoldPoint<F>; 4],
}

/// Contact point.
#[derive(Clone, Copy)]
pub struct ManifoldPoint<F> {
    /// Position relative to the center of A.
    pub at: Vec3<F>,
    pub separation: F,
    /// Feature id: a small number that identifies the point.
    pub feature: F,
}

/// Manifold kernel of two shapes as a routine.
pub struct ManifoldRoutine<A, B>(core::marker::PhantomData<(A, B)>);

impl<L: Lanes, A: ManifoldKernel<B>, B: Shape> Routine<L> for ManifoldRoutine<A, B> {
    type Argument = (A::Wide<L::F>, B::Wide<L::F>, L::F);
    type Output = Manifold<L::F>;

    #[inline(always)]
    fn run(lanes: L, (a, b, margin): Self::Argument) -> Self::Output {
        A::manifold(lanes, a, b, margin)
    }
}

/// Bias of the tie-break: a gap wins only if it is greater by this, relative to all lengths. 4 u, so that no rounding
/// decides. Normals whose gaps differ by less may be √(8 u) apart, and the points with them.
pub const BIAS: f32 = 4.0;

/// Distance below which two points are one: four times the tolerance of clipping, and at most a 16th of the size of the
/// smaller face or axis. So small shapes keep their points on large partners.
#[inline(always)]
pub fn least_apart<L: Lanes>(lanes: L, slop: L::F, size: L::F) -> L::F {
    (lanes.splat(4.0) * slop).min(size * lanes.splat(1.0 / 16.0))
}

/// Subtracts the error bound from a gap that errs by at most `errors` u of `size`. `size` is the sum of all lengths,
/// the margin included.
#[inline(always)]
pub fn reported<L: Lanes>(lanes: L, gap: L::F, size: L::F, errors: f32, margin: L::F) -> L::F {
    let reported = lanes.lower(gap - (size * lanes.units(errors) + lanes.splat(FLOOR)));
    // Without a margin a reported pair never has positive separation.
    reported.min(margin + margin)
}

/// One-point manifold for a sphere, `radius` in size, around the center of A.
#[inline(always)]
pub fn of_one<L: Lanes>(
    lanes: L,
    radius: L::F,
    Gap { normal, gap }: Gap<L::F>,
    offset: Vec3<L::F>,
) -> Manifold<L::F> {
    let point = ManifoldPoint {
        at: normal * (radius + gap * lanes.splat(0.5)),
        separation: gap,
        feature: lanes.splat(0.0),
    };
    Manifold {
        normal,
        separation: gap,
        offset,
        count: lanes.splat(1.0),
        points: [point; 4],
    }
}

/// Manifold of up to two points, given the masks of the lanes in which each counts. A point that counts comes first; if
/// neither counts, the first point is kept.
#[inline(always)]
pub fn of_two<L: Lanes>(
    lanes: L,
    normal: Vec3<L::F>,
    separation: L::F,
    offset: Vec3<L::F>,
    [first, second]: [ManifoldPoint<L::F>; 2],
    [has_first, has_second]: [L::M; 2],
) -> Manifold<L::F> {
    let (one, infinity) = (lanes.splat(1.0), lanes.splat(f32::INFINITY));
    let only_second = !has_first & has_second;
    let both = has_first & has_second;
    let front = first.or(only_second, second);
    let back = ManifoldPoint {
        separation: infinity,
        ..front
    };
    let back = back.or(both, second);
    Manifold {
        normal,
        separation,
        offset,
        count: one + one.masked(both),
        points: [front, back, front, front],
    }
}

impl<F: Float> ManifoldPoint<F> {
    /// `if mask { other } else { self }`
    #[inline(always)]
    pub fn or(self, mask: F::Mask, other: Self) -> Self {
        ManifoldPoint {
            at: select(mask, other.at, self.at),
            separation: other.separation.select(mask, self.separation),
            feature: other.feature.select(mask, self.feature),
        }
    }
}

/// Manifold of the points, at most four, whose separation is finite.
#[inline(always)]
pub fn of_four<L: Lanes>(
    lanes: L,
    normal: Vec3<L::F>,
    separation: L::F,
    offset: Vec3<L::F>,
    mut points: [ManifoldPoint<L::F>; 4],
) -> Manifold<L::F> {
    let (one, infinity) = (lanes.splat(1.0), lanes.splat(f32::INFINITY));
    let mut count = lanes.splat(0.0);
    for point in &points {
        count = count + one.masked(point.separation.lt(infinity));
    }
    // Points that count move to the front; their order is kept.
    let mut last = 3;
    while last > 0 {
        let mut k = 0;
        while k < last {
            let (p, q) = (points[k], points[k + 1]);
            let swap = infinity.le(p.separation);
            points[k] = p.or(swap, q);
            points[k + 1] = q.or(swap, p);
            k += 1;
        }
        last -= 1;
    }
    let first = points[0];
    let mut k = 1;
    while k < 4 {
        let none = infinity.le(points[k].separation);
        let again = ManifoldPoint {
            separation: infinity,
            ..first
        };
        points[k] = points[k].or(none, again);
        k += 1;
    }
    Manifold {
        normal,
        separation,
        offset,
        count,
        points,
    }
}

/// One of three coordinates, chosen per lane.
#[derive(Clone, Copy)]
pub struct Choice<F: Float> {
    is_0: F::Mask,
    is_1: F::Mask,
}

impl<F: Float> Choice<F> {
    /// Coordinate of largest absolute value, the first among equals.
    #[inline(always)]
    pub fn greatest([x, y, z]: [F; 3]) -> Self {
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        let is_0 = y.le(x) & z.le(x);
        Choice {
            is_0,
            is_1: !is_0 & z.le(y),
        }
    }

    /// The chosen value of three.
    #[inline(always)]
    fn of(self, x: F, y: F, z: F) -> F {
        x.select(self.is_0, y.select(self.is_1, z))
    }

    /// Cyclic permutation that puts the chosen coordinate last.
    #[inline(always)]
    pub fn last(self, [x, y, z]: [F; 3]) -> [F; 3] {
        [self.of(y, z, x), self.of(z, x, y), self.of(x, y, z)]
    }

    /// Inverse of [`last`](Self::last).
    #[inline(always)]
    pub fn back(self, [u, v, w]: [F; 3]) -> [F; 3] {
        [self.of(w, v, u), self.of(u, w, v), self.of(v, u, w)]
    }
}

/// Incident or reference face of a box: the face whose normal is most along a vector, given in the axes of the box.
#[derive(Clone, Copy)]
pub struct Face<F: Float> {
    along: Vec3<F>,
    axis: Choice<F>,
}

/// Signs of a corner along the axes of its box: 1 or −1.
#[derive(Clone, Copy)]
pub struct Sides<F>(pub [F; 3]);

impl<F: Float> Face<F> {
    /// Face of the largest component, the first among equals.
    #[inline(always)]
    pub fn new(along: Vec3<F>) -> Self {
        Face {
            along,
            axis: Choice::greatest(along.0),
        }
    }

    /// Corner `k` of four, in order around the face.
    #[inline(always)]
    pub fn corner<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, k: usize) -> Sides<F> {
        let one = lanes.splat(1.0);
        let first = lanes.splat([-1.0, 1.0, 1.0, -1.0][k]);
        let second = lanes.splat([-1.0, -1.0, 1.0, 1.0][k]);
        let [x, y, z] = self.along.0;
        let Choice { is_0, is_1 } = self.axis;
        let is_z = !(is_0 | is_1);
        Sides([
            signed(lanes, one, x).select(is_0, first),
            signed(lanes, one, y).select(is_1, first.select(is_0, second)),
            signed(lanes, one, z).select(is_z, second),
        ])
    }
}

impl<F: Float> Sides<F> {
    /// Whether the corner is on the upper side, per axis.
    #[inline(always)]
    pub fn is_upper<L: Lanes<F = F, M = F::Mask>>(self, lanes: L) -> [F::Mask; 3] {
        let zero = lanes.splat(0.0);
        let [x, y, z] = self.0;
        [zero.lt(x), zero.lt(y), zero.lt(z)]
    }

    /// Feature id of the corner: Σ (sideₖ + 1) 3ᵏ.
    #[inline(always)]
    pub fn feature<L: Lanes<F = F, M = F::Mask>>(self, lanes: L) -> F {
        let [x, y, z] = self.0;
        x + y * lanes.splat(3.0) + z * lanes.splat(9.0) + lanes.splat(13.0)
    }
}

/// The surface of a capsule, as seen along a normal from its axis.
#[derive(Clone, Copy)]
pub struct CapsuleSupport<F> {
    half_axis: Vec3<F>,
    radius: F,
    normal: Vec3<F>,
    /// Length of the half axis.
    length: F,
    /// Component of the normal along the axis.
    along: F,
    /// Distance from the axis to the cylinder's surface, along the normal.
    beside: F,
    /// The end further along the normal: 1 or −1.
    front: F,
}

impl<F: Float> CapsuleSupport<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        half_axis: Vec3<F>,
        radius: F,
        normal: Vec3<F>,
    ) -> Self {
        let (direction, length) = unit(lanes, half_axis, nowhere(lanes));
        let along = direction.dot(normal);
        let aside = normal - direction * along;
        CapsuleSupport {
            half_axis,
            radius,
            normal,
            length,
            along,
            // Infinite along the axis.
            beside: radius / aside.dot(aside).sqrt(),
            front: signed(lanes, lanes.splat(1.0), along),
        }
    }

    /// The surface point over the axis point at `t`, on the cylinder or on the front cap. `height` is the distance of
    /// the axis point from the other shape.
    #[inline(always)]
    pub fn point<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        t: F,
        height: F,
        feature: f32,
    ) -> ManifoldPoint<F> {
        let to_front = (self.front - t) * self.front;
        let on_cylinder = (self.along.abs() * self.beside).le(to_front * self.length);
        // From the center of the cap to the line along the normal.
        let from_cap = self.half_axis * (t - self.front);
        let ahead = -from_cap.dot(self.normal);
        let aside = from_cap + self.normal * ahead;
        let chord = self.radius * self.radius - aside.dot(aside);
        let on_cap = ahead + chord.max(lanes.splat(0.0)).sqrt();
        let reach = self.beside.select(on_cylinder, on_cap);
        let separation = height - reach;
        ManifoldPoint {
            at: self.half_axis * t + self.normal * (reach + separation * lanes.splat(0.5)),
            separation,
            feature: lanes.splat(feature),
        }
    }
}

/// The zero offset: points are relative to the shape.
#[inline(always)]
pub fn nowhere<L: Lanes>(lanes: L) -> Vec3<L::F> {
    Vec3([lanes.splat(0.0); 3])
}
