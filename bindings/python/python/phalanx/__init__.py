"""Batch collision detection: which of these pairs of shapes touch, where, and when, with no miss.

Stores hold shapes, one column of float32 for each number. A detector takes two stores and a list of pairs, and
answers by position in the list. What touches in exact arithmetic is reported; the same bits come out on every CPU.

    >>> import numpy as np
    >>> import phalanx
    >>> balls = phalanx.Spheres(center=[[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], radius=1.0)
    >>> phalanx.Detector().overlap(balls, balls, [[0, 1], [0, 2]]).hits
    array([0])
"""

from phalanx import arrow as arrow
from phalanx._phalanx import (
    MAX_LENGTH,
    Aabbs,
    ArrowArray,
    Capsules,
    ClosestPoints,
    Contacts,
    Detector,
    Distances,
    FirstHits,
    HalfSpaces,
    Impacts,
    Mesh,
    Nearest,
    Obbs,
    Overlaps,
    Pairs,
    Planes,
    Points,
    Spheres,
    Sweeps,
    Triangles,
    instruction_sets,
    kernels,
    one_to_all,
    zip,
)
from phalanx.edges import EdgeKind

__all__ = [
    "MAX_LENGTH",
    "Aabbs",
    "ArrowArray",
    "Capsules",
    "ClosestPoints",
    "Contacts",
    "Detector",
    "Distances",
    "EdgeKind",
    "FirstHits",
    "HalfSpaces",
    "Impacts",
    "Mesh",
    "Nearest",
    "Obbs",
    "Overlaps",
    "Pairs",
    "Planes",
    "Points",
    "Spheres",
    "Sweeps",
    "Triangles",
    "arrow",
    "instruction_sets",
    "kernels",
    "one_to_all",
    "zip",
]
