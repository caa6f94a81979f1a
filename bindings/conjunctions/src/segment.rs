use crate::object::{norm, sub};
use crate::{Settings, State};

/// The gravity of Earth in km³/s², of WGS 72.
const GRAVITY: f64 = 398_600.8;
/// How strong the pull of Earth may be, relative to a point's: flattening adds 0.4 % at most.
const PULL: f64 = 1.02;
/// The least distance from Earth's centre in a step, relative to that at the nearer end.
const NEARER: f64 = 0.99;
/// How much a smooth path may differ from that by the pull of a point, relative to it.
///
/// Flattening, and differences of fourth order, are 0.6 % at most.
const EXPLAINED: f64 = 0.02;
/// How far in km beyond that is told as a jump. Less counts as much, silently.
const TOLD: f64 = 0.01;
/// Added in km for what SGP4 and this program round in `f64`: a millimetre.
const NOISE: f64 = 1e-6;

/// A ball that moves straight through a step, around the path of an object.
///
/// At each time of the step, the object is at most the radius, less half of the distance asked for, from its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The index of the object.
    pub object: u32,
    /// The centre at the start of the step, in km.
    pub center: [f32; 3],
    /// The way of the centre in the step, in km.
    pub displacement: [f32; 3],
    /// The radius in km.
    pub radius: f32,
    /// How far in km SGP4 jumps within the step or the one before, if it does.
    pub jump: Option<f64>,
}

impl Segment {
    /// The segment of an object in a step, from its states at both ends and a step before.
    ///
    /// An object that has no state at the end is a ball at rest, which stands for the start alone.
    pub fn new(
        object: u32,
        before: Option<&State>,
        start: &State,
        end: Option<&State>,
        settings: &Settings,
    ) -> Self {
        let step = settings.step();
        let center = start.position.map(|x| x as f32);
        let exact = center.map(f64::from);
        // What rounding to f32 moves the centre by: most at one of the ends.
        let mut rounding = norm(sub(exact, start.position));
        let (mut displacement, mut hidden, mut jump) = ([0.0; 3], 0.0, None);
        if let Some(end) = end {
            displacement = sub(end.position, exact).map(|x| x as f32);
            let moved = [0, 1, 2].map(|k| exact[k] + f64::from(displacement[k]));
            rounding = rounding.max(norm(sub(moved, end.position)));
            let unexplained = before.map_or(0.0, |before| unexplained(before, start, end, step));
            let explained = EXPLAINED * pull(start, end) * step * step;
            hidden = sagitta_allowance(start, end, step) + unexplained + explained;
            jump = (unexplained > explained + TOLD).then_some(unexplained);
        }
        let radius = up(settings.below() / 2.0 + hidden + rounding + NOISE);
        Segment {
            object,
            center,
            displacement,
            radius,
            jump,
        }
    }
}

/// How far a path may be from its chord in a step, in km: acceleration × step² / 8.
pub fn sagitta_allowance(start: &State, end: &State, step: f64) -> f64 {
    pull(start, end) * step * step / 8.0
}

/// The strongest pull between two states of an object, in km/s².
fn pull(start: &State, end: &State) -> f64 {
    let nearest = NEARER * norm(start.position).min(norm(end.position));
    PULL * GRAVITY / (nearest * nearest)
}

/// How far in km three positions a step apart are from what a point's pull makes them.
fn unexplained(before: &State, start: &State, end: &State, step: f64) -> f64 {
    let fall = GRAVITY * step * step / norm(start.position).powi(3);
    let [before, start, end] = [before, start, end].map(|state| state.position);
    norm([0, 1, 2].map(|k| before[k] - 2.0 * start[k] + end[k] + fall * start[k]))
}

/// The nearest `f32` that is not below.
fn up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x {
        near.next_up()
    } else {
        near
    }
}
