use std::time::{Duration, Instant};

use phalanx::{Detector, During, Pair, Sphere, Spheres, Sweeps};
use rayon::prelude::*;

use crate::{Approach, Error, Lost, Object, Segment, Settings, State, approaches_in_step};

/// A screening of all pairs of objects, step by step.
///
/// Calls use the rayon pool that they are made from.
pub struct Screen<'a> {
    objects: &'a [Object],
    settings: Settings,
    detector: Detector,
    /// The states a step before, at the border that begins the step, and at the one that ends it.
    states: [Vec<Result<State, Lost>>; 3],
    step: u32,
    segments: Vec<Segment>,
    spheres: Spheres,
    pairs: Vec<Pair>,
    sweeps: Sweeps,
    hits: Vec<Hit>,
    absences: Vec<Option<Absence>>,
    jumps: Vec<Jump>,
    timings: Timings,
}

/// Two objects whose balls touch in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The indices of the objects, the lower one first.
    pub objects: [u32; 2],
    /// When they first touch, as a part of the step.
    pub enter: f32,
    /// When they last touch, as a part of the step.
    pub exit: f32,
}

/// An object that has no position at some borders, and is left out of the steps around.
#[derive(Clone, Debug, PartialEq)]
pub struct Absence {
    /// The index of the object.
    pub object: u32,
    /// The first border without a position, in seconds since the start.
    pub time: f64,
    /// Why it has none there.
    pub reason: Lost,
    /// At how many borders it has none.
    pub borders: u32,
}

/// A leap of an object, which no pull explains, in a step or the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The index of the object.
    pub object: u32,
    /// The start of the step, in seconds since the start of the screening.
    pub time: f64,
    /// How far the jump is, in km.
    pub distance: f64,
}

/// How long the parts of a screening took, and what they counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// SGP4, and the balls of the step.
    pub propagate: Duration,
    /// Pairs whose bounds touch.
    pub candidates: Duration,
    /// Those whose balls touch.
    pub sweep: Duration,
    /// Minima of the distance.
    pub refine: Duration,
    /// How many pairs were candidates.
    pub pairs: u64,
    /// How many pairs were hits.
    pub hits: u64,
}

impl<'a> Screen<'a> {
    /// A screening that begins at its first step.
    ///
    /// # Errors
    ///
    /// [`Error::NoObject`] and [`Error::TooManyObjects`].
    pub fn new(
        objects: &'a [Object],
        settings: Settings,
        detector: Detector,
    ) -> Result<Self, Error> {
        if objects.is_empty() {
            return Err(Error::NoObject);
        }
        let count = objects.len();
        if u32::try_from(count).is_err() {
            return Err(Error::TooManyObjects { count });
        }
        let mut screen = Screen {
            objects,
            settings,
            detector: detector.strict(true),
            states: [(); 3].map(|()| vec![Err(Lost::Nowhere); count]),
            step: 0,
            segments: Vec::new(),
            spheres: Spheres::new(),
            pairs: Vec::new(),
            sweeps: Sweeps::new(),
            hits: Vec::new(),
            absences: vec![None; count],
            jumps: Vec::new(),
            timings: Timings::default(),
        };
        screen.propagate(-settings.step());
        screen.states.rotate_left(1);
        screen.propagate_border(0);
        Ok(screen)
    }

    /// Screens the next step, and appends its approaches in order; `false` once all steps are done.
    ///
    /// # Errors
    ///
    /// [`Error::Phalanx`] and [`Error::NoMinimum`].
    pub fn next_step(&mut self, approaches: &mut Vec<Approach>) -> Result<bool, Error> {
        if !self.next_segments() {
            return Ok(false);
        }
        let step = self.step - 1;
        let phalanx = |source| Error::Phalanx { step, source };
        let Screen {
            detector,
            spheres,
            pairs,
            sweeps,
            segments,
            timings,
            ..
        } = self;

        let begin = Instant::now();
        spheres.clear();
        spheres.extend_moving(segments.iter().map(|segment| {
            let Segment {
                center,
                radius,
                displacement,
                ..
            } = *segment;
            (Sphere { center, radius }, displacement)
        }));
        spheres.validate().map_err(phalanx)?;
        detector
            .candidates(spheres, spheres, During::Frame, pairs)
            .map_err(phalanx)?;
        timings.candidates += begin.elapsed();
        timings.pairs += pairs.len() as u64;

        let begin = Instant::now();
        detector
            .sweep(spheres, spheres, &*pairs, sweeps)
            .map_err(phalanx)?;
        self.hits.clear();
        self.hits.extend(sweeps.iter().map(|(position, time)| {
            let Pair { a, b } = pairs[position];
            let objects = [a, b].map(|index| segments[index as usize].object);
            Hit {
                objects,
                enter: time.enter,
                exit: time.exit,
            }
        }));
        timings.sweep += begin.elapsed();
        timings.hits += self.hits.len() as u64;

        let begin = Instant::now();
        let first = approaches.len();
        for hit in &self.hits {
            approaches.extend(approaches_in_step(
                self.objects,
                hit.objects,
                step,
                &self.settings,
            )?);
        }
        approaches[first..].sort_by(Approach::order);
        timings.refine += begin.elapsed();
        Ok(true)
    }

    /// Propagates the next step, for a join elsewhere; `false` once all steps are done.
    pub fn next_segments(&mut self) -> bool {
        if self.step == self.settings.steps() {
            return false;
        }
        self.states.rotate_left(1);
        self.propagate_border(self.step + 1);

        let begin = Instant::now();
        let settings = self.settings;
        let [befores, starts, ends] = &self.states;
        self.segments.clear();
        self.segments
            .extend((0..self.objects.len()).filter_map(|object| {
                let [before, start, end] =
                    [befores, starts, ends].map(|states| states[object].as_ref().ok());
                Some(Segment::new(object as u32, before, start?, end, &settings))
            }));
        let time = settings.border(self.step);
        self.jumps
            .extend(self.segments.iter().filter_map(|segment| {
                let (object, distance) = (segment.object, segment.jump?);
                Some(Jump {
                    object,
                    time,
                    distance,
                })
            }));
        self.step += 1;
        self.timings.propagate += begin.elapsed();
        true
    }

    /// Writes the states at a border, and who has none.
    fn propagate_border(&mut self, border: u32) {
        let begin = Instant::now();
        let time = self.settings.border(border);
        self.propagate(time);
        for (object, state) in self.states[2].iter().enumerate() {
            let Err(reason) = state else { continue };
            let absence = self.absences[object].get_or_insert_with(|| Absence {
                object: object as u32,
                time,
                reason: reason.clone(),
                borders: 0,
            });
            absence.borders += 1;
        }
        self.timings.propagate += begin.elapsed();
    }

    /// Writes the states at a time.
    fn propagate(&mut self, time: f64) {
        let states = self.states[2].par_iter_mut().with_min_len(256);
        states
            .zip(self.objects)
            .for_each(|(state, object)| *state = object.at(time));
    }

    /// How many steps are done.
    pub fn steps_done(&self) -> u32 {
        self.step
    }

    /// The balls of the last step.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The pairs whose balls touched in the last step.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// The objects that had no position at some border so far.
    pub fn absences(&self) -> impl Iterator<Item = &Absence> {
        self.absences.iter().flatten()
    }

    /// The jumps so far.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// The times and counts so far.
    pub fn timings(&self) -> Timings {
        self.timings
    }
}
