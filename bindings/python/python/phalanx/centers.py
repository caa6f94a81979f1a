"""Points far from the origin of their coordinates, such as those of a map."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def centered(points: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Subtracts the center of the bounding box of points, in float64. Returns the points as float32, and the center.

    The vertices of a `Mesh` and the kinds of `Hulls` are float32, whose steps are 0.5 at 5e6: subtract before they are
    rounded.

        >>> import phalanx
        >>> stone = [[466000.25, 5427000.5, 100.0], [466001.5, 5427000.5, 100.0], [466001.0, 5427001.25, 101.0]]
        >>> points, center = phalanx.centered(stone)
        >>> points
        array([[-0.625, -0.375, -0.5  ],
               [ 0.625, -0.375, -0.5  ],
               [ 0.125,  0.375,  0.5  ]], dtype=float32)
        >>> center.tolist()
        [466000.875, 5427000.875, 100.5]

    Parameters
    ----------
    points : (n, 3) array or lists of numbers
        Coordinates x, y, z, at least of one point.

    Raises
    ------
    ValueError
        If the shape is another one.
    """
    exact = np.asarray(points, np.float64)
    if exact.ndim != 2 or exact.shape[1] != 3 or len(exact) == 0:
        raise ValueError(f"points has shape {exact.shape}, not (n, 3) with at least one point")
    center = 0.5 * exact.min(0) + 0.5 * exact.max(0)
    return (exact - center).astype(np.float32), center


def with_offset(center: ArrayLike, rotation: ArrayLike, offset: ArrayLike) -> NDArray[np.float64]:
    """Returns `center + R offset` in float64: the centers of hulls whose points were moved by `centered`.

    `R` is the rotation by the quaternion x, y, z, w, normalised. A hull turns about this center, so its displacement is
    the difference of the centers at both ends of the frame.

        >>> import numpy as np
        >>> import phalanx
        >>> # The second hull is rotated by 180 degrees about z.
        >>> rotation = np.array([[0, 0, 0, 1], [0, 0, 1, 0]], np.float32)
        >>> phalanx.with_offset([[1, 2, 3], [1, 2, 3]], rotation, [4, 0, 0.5])
        array([[ 5. ,  2. ,  3.5],
               [-3. ,  2. ,  3.5]])

    Parameters
    ----------
    center : (n, 3) array or lists of numbers
        The positions of the origin of the points as they were given.
    rotation : (n, 4) array or lists of numbers, or one quaternion
    offset : (n, 3) array or lists of numbers, or one for all
        The centers that `centered` returned; for many kinds `offsets[kind]`.
    """
    q = np.asarray(rotation, np.float64)
    v = np.asarray(offset, np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    axis, w = q[..., :3], q[..., 3:]
    twice: NDArray[Any] = 2 * np.cross(axis, v)
    moved: NDArray[np.float64] = np.asarray(center, np.float64) + (v + w * twice + np.cross(axis, twice))
    return moved
