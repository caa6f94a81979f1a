//! Results of hulls are the same on every CPU: a digest of all of them.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
#[path = "common/hull_bits.rs"]
mod hull_bits;

use common::digest;
use hull_bits::{bits, contact_bits, impact_bits};
use phalanx::{Detector, Hull, Hulls, Pair, Plane, Planes, Sphere, Spheres};

/// Changes only with a line in the changelog.
const CONTACTS: u64 = 0x6cbc8b89812c4d07;
const IMPACTS: u64 = 0x210d7d5087bc2a25;
const DIGEST: u64 = 0x3b2bdf91e8201c80;
const ROUNDED: u64 = 0x4d2531a61c645136;
const CYLINDERS: u64 = 0xbf41fdf205fa538e;

/// Points and poses of integers: no rounding before the call. Turns are multiples of 1/8.
fn scene() -> (Hulls, Spheres) {
    scene_of(|_| 0.0)
}

/// Each kind is rounded by a multiple of 1/2.
fn rounded_scene() -> (Hulls, Spheres) {
    scene_of(|kind| (kind % 4) as f32 * 0.5)
}

fn scene_of(radius: impl Fn(i32) -> f32) -> (Hulls, Spheres) {
    scene_of_kinds(|hulls, kind| {
        let point = |k: i32| {
            [
                (k * 7 + kind) % 9 - 4,
                (k * 5 + kind * 3) % 11 - 5,
                (k * 3) % 7 - 3,
            ]
            .map(|x| x as f32)
        };
        let points: Vec<_> = (0..3 + kind * 7).map(point).collect();
        hulls.add_rounded_kind(&points, radius(kind)).unwrap()
    })
}

/// Cylinders and cones, some rounded; one is a disc.
fn cylinder_scene() -> (Hulls, Spheres) {
    scene_of_kinds(|hulls, kind| {
        let [radius, half, rounding] = [1 + kind % 3, (kind + 1) % 4, kind % 2].map(|x| x as f32);
        match kind % 3 {
            0 => hulls.add_cone_kind(radius, half, 0.5 * rounding),
            _ => hulls.add_cylinder_kind(radius, half, 0.5 * rounding),
        }
        .unwrap()
    })
}

fn scene_of_kinds(add: impl Fn(&mut Hulls, i32) -> u32) -> (Hulls, Spheres) {
    let mut hulls = Hulls::default();
    for kind in 0..8i32 {
        add(&mut hulls, kind);
    }
    let mut spheres = Spheres::new();
    for i in 0..64i32 {
        let center = [(i * 13) % 17, (i * 7) % 19 - 9, (i * 5) % 15 - 7].map(|x| x as f32);
        let motion = [(i * 11) % 23 - 11, (i * 3) % 13 - 6, (i * 17) % 29 - 14].map(|x| x as f32);
        let rotation = [[0.0, 0.0, 0.6, 0.8], [0.5; 4], [0.0, 0.0, 0.0, 1.0]][i as usize % 3];
        let hull = Hull {
            center,
            rotation,
            kind: i as u32 % 8,
        };
        let turn = [(i * 3) % 11 - 5, (i * 7) % 13 - 6, i % 5 - 2].map(|x| x as f32 * 0.125);
        hulls.push_turning(hull, motion, turn).unwrap();
        spheres.push_moving(
            Sphere {
                center: center.map(|x| x + 3.0),
                radius: (i % 4) as f32,
            },
            motion.map(|x| -x),
        );
    }
    (hulls, spheres)
}

fn planes() -> Planes {
    let plane = Plane {
        normal: [3.0, -1.0, 2.0],
        d: 5.0,
    };
    Planes::from_slice(&[plane; 64])
}

fn all_pairs() -> Vec<Pair> {
    (0..64)
        .flat_map(|a| (0..64).map(move |b| Pair::new(a, b)))
        .collect()
}

fn digest_of(all: &[Vec<u64>]) -> u64 {
    let words = all.concat().into_iter();
    digest(words.flat_map(|x| [x as u32, (x >> 32) as u32]))
}

#[test]
fn results_are_the_same_on_every_machine() {
    let ((hulls, spheres), pairs) = (scene(), all_pairs());
    let mut detector = Detector::new();
    let digest = digest_of(&[
        bits(&mut detector, &hulls, &hulls, &pairs),
        bits(&mut detector, &hulls, &spheres, &pairs),
    ]);
    assert_eq!(digest, DIGEST, "{digest:#018x}");
}

#[test]
fn impacts_are_the_same_on_every_machine() {
    let ((hulls, spheres), pairs) = (scene(), all_pairs());
    let (planes, mut detector) = (planes(), Detector::new());
    let digest = digest_of(&[
        impact_bits(&mut detector, &hulls, &hulls, &pairs),
        impact_bits(&mut detector, &hulls, &spheres, &pairs),
        impact_bits(&mut detector, &hulls, &planes, &pairs),
    ]);
    assert_eq!(digest, IMPACTS, "{digest:#018x}");
}

#[test]
fn contacts_are_the_same_on_every_machine() {
    let ((hulls, spheres), pairs) = (scene(), all_pairs());
    let (planes, mut detector) = (planes(), Detector::new());
    let digest = digest_of(&[
        contact_bits(&mut detector, &hulls, &hulls, &pairs),
        contact_bits(&mut detector, &hulls, &spheres, &pairs),
        contact_bits(&mut detector, &hulls, &planes, &pairs),
    ]);
    assert_eq!(digest, CONTACTS, "{digest:#018x}");
}

#[test]
fn results_of_rounded_hulls_are_the_same_on_every_machine() {
    let ((hulls, spheres), pairs) = (rounded_scene(), all_pairs());
    let (planes, mut detector) = (planes(), Detector::new());
    let digest = digest_of(&[
        bits(&mut detector, &hulls, &hulls, &pairs),
        bits(&mut detector, &hulls, &spheres, &pairs),
        impact_bits(&mut detector, &hulls, &hulls, &pairs),
        impact_bits(&mut detector, &hulls, &planes, &pairs),
        contact_bits(&mut detector, &hulls, &hulls, &pairs),
        contact_bits(&mut detector, &hulls, &spheres, &pairs),
        contact_bits(&mut detector, &hulls, &planes, &pairs),
    ]);
    assert_eq!(digest, ROUNDED, "{digest:#018x}");
}

#[test]
fn results_of_cylinders_are_the_same_on_every_machine() {
    let ((hulls, spheres), pairs) = (cylinder_scene(), all_pairs());
    let (rocks, planes, mut detector) = (scene().0, planes(), Detector::new());
    let digest = digest_of(&[
        bits(&mut detector, &hulls, &hulls, &pairs),
        bits(&mut detector, &hulls, &spheres, &pairs),
        bits(&mut detector, &hulls, &rocks, &pairs),
        impact_bits(&mut detector, &hulls, &hulls, &pairs),
        impact_bits(&mut detector, &hulls, &planes, &pairs),
        contact_bits(&mut detector, &hulls, &hulls, &pairs),
        contact_bits(&mut detector, &hulls, &spheres, &pairs),
        contact_bits(&mut detector, &hulls, &rocks, &pairs),
        contact_bits(&mut detector, &hulls, &planes, &pairs),
    ]);
    assert_eq!(digest, CYLINDERS, "{digest:#018x}");
}
