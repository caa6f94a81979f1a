//! Meshes find neighbours of triangles, and give the results of a store with the same triangles.

mod common;
#[allow(dead_code)]
#[path = "oracle/exact.rs"]
mod exact;

use std::collections::HashMap;

use common::{Setting, cases_or, cube, product, random_rotation, rng, step};
use dashu_int::IBig;
use exact::{Scale, Vec3, sq};
use phalanx::{
    Detector, During, Edge, EdgeKind, Error, FirstHits, Groups, Impacts, MAX_LENGTH, Mesh, Obb,
    Obbs, Overlaps, Pair, Pairs, Point, Points, Sphere, Spheres, Sweeps, Triangle, Triangles,
};
use rand::RngExt;
use rand::rngs::StdRng;

type Vertex = [f32; 3];
use EdgeKind::{Border, Concave, Convex, Flat};

fn mesh(vertices: &[Vertex], indices: &[[u32; 3]]) -> Mesh {
    Mesh::new(vertices, indices).unwrap()
}

/// The neighbours and kinds of a triangle.
fn edges(mesh: &Mesh, triangle: u32) -> [(Option<u32>, EdgeKind); 3] {
    [0, 1, 2].map(|k| {
        let edge = mesh.edge(triangle, k).unwrap();
        (edge.neighbour, edge.kind)
    })
}

fn kinds(mesh: &Mesh, triangle: u32) -> [EdgeKind; 3] {
    edges(mesh, triangle).map(|(_, kind)| kind)
}

/// A vertex for each corner, and indices without shared vertices.
fn soup(vertices: &[Vertex], indices: &[[u32; 3]]) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let corners = indices.as_flattened().iter().map(|&v| vertices[v as usize]);
    let own = (0..indices.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    (corners.collect(), own.collect())
}

fn triangles(vertices: &[Vertex], indices: &[[u32; 3]]) -> Triangles {
    let corners = |triangle: &[u32; 3]| triangle.map(|v| vertices[v as usize]);
    let shapes = indices.iter().map(|t| Triangle {
        corners: corners(t),
    });
    shapes.collect()
}

/// The bits of all corners.
fn bits(mesh: &Mesh) -> Vec<u32> {
    let corners = (0..mesh.len() as u32).map(|i| mesh.get(i).unwrap().corners);
    corners.flatten().flatten().map(f32::to_bits).collect()
}

/// An icosahedron with each edge halved a few times, its vertices moved out to a sphere.
fn icosphere(levels: usize) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        vertices.extend(
            [
                [0.0, s, t * golden],
                [s, t * golden, 0.0],
                [t * golden, 0.0, s],
            ]
            .map(unit),
        );
    }
    // The faces of the convex hull: three vertices with all others on one side.
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for a in 0..12 {
        for b in 0..12 {
            for c in 0..12 {
                let [p, q, r] = [a, b, c].map(|v| vertices[v]);
                let volume = |d: [f64; 3]| {
                    let [u, v, w] = [q, r, d].map(|x| [0, 1, 2].map(|k| x[k] - p[k]));
                    (0..3)
                        .map(|k| {
                            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                            w[k] * (u[i] * v[j] - u[j] * v[i])
                        })
                        .sum::<f64>()
                };
                let others = (0..12).filter(|d| ![a, b, c].contains(d));
                if a < b && a < c && b != c && others.clone().all(|d| volume(vertices[d]) < -1e-9) {
                    faces.push([a, b, c].map(|v| v as u32));
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    for _ in 0..levels {
        let mut middles = HashMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in faces {
            let mut middle = |p: u32, q: u32| {
                *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    let (x, y) = (vertices[p as usize], vertices[q as usize]);
                    vertices.push(unit([0, 1, 2].map(|k| x[k] + y[k])));
                    vertices.len() as u32 - 1
                })
            };
            let (p, q, r) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
        }
        faces = finer;
    }
    (
        vertices.iter().map(|v| v.map(|x| x as f32)).collect(),
        faces,
    )
}

/// A pose with a quaternion that is not quite of unit length.
fn pose(rng: &mut StdRng) -> ([f32; 3], [f32; 4]) {
    let position = [(); 3].map(|()| rng.random_range(-5.0..5.0f32));
    let stretch = rng.random_range(0.9995..1.0005f64);
    (
        position,
        random_rotation(rng, 3.0).map(|x| (x * stretch) as f32),
    )
}

#[test]
fn cube_has_flat_diagonals_and_convex_edges() {
    let (vertices, indices) = cube(1.0);
    let cube = mesh(&vertices, &indices);
    for t in 0..12 {
        assert_eq!(
            kinds(&cube, t).iter().filter(|kind| **kind == Flat).count(),
            1
        );
        assert_eq!(
            kinds(&cube, t)
                .iter()
                .filter(|kind| **kind == Convex)
                .count(),
            2
        );
        assert!(
            edges(&cube, t).contains(&(Some(t ^ 1), Flat)),
            "halves of a quad"
        );
        for (neighbour, _) in edges(&cube, t) {
            let back = edges(&cube, neighbour.unwrap());
            assert!(back.iter().any(|(other, _)| *other == Some(t)));
        }
    }
    // Seen from inside: a room.
    let inward: Vec<_> = indices.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let room = mesh(&vertices, &inward);
    assert_eq!(
        (0..12)
            .flat_map(|t| kinds(&room, t))
            .filter(|kind| *kind == Concave)
            .count(),
        24
    );
    assert_eq!(room.normal(0), Some([0.0, 0.0, 1.0]));
    assert_eq!(cube.normal(0), Some([0.0, 0.0, -1.0]));
    assert_eq!(
        (cube.normal(12), cube.edge(12, 0), cube.edge(0, 3)),
        (None, None, None)
    );
}

#[test]
fn tetrahedron_has_three_convex_neighbours() {
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let mesh = mesh(&vertices, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
    let expected = [[3, 2, 1], [0, 2, 3], [0, 3, 1], [1, 2, 0]];
    for (t, neighbours) in (0..).zip(expected) {
        assert_eq!(edges(&mesh, t), neighbours.map(|n| (Some(n), Convex)));
    }
    let s = 1.0 / 3f32.sqrt();
    assert!(mesh.normal(2).unwrap().iter().all(|x| (x - s).abs() < 1e-7));
}

#[test]
fn ridge_is_convex_and_valley_concave() {
    for (height, kind) in [(1.0, Convex), (-1.0, Concave), (1e-30, Flat), (0.0, Flat)] {
        let vertices = [
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, height],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, height],
        ];
        for indices in [
            [[0, 1, 3], [1, 2, 3]],
            [[1, 3, 0], [2, 3, 1]],
            [[3, 0, 1], [3, 1, 2]],
        ] {
            let mesh = mesh(&vertices, &indices);
            for t in 0..2 {
                let found: Vec<_> = edges(&mesh, t)
                    .into_iter()
                    .filter(|e| e.0.is_some())
                    .collect();
                assert_eq!(found, [(Some(1 - t), kind)]);
            }
        }
    }
}

