"""What mypy reads: calls that are right, and, marked as ignored, calls that are wrong. Not run."""

from typing import assert_type

import numpy as np
import phalanx
from numpy.typing import NDArray

x = np.zeros(3, np.float32)
rows = np.zeros((3, 3), np.float32)
spheres = phalanx.Spheres((x, x, x), x, displacement=(0.0, 1.0, x))
boxes = phalanx.Obbs(center=rows, half_extents=[[1.0, 1.0, 1.0]] * 3, rotation=(0, 0, 0, 1), turn=rows)
planes = phalanx.Planes(normal=(0, 1, 0), d=1)
detector = phalanx.Detector(parallel=False, margin=0.5)
pairs = np.zeros((1, 2), np.uint32)

assert_type(detector.overlap(spheres, boxes, pairs).mask, NDArray[np.bool_])
assert_type(detector.sweep(spheres, planes, phalanx.one_to_all(0)).enter, NDArray[np.float32])
assert_type(detector.sweep_contacts(spheres, boxes, [(0, 1)]), tuple[phalanx.Sweeps, phalanx.Contacts])
assert_type(detector.impact(spheres, boxes, phalanx.zip(), 1e-3).to_arrow(), phalanx.ArrowArray)
assert_type(detector.candidates(spheres, boxes, "frame"), NDArray[np.uint32])
assert_type(spheres.bounds(), phalanx.Aabbs)
assert_type(
    phalanx.Spheres.from_arrow(
        phalanx.arrow.sphere_overlap(
            spheres_arrow := detector.overlap(spheres, spheres, pairs).to_arrow(), spheres_arrow, margin=1
        )
    ),
    phalanx.Spheres,
)

phalanx.Spheres(np.zeros((3, 3)), 1.0)  # type: ignore[arg-type]
detector.candidates(spheres, planes)  # type: ignore[arg-type]
detector.overlap(spheres, x, pairs)  # type: ignore[arg-type]
spheres.bounds("later")  # type: ignore[arg-type]
phalanx.arrow.obb_impact(spheres_arrow, spheres_arrow)  # type: ignore[call-arg]
phalanx.arrow.plane_plane_overlap  # type: ignore[attr-defined]  # noqa: B018
