//! Points in closed meshes, by exact arithmetic: a ray in a general direction, and the definition of points on a triangle.

mod common;
#[allow(dead_code)]
#[path = "oracle/exact.rs"]
mod exact;

use common::{cases_or, cube, rng};
use dashu_int::IBig;
use exact::{Scale, Vec3};
use phalanx::{
    Detector, During, Error, Groups, MAX_LENGTH, Mesh, Overlaps, Point, Points, PointsRef, Simd,
};
use rand::RngExt;
use rand::rngs::StdRng;

type Vertex = [f32; 3];

fn points(positions: &[Vertex]) -> Points {
    let points = positions.iter().map(|&position| Point { position });
    points.collect()
}

/// The definition, in integers.
struct Oracle {
    scale: Scale,
    triangles: Vec<[Vec3; 3]>,
    /// Above all coordinates.
    far: IBig,
}

impl Oracle {
    fn new(mesh: &Mesh, positions: &[Vertex]) -> Self {
        let corners = || (0..mesh.len() as u32).map(|i| mesh.get(i).unwrap().corners);
        let of_triangles: Vec<f32> = corners().flatten().flatten().collect();
        let scale = Scale::of(of_triangles.iter().chain(positions.as_flattened()));
        Oracle {
            scale,
            triangles: corners()
                .map(|corners| corners.map(|v| scale.vec(v)))
                .collect(),
            far: scale.int(MAX_LENGTH),
        }
    }

    fn contains(&self, position: Vertex, rng: &mut StdRng) -> bool {
        let point = self.scale.vec(position);
        if self.triangles.iter().any(|corners| is_on(corners, &point)) {
            return true;
        }
        loop {
            let step = Vec3([(); 3].map(|()| IBig::from(rng.random_range(-999..1000))));
            let end = &point + &(&step * &self.far);
            if let Some(crossings) = self.crossings(&point, &end) {
                return crossings % 2 == 1;
            }
        }
    }

    /// Number of triangles that a segment crosses; `None` if it meets an edge, or is parallel to a triangle.
    fn crossings(&self, point: &Vec3, end: &Vec3) -> Option<usize> {
        let mut crossings = 0;
        for [a, b, c] in &self.triangles {
            let normal = (b - a).cross(&(c - a));
            if normal.length_sq() == IBig::ZERO {
                continue;
            }
            let side = |x: &Vec3| normal.dot(&(x - a)).signum();
            let (start, stop) = (side(point), side(end));
            if stop == IBig::ZERO {
                return None;
            }
            if start == IBig::ZERO || start == stop {
                continue;
            }
            let way = end - point;
            let pass = |p: &Vec3, q: &Vec3| way.dot(&(p - point).cross(&(q - point))).signum();
            let passes = [pass(a, b), pass(b, c), pass(c, a)];
            if passes.contains(&IBig::ZERO) {
                return None;
            }
            crossings += usize::from(passes.iter().all(|x| *x == passes[0]));
        }
        Some(crossings)
    }
}

/// Whether a point is on a triangle: the barycentric weights of its projection are not negative, and it is in the plane.
fn is_on([a, b, c]: &[Vec3; 3], point: &Vec3) -> bool {
    let (u, v, w) = (b - a, c - a, point - a);
    let normal = u.cross(&v);
    let (uu, uv, vv) = (u.dot(&u), u.dot(&v), v.dot(&v));
    let whole = &uu * &vv - &uv * &uv;
    if whole == IBig::ZERO {
        return [(a, b), (b, c), (c, a)].iter().any(|(p, q)| {
            let (along, from) = (*q - *p, point - *p);
            let place = along.dot(&from);
            along.cross(&from).length_sq() == IBig::ZERO
                && from.length_sq() <= along.length_sq()
                && place >= IBig::ZERO
        });
    }
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let (second, third) = (&vv * &uw - &uv * &vw, &uu * &vw - &uv * &uw);
    normal.dot(&w) == IBig::ZERO
        && second >= IBig::ZERO
        && third >= IBig::ZERO
        && second + third <= whole
}

