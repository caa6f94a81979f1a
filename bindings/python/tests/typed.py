"""Calls for mypy: right ones, and, marked as ignored, wrong ones. Not run."""

from typing import assert_type

import numpy as np
import phalanx
from numpy.typing import NDArray
from phalanx.robots import AllowedCollisionMatrix

x = np.zeros(3, np.float32)
rows = np.zeros((3, 3), np.float32)
spheres = phalanx.Spheres((x, x, x), x, displacement=(0.0, 1.0, x))
boxes = phalanx.Obbs(center=rows, half_extents=[[1.0, 1.0, 1.0]] * 3, rotation=(0, 0, 0, 1), turn=rows)
mesh = phalanx.Mesh(np.zeros((3, 3), np.float32), np.zeros((1, 3), np.int64), displacement=(0, 0, 1))
hulls = phalanx.Hulls([np.zeros((8, 3), np.float16), [[0, 0, 0]]], kind=[0, 1, 0], center=rows, rotation=(0, 0, 0, 1))
planes = phalanx.Planes(normal=(0, 1, 0), d=1)
detector = phalanx.Detector(parallel=False, margin=0.5)
pairs = np.zeros((1, 2), np.uint32)

assert_type(detector.overlap(spheres, boxes, pairs).mask, NDArray[np.bool_])
assert_type(detector.sweep(spheres, planes, phalanx.one_to_all(0)).enter, NDArray[np.float32])
assert_type(detector.sweep_contacts(spheres, boxes, [(0, 1)]), tuple[phalanx.Sweeps, phalanx.Contacts])
assert_type(detector.impact(spheres, boxes, phalanx.zip(), 1e-3).to_arrow(), phalanx.ArrowArray)
assert_type(detector.candidates(spheres, boxes, "frame"), NDArray[np.uint32])
assert_type(detector.candidates(spheres, boxes, keys=(pairs[:, 0], [1, 2, 3])), NDArray[np.uint32])
assert_type(spheres.bounds(), phalanx.Aabbs)
assert_type(phalanx.Obbs.from_yaw(rows, (4.5, 1.9, 1.6), np.zeros(3)), phalanx.Obbs)
assert_type(detector.iou(boxes, spheres.bounds(), pairs), NDArray[np.float64])
assert_type(detector.intersection_volume(boxes, boxes, phalanx.zip()), NDArray[np.float64])
assert_type(detector.contact(spheres, boxes, pairs).depth, NDArray[np.float32])
assert_type(phalanx.__version__, str)
assert_type(detector.nms(boxes, [0.5, 0.25, 1], 0.5, keys=[1, 1, 2]), NDArray[np.int64])
assert_type(detector.iou_matrix(boxes, boxes), NDArray[np.float64])
assert_type(
    detector.iou_matrix(boxes, boxes, keys=[1, 1, 2]),
    dict[int, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]],
)
assert_type(detector.nearest(spheres, boxes, 1, keys=([1, 2, 3], x.astype(int))), phalanx.Nearest)
assert_type(detector.first_hits(spheres, boxes, planes, keys=([1, 2, 3], [1, 2, 3], [4])), phalanx.FirstHits)
assert_type(detector.meets_any(spheres, spheres, keys=[1, 2, 3]), phalanx.Overlaps)
assert_type(phalanx.Obbs.from_wxyz(rows, (1, 1, 1), (1, 0, 0, 0)), phalanx.Obbs)
assert_type(phalanx.Obbs.from_matrix(np.eye(4), (1, 1, 1), origin=(0, 0, 0)), phalanx.Obbs)
assert_type(phalanx.Obbs.from_corners(np.zeros((1, 8, 3))), phalanx.Obbs)
assert_type(phalanx.Obbs.from_yaw(rows, (4.5, 1.9, 1.6), 0.5, z="bottom"), phalanx.Obbs)
assert_type(phalanx.Hulls.from_matrix([[[0, 0, 0]]], 0, np.eye(4)), phalanx.Hulls)
assert_type(phalanx.Capsules.from_matrix(np.eye(4), 1.0, x), phalanx.Capsules)
assert_type(spheres[1:], phalanx.Spheres)
assert_type(list(mesh), list[phalanx.Triangles])
assert_type(phalanx.contact_points(detector.contact(spheres, boxes, pairs), spheres, boxes, pairs), NDArray[np.float64])
assert_type(AllowedCollisionMatrix({"arm": 1, "hand": 1}, [("arm", "hand")]).attach("cup", touch_links=["arm"]), range)
assert_type(AllowedCollisionMatrix({"arm": 1}).pairs(poses=2), NDArray[np.uint32])
assert_type(mesh.edges(), tuple[NDArray[np.int64], NDArray[np.uint8]])
assert_type(detector.contact(spheres, mesh, pairs).without_inner(pairs, mesh), NDArray[np.int64])
assert_type(phalanx.EdgeKind(mesh.edges()[1][0, 0]), phalanx.EdgeKind)
assert_type(detector.first_hits(spheres, mesh.copy(), planes).index, NDArray[np.uint32])
assert_type(phalanx.Detector(approaching=True).ordered_hits(spheres, mesh, most=3).offsets, NDArray[np.int64])
assert_type(detector.neighbors(spheres, planes, 0.5, 8).upper, NDArray[np.float32])
assert_type(detector.neighbors(spheres, planes, 0.5).pairs(), NDArray[np.uint32])
assert_type(detector.hit_contacts(spheres, planes, detector.first_hits(spheres, mesh, planes), 1), phalanx.Contacts)
assert_type(detector.distance(spheres, planes, pairs).lower, NDArray[np.float32])
assert_type(detector.distance_points(spheres, mesh, pairs), tuple[phalanx.Distances, phalanx.ClosestPoints])
assert_type(detector.nearest(spheres, mesh, 0.5).index, NDArray[np.uint32])
assert_type(detector.inside(phalanx.Points((x, x, x)), mesh), phalanx.Overlaps)
assert_type(detector.inside(phalanx.Points((x, x, x)), mesh, keys=([1, 2, 3], [1])), phalanx.Overlaps)
assert_type(detector.signed_distance(phalanx.Points((x, x, x)), mesh, keys=([1, 2, 3], [1])), NDArray[np.float64])
assert_type(detector.signed_distance(phalanx.Points((x, x, x)), mesh, radius=0.5), NDArray[np.float64])
assert_type(mesh.is_closed, bool)
phalanx.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [(0, 1, 2)]).place(mesh, x, [0, 0, 0, 1])
assert_type(
    phalanx.Spheres.from_arrow(
        phalanx.arrow.sphere_overlap(
            spheres_arrow := detector.overlap(spheres, spheres, pairs).to_arrow(), spheres_arrow, margin=1
        ),
        extra="ignore",
    ),
    phalanx.Spheres,
)