#[test]
fn flatness_is_the_angle_below_which_edges_are_flat() {
    // An angle of 2 atan(h) between the normals.
    for (angle, flatness) in [(1e-3f64, 1e-3f32), (0.4, 0.4), (1e-6, 1e-6), (0.1, 0.1)] {
        for (part, kind) in [(0.9999, Flat), (1.0001, Convex)] {
            let height = (angle * part / 2.0).tan() as f32;
            for scale in [1.0, 2f32.powi(-90), 2f32.powi(59)] {
                let vertices = [
                    [-1.0, 0.0, 0.0],
                    [0.0, -1.0, height],
                    [1.0, 0.0, 0.0],
                    [0.0, 1.0, height],
                ];
                let vertices = vertices.map(|v| v.map(|x| x * scale));
                let mesh =
                    Mesh::with_flatness(&vertices, &[[0, 1, 3], [1, 2, 3]], flatness).unwrap();
                assert_eq!(
                    mesh.edge(0, 1).unwrap().kind,
                    kind,
                    "{angle} {part} {scale}"
                );
                assert_eq!(mesh.flatness(), flatness);
            }
        }
    }
    for flatness in [-1e-9, 0.6, f32::NAN, f32::INFINITY] {
        let error = Mesh::with_flatness(&[], &[], flatness).unwrap_err();
        let expected = format!("flatness is {flatness}, not between 0 and 0.5");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(Mesh::new(&[], &[]).unwrap().flatness(), Mesh::FLATNESS);
    assert_eq!(Mesh::default().flatness(), Mesh::FLATNESS);
}

#[test]
fn soup_has_the_neighbours_of_shared_vertices() {
    for (vertices, indices) in [cube(1.0), icosphere(2)] {
        let shared = mesh(&vertices, &indices);
        let (mut corners, own) = soup(&vertices, &indices);
        // −0 equals 0.
        for (k, x) in corners.as_flattened_mut().iter_mut().enumerate() {
            if *x == 0.0 && k % 2 == 0 {
                *x = -*x;
            }
        }
        let apart = mesh(&corners, &own);
        for t in 0..indices.len() as u32 {
            assert_eq!(edges(&shared, t), edges(&apart, t));
            assert!(edges(&apart, t).iter().all(|edge| edge.0.is_some()));
        }
    }
}

#[test]
fn vertices_an_ulp_apart_are_not_welded() {
    let (vertices, indices) = cube(1.0);
    let (mut corners, own) = soup(&vertices, &indices);
    corners[0][0] = step(corners[0][0], 1);
    assert_eq!(kinds(&mesh(&corners, &own), 0), [Border, Convex, Border]);
}

#[test]
fn edges_of_three_triangles_are_borders() {
    // A fan of three around an edge: two of them would match.
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let fan = mesh(&vertices, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    for t in 0..3 {
        assert_eq!(kinds(&fan, t), [Border; 3]);
    }
    assert_eq!(
        edges(&mesh(&vertices, &[[0, 1, 2], [1, 0, 3]]), 0)[0],
        (Some(1), Flat)
    );
}

#[test]
fn duplicated_faces_are_borders() {
    let (vertices, mut indices) = cube(1.0);
    indices.push([2, 3, 0]);
    let cube = mesh(&vertices, &indices);
    assert_eq!(
        (indices[0], kinds(&cube, 0), kinds(&cube, 12)),
        ([0, 2, 3], [Border; 3], [Border; 3])
    );
    // The other triangles stay neighbours.
    assert_eq!(
        (0..12)
            .flat_map(|t| kinds(&cube, t))
            .filter(|k| *k == Border)
            .count(),
        6
    );
}

#[test]
fn unequal_winding_is_a_border() {
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
    ];
    assert_eq!(
        kinds(&mesh(&vertices, &[[0, 1, 2], [1, 3, 2]]), 0),
        [Border, Flat, Border]
    );
    assert_eq!(
        kinds(&mesh(&vertices, &[[0, 1, 2], [1, 2, 3]]), 0),
        [Border; 3]
    );
    // Also where the triangles are not coplanar.
    let mut bent = vertices;
    bent[3][2] = 1.0;
    assert_eq!(kinds(&mesh(&bent, &[[0, 1, 2], [1, 3, 2]]), 0)[1], Concave);
    assert_eq!(kinds(&mesh(&bent, &[[0, 1, 2], [1, 2, 3]]), 0), [Border; 3]);
}

#[test]
fn folded_triangles_are_borders() {
    // Both sides of a sheet, and a sheet folded onto itself.
    let vertices = [
        [0.0, 0.0, 0.5],
        [1.0, 0.0, 0.5],
        [0.0, 1.0, 0.5],
        [0.5, 2.0, 0.5],
    ];
    assert_eq!(
        kinds(&mesh(&vertices, &[[0, 1, 2], [2, 1, 0]]), 0),
        [Border; 3]
    );
    assert_eq!(
        kinds(&mesh(&vertices, &[[0, 1, 2], [1, 0, 3]]), 0),
        [Border; 3]
    );
    // Opened by an ulp they are neighbours.
    let mut open = vertices;
    open[3][2] = step(0.5, 1);
    assert_eq!(
        kinds(&mesh(&open, &[[0, 1, 2], [1, 0, 3]]), 0),
        [Concave, Border, Border]
    );
    open[3][2] = step(0.5, -1);
    assert_eq!(
        kinds(&mesh(&open, &[[0, 1, 2], [1, 0, 3]]), 0),
        [Convex, Border, Border]
    );
}

#[test]
fn two_triangles_with_two_common_edges_match_each_by_itself() {
    // A and B share two edges; at one of them is a third triangle.
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 1.0, -1e-3],
        [0.0, 0.0, 3.0],
    ];
    let open = mesh(&vertices, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(kinds(&open, 0), [Border; 3]);
    let both = mesh(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        &[[0, 1, 2], [1, 0, 2], [0, 1, 2]],
    );
    assert_eq!(kinds(&both, 0), [Border; 3]);
}