fn inside(detector: &mut Detector, positions: &[Vertex], mesh: &Mesh) -> Vec<bool> {
    let mut overlaps = Overlaps::new();
    let invalid = detector.inside(&points(positions), mesh, &mut overlaps);
    assert!(!invalid.unwrap().any());
    assert_eq!(overlaps.len(), positions.len());
    (0..positions.len()).map(|i| overlaps.is_hit(i)).collect()
}

/// Compares all results with the oracle, and with those of the mesh whose triangles have the other winding or start at another corner.
/// Returns the number of points inside.
fn compare(mesh: &Mesh, positions: &[Vertex], rng: &mut StdRng) -> usize {
    let mut detector = Detector::new();
    let found = inside(&mut detector, positions, mesh);
    let oracle = Oracle::new(mesh, positions);
    for (&position, found) in positions.iter().zip(&found) {
        let expected = oracle.contains(position, rng);
        assert_eq!(*found, expected, "{position:?} in {:?}", mesh.triangles());
    }
    // Each call after the first may have another tree.
    for _ in 0..3 {
        assert_eq!(inside(&mut detector, positions, mesh), found);
    }
    found.iter().filter(|inside| **inside).count()
}

/// All points with these coordinates.
fn grid(coordinates: &[f32]) -> Vec<Vertex> {
    let all = || coordinates.iter().copied();
    all()
        .flat_map(|x| all().flat_map(move |y| all().map(move |z| [x, y, z])))
        .collect()
}

fn halves(low: i32, high: i32) -> Vec<f32> {
    (2 * low..=2 * high).map(|x| x as f32 / 2.0).collect()
}

/// Joins meshes.
fn join(parts: &[(Vec<Vertex>, Vec<[u32; 3]>)]) -> Mesh {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for (of_part, triangles) in parts {
        let first = vertices.len() as u32;
        vertices.extend(of_part);
        indices.extend(triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    }
    Mesh::new(&vertices, &indices).unwrap()
}

/// An octahedron with each edge halved a few times, its vertices moved out to a sphere.
fn sphere(levels: usize) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let mut faces: Vec<[[f64; 3]; 3]> = Vec::new();
    for signs in grid(&[-1.0, 1.0]) {
        let corner = |k: usize| {
            let mut corner = [0.0; 3];
            corner[k] = f64::from(signs[k]);
            corner
        };
        faces.push([0, 1, 2].map(corner));
    }
    for _ in 0..levels {
        let halved = faces.iter().flat_map(|[a, b, c]| {
            let middle = |p: &[f64; 3], q: &[f64; 3]| {
                // The same for both directions.
                let sum = [0, 1, 2].map(|k| p[k] + q[k]);
                let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
                sum.map(|x| x / length)
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[*a, ab, ca], [*b, bc, ab], [*c, ca, bc], [ab, bc, ca]]
        });
        faces = halved.collect();
    }
    let vertices = faces.as_flattened().iter().map(|v| v.map(|x| x as f32));
    let indices = (0..faces.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    (vertices.collect(), indices.collect())
}

/// The faces of tetrahedra with vertices of a table: a cycle, however degenerate they are.
fn tetrahedra(rng: &mut StdRng, count: usize, table: &[f32]) -> Mesh {
    let parts = (0..count).map(|_| {
        let vertices = [(); 4].map(|()| [(); 3].map(|()| table[rng.random_range(0..table.len())]));
        (
            vertices.to_vec(),
            vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]],
        )
    });
    join(&parts.collect::<Vec<_>>())
}

