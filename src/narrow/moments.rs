//! The shapes of hits at the times of their hits.

use crate::error::Error;
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::{Pairs, PairsKind};
use crate::shapes::shape::Shape;
use crate::store::store::{Shapes, Store, StoreRef};

impl Sweeps {
    /// The shapes of every hit at first contact, the time of impact.
    ///
    /// Pass the stores and pairs that [`Detector::sweep`](crate::Detector::sweep) was given. Shape `k` of
    /// `out_a` and of `out_b` belongs to the `k`-th hit, in the order of [`iter`](Self::iter). The shapes
    /// keep their displacements, for use by a collision response. The contents of the outputs are
    /// replaced and their memory is reused. Boxes keep their orientation, as in the sweep.
    ///
    /// `enter` is never late, so the shapes may be separated by the sweep's error bound and the
    /// rounding of [`Store::at`].
    ///
    /// ```
    /// use phalanx::{Detector, Sphere, Spheres, Sweeps};
    ///
    /// let mut spheres = Spheres::new();
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// spheres.push(unit(0.0));
    /// spheres.push_moving(unit(5.0), [4.0, 0.0, 0.0]);
    /// spheres.push_moving(unit(-6.0), [8.0, 0.0, 0.0]);
    /// let pairs = [[0, 1], [0, 2]];
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&spheres, &spheres, &pairs, &mut sweeps)?;
    ///
    /// let (mut a, mut b) = (Spheres::new(), Spheres::new());
    /// sweeps.at_enter(&spheres, &spheres, &pairs, &mut a, &mut b)?;
    /// assert_eq!(a.len(), 1);                           // only sphere 2 is a hit
    /// let [x, ..] = b.columns().center;
    /// assert!((x[0] - -2.0).abs() < 1e-5);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::AnswerCount`] if the results are for a list of another length;
    /// [`Error::LengthMismatch`] for [`Pairs::zip`] over stores of different lengths; [`Error::IndexOutOfBounds`] for
    /// [`Pairs::one_to_all`]; [`Error::PairOutOfBounds`] if an index of a hit is past the end of its store;
    /// [`Error::TooManyShapes`] with more than `u32::MAX` hits. On an error the outputs are unchanged.
    pub fn at_enter<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.enter(),
            turns: false,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }

    /// The shapes of every hit at last contact. Otherwise like [`at_enter`](Self::at_enter).
    ///
    /// # Errors
    ///
    /// As for [`at_enter`](Self::at_enter).
    pub fn at_exit<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.exit(),
            turns: false,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }
}

impl Impacts {
    /// The shapes of every hit at the time of impact, with their orientation at that time.
    ///
    /// Pass the stores and pairs that [`Detector::impact`](crate::Detector::impact) was given; otherwise like
    /// [`Sweeps::at_enter`]. Shapes keep their displacements and turns.
    ///
    /// # Errors
    ///
    /// As for [`Sweeps::at_enter`].
    pub fn at_impact<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.time(),
            turns: true,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }
}

/// The time of each hit at which its shapes are written.
struct Moments<'a> {
    hits: &'a Overlaps,
    times: &'a [f32],
    /// Whether the shapes are rotated by their turns.
    turns: bool,
}

impl Moments<'_> {
    fn write<A: Shape, B: Shape>(
        &self,
        (a, b): (&StoreRef<'_, A>, &StoreRef<'_, B>),
        pairs: Pairs<'_>,
        (out_a, out_b): (&mut Store<A>, &mut Store<B>),
    ) -> Result<(), Error> {
        self.check(pairs, a.len(), b.len())?;
        let hits = self.hits.count();
        let out_of_memory = |_| Error::OutOfMemory { pairs: hits };
        out_a.renew(hits, a).map_err(out_of_memory)?;
        out_b.renew(hits, b).map_err(out_of_memory)?;
        for position in self.hits.iter() {
            let pair = pairs.at(position);
            self.push(out_a, a, pair.a, self.times[position]);
            self.push(out_b, b, pair.b, self.times[position]);
        }
        Ok(())
    }

    /// Adds shape `index` of `from` at a time of the frame.
    fn push<T: Shape>(&self, store: &mut Store<T>, from: &StoreRef<'_, T>, index: u32, time: f32) {
        let shape = if self.turns {
            from.at(index, time)
        } else {
            from.moved(index, time)
        };
        if let (Some(shape), Some(displacement)) = (shape, from.displacement(index)) {
            store.push_in_motion(shape, displacement, from.turn_of(index));
        }
    }

    /// Checks that the list matches the results in length and that the pairs of hits are in bounds.
    fn check(&self, pairs: Pairs<'_>, len_a: usize, len_b: usize) -> Result<(), Error> {
        let len = match pairs.0 {
            PairsKind::List(list) => list.len(),
            PairsKind::Zip if len_a != len_b => return Err(Error::LengthMismatch { len_a, len_b }),
            PairsKind::OneToAll(index) if index as usize >= len_a => {
                return Err(Error::IndexOutOfBounds { index, len: len_a });
            }
            PairsKind::Zip | PairsKind::OneToAll(_) => len_b,
        };
        if len != self.hits.len() {
            return Err(Error::AnswerCount {
                pairs: len,
                answers: self.hits.len(),
            });
        }
        for position in self.hits.iter() {
            let pair = pairs.at(position);
            if pair.a as usize >= len_a || pair.b as usize >= len_b {
                return Err(Error::PairOutOfBounds {
                    position,
                    pair,
                    len_a,
                    len_b,
                });
            }
        }
        let hits = self.hits.count();
        if u32::try_from(hits).is_err() {
            return Err(Error::TooManyShapes { len: hits });
        }
        Ok(())
    }
}
