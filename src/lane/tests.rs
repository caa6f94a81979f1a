//! Tests of every instance against the traits, lane by lane and bit by bit.

use super::{Float, Job, Lanes, MAX_LANES, Mask, Partner, Rows, Simd};

const SPECIAL: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-40,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    0.333_333_34,
    1.1754942e-38,
];

/// Runs every operation on `a` and `b`, placed in lane `lane` among unrelated numbers.
struct Operations {
    a: f32,
    b: f32,
    lane: usize,
}

impl Job for Operations {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Vec<u64> {
        let lane = self.lane % L::COUNT;
        let (mut a, mut b) = ([0.25; MAX_LANES], [-7.0; MAX_LANES]);
        (a[lane], b[lane]) = (self.a, self.b);
        let (a, b) = (lanes.load(&a), lanes.load(&b));
        let numbers = [
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a.max(b),
            a.min(b),
            a.abs(),
            a.sqrt(),
            a.recip_pow2(),
            a.select(a.lt(b), b),
            a.masked(a.lt(b)),
            lanes.splat(2.0),
        ];
        let masks = [
            a.le(b),
            a.lt(b),
            a.unordered(b),
            !a.le(b),
            a.le(b) & b.le(a),
            a.lt(b) | b.lt(a),
            lanes.are_within([a, b], 1.0),
            lanes.are_within([a], f32::MAX),
        ];
        let mut seen = Vec::new();
        for number in numbers {
            let mut out = [0.0; MAX_LANES];
            lanes.store(number, &mut out);
            // The payload of NaN is unspecified: no kernel returns one.
            let bits = if out[lane].is_nan() {
                u32::MAX
            } else {
                out[lane].to_bits()
            };
            seen.push(u64::from(bits));
        }
        for mask in masks {
            assert_eq!(mask.bits() >> L::COUNT, 0, "bits beyond the last lane");
            seen.push(mask.bits() >> lane & 1);
        }
        seen
    }
}

#[test]
fn operations_on_every_instance_match_the_scalar_bits() {
    for a in SPECIAL {
        for b in SPECIAL {
            let expected = super::One.run(Operations { a, b, lane: 0 });
            for simd in Simd::available() {
                for lane in 0..simd.lanes() {
                    let seen = simd.run(Operations { a, b, lane });
                    assert_eq!(seen, expected, "{simd}, lane {lane}: {a:e}, {b:e}");
                }
            }
        }
    }
}

#[test]
fn max_and_min_are_compare_and_select() {
    let nan = f32::NAN;
    assert_eq!(Float::max(0.0, -0.0).to_bits(), (-0.0f32).to_bits());
    assert_eq!(Float::max(-0.0, 0.0).to_bits(), 0);
    assert_eq!(Float::min(0.0, -0.0).to_bits(), (-0.0f32).to_bits());
    assert_eq!((Float::max(nan, 1.0), Float::min(nan, 1.0)), (1.0, 1.0));
    assert!(Float::max(1.0, nan).is_nan() && Float::min(1.0, nan).is_nan());
}

#[test]
fn power_of_two_below_inverse_scales_into_half_to_one() {
    for x in [
        1.0f32,
        1.5,
        0.75,
        3e-38,
        1e38 / 4.0,
        f32::MIN_POSITIVE,
        2.0f32.powi(61),
    ] {
        let factor = x.recip_pow2();
        assert_eq!(
            factor.to_bits() & 0x007f_ffff,
            0,
            "{factor} is not a power of two"
        );
        assert!((0.5..1.0).contains(&(x * factor)), "{x} * {factor}");
    }
    assert_eq!(0.0f32.recip_pow2(), 1.0 / f32::MIN_POSITIVE);
}

const fn scrambled(lane: usize) -> usize {
    (lane * 5 + 3) % 11
}

/// Rows read in a scrambled order.
#[derive(Clone, Copy)]
struct IndexedRows<'a, R>(&'a [R]);

impl<R: Copy> Rows<R> for IndexedRows<'_, R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &R {
        &self.0[scrambled(lane)]
    }
}

