"""Points of contacts and distances in the coordinates of the stores, which results have relative to a shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from phalanx._phalanx import (
    Aabbs,
    Capsules,
    ClosestPoints,
    Contacts,
    FirstHits,
    Hulls,
    Mesh,
    Obbs,
    Pairs,
    Points,
    Spheres,
    Sweeps,
    Triangles,
)
from phalanx.typing import PairList

Doubles = NDArray[np.float64]


def _columns(columns: Any, index: NDArray[Any]) -> Doubles:
    """The vectors of some shapes."""
    return np.stack([column[index] for column in columns], axis=-1).astype(np.float64)


def _mean(corners: Doubles) -> Doubles:
    return (corners[:, 0] + corners[:, 1] + corners[:, 2]) / 3


def _center(store: Any, index: NDArray[Any], *, of_triangles: bool) -> Doubles | None:
    """The centers of some shapes; None if they have none. That of a triangle is the mean of its corners."""
    if isinstance(store, Points):
        return _columns(store.position, index)
    if isinstance(store, Spheres | Capsules | Obbs | Hulls):
        return _columns(store.center, index)
    if isinstance(store, Aabbs):
        return 0.5 * _columns(store.min, index) + 0.5 * _columns(store.max, index)
    if isinstance(store, Triangles) and of_triangles:
        return _mean(_columns(store.corners, index).reshape(-1, 3, 3))
    if isinstance(store, Mesh) and of_triangles:
        return _mean(store.corners[index].astype(np.float64))
    return None


def _way(store: Any, index: NDArray[Any]) -> Doubles:
    """The displacements of some shapes."""
    way = store.displacement
    if way is None:
        return np.zeros((len(index), 3))
    if isinstance(store, Mesh):
        return np.broadcast_to(np.asarray(way, np.float64), (len(index), 3))
    return _columns(way, index)


def _pairs_at(pairs: Any, positions: NDArray[Any], count: int) -> NDArray[np.int64]:
    """The pairs at some positions of a list of so many."""
    if isinstance(pairs, FirstHits):
        hits: NDArray[np.int64] = np.stack([positions, pairs.index[positions]], axis=-1).astype(np.int64)
        return hits
    rows = pairs.array(count) if isinstance(pairs, Pairs) else pairs
    listed: NDArray[np.int64] = np.asarray(rows, np.int64).reshape(-1, 2)[positions]
    return listed


def _moved(a: Any, b: Any, pairs: NDArray[np.int64], time: Doubles | None, *, rounds: tuple[bool, ...]) -> Doubles:
    """Reference points of pairs: the first center there is, at a time of the frame."""
    for of_triangles in rounds:
        for store, index in ((a, pairs[:, 0]), (b, pairs[:, 1])):
            center = _center(store, index, of_triangles=of_triangles)
            if center is not None:
                return center if time is None else center + time[:, None] * _way(store, index)
    raise TypeError(f"neither {type(a).__name__} nor {type(b).__name__} have centers")


def contact_points(
    contacts: Contacts, a: Any, b: Any, pairs: PairList | FirstHits, sweeps: Sweeps | None = None
) -> Doubles:
    """Returns the points of contacts in the coordinates of the stores, `points` with the centers added: float64.

    Each is the midpoint between both surfaces. Unused slots repeat the first point of their contact.

        >>> import phalanx
        >>> spheres = phalanx.Spheres(center=[[10, 0, 0], [11.5, 0, 0]], radius=1.0)
        >>> contacts = phalanx.Detector().contact(spheres, spheres, [[0, 1]])
        >>> phalanx.contact_points(contacts, spheres, spheres, [[0, 1]])[0, 0].round(3)
        array([10.75,  0.  ,  0.  ])

    Parameters
    ----------
    contacts : Contacts
        What `contact`, `sweep_contacts` or `hit_contacts` has returned.
    a, b, pairs
        The arguments of that call; of `hit_contacts`, the first hits instead of pairs.
    sweeps : Sweeps, optional
        Those of `sweep_contacts`, whose contacts are at the first time of contact.

    Returns
    -------
    (count, 4, 3) float64

    Raises
    ------
    TypeError
        If neither store has shapes with a center or triangles.
    """
    positions = np.asarray(contacts.positions, np.int64)
    rows = _pairs_at(pairs, positions, len(contacts))
    times = pairs.enter if isinstance(pairs, FirstHits) else None if sweeps is None else sweeps.enter
    time = None if times is None else times[positions].astype(np.float64)
    return _moved(a, b, rows, time, rounds=(False, True))[:, None, :] + contacts.points


def closest_points(points: ClosestPoints, a: Any, b: Any, pairs: PairList) -> tuple[Doubles, Doubles]:
    """Returns the closest points of pairs in the coordinates of the stores: `at_a` and `at_b` with centers added.

        >>> import phalanx
        >>> spheres = phalanx.Spheres(center=[[10, 0, 0], [14, 0, 0]], radius=1.0)
        >>> _, points = phalanx.Detector().distance_points(spheres, spheres, [[0, 1]])
        >>> at_a, at_b = phalanx.closest_points(points, spheres, spheres, [[0, 1]])
        >>> at_a.round(3), at_b.round(3)
        (array([[11.,  0.,  0.]]), array([[13.,  0.,  0.]]))

    Parameters
    ----------
    points : ClosestPoints
        What `distance_points` has returned.
    a, b, pairs
        The arguments of that call.

    Returns
    -------
    two arrays (n, 3) of float64

    Raises
    ------
    TypeError
        If neither store has shapes with a center or triangles.
    """
    rows = _pairs_at(pairs, np.arange(len(points)), len(points))
    origin = _moved(a, b, rows, None, rounds=(True,))
    return origin + points.at_a, origin + points.at_b
