"""`AllowedCollisionMatrix`: the pairs of links of a robot that are tested for collisions, by names.

    >>> import numpy as np
    >>> import phalanx
    >>> from phalanx.robots import AllowedCollisionMatrix
    >>> joints = [("base", "upper"), ("upper", "fore"), ("fore", "hand")]
    >>> matrix = AllowedCollisionMatrix({"base": 1, "upper": 1, "fore": 1, "hand": 1}, joints)
    >>> matrix.pairs().tolist()
    [[0, 2], [0, 3], [1, 3]]

A store has the shapes of a pose in this order, then those of the next pose. Here the hand of the second pose touches
the base:

    >>> centers = np.array([[0, 1, 2, 3], [0, 1, 1, 0.25]], np.float32)
    >>> spheres = phalanx.Spheres((centers.ravel(), np.zeros(8, np.float32), np.zeros(8, np.float32)), 0.25)
    >>> pairs = matrix.pairs(poses=2)
    >>> overlaps = phalanx.Detector().overlap(spheres, spheres, pairs)
    >>> overlaps.pairs(pairs).tolist(), overlaps.mask.reshape(2, -1).any(axis=1).tolist()
    ([[4, 7]], [False, True])
"""

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["AllowedCollisionMatrix"]

_MAX_SHAPES = 2**32
"""Number of shapes that indices of 32 bits name."""