/// Gathers rows of `W` numbers and scatters them back.
struct RoundTrip<const W: usize>;

impl<const W: usize> Job for RoundTrip<W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let mut rows = [[0.0; W]; 11];
        for (i, row) in rows.iter_mut().enumerate() {
            for (k, x) in row.iter_mut().enumerate() {
                *x = (i * 100 + k) as f32;
            }
        }
        let vectors = lanes.gather(IndexedRows(&rows));
        let mut column = [0.0; 11];
        for k in 0..W {
            let mut out = [0.0; MAX_LANES];
            lanes.store(vectors[k], &mut out);
            let mut looked_up = [0.0; MAX_LANES];
            for (x, row) in column.iter_mut().zip(&rows) {
                *x = row[k];
            }
            lanes.store(lanes.lookup(IndexedRows(&column)), &mut looked_up);
            for lane in 0..L::COUNT {
                assert_eq!(out[lane], rows[scrambled(lane)][k]);
                assert_eq!(looked_up[lane], out[lane]);
            }
        }
        let mut back = [[-1.0; W]; MAX_LANES + 1];
        lanes.scatter(vectors, &mut back);
        for lane in 0..L::COUNT {
            assert_eq!(back[lane], rows[scrambled(lane)]);
        }
        assert_eq!(back[L::COUNT], [-1.0; W], "wrote past the last lane");
        lanes.prefetch(&rows, usize::MAX);
    }
}

#[test]
fn gather_then_scatter_restores_the_rows() {
    for simd in Simd::available() {
        simd.run(RoundTrip::<4>);
        simd.run(RoundTrip::<8>);
        simd.run(RoundTrip::<12>);
        simd.run(RoundTrip::<16>);
        simd.run(RoundTrip::<20>);
    }
}

/// Gathers sums with partners in a second set of rows.
struct Sums<const W: usize>(&'static [Option<Partner>]);

impl<const W: usize> Job for Sums<W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (mut a, mut b) = ([[0.0; W]; 11], [[0.0; W]; 11]);
        for i in 0..11 {
            for k in 0..W {
                a[i][k] = (i * 100 + k) as f32;
                b[i][k] = 0.1 * (i * 100 + k) as f32;
            }
        }
        b.reverse();
        let sums = lanes.gather_sums(IndexedRows(&a), IndexedRows(&b), self.0);
        for k in 0..W {
            let mut out = [0.0; MAX_LANES];
            lanes.store(sums[k], &mut out);
            let partner = self.0[k / 4];
            for (lane, out) in out.iter().enumerate().take(L::COUNT) {
                let i = scrambled(lane);
                let sum = partner.map_or(0.0, |Partner { quad, flip }| {
                    let x = b[i][4 * quad + k % 4];
                    a[i][k] + if flip[k % 4] { -x } else { x }
                });
                assert_eq!(out.to_bits(), sum.to_bits(), "lane {lane}, number {k}");
            }
        }
    }
}

#[test]
fn gather_sums_adds_the_partners() {
    const fn some(quad: usize) -> Option<Partner> {
        Some(Partner::new(quad, [true, false, false, true]))
    }
    const fn others(quad: usize) -> Option<Partner> {
        Some(Partner::new(quad, [false, false, true, false]))
    }
    for simd in Simd::available() {
        simd.run(Sums::<4>(const { &[some(0)] }));
        simd.run(Sums::<8>(const { &[some(0), others(1)] }));
        simd.run(Sums::<12>(const { &[others(1), some(0), others(2)] }));
        simd.run(Sums::<16>(const { &[others(1), some(2), None, others(3)] }));
    }
}

/// Compares sums of rows, with special rows in lane `lane` and zeros in the others.
struct SumsAtMost {
    a: [f32; 8],
    b: [f32; 8],
    lane: usize,
}

