//! What the page calls: one scene at a time, numbers in, numbers and places in memory out.
//!
//! What returns a status returns 0, or 1, and then [`page_text`] says what is wrong.

// Functions whose names stay as they are may clash with others; no block here is unsafe.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::fmt::Display;

use crate::scenes::{self, COLUMNS, Counters, Ferry, OWN, Scene, Surface};

/// The counters of every scene, before its own: frame, shapes, pairs, hits and invalid pairs.
const COMMON: usize = 5;

#[derive(Default)]
struct Page {
    scene: Option<Box<dyn Scene>>,
    frame: u32,
    counters: [f64; COMMON + OWN],
    /// Where columns are, and how many numbers they have.
    columns: Vec<[u32; COLUMNS]>,
    lens: Vec<u32>,
    surface: [u32; 5],
    /// Place and length of the points of each kind.
    points: Vec<[u32; 2]>,
    text: String,
    state: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

fn with<R>(f: impl FnOnce(&mut Page) -> R) -> R {
    PAGE.with_borrow_mut(f)
}

impl Page {
    fn status<E: Display>(&mut self, result: Result<(), E>) -> u32 {
        self.text.clear();
        let Err(error) = result else { return 0 };
        self.text = error.to_string();
        1
    }

    /// Does something to the scene.
    fn ask(&mut self, f: impl FnOnce(&mut dyn Scene) -> Result<(), phalanx::Error>) -> u32 {
        let Some(scene) = &mut self.scene else {
            return self.status(Err("no scene has been started"));
        };
        let result = f(&mut **scene);
        self.status(result)
    }

    /// Notes the counters, and where columns are.
    fn refresh(&mut self) {
        let Some(scene) = &self.scene else { return };
        let Counters {
            shapes,
            pairs,
            hits,
            invalid,
            own,
        } = scene.counters();
        let common = [shapes, pairs, hits, invalid].map(|x| x as f64);
        self.counters[0] = self.frame.into();
        self.counters[1..COMMON].copy_from_slice(&common);
        self.counters[COMMON..].copy_from_slice(&own);
        self.columns.clear();
        self.lens.clear();
        for instances in scene.instances() {
            // The memory of wasm ends at 4 GB.
            self.columns
                .push(instances.0.map(|column| column.as_ptr().addr() as u32));
            let len = instances.0.map(<[f32]>::len).into_iter().min();
            self.lens.push(len.unwrap_or_default() as u32);
        }
    }
}

/// Starts a scene with `len` shapes, or as many of them as it may have. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_start(scene: u32, len: u32, seed: u32) -> u32 {
    with(|page| {
        let made = scenes::make(scene, len, seed);
        let Some(made) = made else {
            return page.status(Err(format!("there is no scene {scene}: the last is 6")));
        };
        page.surface = made.surface().map_or([0; 5], |surface| {
            let Surface {
                corners,
                edges,
                terrain,
            } = surface;
            let place = |column: &[f32]| column.as_ptr().addr() as u32;
            let [n, m] = [corners, edges].map(|column| column.len() as u32);
            [place(corners), n, place(edges), m, terrain as u32]
        });
        let place = |points: &Vec<f32>| [points.as_ptr().addr() as u32, points.len() as u32];
        page.points = made.points().iter().map(place).collect();
        page.scene = Some(made);
        page.frame = 0;
        page.refresh();
        page.status(Ok::<_, String>(()))
    })
}

/// The fewest shapes that a scene may have.
#[unsafe(no_mangle)]
pub extern "C" fn page_fewest(scene: u32) -> u32 {
    scenes::range(scene).0
}

/// The most shapes that a scene may have.
#[unsafe(no_mangle)]
pub extern "C" fn page_most(scene: u32) -> u32 {
    scenes::range(scene).1
}

/// Moves the shapes by a frame. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_advance() -> u32 {
    with(|page| {
        page.ask(|scene| {
            scene.advance();
            Ok(())
        })
    })
}

/// Lists the pairs that may touch. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_candidates() -> u32 {
    with(|page| page.ask(|scene| scene.candidates()))
}

/// Tests these pairs. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_test() -> u32 {
    with(|page| page.ask(|scene| scene.test()))
}

/// Ends the frame: counts, colours and stops what was hit. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_settle() -> u32 {
    with(|page| {
        let status = page.ask(|scene| scene.settle());
        page.frame = page.frame.wrapping_add(1);
        page.refresh();
        status
    })
}

/// The counters: frame, shapes, pairs, hits, invalid pairs, and the scene's own.
#[unsafe(no_mangle)]
pub extern "C" fn page_counters() -> *const f64 {
    with(|page| page.counters.as_ptr())
}

/// How many counters there are.
#[unsafe(no_mangle)]
pub extern "C" fn page_counters_len() -> u32 {
    (COMMON + OWN) as u32
}