class AllowedCollisionMatrix:
    """Links and attached objects of a robot, and the pairs of them that may touch.

    Each link has any number of shapes. Shapes of one link are never paired.

    Parameters
    ----------
    links : mapping of names to integers
        The number of shapes of each link, in the order of a pose; 0 for a link without geometry. Of yourdfpy:
        `{link.name: len(link.collisions) for link in robot.links}`.
    joints : pairs of names, optional
        The parent and the child of each joint, which may touch. Of yourdfpy: `((j.parent, j.child) for j in
        robot.joints)`. A parent without shapes passes them on: its own parent may touch the child. Two children of
        such a link may not touch.

    Raises
    ------
    ValueError
        If a number of shapes is negative or not whole, a joint names no link or one link twice, or a link is the child
        of two joints.
    """

    def __init__(self, links: Mapping[Any, int], joints: Iterable[tuple[Any, Any]] = ()):
        self._counts = {name: _count(name, shapes) for name, shapes in links.items()}
        self._objects: set[Any] = set()
        self._allowed: set[frozenset[Any]] = set()
        parents: dict[Any, Any] = {}
        for parent, child in joints:
            for name in (parent, child):
                self._known(name)
            if parent == child:
                raise ValueError(f"a joint has link {child!r} as its parent and its child")
            if child in parents:
                raise ValueError(f"link {child!r} is the child of two joints")
            parents[child] = parent
        for child, parent in parents.items():
            for _ in parents:
                if self._counts[parent] or parent not in parents:
                    break
                parent = parents[parent]
            self.allow([(parent, child)])

    def allow(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Lets links or objects touch: their pairs are not tested. Raises a ValueError for an unknown name.

        Of an SRDF file: `((e.get("link1"), e.get("link2")) for e in tree.iter("disable_collisions"))`.
        """
        self._allowed |= self._named(pairs)

    def forbid(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Tests pairs of links or objects again. Raises a ValueError for an unknown name."""
        self._allowed -= self._named(pairs)

    def attach(self, name: Any, shapes: int = 1, touch_links: Iterable[Any] = ()) -> range:
        """Adds an object that the robot holds. Its shapes follow those of all links and earlier objects in each pose.

            >>> from phalanx.robots import AllowedCollisionMatrix
            >>> matrix = AllowedCollisionMatrix({"arm": 2, "hand": 1}, [("arm", "hand")])
            >>> matrix.attach("cup", touch_links=["hand"])
            range(3, 4)
            >>> matrix.pairs().tolist()
            [[0, 3], [1, 3]]
            >>> matrix.detach("cup")
            >>> len(matrix), len(matrix.pairs())
            (3, 0)

        Parameters
        ----------
        name
            A name that no link and no other object has.
        shapes : int
            The number of its shapes.
        touch_links : names, optional
            The links and objects that it may touch.

        Returns
        -------
        range
            The indices of its shapes in the first pose, as of `shapes`.

        Raises
        ------
        ValueError
            If the name is taken, a touch link is unknown, or `shapes` is negative or not whole. Nothing is attached
            then.
        """
        if name in self._counts:
            raise ValueError(f"there is already a link or object {name!r}")
        if isinstance(touch_links, str):
            raise ValueError(f"touch_links is the name {touch_links!r}, not names")
        touched = list(touch_links)
        for link in touched:
            self._known(link)
        self._counts[name] = _count(name, shapes)
        self._objects.add(name)
        self.allow((name, link) for link in touched)
        return self.shapes(name)

    def detach(self, name: Any) -> None:
        """Removes an object; later ones move up. Raises a ValueError if no object has this name."""
        if name not in self._objects:
            raise ValueError(f"there is no attached object {name!r}")
        self._objects.remove(name)
        del self._counts[name]
        self._allowed = {pair for pair in self._allowed if name not in pair}

    def shapes(self, name: Any) -> range:
        """The indices of the shapes of a link or object in the first pose. Raises a ValueError for an unknown name."""
        self._known(name)
        start = 0
        for other, count in self._counts.items():
            if other == name:
                break
            start += count
        return range(start, start + self._counts[name])

    @property
    def names(self) -> list[Any]:
        """The name of the link or object of each shape of a pose."""
        return [name for name, count in self._counts.items() for _ in range(count)]

    def __len__(self) -> int:
        """The number of shapes of a pose."""
        return sum(self._counts.values())

    def pairs(self, poses: int = 1) -> NDArray[np.uint32]:
        """Returns the pairs to test, (n, 2): those of the first pose, then as many of each further pose.

        In each pose the first shape is of a lower index than the second, and pairs are sorted.

        Raises
        ------
        ValueError
            If `poses` is negative or not whole, or there are more than 2**32 shapes.
        """
        size, poses = len(self), _whole("poses is", poses)
        if poses * size > _MAX_SHAPES:
            raise ValueError(f"{poses} poses of {size} shapes are more than 2**32 shapes")
        if poses * size == 0:
            return np.empty((0, 2), np.uint32)
        names = list(self._counts)
        tested = np.triu(np.ones((len(names), len(names)), np.bool_), 1)
        position = {name: k for k, name in enumerate(names)}
        for pair in self._allowed:
            some = [position[name] for name in pair]
            tested[min(some), max(some)] = False
        of = np.repeat(np.arange(len(names)), list(self._counts.values()))
        own = np.argwhere(tested[np.ix_(of, of)]).astype(np.uint32)
        first = np.arange(poses, dtype=np.uint32) * np.uint32(size)
        return (own + first[:, None, None]).reshape(-1, 2)

    def _known(self, name: Any) -> None:
        if name not in self._counts:
            raise ValueError(f"there is no link or object {name!r}")

    def _named(self, pairs: Iterable[tuple[Any, Any]]) -> set[frozenset[Any]]:
        named = set()
        for pair in pairs:
            if isinstance(pair, str):
                raise ValueError(f"{pair!r} is a name, not a pair of names")
            a, b = pair
            self._known(a)
            self._known(b)
            named.add(frozenset((a, b)))
        return named


def _count(name: Any, shapes: int) -> int:
    return _whole(f"the number of shapes of {name!r} is", shapes)


def _whole(what: str, number: int) -> int:
    try:
        whole = operator.index(number)
    except TypeError:
        whole = -1
    if whole < 0:
        raise ValueError(f"{what} {number!r}, not a whole number from 0 on")
    return whole