#[test]
fn points_on_the_grid_of_a_cube_are_inside_up_to_its_surface() {
    let (vertices, indices) = cube(1.0);
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    assert!(mesh.is_closed());
    let positions = grid(&halves(-2, 2));
    let found = inside(&mut Detector::new(), &positions, &mesh);
    for (position, found) in positions.iter().zip(&found) {
        let expected = position.iter().all(|x| x.abs() <= 1.0);
        assert_eq!(*found, expected, "{position:?}");
    }
    // The floats next to the surface.
    for axis in 0..3 {
        for (x, expected) in [
            (1.0f32.next_up(), false),
            (1.0, true),
            (1.0f32.next_down(), true),
        ] {
            for signed in [x, -x] {
                for others in [[0.0, 0.0], [1.0, 0.5], [-1.0, 1.0], [0.25, 0.25]] {
                    let mut position = [signed; 3];
                    position[(axis + 1) % 3] = others[0];
                    position[(axis + 2) % 3] = others[1];
                    let found = inside(&mut Detector::new(), &[position], &mesh);
                    assert_eq!(found, [expected], "{position:?}");
                }
            }
        }
    }
    compare(&mesh, &positions, &mut rng("cube"));
}

#[test]
fn points_near_a_sphere_match_exact_arithmetic() {
    let mut rng = rng("inside a sphere");
    let (vertices, indices) = sphere(3);
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    assert!(mesh.is_closed());
    assert_eq!(mesh.len(), 512);
    let mut positions = grid(&[-1.0, -0.5, 0.0, 0.5, 1.0]);
    for _ in 0..cases_or(50) {
        let corners = mesh
            .get(rng.random_range(0..mesh.len() as u32))
            .unwrap()
            .corners;
        let [a, b, c] = corners;
        positions.push(a);
        positions.push([0, 1, 2].map(|k| (a[k] + b[k]) / 2.0));
        positions.push([0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0));
        positions.push(a.map(f32::next_up));
        // Above and below a vertex and an edge, which their rays meet.
        positions.push([a[0], a[1], rng.random_range(-1.0..1.0)]);
        positions.push([(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0, 0.125]);
        positions.push([(); 3].map(|()| rng.random_range(-1.1..1.1)));
    }
    let count = compare(&mesh, &positions, &mut rng);
    assert!(count > positions.len() / 5 && count < positions.len());
}

#[test]
fn lattice_points_in_tetrahedra_match_exact_arithmetic() {
    let mut rng = rng("inside tetrahedra");
    let positions = grid(&halves(-1, 4));
    let table = [0.0, 1.0, 2.0, 3.0];
    let (mut count, mut all, mut flat) = (0, 0, 0);
    for case in 0..cases_or(24) {
        let mesh = tetrahedra(&mut rng, [1, 2, 5, 30][case % 4], &table);
        assert!(mesh.is_closed());
        let is_flat = |i: &u32| mesh.normal(*i) == Some([0.0; 3]);
        flat += (0..mesh.len() as u32).filter(is_flat).count();
        count += compare(&mesh, &positions, &mut rng);
        all += positions.len();
    }
    assert!(
        count > all / 50 && count < all / 2 && flat > 10,
        "{count} of {all}, {flat}"
    );
}

#[test]
fn extreme_coordinates_match_exact_arithmetic() {
    let mut rng = rng("inside extremes");
    let two = |exponent: i32| 2f64.powi(exponent) as f32;
    let least = f32::from_bits(1);
    let tables = [
        vec![0.0, least, 2.0 * least, 3.0 * least],
        vec![0.0, two(-100), 2.0 * two(-100), 3.0 * two(-100)],
        vec![-two(60), 0.0, two(58), two(60)],
        vec![-two(60), -1.0, least, two(-100), 1.0, two(60)],
        vec![1e6, 1e6f32.next_up(), 1e6 + 1.0, 1e7],
        vec![0.1, 0.3, 0.7, 1e-20, -3e10],
    ];
    let mut counts = [0; 6];
    for (table, count) in tables.iter().zip(&mut counts) {
        let between = |pair: &[f32]| (pair[0] / 2.0 + pair[1] / 2.0).clamp(-two(60), two(60));
        let mut coordinates: Vec<f32> = table.windows(2).map(between).collect();
        coordinates.extend(table);
        let positions = grid(&coordinates);
        for case in 0..cases_or(6) {
            let mesh = tetrahedra(&mut rng, [1, 3, 12][case % 3], table);
            let some: Vec<Vertex> = (0..150)
                .map(|_| positions[rng.random_range(0..positions.len())])
                .collect();
            *count += compare(&mesh, &some, &mut rng);
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// Moves the vertices of a part.
fn moved(
    (vertices, indices): (Vec<Vertex>, Vec<[u32; 3]>),
    by: Vertex,
) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let vertices = vertices.iter().map(|v| [0, 1, 2].map(|k| v[k] + by[k]));
    (vertices.collect(), indices)
}

#[test]
fn nested_shells_are_hollow_and_disjoint_ones_are_solid() {
    let mut rng = rng("shells");
    // A hollow cube with a solid core, and a cube beside it that shares a face.
    let mesh = join(&[
        cube(3.0),
        cube(2.0),
        cube(1.0),
        moved(cube(1.0), [4.0, 0.0, 0.0]),
    ]);
    let at = |x| [x, 0.25, 0.125];
    let found = inside(
        &mut Detector::new(),
        &[0.0, 1.5, 2.5, 3.0, 4.5, 5.5].map(at),
        &mesh,
    );
    assert_eq!(found, [true, false, true, true, true, false]);
    compare(&mesh, &grid(&halves(-4, 6)), &mut rng);
}

#[test]
fn doubled_faces_are_a_surface_without_a_volume() {
    let (vertices, mut indices) = cube(1.0);
    indices.extend(indices.clone());
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    assert!(mesh.is_closed());
    let found = inside(
        &mut Detector::new(),
        &[[0.0; 3], [1.0, 0.5, 0.25], [2.0, 0.0, 0.0]],
        &mesh,
    );
    assert_eq!(found, [false, true, false]);
}

#[test]
fn triangles_without_area_close_gaps() {
    let mut rng = rng("gaps");
    // Vertex 8 halves the edge from 0 to 2 on one side only.
    let (mut vertices, mut indices) = cube(1.0);
    vertices.push([-1.0, 0.0, -1.0]);
    let face = indices
        .iter()
        .position(|t| *t == [0, 2, 3])
        .expect("a face");
    indices[face] = [0, 8, 3];
    indices.push([8, 2, 3]);
    let open = Mesh::new(&vertices, &indices).unwrap();
    assert!(!open.is_closed());
    let (triangle, edge) = open.open_edge().unwrap();
    assert!(open.edge(triangle, edge).unwrap().neighbour.is_none());

    for filler in [[0, 8, 2], [2, 0, 8], [8, 0, 2]] {
        let mut closed = indices.clone();
        closed.push(filler);
        let mesh = Mesh::new(&vertices, &closed).unwrap();
        assert!(mesh.is_closed());
        compare(&mesh, &grid(&halves(-2, 2)), &mut rng);
    }
    // Points and spikes change nothing.
    for filler in [[0, 0, 0], [0, 0, 5], [5, 3, 5]] {
        let (vertices, mut indices) = cube(1.0);
        indices.push(filler);
        let mesh = Mesh::new(&vertices, &indices).unwrap();
        assert!(mesh.is_closed());
        compare(&mesh, &grid(&halves(-2, 2)), &mut rng);
    }
}

#[test]
fn results_are_equal_on_all_lanes_and_threads() {
    let mut rng = rng("inside on threads");
    let mesh = join(&[sphere(4), moved(sphere(2), [0.5, 0.25, 3.0])]);
    for len in [0, 1, 63, 64, 65, 1000, 1025, 20_011] {
        let positions: Vec<Vertex> = (0..len)
            .map(|_| [1.2, 1.2, 4.0].map(|high| rng.random_range(-1.2..high)))
            .collect();
        let expected = inside(&mut Detector::new().parallel(false), &positions, &mesh);
        for simd in Simd::available() {
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let found = pool
                    .build()
                    .unwrap()
                    .install(|| inside(&mut Detector::new().simd(simd), &positions, &mesh));
                assert!(found == expected, "{simd:?}, {threads} threads, {len}");
            }
        }
    }
}

#[test]
fn motion_groups_and_structs_do_not_matter() {
    let (vertices, indices) = cube(1.0);
    let mut mesh = Mesh::new(&vertices, &indices).unwrap();
    mesh.set_displacement([50.0, 0.0, 0.0]);
    mesh.set_groups(Groups { is: 1, meets: 2 });
    mesh.groups_mut()[3] = Groups { is: 4, meets: 4 };
    mesh.set_body(3);
    let positions = [[0.5, 0.0, 0.25], [1.5, 0.0, 0.0]];
    let structs = positions.map(|position| Point { position });
    let mut moving = Points::new();
    for point in structs {
        let index = moving.push_moving(point, [-1.0, 0.0, 0.0]);
        moving.set_body(index, 3).unwrap();
        moving
            .set_groups(index, Groups { is: 8, meets: 8 })
            .unwrap();
    }
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    detector.inside(&moving, &mesh, &mut overlaps).unwrap();
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0]);
    let view = PointsRef::of_structs(&structs).unwrap();
    detector.inside(&view, &mesh, &mut overlaps).unwrap();
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0]);
}