#[test]
fn triangles_without_area_are_not_counted() {
    let vertices = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
        [0.5, 0.0, 0.0],
    ];
    // A segment with three corners, a segment with two, and a point, all at the common edge.
    let mesh = mesh(
        &vertices,
        &[[0, 1, 2], [0, 3, 1], [0, 4, 1], [0, 1, 1], [1, 1, 1]],
    );
    assert_eq!(
        edges(&mesh, 0),
        [(Some(1), Flat), (None, Border), (None, Border)]
    );
    assert_eq!(
        edges(&mesh, 1),
        [(None, Border), (None, Border), (Some(0), Flat)]
    );
    for t in 2..5 {
        assert_eq!(
            (kinds(&mesh, t), mesh.normal(t)),
            ([Border; 3], Some([0.0; 3]))
        );
    }
    mesh.validate().unwrap();
}

#[test]
fn bad_vertices_flag_their_triangles_and_make_borders() {
    for bad in [f32::NAN, f32::INFINITY, 2.0 * MAX_LENGTH, f32::MAX] {
        let (mut vertices, indices) = cube(1.0);
        vertices[7][1] = bad;
        let cube = mesh(&vertices, &indices);
        let mut spheres = Spheres::new();
        spheres.push(Sphere {
            center: [0.0; 3],
            radius: 1.0,
        });
        let mut overlaps = Overlaps::new();
        Detector::new()
            .overlap(&spheres, &cube, Pairs::one_to_all(0), &mut overlaps)
            .unwrap();
        for (t, corners) in indices.iter().enumerate() {
            let is_bad = corners.contains(&7);
            assert_eq!(overlaps.is_invalid(t), is_bad);
            let neighbours = edges(&cube, t as u32);
            let expected = |k: usize| {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                let mut others = indices.iter().enumerate().filter(|(u, other)| {
                    *u != t && other.contains(&p) && other.contains(&q) && !other.contains(&7)
                });
                if is_bad {
                    None
                } else {
                    others.next().map(|(u, _)| u as u32)
                }
            };
            assert_eq!(neighbours.map(|(n, _)| n), [0, 1, 2].map(expected));
            if is_bad {
                assert_eq!(cube.normal(t as u32), Some([0.0; 3]));
            }
        }
        let first = indices.iter().position(|t| t.contains(&7)).unwrap();
        assert!(
            cube.validate()
                .unwrap_err()
                .to_string()
                .starts_with(&format!("shape {first} is invalid: corners["))
        );
    }
}