impl Job for SumsAtMost {
    /// The bits of both masks.
    type Output = (u64, u64);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (u64, u64) {
        let (mut a, mut b) = ([[0.0; 8]; 11], [[0.0; 8]; 11]);
        let special = scrambled(self.lane % L::COUNT);
        (a[special], b[special]) = (self.a, self.b);
        let limit = lanes.splat(1.0);
        let (at_most, marked) = lanes.sums_at_most(IndexedRows(&a), IndexedRows(&b), limit);
        let mut special_lanes = 0;
        for lane in 0..L::COUNT {
            special_lanes |= u64::from(scrambled(lane) == special) << lane;
        }
        // Zero rows in the other lanes are below the limit of one.
        let all = (1 << L::COUNT) - 1;
        assert_eq!(
            (
                at_most.bits() | special_lanes,
                marked.bits() & !special_lanes
            ),
            (all, 0)
        );
        let of_special = |bits: u64| match bits & special_lanes {
            0 => 0,
            bits if bits == special_lanes => 1,
            _ => panic!("lanes of the same row differ"),
        };
        (of_special(at_most.bits()), of_special(marked.bits()))
    }
}

#[test]
fn sums_at_most_compares_every_number() {
    for simd in Simd::available() {
        for lane in 0..MAX_LANES {
            let masks = |a, b| simd.run(SumsAtMost { a, b, lane });
            for k in [0, 1, 2, 4, 5, 6] {
                let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
                (a[k], b[(k + 4) % 8]) = (0.75, 0.25);
                assert_eq!(masks(a, b), (1, 0), "exactly the limit, number {k}");
                b[(k + 4) % 8] = 0.2500001;
                assert_eq!(masks(a, b), (0, 0), "above the limit, number {k}");
            }
            let mut bad = [0.0; 8];
            (bad[3], bad[7]) = (f32::NAN, f32::NAN);
            assert_eq!(masks(bad, [0.0; 8]), (0, 1));
            assert_eq!(masks([0.0; 8], bad), (0, 1));
        }
    }
}

#[test]
fn available_lists_fewest_lanes_first() {
    let lanes: Vec<_> = Simd::available().map(Simd::lanes).collect();
    assert_eq!(lanes[..2], [1, 4]);
    assert!(lanes.is_sorted());
    assert_eq!(Simd::available().last(), Some(Simd::best()));
    assert_eq!(Simd::available().next().unwrap().to_string(), "scalar");
}

/// Compresses the pairs whose bits are set in `which`, and expands bits by a mask.
struct CompressAndExpand {
    which: u64,
    shift: u32,
}

impl Job for CompressAndExpand {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let which = self.which << self.shift;
        let pairs: [[u32; 2]; 64] = core::array::from_fn(|i| [i as u32, 100 + i as u32]);
        let mut picked = [[7; 2]; 64 + MAX_LANES];
        let count = lanes.compress_pairs(which, &pairs, &mut picked);
        let expected = (0..64).filter(|place| which >> place & 1 == 1);
        assert!(
            expected
                .map(|place| pairs[place])
                .eq(picked[..count].iter().copied())
        );
        let beyond = &picked[count + L::COUNT..];
        assert!(beyond.iter().all(|&pair| pair == [7; 2]));

        // An arbitrary mask of 64 bits.
        let mask = self.which.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.which << 40;
        let bits = mask.rotate_left(23) ^ 0x5555;
        let deposited = lanes.expand_bits(bits, mask);
        let places = (0..64).filter(|place| mask >> place & 1 == 1);
        for (k, place) in places.enumerate() {
            assert_eq!(deposited >> place & 1, bits >> k & 1);
        }
        assert_eq!(deposited & !mask, 0);
    }
}

#[test]
fn pick_compresses_pairs_and_deposit_expands_bits() {
    for which in 0..1 << MAX_LANES {
        for simd in Simd::available() {
            for shift in [0, 48] {
                simd.run(CompressAndExpand { which, shift });
            }
        }
    }
}

/// The place of the least of eight times, in all orders of few.
struct Least8;

