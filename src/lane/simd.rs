//! The public type of an instruction set, and the only dispatch over them.

use core::fmt;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::{Avx2, Avx512};
use super::{Four, Job, Lanes, One};

/// An instruction set that this CPU supports.
///
/// A [`Detector`](crate::Detector) uses [`Simd::best`] by default. The choice affects speed only: results are
/// bit-identical.
///
/// ```
/// use phalanx::{Detector, Simd};
///
/// for simd in Simd::available() {
///     println!("{simd}: {} lanes", simd.lanes());
/// }
/// let detector = Detector::new().simd(Simd::available().next().unwrap());
/// assert_eq!(detector.settings().simd.lanes(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Simd(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum InstructionSet {
    One(One),
    Four(Four),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
}

impl Simd {
    /// Supported instruction sets, fewest lanes first. The first has 1 lane; kernels then run with four lanes if the
    /// CPU has vectors, because detectors have no code for one lane.
    pub fn available() -> impl DoubleEndedIterator<Item = Simd> + Clone {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        let more = [
            Avx2::detect().map(InstructionSet::Avx2),
            Avx512::detect().map(InstructionSet::Avx512),
        ];
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        let more = [None, None];
        [
            Some(InstructionSet::One(One)),
            Some(InstructionSet::Four(Four)),
        ]
        .into_iter()
        .chain(more)
        .flatten()
        .map(Simd)
    }

    /// Fastest supported instruction set.
    #[inline]
    pub fn best() -> Simd {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Some(avx512) = Avx512::detect() {
            return Simd(InstructionSet::Avx512(avx512));
        } else if let Some(avx2) = Avx2::detect() {
            return Simd(InstructionSet::Avx2(avx2));
        }
        Simd(InstructionSet::Four(Four))
    }

    /// Number of lanes: pairs tested per instruction.
    pub const fn lanes(self) -> usize {
        match self.0 {
            InstructionSet::One(_) => One::COUNT,
            InstructionSet::Four(_) => Four::COUNT,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx2(_) => Avx2::COUNT,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx512(_) => Avx512::COUNT,
        }
    }

    /// The widest instruction set, up to this one, whose lanes `len` elements fill.
    #[inline]
    pub(crate) fn filled_by(self, len: usize) -> Simd {
        if len >= self.lanes() {
            return self;
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let InstructionSet::Avx512(lanes) = self.0
            && len >= Avx2::COUNT
        {
            return Simd(InstructionSet::Avx2(lanes.avx2));
        }
        if len >= Four::COUNT {
            Simd(InstructionSet::Four(Four))
        } else {
            Simd(InstructionSet::One(One))
        }
    }

    /// This instruction set, or AVX2 if this one has more than `most` lanes; `most` is at least 8.
    pub(crate) fn of_at_most(self, most: usize) -> Simd {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let InstructionSet::Avx512(lanes) = self.0
            && most < Avx512::COUNT
        {
            return Simd(InstructionSet::Avx2(lanes.avx2));
        }
        let _ = most;
        self
    }

    /// Runs a job compiled for this instruction set, or for the nearest that it is compiled for.
    #[inline]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Output {
        if const { J::MOST < Four::COUNT } {
            return One.run(job);
        }
        match self.0 {
            InstructionSet::One(lanes) if const { J::FEWEST <= One::COUNT } => lanes.run(job),
            InstructionSet::One(_) => Four.run(job),
            InstructionSet::Four(lanes) => lanes.run(job),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx2(lanes) => lanes.run(job),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx512(lanes) if const { J::MOST >= Avx512::COUNT } => lanes.run(job),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx512(lanes) => lanes.avx2.run(job),
        }
    }

    const fn name(self) -> &'static str {
        match self.0 {
            InstructionSet::One(_) => "scalar",
            InstructionSet::Four(_) if cfg!(target_arch = "x86_64") => "SSE2",
            InstructionSet::Four(_) if cfg!(target_arch = "aarch64") => "NEON",
            InstructionSet::Four(_) if cfg!(target_feature = "simd128") => "simd128",
            InstructionSet::Four(_) => "4 lanes",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx2(_) => "AVX2",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            InstructionSet::Avx512(_) => "AVX-512",
        }
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Serialized as its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Simd {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// Deserialized from its name; an error if this CPU does not support it.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Simd {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Name;

        impl serde::de::Visitor<'_> for Name {
            type Value = Simd;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an instruction set of this CPU, one of")?;
                Simd::available().try_for_each(|simd| write!(f, " `{simd}`"))
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Simd, E> {
                let found = Simd::available().find(|simd| simd.name() == name);
                found.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(name), &self))
            }
        }

        from.deserialize_str(Name)
    }
}