#[test]
fn index_out_of_bounds_names_triangle_and_vertex() {
    let (vertices, mut indices) = cube(1.0);
    indices[7][1] = 8;
    indices[9][0] = u32::MAX;
    let error = Mesh::new(&vertices, &indices).unwrap_err();
    assert!(matches!(
        error,
        Error::VertexOutOfBounds {
            triangle: 7,
            vertex: 8,
            vertices: 8,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "triangle 7 names vertex 8, but there are 8 vertices"
    );
    let error = Mesh::new(&[], &[[0, 0, 0]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "triangle 0 names vertex 0, but there are 0 vertices"
    );
}

#[test]
fn empty_mesh_and_one_triangle_have_results() {
    let mut rays = Points::new();
    rays.push_moving(
        Point {
            position: [0.25, 0.25, 1.0],
        },
        [0.0, 0.0, -2.0],
    );
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    for empty in [Mesh::default(), mesh(&[], &[]), mesh(&[[0.0; 3]; 4], &[])] {
        assert!(empty.is_empty() && empty.get(0).is_none() && empty.indices().is_empty());
        assert_eq!(
            (empty.edge(0, 0), empty.normal(0), empty.displacement()),
            (None, None, [0.0; 3])
        );
        detector.first_hits(&rays, &empty, &mut firsts).unwrap();
        assert_eq!(firsts.get(0), None);
        let mut placed = empty.clone();
        placed.set_displacement([1.0; 3]);
        placed.set_groups(Groups::ALL);
        placed
            .place(&empty, [1.0; 3], [0.0, 0.0, 0.0, 1.0])
            .unwrap();
        assert_eq!(format!("{:?}", placed.triangles()), "[]");
    }
    let one = mesh(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        &[[0, 1, 2]],
    );
    detector.first_hits(&rays, &one, &mut firsts).unwrap();
    assert_eq!(firsts.get(0).map(|hit| hit.b), Some(0));
    assert_eq!(
        (one.len(), kinds(&one, 0), one.indices()),
        (1, [Border; 3], &[[0, 1, 2]][..])
    );
    assert_eq!(one.normal(0), Some([0.0, 0.0, 1.0]));
}

/// Neighbours and kinds by their definition, in integers.
struct Exact {
    corners: Vec<[Vec3; 3]>,
    /// `None` without area.
    normals: Vec<Option<Vec3>>,
}

impl Exact {
    fn new(triangles: &[[Vertex; 3]]) -> Self {
        let scale = Scale::of(triangles.as_flattened().as_flattened());
        let corners: Vec<_> = triangles
            .iter()
            .map(|t| t.map(|corner| scale.vec(corner)))
            .collect();
        let normal = |[a, b, c]: &[Vec3; 3]| {
            let normal = (b - a).cross(&(c - a));
            (normal.length_sq() != IBig::ZERO).then_some(normal)
        };
        let normals = corners.iter().map(normal).collect();
        Exact { corners, normals }
    }

    /// Neighbour and kind of an edge, given the squared sine of the flatness as a quotient, and whether the angle is
    /// too close to decide.
    fn edge(&self, t: usize, k: usize, [sine, one]: &[IBig; 2]) -> (Option<u32>, EdgeKind, bool) {
        let border = (None, Border, false);
        let Some(normal) = &self.normals[t] else {
            return border;
        };
        let (p, q) = (&self.corners[t][k], &self.corners[t][(k + 1) % 3]);
        let (mut found, mut count) = (None, 0);
        for u in (0..self.corners.len()).filter(|u| *u != t && self.normals[*u].is_some()) {
            for j in 0..3 {
                let ends = (&self.corners[u][j], &self.corners[u][(j + 1) % 3]);
                let is = |a: (&Vec3, &Vec3)| a.0.0 == p.0 && a.1.0 == q.0;
                count += usize::from(is(ends) || is((ends.1, ends.0)));
                if is((ends.1, ends.0)) {
                    found = Some((u, j));
                }
            }
        }
        let Some((u, j)) = found.filter(|_| count == 1) else {
            return border;
        };
        let other = self.normals[u].as_ref().unwrap();
        let volume = normal.dot(&(&self.corners[u][(j + 2) % 3] - p));
        let cosine = normal.dot(other);
        if volume == IBig::ZERO {
            return if cosine > IBig::ZERO {
                (Some(u as u32), Flat, false)
            } else {
                border
            };
        }
        let across = sq(&volume) * (q - p).length_sq() * one;
        let most = normal.length_sq() * other.length_sq() * sine;
        let is_near = sq(&across) * IBig::from(1000) < sq(&most) * IBig::from(1003)
            && sq(&across) * IBig::from(1003) > sq(&most) * IBig::from(1000);
        let kind = if cosine > IBig::ZERO && across < most {
            Flat
        } else if volume < IBig::ZERO {
            Convex
        } else {
            Concave
        };
        (Some(u as u32), kind, is_near)
    }
}

/// Compares a triangle soup with the oracle. Returns the number of edges of each kind.
fn compare(triangles: &[[Vertex; 3]], flatness: f32) -> [usize; 4] {
    let (corners, own) = soup(
        triangles.as_flattened(),
        &(0..triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect::<Vec<_>>(),
    );
    let mesh = Mesh::with_flatness(&corners, &own, flatness).unwrap();
    let exact = Exact::new(triangles);
    let sine = (f64::from(flatness).sin().powi(2) * 2f64.powi(100)).round();
    let sine = [IBig::try_from(sine).unwrap(), IBig::ONE << 100];
    let mut counts = [0; 4];
    for t in 0..triangles.len() {
        for k in 0..3 {
            let (neighbour, kind, is_near) = exact.edge(t, k, &sine);
            let edge = mesh.edge(t as u32, k).unwrap();
            assert_eq!(
                edge.neighbour, neighbour,
                "edge {k} of {t} in {triangles:?}"
            );
            assert_eq!(edge.neighbour.is_none(), edge.kind == Border);
            assert!(
                edge.kind == kind || is_near,
                "{edge:?}, not {kind:?}: edge {k} of {t} in {triangles:?}, flatness {flatness}"
            );
            counts[edge.kind as usize] += 1;
        }
        let normal = mesh.normal(t as u32).unwrap();
        let length = normal
            .iter()
            .map(|x| f64::from(*x).powi(2))
            .sum::<f64>()
            .sqrt();
        match &exact.normals[t] {
            None => assert_eq!(normal, [0.0; 3]),
            Some(exact) => {
                assert!((length - 1.0).abs() < 8.0 * 2f64.powi(-24));
                let largest = exact.0.iter().map(exact::abs).max().unwrap();
                let n = exact.0.each_ref().map(|x| exact::ratio(x, &largest));
                let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
                let off = (0..3)
                    .map(|k| (f64::from(normal[k]) - n[k] / size).powi(2))
                    .sum::<f64>()
                    .sqrt();
                assert!(
                    off < 8.0 * 2f64.powi(-24),
                    "{off:e}: {normal:?} of {:?}",
                    triangles[t]
                );
            }
        }
    }
    counts
}

#[test]
fn kinds_are_exact_at_the_last_bit() {
    let mut rng = rng("kinds of edges");
    let mut counts = [0; 4];
    for case in 0..cases_or(60_000) {
        let setting = Setting::random(&mut rng);
        let coordinate =
            |rng: &mut StdRng, k| setting.coordinate(rng, k).clamp(-MAX_LENGTH, MAX_LENGTH);
        let [a, b, mut c] = [(); 3].map(|()| [0, 1, 2].map(|k| coordinate(&mut rng, k)));
        // Occasional slivers, and axes of different scales.
        if rng.random_bool(0.3) {
            let t = rng.random_range(-0.5..1.5f32);
            c = [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]));
        }
        // The apex of the neighbour: in the plane, or near it.
        let (s, t) = (
            rng.random_range(-2.0..2.0f64),
            rng.random_range(-1.0..1.0f64),
        );
        let from = |k: usize| {
            let [a, b, c] = [a[k], b[k], c[k]].map(f64::from);
            (a + s * (b - a) + t * (c - a)) as f32
        };
        let mut d = [0, 1, 2].map(from);
        if rng.random_bool(0.3) {
            d = [0, 1, 2].map(|k| coordinate(&mut rng, k));
        }
        let axis = rng.random_range(0..3);
        let mut points = [a, b, c, d];
        match case % 4 {
            0 => points.iter_mut().for_each(|p| p[axis] = a[axis]),
            1 => points.iter_mut().for_each(|p| p[axis] *= 2f32.powi(-60)),
            _ => {}
        }
        if rng.random_bool(0.5) {
            let point = rng.random_range(0..4);
            points[point][axis] = step(points[point][axis], rng.random_range(-2..=2));
        }
        let [a, b, c, d] = points.map(|p| p.map(|x| x.clamp(-MAX_LENGTH, MAX_LENGTH)));
        let flatness = [0.0, 1e-3, 1e-6, 0.3][rng.random_range(0..4)];
        let found = compare(&[[a, b, c], [b, a, d]], flatness);
        counts = [0, 1, 2, 3].map(|k| counts[k] + found[k]);
    }
    // At least 4 of 6 edges are borders.
    let least = cases_or(60_000) / 10;
    assert!(counts.iter().all(|count| *count > least), "{counts:?}");
}

#[test]
fn neighbours_are_those_of_the_definition() {
    let mut rng = rng("neighbours");
    let mut counts = [0; 4];
    for _ in 0..cases_or(60_000) / 30 {
        // Few vertices, so edges coincide often, many more than once.
        let places: Vec<Vertex> = (0..rng.random_range(4..9))
            .map(|_| [(); 3].map(|()| [-0.0, 0.0, 1.0, 2.0][rng.random_range(0..4)]))
            .collect();
        let triangles: Vec<_> = (0..rng.random_range(1..16))
            .map(|_| [(); 3].map(|()| places[rng.random_range(0..places.len())]))
            .collect();
        let found = compare(&triangles, 1e-3);
        counts = [0, 1, 2, 3].map(|k| counts[k] + found[k]);
    }
    assert!(
        counts.iter().all(|count| *count > cases_or(60_000) / 600),
        "{counts:?}"
    );
}

#[test]
fn an_ulp_decides_far_from_the_origin() {
    // A plane through points 1e6 away, whose apex is raised by an ulp of its place.
    let at = |x: f32, y: f32, z: f32| [1e6 + x, -3e6 + y, 2e6 + z];
    let [a, b, c] = [at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.5), at(0.0, 1.0, 0.25)];
    let d = at(1.0, -1.0, 0.25);
    for (steps, expected) in [(-1, Convex), (0, Flat), (1, Concave)] {
        let raised = [d[0], d[1], step(d[2], steps)];
        let mesh = Mesh::with_flatness(&[a, b, c, raised], &[[0, 1, 2], [1, 0, 3]], 0.0).unwrap();
        assert_eq!(
            (kinds(&mesh, 0)[0], kinds(&mesh, 1)[0]),
            (expected, expected)
        );
    }
    // A coordinate that is 2⁻¹⁴⁹ from the plane of coordinates 2⁶⁰ away.
    let far = MAX_LENGTH;
    for (z, expected) in [(-1e-45, Convex), (0.0, Flat), (1e-45, Concave)] {
        let vertices = [
            [-far, -far, 0.0],
            [far, -far, 0.0],
            [0.0, far, 0.0],
            [1.0, -far / 3.0, z],
        ];
        // On the other side of the common edge, seen from the apex.
        let folded = [vertices[0], vertices[1], vertices[2], [1.0, -far, z]];
        for vertices in [vertices, folded] {
            let mesh = Mesh::with_flatness(&vertices, &[[0, 1, 2], [1, 0, 3]], 0.0).unwrap();
            let expected = if z == 0.0 { Border } else { expected };
            assert_eq!(kinds(&mesh, 0)[0], expected, "{z:e}");
        }
    }
}

/// Asserts that a mesh and a store with the same triangles give equal results.
fn answers_agree(detector: &mut Detector, mesh: &Mesh, store: &Triangles, rng: &mut StdRng) {
    let size = 3.0;
    let inside = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(-size..size));
    let (mut rays, mut spheres, mut boxes) = (Points::new(), Spheres::new(), Obbs::new());
    for _ in 0..300 {
        let motion = inside(rng);
        rays.push_moving(
            Point {
                position: inside(rng),
            },
            motion.map(|x| 4.0 * x),
        );
        let sphere = Sphere {
            center: inside(rng),
            radius: rng.random_range(0.0..0.5),
        };
        spheres.push_moving(sphere, motion);
        let obb = Obb {
            center: inside(rng),
            half_extents: [0.5, 0.2, sphere.radius],
            ..Obb::default()
        };
        boxes.push_turning(obb, motion, motion.map(|x| 0.5 * x));
    }
    let (mut of_mesh, mut of_store) = (FirstHits::new(), FirstHits::new());
    detector.first_hits(&rays, mesh, &mut of_mesh).unwrap();
    detector.first_hits(&rays, store, &mut of_store).unwrap();
    assert_eq!(of_mesh, of_store);
    let (mut in_mesh, mut in_store) = (Vec::new(), Vec::new());
    for during in [During::Start, During::Frame] {
        detector
            .candidates(&spheres, mesh, during, &mut in_mesh)
            .unwrap();
        detector
            .candidates(&spheres, store, during, &mut in_store)
            .unwrap();
        assert_eq!(in_mesh, in_store);
    }
    let (mut of_mesh, mut of_store) = (Overlaps::new(), Overlaps::new());
    detector
        .overlap(&spheres, mesh, &in_mesh, &mut of_mesh)
        .unwrap();
    detector
        .overlap(&spheres, store, &in_mesh, &mut of_store)
        .unwrap();
    assert!(of_mesh == of_store && of_mesh.count() > 0);
    let all: Vec<Pair> = (0..rays.len() as u32)
        .flat_map(|a| (0..mesh.len() as u32).map(move |b| Pair { a, b }))
        .collect();
    let (mut of_mesh, mut of_store) = (Sweeps::new(), Sweeps::new());
    detector.sweep(&rays, mesh, &all, &mut of_mesh).unwrap();
    detector.sweep(&rays, store, &all, &mut of_store).unwrap();
    assert!(of_mesh == of_store && of_mesh.count() > 0);
    detector
        .candidates(&boxes, mesh, During::Frame, &mut in_mesh)
        .unwrap();
    let (mut of_mesh, mut of_store) = (Impacts::new(), Impacts::new());
    detector
        .impact(&boxes, mesh, &in_mesh, 1e-3, &mut of_mesh)
        .unwrap();
    detector
        .impact(&boxes, store, &in_mesh, 1e-3, &mut of_store)
        .unwrap();
    assert!(of_mesh == of_store && of_mesh.count() > 0);
    detector.touching(&spheres, mesh, &mut in_mesh).unwrap();
    detector.touching(&spheres, store, &mut in_store).unwrap();
    assert_eq!(in_mesh, in_store);
}