#[test]
fn placed_mesh_is_searched_at_its_place() {
    let (vertices, indices) = cube(1.0);
    let at_rest = Mesh::new(&vertices, &indices).unwrap();
    let (mut mesh, mut detector) = (at_rest.clone(), Detector::new());
    let positions = grid(&halves(-3, 3));
    let mut rng = rng("placed");
    for x in [0.0, 0.5, 2.0] {
        let turn = [0.0, 0.0, 0.6, 0.8];
        mesh.place(&at_rest, [x, 0.25, 0.0], turn).unwrap();
        let found = inside(&mut detector, &positions, &mesh);
        let oracle = Oracle::new(&mesh, &positions);
        for (position, found) in positions.iter().zip(found) {
            assert_eq!(found, oracle.contains(*position, &mut rng), "{position:?}");
        }
    }
    assert!(mesh.is_closed());
}

#[test]
fn earlier_calls_change_nothing() {
    let mut rng = rng("inside after calls");
    let at_rest = join(&[sphere(2), moved(cube(0.5), [2.0, 0.0, 0.0])]);
    let mut other = at_rest.clone();
    other
        .place(&at_rest, [0.25, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0])
        .unwrap();
    let (mut mesh, mut kept) = (at_rest.clone(), Detector::new());
    let positions: Vec<Vertex> = (0..500)
        .map(|_| [1.2, 1.2, 3.0].map(|high| rng.random_range(-1.2..high)))
        .collect();
    let (mut pairs, mut expected) = (Vec::new(), Vec::new());
    for round in 0..60 {
        match rng.random_range(0..5) {
            0 => mesh.set_displacement([rng.random_range(-1.0..1.0), 0.0, 0.5]),
            1 => mesh.set_displacement([0.0; 3]),
            2 => {
                let at = [(); 3].map(|()| rng.random_range(-1.0..1.0));
                mesh.place(&at_rest, at, [0.6, 0.0, 0.0, 0.8]).unwrap();
            }
            3 => {
                kept.prepare(&mesh);
            }
            _ => {}
        }
        // States of calls with stores of one length are shared.
        for mesh in [&mesh, &other] {
            for during in [During::Start, During::Frame] {
                kept.candidates(mesh, mesh, during, &mut pairs).unwrap();
                Detector::new()
                    .candidates(mesh, mesh, during, &mut expected)
                    .unwrap();
                assert!(pairs == expected, "round {round}");
            }
            let found = inside(&mut kept, &positions, mesh);
            let triangles = Mesh::new(
                &corners_of(mesh),
                &(0..mesh.len() as u32)
                    .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
                    .collect::<Vec<_>>(),
            );
            let expected = inside(&mut Detector::new(), &positions, &triangles.unwrap());
            assert!(found == expected, "round {round}");
        }
    }
}

