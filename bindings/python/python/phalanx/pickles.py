"""Pickles of stores, meshes and hulls, and deep copies of stores: for multiprocessing, joblib, dask and copy.deepcopy.

Meshes and hulls copy themselves, by `__deepcopy__`.
"""

import copyreg
from typing import Any

import numpy as np
from phalanx._phalanx import (
    Aabbs,
    Capsules,
    HalfSpaces,
    Hulls,
    Mesh,
    Obbs,
    Planes,
    Points,
    Spheres,
    Triangles,
)

_FIELDS: dict[type[Any], tuple[str, ...]] = {
    Points: ("position",),
    Spheres: ("center", "radius"),
    Capsules: ("center", "half_axis", "radius"),
    Aabbs: ("min", "max"),
    Obbs: ("center", "half_extents", "rotation"),
    Triangles: ("corners",),
    Planes: ("normal", "d"),
    HalfSpaces: ("normal", "d"),
    Hulls: ("kinds", "radii", "kind", "center", "rotation"),
}
"""The arguments of each store."""


def _given(store: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The attributes of these names that are there, and the groups and bodies that are not those of every shape."""
    given = {name: getattr(store, name) for name in names if getattr(store, name) is not None}
    none = 2**32 - 1
    if (store.groups != none).any():
        given["groups"] = store.groups
    if (store.body != none).any():
        given["body"] = store.body
    return given


def _remade(kind: type[Any], given: dict[str, Any], is_view: bool) -> Any:
    store = kind(**given)
    return store if is_view or kind is Hulls else store.copy()


def _reduced(store: Any) -> tuple[Any, ...]:
    kind = type(store)
    motion = ("displacement", "turn") if kind in (Obbs, Hulls) else ("displacement",)
    return _remade, (kind, _given(store, _FIELDS[kind] + motion), store.is_view)


def _remade_mesh(given: dict[str, Any]) -> Mesh:
    return Mesh(**given)


def _reduced_mesh(mesh: Mesh) -> tuple[Any, ...]:
    """A mesh by its triangles: vertices without one are not kept."""
    faces = mesh.faces
    vertices = np.zeros((int(faces.max()) + 1 if len(faces) else 0, 3), np.float32)
    vertices[faces] = mesh.corners
    given = _given(mesh, ("flatness", "sides", "displacement"))
    return _remade_mesh, ({"vertices": vertices, "faces": faces} | given,)


for _kind in _FIELDS:
    copyreg.pickle(_kind, _reduced)
copyreg.pickle(Mesh, _reduced_mesh)