#[test]
fn mesh_answers_as_its_triangles_do() {
    let mut rng = rng("mesh and triangles");
    let (vertices, indices) = icosphere(3);
    let at_rest = mesh(&vertices, &indices);
    let (mut level, mut store) = (at_rest.clone(), triangles(&vertices, &indices));
    let mut detector = Detector::new();
    for frame in 0..24 {
        // Cached rows and trees: repeated calls, then after each kind of change.
        answers_agree(&mut detector, &level, &store, &mut rng);
        match frame % 6 {
            1 => {
                let motion = [rng.random_range(-2.0..2.0), 0.5, -0.25];
                level.set_displacement(motion);
                assert_eq!(level.displacement(), motion);
                (0..store.len() as u32).for_each(|i| store.set_displacement(i, motion).unwrap());
            }
            2 => {
                let (position, rotation) = pose(&mut rng);
                level
                    .place(&at_rest, position.map(|x| x / 5.0), rotation)
                    .unwrap();
                for i in 0..store.len() as u32 {
                    store.set(i, level.get(i).unwrap()).unwrap();
                }
            }
            3 => {
                let groups = Groups {
                    is: 1,
                    meets: [1, u32::MAX, 2][frame / 6 % 3],
                };
                level.set_groups(Groups { is: 3, ..groups });
                level.groups_mut()[..100].fill(groups);
                store.groups_mut().fill(Groups { is: 3, ..groups });
                store.groups_mut()[..100].fill(groups);
                level.set_body(7);
                level.bodies_mut()[3] = 8;
                store.bodies_mut().fill(7);
                store.bodies_mut()[3] = 8;
            }
            // Every other time the next motion replaces this one.
            4 if frame % 12 == 4 => {
                level.set_displacement([0.0; 3]);
                (0..store.len() as u32).for_each(|i| store.set_displacement(i, [0.0; 3]).unwrap());
            }
            _ => {}
        }
    }
    assert_eq!(level.triangles().groups(5), store.groups(5));
    assert_eq!(level.triangles().body(3), Some(8));
}