impl Job for Least8 {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for lane in 0..8 {
            let mut times = [f32::INFINITY; 8];
            times[lane] = 1.0;
            assert_eq!(lanes.least8(&times), lane);
            times[(lane + 3) % 8] = 0.5;
            assert_eq!(lanes.least8(&times), (lane + 3) % 8);
            times[(lane + 6) % 8] = 0.0;
            assert_eq!(lanes.least8(&times), (lane + 6) % 8);
        }
        assert_eq!(lanes.least8(&[0.25; 8]), 0);
        // Three bits are dropped.
        let mut times = [f32::from_bits(0x3f00_0007); 8];
        times[5] = 0.5;
        assert_eq!(lanes.least8(&times), 0);
    }
}

#[test]
fn least8_finds_the_lowest_lane_of_the_least() {
    for simd in Simd::available() {
        simd.run(Least8);
    }
}

struct Largest;

impl Job for Largest {
    type Output = ();
    fn run<L: Lanes>(self, lanes: L) {
        for lane in 0..L::COUNT {
            let mut numbers = [f32::NEG_INFINITY; MAX_LANES];
            for (k, x) in numbers.iter_mut().enumerate().take(L::COUNT) {
                *x = -1.0 - k as f32;
            }
            numbers[lane] = 0.5;
            assert_eq!(lanes.largest(lanes.load(&numbers)), 0.5);
        }
    }
}

#[test]
fn largest_is_the_largest_lane() {
    for simd in Simd::available() {
        simd.run(Largest);
    }
}

/// Numbers of `f64`, also such that no `f32` is.
const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    1e-300,
    -1e-40,
    1e300,
    -1e300,
    -1e-300,
    3.402_823_6e38,
    1e-45f32 as f64,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0 / 3.0,
    16_777_217.0,
];

#[test]
fn doubles_are_ieee_numbers_in_each_lane() {
    check_doubles(super::Double);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if let Some(lanes) = super::Avx2::detect() {
        check_doubles(lanes.doubles());
    }
}

fn check_doubles<L: Lanes>(lanes: L) {
    let lane_of = |x: L::F, lane: usize| {
        let mut to = [0.0; MAX_LANES];
        lanes.store_exactly(x, &mut to);
        to[lane]
    };
    for a in DOUBLES {
        for b in DOUBLES {
            for lane in 0..L::COUNT {
                let (mut from_a, mut from_b) = ([0.25; MAX_LANES], [-7.0; MAX_LANES]);
                (from_a[lane], from_b[lane]) = (a, b);
                let (x, y) = (lanes.load_nearest(&from_a), lanes.load_nearest(&from_b));
                let pairs = [
                    (x + y, a + b),
                    (x - y, a - b),
                    (x * y, a * b),
                    (x / y, a / b),
                    (-x, -a),
                    (x.abs(), a.abs()),
                    (Float::sqrt(x), a.sqrt()),
                    (Float::max(x, y), if a > b { a } else { b }),
                    (Float::min(x, y), if a < b { a } else { b }),
                    (
                        Float::select(x, Float::lt(x, y), y),
                        if a < b { a } else { b },
                    ),
                    (x.masked(Float::le(x, y)), if a <= b { a } else { 0.0 }),
                    (lanes.stored(x), f64::from(a as f32)),
                ];
                for (k, (found, right)) in pairs.into_iter().enumerate() {
                    let found = lane_of(found, lane);
                    let same =
                        found.to_bits() == right.to_bits() || found.is_nan() && right.is_nan();
                    assert!(
                        same,
                        "operation {k} of {a:e} and {b:e}: {found:e}, not {right:e}"
                    );
                }
                let unordered = Float::unordered(x, y).bits() >> lane & 1 == 1;
                assert_eq!(unordered, a.is_nan() || b.is_nan());
                let mut stored = [0.0; MAX_LANES];
                lanes.store(x, &mut stored);
                assert_eq!(stored[lane].to_bits() << 1, (a as f32).to_bits() << 1);
                if !a.is_nan() {
                    let (low, high) =
                        (lane_of(lanes.lower(x), lane), lane_of(lanes.upper(x), lane));
                    assert!(low <= a && a <= high && f64::from(low as f32) == low);
                    assert!(low == high || f64::from((low as f32).next_up()) == high);
                }
                if 0.0 < a && a < 1e300 {
                    let scaled = a * lane_of(x.recip_pow2(), lane);
                    assert!((0.5..1.0).contains(&scaled));
                }
            }
        }
    }
    assert_eq!(lane_of(lanes.units(3.0), 0), 3.0 / (1u64 << 53) as f64);
}