assert_type(detector.impact(spheres, hulls, pairs, 1e-3).time, NDArray[np.float32])

scene = phalanx.Scene(origin=(0, 0, 0), margin=0.5, strict=True)
assert_type(scene.add_spheres(np.zeros((3, 3)), x, role="fixed", entity=[1, 2, 3]), NDArray[np.uint64])
assert_type(scene.add_obbs((x, x, 0.0), (1.0, 1.0, 1.0), (0, 0, 0, 1), is_swept=True, body=1), NDArray[np.uint64])
assert_type(scene.add_hulls(scene.add_hull_kinds([[[0, 0, 0]]], radii=0.5), [[0, 0, 0]]), NDArray[np.uint64])
assert_type(scene.add_placed_meshes(scene.add_mesh(mesh), [(0, 0, 0)]), NDArray[np.uint64])
scene.set_poses(scene.ids, np.zeros((3, 3), np.float32), np.zeros((3, 4), np.float32))
scene.set_marks(scene.ids[0], role=["moving"], groups=(1, 2))
assert_type(scene.poses(), tuple[NDArray[np.float64], NDArray[np.float32]])
assert_type(scene.marks([1])["entity"], NDArray[np.uint64])
assert_type(scene.contacts().began, NDArray[np.uint64])
assert_type(scene.contacts().last.points, NDArray[np.float32])
assert_type(scene.sweeps().mover, NDArray[np.uint64])
assert_type(scene.cast_rays((0, 1, 0), (0, -1.0, 0), without=scene.ids).point, NDArray[np.float64])
assert_type(scene.casts(phalanx.Collider.sphere(1), np.zeros((1, 3)), rows, hits_sensors=True), phalanx.CastHits)
assert_type(scene.overlaps_of(phalanx.Collider.hull(0), [0, 0, 0], groups=(1, 1)), NDArray[np.uint64])
assert_type(scene.nearest(np.zeros((1, 3)), 2.0, body=3).lower, NDArray[np.float32])
assert_type(scene.nearest_of(phalanx.Collider.obb((1, 1, 1)), (0, 0, 0), 2.0), phalanx.ColliderDistances)
assert_type(1 in scene, bool)
scene.set_poses(scene.ids, "here")  # type: ignore[arg-type]
scene.add_spheres(np.zeros((3, 3)), x, role="static")  # type: ignore[arg-type]
assert_type(hulls.kinds, list[NDArray[np.float32] | phalanx.RoundKind])
assert_type(hulls.radii, NDArray[np.float32])
assert_type(phalanx.Hulls([[[0, 0, 0]]], 0, rows, rows, radii=[0.5]), phalanx.Hulls)
assert_type(phalanx.centered([[1e6, 0, 0]]), tuple[NDArray[np.float32], NDArray[np.float64]])
assert_type(phalanx.Hulls([phalanx.cylinder(1.0, 0.5), phalanx.cone(0.5, 1)], 0, rows, rows), phalanx.Hulls)
assert_type(phalanx.outer_hull(rows, most=32), tuple[NDArray[np.float32], float])
assert_type(phalanx.with_offset(rows, rows, (1, 2, 3)), NDArray[np.float64])
assert_type(hulls.bounds("frame"), phalanx.Aabbs)
assert_type(hulls.boxes(), phalanx.Obbs)
assert_type(detector.nearest(hulls.copy(), hulls, 1.0).pairs(), NDArray[np.uint32])
hulls.set_center(rows)
hulls.set_turn((0.0, 0.0, 1.0))

