//! Saved kinds of hulls and stores of hulls, by serde.

use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;
use crate::shapes::groups::Groups;
use crate::store::hull::hulls::{Hull, Hulls};
use crate::store::hull::kinds::HullKinds;

/// Maximum number of saved kinds.
const MAX_KINDS: usize = u32::MAX as usize;

/// What is wrong with discs that are no cylinder or cone.
const NO_DISCS: &str = "discs of a kind of hulls are no cylinder or cone";

/// A kind in its saved form.
#[derive(Serialize, Deserialize)]
struct SavedKind {
    points: Vec<[f32; 3]>,
    #[serde(default)]
    radius: f32,
    /// Heights and radii of the discs of a cylinder or a cone, which has no points.
    #[serde(default)]
    discs: Option<[[f32; 2]; 2]>,
}

impl Serialize for HullKinds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let saved = |kind| {
            let discs = self.discs(kind);
            let points = match discs {
                Some(_) => Vec::new(),
                None => self.points(kind)?.collect(),
            };
            Some(SavedKind {
                points,
                radius: self.radius(kind)?,
                discs,
            })
        };
        // Formats such as postcard write the length first.
        let kinds: Vec<SavedKind> = (0..self.len() as u32).filter_map(saved).collect();
        kinds.serialize(to)
    }
}

impl<'de> Deserialize<'de> for HullKinds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let saved = Vec::<SavedKind>::deserialize(from)?;
        if saved.len() > MAX_KINDS {
            return Err(D::Error::invalid_length(saved.len(), &"fewer kinds"));
        }
        let mut kinds = HullKinds::new();
        for SavedKind {
            points,
            radius,
            discs,
        } in saved
        {
            let added = match discs {
                None => kinds.add_rounded(&points, radius),
                Some([[low, first], [high, second]]) => {
                    let are_opposite = low == -high && points.is_empty();
                    match second {
                        _ if !are_opposite => return Err(D::Error::custom(NO_DISCS)),
                        _ if second == first => kinds.add_cylinder(first, high, radius),
                        0.0 => kinds.add_cone(first, high, radius),
                        _ => return Err(D::Error::custom(NO_DISCS)),
                    }
                }
            };
            added.map_err(D::Error::custom)?;
        }
        Ok(kinds)
    }
}

/// A store of hulls in its saved form. An empty list stands for its default: no motion, no turn, all groups, no body.
#[derive(Serialize, Deserialize)]
struct Saved {
    kinds: HullKinds,
    hulls: Vec<Hull>,
    #[serde(default)]
    displacements: Vec<[f32; 3]>,
    #[serde(default)]
    turns: Vec<[f32; 3]>,
    #[serde(default)]
    groups: Vec<Groups>,
    #[serde(default)]
    bodies: Vec<u32>,
}

impl Saved {
    fn of(hulls: &Hulls) -> Self {
        let boxes = hulls.boxes();
        let filters = boxes.filters();
        let each = || 0..hulls.len() as u32;
        let vectors = |of: &dyn Fn(u32) -> Option<[f32; 3]>| {
            let all: Vec<_> = each().filter_map(of).collect();
            let is_zero = |x: &f32| x.to_bits() == 0;
            if all.as_flattened().iter().all(is_zero) {
                Vec::new()
            } else {
                all
            }
        };
        Saved {
            kinds: hulls.kinds().clone(),
            hulls: hulls.iter().collect(),
            displacements: vectors(&|i| hulls.displacement(i)),
            turns: vectors(&|i| hulls.turn(i)),
            groups: filters.groups.to_vec(),
            bodies: filters.bodies.to_vec(),
        }
    }

    fn into_hulls<E: serde::de::Error>(self) -> Result<Hulls, E> {
        let len = self.hulls.len();
        if u32::try_from(len).is_err() {
            return Err(E::custom(Error::TooManyShapes { len }));
        }
        let lists = [
            ("displacements", self.displacements.len()),
            ("turns", self.turns.len()),
            ("groups", self.groups.len()),
            ("bodies", self.bodies.len()),
        ];
        for (list, other) in lists {
            if other != 0 && other != len {
                return Err(E::custom(format_args!("{other} {list} of {len} hulls")));
            }
        }
        self.filled().map_err(E::custom)
    }

    /// The store of lists of equal lengths.
    fn filled(self) -> Result<Hulls, Error> {
        let mut hulls = Hulls::from_slice(&self.kinds, &self.hulls)?;
        for (i, displacement) in (0..).zip(self.displacements) {
            hulls.set_displacement(i, displacement)?;
        }
        for (i, turn) in (0..).zip(self.turns) {
            hulls.set_turn(i, turn)?;
        }
        if !self.groups.is_empty() {
            hulls.groups_mut().copy_from_slice(&self.groups);
        }
        if !self.bodies.is_empty() {
            hulls.bodies_mut().copy_from_slice(&self.bodies);
        }
        Ok(hulls)
    }
}

impl Serialize for Hulls {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Saved::of(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Hulls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Saved::deserialize(from)?.into_hulls()
    }
}