/// The corners of all triangles.
fn corners_of(mesh: &Mesh) -> Vec<Vertex> {
    let corners = (0..mesh.len() as u32).map(|i| mesh.get(i).unwrap().corners);
    corners.flatten().collect()
}

#[test]
fn empty_mesh_contains_nothing() {
    let mesh = Mesh::default();
    assert!(mesh.is_closed());
    assert_eq!(
        inside(&mut Detector::new(), &[[0.0; 3], [1.0; 3]], &mesh),
        [false; 2]
    );
    assert_eq!(inside(&mut Detector::new(), &[], &mesh), Vec::<bool>::new());
}

#[test]
fn open_mesh_is_an_error_that_names_an_edge() {
    let (vertices, mut indices) = cube(1.0);
    let removed = indices.remove(7);
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    assert!(!mesh.is_closed());
    let (triangle, edge) = mesh.open_edge().unwrap();
    // The first edge, in order, that the removed triangle had.
    let is_open = |[a, b]: [u32; 2]| removed.contains(&a) && removed.contains(&b);
    let mut edges = (0..).zip(&indices).flat_map(|(triangle, corners)| {
        [0, 1, 2].map(|k| ((triangle, k), [corners[k], corners[(k + 1) % 3]]))
    });
    let expected = edges.find(|(_, ends)| is_open(*ends)).unwrap().0;
    assert_eq!((triangle, edge), expected);

    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    let closed = Mesh::new(&cube(1.0).0, &cube(1.0).1).unwrap();
    let positions = points(&[[0.0; 3], [2.0; 3]]);
    detector.inside(&positions, &closed, &mut overlaps).unwrap();
    let before = overlaps.clone();
    let error = detector
        .inside(&positions, &mesh, &mut overlaps)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "mesh is not closed: edge {edge} of triangle {triangle} belongs to an odd number of triangles"
        )
    );
    assert!(overlaps == before);

    let mut with_margin = Detector::new().margin(0.5).unwrap();
    let error = with_margin.inside(&positions, &closed, &mut overlaps);
    assert!(matches!(error, Err(Error::MarginNotAllowed { margin, .. }) if margin == 0.5));
    assert!(overlaps == before);
}