/// Vertices moved as `place` documents, in `f64`.
fn moved(vertices: &[Vertex], position: [f32; 3], rotation: [f32; 4]) -> Vec<[f64; 3]> {
    let q = rotation.map(f64::from);
    let [x, y, z, w] = q;
    let squared = q.iter().map(|x| x * x).sum::<f64>();
    let turned = |v: &Vertex| {
        let [a, b, c] = v.map(f64::from);
        let [x, y, z, _] = product(product(q, [a, b, c, 0.0]), [-x, -y, -z, w]);
        let p = [x / squared, y / squared, z / squared];
        [0, 1, 2].map(|k| p[k] + f64::from(position[k]))
    };
    vertices.iter().map(turned).collect()
}

#[test]
fn placed_mesh_is_the_mesh_of_its_moved_vertices() {
    let mut rng = rng("place");
    for (vertices, indices) in [cube(1.0), icosphere(2)] {
        for shape in [
            (vertices.clone(), indices.clone()),
            soup(&vertices, &indices),
        ] {
            let (vertices, indices) = shape;
            let at_rest = mesh(&vertices, &indices);
            let mut lift = at_rest.clone();
            lift.set_displacement([0.0, 1.0, 0.0]);
            for _ in 0..50 {
                let (position, rotation) = pose(&mut rng);
                lift.place(&at_rest, position, rotation).unwrap();
                // Each vertex has one position: the exact position, rounded.
                let exact = moved(&vertices, position, rotation);
                let mut places: Vec<Option<Vertex>> = vec![None; vertices.len()];
                for (t, corners) in (0..).zip(&indices) {
                    for (corner, v) in lift.get(t).unwrap().corners.into_iter().zip(corners) {
                        let place = places[*v as usize].get_or_insert(corner);
                        assert_eq!(place.map(f32::to_bits), corner.map(f32::to_bits));
                    }
                }
                let places: Vec<_> = places.into_iter().map(Option::unwrap).collect();
                for (place, exact) in places.iter().zip(&exact) {
                    for k in 0..3 {
                        let off = (f64::from(place[k]) - exact[k]).abs();
                        assert!(
                            off <= 0.5001 * f64::from(step(place[k].abs(), 1) - place[k].abs())
                                + 1e-14
                        );
                    }
                }
                let new = mesh(&places, &indices);
                assert_eq!(bits(&lift), bits(&new));
                assert_eq!(lift.indices(), new.indices());
                for t in 0..lift.len() as u32 {
                    assert_eq!(edges(&lift, t), edges(&at_rest, t));
                    assert_eq!(edges(&lift, t).map(|e| e.0), edges(&new, t).map(|e| e.0));
                }
                assert_eq!(lift.displacement(), [0.0, 1.0, 0.0]);
            }
            lift.place(&at_rest, [0.0; 3], [0.0, 0.0, 0.0, 1.0])
                .unwrap();
            assert!((0..lift.len() as u32).all(|t| lift.get(t) == at_rest.get(t)));
        }
    }
}