/// How many kinds of things there are to draw.
#[unsafe(no_mangle)]
pub extern "C" fn page_kinds() -> u32 {
    with(|page| page.lens.len() as u32)
}

/// How many things of a kind there are to draw.
#[unsafe(no_mangle)]
pub extern "C" fn page_kind_len(kind: u32) -> u32 {
    with(|page| page.lens.get(kind as usize).copied().unwrap_or_default())
}

/// The places of the columns of a kind: centers, half extents, rotations and tints. Null past the last kind.
#[unsafe(no_mangle)]
pub extern "C" fn page_kind_columns(kind: u32) -> *const u32 {
    with(|page| {
        let columns = page.columns.get(kind as usize);
        columns.map_or(std::ptr::null(), |columns| columns.as_ptr())
    })
}

/// The surface of the scene: place and length of its corners, of the ends of its edges, and the number of triangles of
/// terrain. All zero if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn page_surface() -> *const u32 {
    with(|page| page.surface.as_ptr())
}

/// Number of kinds that are drawn as convex hulls: all kinds or none.
#[unsafe(no_mangle)]
pub extern "C" fn page_hulls() -> u32 {
    with(|page| page.points.len() as u32)
}

/// Place and length of the points of a kind that is drawn as a convex hull. Null past the last kind.
#[unsafe(no_mangle)]
pub extern "C" fn page_hull_points(kind: u32) -> *const u32 {
    with(|page| {
        let points = page.points.get(kind as usize);
        points.map_or(std::ptr::null(), |points| points.as_ptr())
    })
}

/// Writes the name of the instruction set in use, and returns how many bytes of [`page_text`] it has.
#[unsafe(no_mangle)]
pub extern "C" fn page_simd() -> u32 {
    with(|page| {
        let simd = page.scene.as_ref().map(|scene| scene.simd());
        page.text = simd.map_or(String::new(), |simd| simd.to_string());
        page.text.len() as u32
    })
}

/// The bytes of the last text, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn page_text() -> *const u8 {
    with(|page| page.text.as_ptr())
}

/// How many bytes the last text has.
#[unsafe(no_mangle)]
pub extern "C" fn page_text_len() -> u32 {
    with(|page| page.text.len() as u32)
}

/// Writes the state of the scene to [`page_state`], and returns how many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn page_save() -> u32 {
    with(|page| {
        let mut ferry = Ferry::out();
        if let Some(scene) = &mut page.scene {
            scene.carry(&mut ferry);
        }
        page.state = ferry.into_bytes();
        page.state.len() as u32
    })
}

/// Makes room for `len` bytes of state at [`page_state`]. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_make_room(len: u32) -> u32 {
    with(|page| {
        page.state = Vec::new();
        let room = page.state.try_reserve_exact(len as usize);
        if room.is_ok() {
            page.state.resize(len as usize, 0);
        }
        page.status(room)
    })
}

/// The bytes of a state.
#[unsafe(no_mangle)]
pub extern "C" fn page_state() -> *mut u8 {
    with(|page| page.state.as_mut_ptr())
}

/// Goes on from the bytes at [`page_state`], the state of such a scene after `frame` frames. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_load(frame: u32) -> u32 {
    with(|page| {
        let bytes = std::mem::take(&mut page.state);
        let mut ferry = Ferry::of(&bytes);
        let Some(scene) = &mut page.scene else {
            return page.status(Err("no scene has been started"));
        };
        scene.carry(&mut ferry);
        let arrived = ferry.arrive();
        page.frame = frame;
        page.refresh();
        page.status(arrived)
    })
}

/// The box that a ray meets first, or -1.
#[unsafe(no_mangle)]
pub extern "C" fn page_pick(x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32) -> i32 {
    with(|page| {
        let mut picked = None;
        page.ask(|scene| {
            picked = scene.pick([x, y, z], [dx, dy, dz])?;
            Ok(())
        });
        picked.map_or(-1, |index| index as i32)
    })
}

/// Moves a box, and turns it by a rotation vector. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_drag(
    index: u32,
    x: f32,
    y: f32,
    z: f32,
    turn_x: f32,
    turn_y: f32,
    turn_z: f32,
) -> u32 {
    with(|page| {
        page.ask(|scene| {
            scene.drag(index, [x, y, z], [turn_x, turn_y, turn_z]);
            Ok(())
        })
    })
}

/// Directs the character in the next frame: its direction in x and z, and whether it jumps. Returns a status.
#[unsafe(no_mangle)]
pub extern "C" fn page_steer(x: f32, z: f32, jump: u32) -> u32 {
    with(|page| {
        page.ask(|scene| {
            scene.steer([x, z], jump != 0);
            Ok(())
        })
    })
}