/// Rows in lanes of `f64`: what is gathered, added and compared is what is stored.
#[test]
fn doubles_read_and_write_rows() {
    check_rows(super::Double);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if let Some(lanes) = super::Avx2::detect() {
        check_rows(lanes.doubles());
    }
}

fn check_rows<L: Lanes>(lanes: L) {
    let number = |lane: usize, k: usize| (1 + lane * 8 + k) as f32 / 3.0 - 5.0;
    let rows: Vec<[f32; 8]> = (0..11)
        .map(|lane| core::array::from_fn(|k| number(lane, k)))
        .collect();
    let others: Vec<[f32; 8]> = rows.iter().map(|row| row.map(|x| 1.0 - 3.0 * x)).collect();
    let exactly = |x: L::F| {
        let mut to = [0.0; MAX_LANES];
        lanes.store_exactly(x, &mut to);
        to
    };
    let gathered = lanes.gather(IndexedRows(&rows));
    let firsts: Vec<f32> = rows.iter().map(|row| row[0]).collect();
    let (loaded, found) = (lanes.load(&firsts), lanes.lookup(IndexedRows(&firsts)));
    static PARTNERS: [Option<Partner>; 2] = [
        Some(Partner::new(1, [false, true, false, true])),
        Some(Partner::new(0, [true, false, false, false])),
    ];
    let sums = lanes.gather_sums(IndexedRows(&rows), IndexedRows(&others), &PARTNERS);
    for (lane, first) in firsts.iter().enumerate().take(L::COUNT) {
        let at = scrambled(lane);
        let (row, other) = (rows[at].map(f64::from), others[at].map(f64::from));
        for k in 0..8 {
            assert_eq!(exactly(gathered[k])[lane], row[k]);
            let Partner { quad, flip } = PARTNERS[k / 4].unwrap();
            let x = other[4 * quad + k % 4];
            let sum = row[k] + if flip[k % 4] { -x } else { x };
            assert_eq!(exactly(sums[k])[lane], sum);
        }
        assert_eq!(exactly(loaded)[lane], f64::from(*first));
        assert_eq!(exactly(found)[lane], row[0]);
    }
    let mut written = vec![[0.0f32; 8]; L::COUNT];
    lanes.scatter(gathered, &mut written);
    let read: Vec<_> = (0..L::COUNT).map(|lane| rows[scrambled(lane)]).collect();
    assert_eq!(written, read);
    for lane in 0..L::COUNT {
        let mut boxes = vec![[-1.0f32; 8]; 11];
        for row in &mut boxes {
            (row[3], row[7]) = (0.0, 0.0);
        }
        let all = (1u64 << L::COUNT) - 1;
        let same = |boxes: &[[f32; 8]]| {
            let sums = lanes.sums_at_most(IndexedRows(boxes), IndexedRows(boxes), lanes.splat(0.5));
            (sums.0.bits(), sums.1.bits())
        };
        assert_eq!(same(&boxes), (all, 0));
        boxes[scrambled(lane)][5] = 1.75;
        assert_eq!(same(&boxes), (all & !(1 << lane), 0));
        boxes[scrambled(lane)][3] = f32::NAN;
        assert_eq!(same(&boxes), (all & !(1 << lane), 1 << lane));
        let mut numbers = [2.0f64; MAX_LANES];
        let one = lanes.splat(1.0);
        for far in [2.5, -2.5, f64::NAN] {
            numbers[lane] = far;
            let numbers = [one, lanes.load_nearest(&numbers)];
            assert_eq!(lanes.are_within(numbers, 2.0).bits(), all & !(1 << lane));
        }
    }
}