#[test]
fn placed_mesh_has_the_edges_of_the_rest_mesh() {
    let (vertices, indices) = cube(1.0);
    let at_rest = mesh(&vertices, &indices);
    let other: Vec<_> = indices.iter().rev().map(|[a, b, c]| [*a, *c, *b]).collect();
    let mut room = Mesh::with_flatness(&vertices, &other, 0.0).unwrap();
    room.place(&at_rest, [1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
        .unwrap();
    assert_eq!(
        (room.indices(), room.flatness()),
        (&indices[..], Mesh::FLATNESS)
    );
    assert!((0..12).all(|t| edges(&room, t) == edges(&at_rest, t)));
}

#[test]
fn refused_place_changes_nothing() {
    let (vertices, indices) = cube(1.0);
    let at_rest = mesh(&vertices, &indices);
    let mut lift = at_rest.clone();
    lift.place(&at_rest, [1.0, 2.0, 3.0], [0.5; 4]).unwrap();
    let before = bits(&lift);
    let unit = [0.0, 0.0, 0.0, 1.0];
    let cases = [
        (
            [0.0, f32::NAN, 0.0],
            unit,
            "pose is invalid: position[1] is NaN, not finite",
        ),
        (
            [0.0, 0.0, f32::INFINITY],
            unit,
            "pose is invalid: position[2] is inf, not finite",
        ),
        (
            [2e18, 0.0, 0.0],
            unit,
            "pose is invalid: position[0] is 2e18, above 1.1529215e18",
        ),
        (
            [0.0; 3],
            [0.0; 4],
            "pose is invalid: rotation has length 0, not 1 within 0.001",
        ),
        (
            [0.0; 3],
            [0.0, 2.0, 0.0, 0.0],
            "pose is invalid: rotation has length 2, not 1 within 0.001",
        ),
        (
            [0.0; 3],
            [0.0, 0.0, f32::NAN, 1.0],
            "pose is invalid: rotation[2] is NaN, not finite",
        ),
    ];
    for (position, rotation, expected) in cases {
        let error = lift.place(&at_rest, position, rotation).unwrap_err();
        assert!(matches!(error, Error::BadPose { .. }));
        assert_eq!(error.to_string(), expected);
        assert_eq!(bits(&lift), before);
    }
    let fewer = mesh(&vertices, &indices[1..]);
    let more = mesh(&[&vertices[..], &[[9.0; 3]]].concat(), &indices);
    for (other, counts) in [
        (fewer, "11 and 8"),
        (more, "12 and 9"),
        (Mesh::default(), "0 and 0"),
    ] {
        let error = lift.place(&other, [0.0; 3], unit).unwrap_err();
        assert!(matches!(error, Error::OtherMesh { .. }));
        let expected =
            format!("mesh has 12 triangles and 8 vertices, but the mesh at rest has {counts}");
        assert_eq!(error.to_string(), expected);
        assert_eq!(bits(&lift), before);
    }
}

#[test]
fn no_ray_passes_between_the_triangles_of_a_closed_mesh() {
    let mut rng = rng("closed mesh");
    let (vertices, indices) = icosphere(3);
    let at_rest = mesh(&vertices, &indices);
    assert!((0..at_rest.len() as u32).all(|t| kinds(&at_rest, t) == [Convex; 3]));
    let mut sphere = at_rest.clone();
    for _ in 0..8 {
        let (position, rotation) = pose(&mut rng);
        sphere.place(&at_rest, position, rotation).unwrap();
        let mut rays = Points::new();
        for _ in 0..5000 {
            let corners = sphere
                .get(rng.random_range(0..sphere.len() as u32))
                .unwrap()
                .corners;
            let share = [0.0, 0.5, rng.random_range(0.0..1.0f32)][rng.random_range(0..3)];
            let k = rng.random_range(0..3);
            let through = [0, 1, 2]
                .map(|i| corners[k][i] + share * (corners[(k + 1) % 3][i] - corners[k][i]));
            let way = [0, 1, 2].map(|i| 2.0 * (through[i] - position[i]));
            rays.push_moving(Point { position }, way);
        }
        let mut firsts = FirstHits::new();
        Detector::new()
            .first_hits(&rays, &sphere, &mut firsts)
            .unwrap();
        let leaks = (0..rays.len()).filter(|i| firsts.get(*i).is_none()).count();
        assert_eq!(leaks, 0, "of {} rays", rays.len());
    }
}

#[test]
fn random_bytes_make_a_mesh() {
    let mut rng = rng("bytes as vertices");
    for _ in 0..cases_or(60_000) / 30 {
        let patterns = [
            0,
            0x8000_0000,
            1,
            0x5d80_0000,
            0x5d80_0001,
            0x7f7f_ffff,
            0xff80_0000,
        ];
        let mut number = || {
            let bits = match rng.random_range(0..4) {
                0 => patterns[rng.random_range(0..patterns.len())],
                1 => rng.random::<u32>() & 0x5d7f_ffff,
                _ => rng.random(),
            };
            f32::from_bits(bits)
        };
        let vertices: Vec<Vertex> = (0..8).map(|_| [(); 3].map(|()| number())).collect();
        let (position, rotation) = ([(); 3].map(|()| number()), [(); 4].map(|()| number()));
        let indices: Vec<_> = (0..20)
            .map(|_| [(); 3].map(|()| rng.random_range(0..8)))
            .collect();
        let mesh = mesh(&vertices, &indices);
        for t in 0..20 {
            let is_valid = triangles(&vertices, &indices[t as usize..][..1])
                .validate()
                .is_ok();
            for (neighbour, kind) in edges(&mesh, t) {
                assert_eq!(neighbour.is_none(), kind == Border);
                let Some(neighbour) = neighbour else { continue };
                assert!(is_valid && edges(&mesh, neighbour).contains(&(Some(t), kind)));
            }
            let length = mesh.normal(t).unwrap().map(|x| x * x).iter().sum::<f32>();
            assert!(length == 0.0 || is_valid && (length - 1.0).abs() < 1e-5);
        }
        let mut placed = mesh.clone();
        let _ = placed.place(&mesh, position, rotation);
        placed.place(&mesh, [1e18; 3], [0.5; 4]).unwrap();
        assert!((0..20).all(|t| edges(&placed, t) == edges(&mesh, t)));
    }
}

#[test]
fn edges_are_plain_values() {
    let (vertices, indices) = cube(1.0);
    let cube = mesh(&vertices, &indices);
    let edge: Edge = cube.edge(0, 0).unwrap();
    assert_eq!(edge, cube.clone().edge(0, 0).unwrap());
    let text = format!("{cube:?}");
    assert!(
        text.starts_with("Mesh { triangles: [Some((Triangle { corners:"),
        "{text}"
    );
    assert_eq!(
        format!("{edge:?}"),
        format!(
            "Edge {{ neighbour: Some({}), kind: Convex }}",
            edge.neighbour.unwrap()
        )
    );
}