#[test]
fn invalid_points_and_triangles_are_counted() {
    let (vertices, indices) = cube(1.0);
    let mesh = Mesh::new(&vertices, &indices).unwrap();
    let nan = [0.0, f32::NAN, 0.0];
    let positions = points(&[[0.0; 3], nan, [2.0; 3], [f32::INFINITY; 3], [1.0; 3]]);
    let mut overlaps = Overlaps::new();
    let invalid = Detector::new()
        .inside(&positions, &mesh, &mut overlaps)
        .unwrap();
    assert_eq!((invalid.a, invalid.b), (2, 0));
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0, 4]);
    assert_eq!(overlaps.iter_invalid().collect::<Vec<_>>(), [1, 3]);
    let mut strict = Overlaps::new();
    let error = Detector::new()
        .strict(true)
        .inside(&positions, &mesh, &mut strict);
    assert_eq!(
        error.unwrap_err().to_string(),
        "shape 1 of the first store is invalid: position[1] is NaN, not finite"
    );
    assert!(strict == overlaps);

    // A hole in a shell is an open edge; a shell that is invalid as a whole bounds nothing.
    let mut holed = vertices.clone();
    holed[0] = nan;
    let holed = Mesh::new(&holed, &indices).unwrap();
    assert!(!holed.is_closed());
    let error = Detector::new().inside(&positions, &holed, &mut overlaps);
    assert!(matches!(error, Err(Error::OpenMesh { .. })));
    let lost = join(&[cube(1.0), moved(cube(0.5), [f32::NAN, 0.0, 0.0])]);
    assert!(lost.is_closed());
    let invalid = Detector::new()
        .inside(&positions, &lost, &mut overlaps)
        .unwrap();
    assert_eq!((invalid.a, invalid.b), (2, 12));
    assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0, 4]);

    // Placed at the limit, some vertices are beyond it.
    let mut placed = mesh.clone();
    let far = 0.75 * MAX_LENGTH;
    let large = Mesh::new(&cube(far).0, &indices).unwrap();
    placed
        .place(&large, [far, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
        .unwrap();
    let error = Detector::new().inside(&positions, &placed, &mut overlaps);
    assert!(matches!(error, Err(Error::OpenMesh { .. })));
}
