"""Types of arguments and results, for annotations."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from phalanx._phalanx import Pairs, RoundKind

Column: TypeAlias = NDArray[np.float32]
"""An array of one number for each shape; a numpy.ma.MaskedArray is a TypeError."""
Scalars: TypeAlias = Column | float | list[float]
"""One number for each shape, or one for all."""
Vectors: TypeAlias = Column | tuple[Column | float, ...] | list[list[float]] | list[tuple[float, ...]]
"""Vectors: a tuple of columns, used without a copy; an array (n, 3), copied; or lists of numbers."""
Exact: TypeAlias = Column | NDArray[np.float16] | NDArray[np.int16 | np.uint16 | np.int8 | np.uint8]
"""An array whose numbers are float32, or convert to it without rounding. Others are a TypeError."""
Vertices: TypeAlias = Exact | Sequence[Sequence[float]]
"""The vertices of a mesh: an array (n, 3), or lists of numbers, which are rounded to float32."""
Faces: TypeAlias = NDArray[np.integer[Any]] | Sequence[Sequence[int]]
"""Three indices of vertices for each triangle of a mesh: an array (m, 3) of integers."""
HullKinds: TypeAlias = Sequence[Vertices | RoundKind] | Exact
"""The kinds of hulls: a list of arrays (p, 3), of lists of numbers, rounded to float32, or of round kinds."""
Indices: TypeAlias = NDArray[np.integer[Any]] | Sequence[int] | int
"""An index for each shape, or one for all."""
Numbers: TypeAlias = Exact | Sequence[float]
"""A few numbers: an array, or a list or tuple of numbers, which are rounded to float32."""
Index: TypeAlias = int | slice | NDArray[np.bool_] | NDArray[np.integer[Any]] | Sequence[int] | Sequence[bool]
"""One index, a slice, a mask, or an array of indices."""
Matrices: TypeAlias = NDArray[np.floating[Any]] | NDArray[np.integer[Any]] | Sequence[Any]
"""Matrices (n, 4, 4) or corners (n, 8, 3): of float32, or with `origin=` of any real dtype."""
Origin: TypeAlias = NDArray[np.floating[Any]] | NDArray[np.integer[Any]] | Sequence[float]
"""Three numbers, subtracted in float64."""
HeightOf: TypeAlias = Literal["middle"] | Literal["bottom"]
"""Height that the z of a center gives: of the middle or of the lower face."""
Columns3: TypeAlias = tuple[Column, Column, Column]
Columns4: TypeAlias = tuple[Column, Column, Column, Column]
PairList: TypeAlias = Pairs | NDArray[np.integer[Any]] | Sequence[Sequence[int]]
"""Pairs of indices: an array (m, 2), used without a copy if of uint32, or the result of `zip` or `one_to_all`.

A numpy.ma.MaskedArray is a TypeError."""
Angles: TypeAlias = NDArray[np.floating[Any]] | NDArray[np.integer[Any]] | float | Sequence[float]
"""An angle for each shape, or one for all, in radians, of any real dtype."""
Extra: TypeAlias = Literal["error"] | Literal["ignore"]
"""Handling of fields that are not of the shape."""
Sides: TypeAlias = Literal["front"] | Literal["both"]
During: TypeAlias = Literal["start"] | Literal["frame"] | Literal["way"]
GroupBits: TypeAlias = NDArray[np.integer[Any]] | Sequence[int] | Sequence[Sequence[int]]
"""Two bit masks, the groups of a shape and those that it meets: an array (n, 2), or two numbers for all."""
Bodies: TypeAlias = NDArray[np.integer[Any]] | Sequence[int] | int
"""The body of each shape, or of all; 2**32 - 1 is none."""
Keys: TypeAlias = NDArray[np.integer[Any]] | list[int] | tuple[NDArray[np.integer[Any]] | Sequence[int], ...]
"""A key for each shape: a tuple with an array for each store, or one array for the same store twice."""
Positions: TypeAlias = (
    NDArray[np.floating[Any]]
    | NDArray[np.integer[Any]]
    | tuple[NDArray[np.floating[Any]] | NDArray[np.integer[Any]] | float, ...]
    | Sequence[Sequence[float]]
)
"""Positions in a scene: an array (n, 3) of any real dtype, a tuple of 3 columns or numbers, or lists of numbers."""
ColliderIds: TypeAlias = NDArray[np.integer[Any]] | np.integer[Any] | Sequence[int] | int
"""The ids of colliders: an array (n,), or one."""
Role: TypeAlias = Literal["moving"] | Literal["fixed"] | Literal["sensor"]
Roles: TypeAlias = Role | Sequence[Role] | NDArray[np.str_]
"""The role of each collider, or of all."""
Flags: TypeAlias = bool | NDArray[np.bool_] | Sequence[bool]
"""A bool for each collider, or one for all."""
Entities: TypeAlias = NDArray[np.integer[Any]] | Sequence[int] | int
"""A number of the caller for each collider, or one for all: 0 to 2**64 - 1."""


class Marks(TypedDict):
    """The marks of colliders, as columns."""

    role: list[Role]
    groups: NDArray[np.uint32]
    body: NDArray[np.uint32]
    is_swept: NDArray[np.bool_]
    entity: NDArray[np.uint64]


class ArrowArraySource(Protocol):
    """Exporter of one Arrow array."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The capsules of the schema and of the array."""
        ...


class ArrowStreamSource(Protocol):
    """Exporter of a stream of Arrow arrays."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of the stream."""
        ...


ArrowSource: TypeAlias = ArrowArraySource | ArrowStreamSource
"""Anything that exports Arrow: arrays, record batches, tables, series, data frames."""
