"""SIMD batch collision detection: overlaps, times of impact, contacts and distances of millions of pairs, with no miss.

Stores hold shapes, one column of float32 for each number. A detector takes two stores and a list of pairs, and returns
results by position in the list. Pairs that touch in exact arithmetic are always reported, and results are bit-identical
on every CPU. Lengths have any one unit, angles are radians, quaternions are x, y, z, w.

    >>> import numpy as np
    >>> import phalanx
    >>> spheres = phalanx.Spheres(center=[[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], radius=1.0)
    >>> phalanx.Detector().overlap(spheres, spheres, [[0, 1], [0, 2]]).hits
    array([0])
"""

from phalanx import arrow as arrow
from phalanx import pickles as _pickles  # noqa: F401
from phalanx._phalanx import (
    MAX_LENGTH,
    Aabbs,
    ArrowArray,
    Capsules,
    CastHits,
    ClosestPoints,
    Collider,
    ColliderDistances,
    Contacts,
    Detector,
    Distances,
    FirstHits,
    HalfSpaces,
    Hulls,
    Impacts,
    Mesh,
    Nearest,
    Neighbors,
    Obbs,
    OrderedHits,
    Overlaps,
    Pairs,
    Planes,
    Points,
    RoundKind,
    Scene,
    SceneContacts,
    Spheres,
    SweepHits,
    Sweeps,
    Triangles,
    __version__,
    cone,
    cylinder,
    instruction_sets,
    kernels,
    one_to_all,
    outer_hull,
    zip,
)
from phalanx.centers import centered, with_offset
from phalanx.edges import EdgeKind
from phalanx.world import closest_points, contact_points

__all__ = [
    "MAX_LENGTH",
    "Aabbs",
    "ArrowArray",
    "Capsules",
    "CastHits",
    "ClosestPoints",
    "Collider",
    "ColliderDistances",
    "Contacts",
    "Detector",
    "Distances",
    "EdgeKind",
    "FirstHits",
    "HalfSpaces",
    "Hulls",
    "Impacts",
    "Mesh",
    "Nearest",
    "Neighbors",
    "Obbs",
    "OrderedHits",
    "Overlaps",
    "Pairs",
    "Planes",
    "Points",
    "RoundKind",
    "Scene",
    "SceneContacts",
    "Spheres",
    "SweepHits",
    "Sweeps",
    "Triangles",
    "__version__",
    "arrow",
    "centered",
    "closest_points",
    "cone",
    "contact_points",
    "cylinder",
    "instruction_sets",
    "kernels",
    "one_to_all",
    "outer_hull",
    "with_offset",
    "zip",
]