phalanx.Spheres(np.zeros((3, 3)), 1.0)  # type: ignore[arg-type]
phalanx.Mesh(rows, np.zeros((1, 3)))  # type: ignore[arg-type]
phalanx.Mesh(np.zeros((3, 3)), pairs)  # type: ignore[arg-type]
phalanx.Hulls([np.zeros((8, 3))], 0, rows, rows)  # type: ignore[list-item]
mesh.set_displacement(np.zeros(3))  # type: ignore[arg-type]
phalanx.Hulls(1, 0, rows, rows)  # type: ignore[arg-type]
mesh.place(spheres, x, x)  # type: ignore[arg-type]
detector.candidates(spheres, planes)  # type: ignore[arg-type]
detector.nearest(planes, spheres, 1.0)  # type: ignore[arg-type]
detector.nearest(spheres, spheres)  # type: ignore[call-arg]
detector.inside(spheres, mesh)  # type: ignore[arg-type]
detector.signed_distance(phalanx.Points((x, x, x)), mesh.triangles())  # type: ignore[arg-type]
detector.ordered_hits(planes, spheres)  # type: ignore[arg-type]
detector.hit_contacts(spheres, planes, pairs)  # type: ignore[arg-type]
phalanx.Obbs.from_yaw(rows, rows, 0.5, z="top")  # type: ignore[arg-type]
detector.overlap(spheres, x, pairs)  # type: ignore[arg-type]
detector.iou(boxes, spheres, pairs)  # type: ignore[arg-type]
phalanx.Spheres.from_arrow(spheres_arrow, extra="drop")  # type: ignore[arg-type]
spheres.bounds("later")  # type: ignore[arg-type]
phalanx.arrow.obb_impact(spheres_arrow, spheres_arrow)  # type: ignore[call-arg]
phalanx.arrow.obb_distance(spheres_arrow, spheres_arrow, margin=1.0)  # type: ignore[call-arg]
phalanx.arrow.plane_plane_overlap  # type: ignore[attr-defined]  # noqa: B018
