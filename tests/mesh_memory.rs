//! Memory of a mesh: static, during the build, and without enough memory.

#[path = "common/counting.rs"]
mod counting;

use counting::{allocations_of, kept_by, peak_of, with_largest};
use phalanx::{
    Detector, During, Error, FirstHits, Mesh, Overlaps, Point, PointsRef, Sphere, SpheresRef,
};

/// Quads along a side.
const SIDE: u32 = 300;

/// A hilly field of squares, each cut in two.
fn field(side: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let places = (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
    let vertex = |(x, y): (u32, u32)| {
        let height = (0.1 * x as f32).sin() + (0.13 * y as f32).cos();
        [x as f32, y as f32, height]
    };
    let vertices = places.map(vertex).collect();
    let quads = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
    let indices = quads.flat_map(|v| [[v, v + 1, v + side + 2], [v, v + side + 2, v + side + 1]]);
    (vertices, indices.collect())
}

// A single test in this file, because allocations of other threads would count.
#[test]
fn mesh_takes_160_bytes_a_triangle_and_too_little_memory_is_an_error() {
    let (vertices, indices) = field(SIDE);
    let len = indices.len();
    let each = |bytes: usize| bytes as f64 / len as f64;

    let mut meshes: Vec<Mesh> = Vec::with_capacity(2);
    let mut at_rest = 0;
    let peak = peak_of(|| {
        at_rest = kept_by(|| meshes.push(Mesh::new(&vertices, &indices).unwrap()));
    });
    println!("built: {:.1}, at most {:.1}", each(at_rest), each(peak));
    // 36 of corners, 12 of indices, 12 of neighbours, 1 of kinds.
    assert!((61.0..62.0).contains(&each(at_rest)), "{}", each(at_rest));
    assert!(each(peak) < 100.0, "{}", each(peak));

    // A clone has its own corners.
    let of_clone = kept_by(|| {
        let clone = meshes[0].clone();
        meshes.push(clone);
    });
    assert!((36.0..37.0).contains(&each(of_clone)), "{}", each(of_clone));
    let [at_rest_mesh, lift] = &mut meshes[..] else {
        panic!("two meshes")
    };
    let placing = allocations_of(|| lift.place(at_rest_mesh, [1.0; 3], [0.5; 4]).unwrap());
    assert_eq!(placing, 0);
    assert!(kept_by(|| lift.set_displacement([1.0; 3])) > 12 * len);

    // Rows and a tree for overlaps. Views of structs have no cache.
    let place = |i: usize| [(i % 300) as f32, (i / 300 % 300) as f32, 0.0];
    let spheres: Vec<Sphere> = (0..len)
        .map(|i| Sphere {
            center: place(i),
            radius: 0.5,
        })
        .collect();
    let spheres = SpheresRef::of_structs(&spheres).unwrap();
    let mesh = &meshes[0];
    let for_overlaps = kept_by(|| {
        let (mut detector, mut pairs) = (Detector::new(), Vec::new());
        let mut overlaps = Overlaps::new();
        for _ in 0..3 {
            detector
                .candidates(&spheres, mesh, During::Start, &mut pairs)
                .unwrap();
            detector
                .overlap(&spheres, mesh, &pairs, &mut overlaps)
                .unwrap();
        }
    });
    let all = each(at_rest + for_overlaps);
    println!("with rows and a tree for overlaps: {all:.1}");
    assert!(all < 160.0 && each(for_overlaps) > 64.0 + 27.0, "{all}");

    // Rows and trees for rays, in a mesh without other queries.
    let mesh = mesh.clone();
    let points: Vec<Point> = (0..len).map(|i| Point { position: place(i) }).collect();
    let ways = vec![[0.0, 0.0, -4.0]; len];
    let rays = PointsRef::of_moving_structs(&points, &ways).unwrap();
    let for_rays = kept_by(|| {
        let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
        for _ in 0..4 {
            detector.first_hits(&rays, &mesh, &mut firsts).unwrap();
        }
    });
    let all = each(at_rest + for_rays);
    println!("with rows and trees for rays: {all:.1}");
    // Rows of 80 bytes, as for all movable shapes, and two trees.
    assert!(all < 210.0 && each(for_rays) > 80.0 + 2.0 * 27.0, "{all}");

    let (mut refused, mut built) = (0, 0);
    for largest in (14..24).map(|bits| 1 << bits) {
        match with_largest(largest, || Mesh::new(&vertices, &indices)) {
            Ok(mesh) => {
                assert_eq!(mesh.len(), len);
                built += 1;
            }
            Err(error) => {
                assert!(matches!(error, Error::MeshOutOfMemory { .. }));
                let expected = format!("out of memory: a mesh of {len} triangles");
                assert_eq!(error.to_string(), expected);
                refused += 1;
            }
        }
    }
    assert!(refused > 5 && built > 0, "{refused} refused, {built} built");
}
