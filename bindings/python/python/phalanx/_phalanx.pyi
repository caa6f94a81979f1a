from typing import final

import numpy as np
from numpy.typing import NDArray
from phalanx.typing import (
    ArrowSource,
    Bodies,
    Column,
    Columns3,
    Columns4,
    During,
    Faces,
    GroupBits,
    Keys,
    Numbers,
    PairList,
    Scalars,
    Vectors,
    Vertices,
)

__all__ = [
    "Aabbs",
    "ArrowArray",
    "Capsules",
    "Contacts",
    "Detector",
    "FirstHits",
    "HalfSpaces",
    "Impacts",
    "MAX_LENGTH",
    "Mesh",
    "Obbs",
    "Overlaps",
    "Pairs",
    "Planes",
    "Points",
    "Spheres",
    "Sweeps",
    "Triangles",
    "arrow_call",
    "instruction_sets",
    "kernels",
    "one_to_all",
    "zip",
]

MAX_LENGTH: float
"""The longest length that a shape may have."""

class _Store:
    """A store that is a view checks its numpy arrays in each call.

    A changed dtype raises TypeError; a changed shape or layout raises ValueError.
    """

    @property
    def groups(self) -> NDArray[np.uint32]: ...
    @property
    def body(self) -> NDArray[np.uint32]: ...
    @property
    def is_view(self) -> bool: ...
    def validate(self) -> None: ...
    def __len__(self) -> int: ...

class _Moving(_Store):
    @property
    def displacement(self) -> Columns3 | None: ...

class _Bounded(_Store):
    def bounds(self, during: During = "start") -> Aabbs: ...

@final
class Points(_Bounded, _Moving):
    def __new__(
        cls,
        position: Vectors,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Points: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Points: ...
    def copy(self) -> Points: ...
    @property
    def position(self) -> Columns3: ...

@final
class Spheres(_Bounded, _Moving):
    def __new__(
        cls,
        center: Vectors,
        radius: Scalars,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Spheres: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Spheres: ...
    def copy(self) -> Spheres: ...
    @property
    def center(self) -> Columns3: ...
    @property
    def radius(self) -> Column: ...

@final
class Capsules(_Bounded, _Moving):
    def __new__(
        cls,
        center: Vectors,
        half_axis: Vectors,
        radius: Scalars,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Capsules: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Capsules: ...
    def copy(self) -> Capsules: ...
    @property
    def center(self) -> Columns3: ...
    @property
    def half_axis(self) -> Columns3: ...
    @property
    def radius(self) -> Column: ...

@final
class Aabbs(_Bounded, _Moving):
    def __new__(
        cls,
        min: Vectors,
        max: Vectors,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Aabbs: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Aabbs: ...
    def copy(self) -> Aabbs: ...
    @property
    def min(self) -> Columns3: ...
    @property
    def max(self) -> Columns3: ...

@final
class Obbs(_Bounded, _Moving):
    def __new__(
        cls,
        center: Vectors,
        half_extents: Vectors,
        rotation: Vectors,
        *,
        displacement: Vectors | None = None,
        turn: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Obbs: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Obbs: ...
    def copy(self) -> Obbs: ...
    @property
    def center(self) -> Columns3: ...
    @property
    def half_extents(self) -> Columns3: ...
    @property
    def rotation(self) -> Columns4: ...
    @property
    def turn(self) -> Columns3 | None: ...

@final
class Triangles(_Bounded, _Moving):
    def __new__(
        cls,
        corners: Vectors,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Triangles: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Triangles: ...
    def copy(self) -> Triangles: ...
    @property
    def corners(self) -> tuple[Column, ...]: ...

@final
class Mesh(_Bounded):
    def __new__(
        cls,
        vertices: Vertices,
        faces: Faces,
        *,
        flatness: float = 0.001,
        displacement: Numbers | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Mesh: ...
    @property
    def faces(self) -> NDArray[np.uint32]: ...
    @property
    def corners(self) -> NDArray[np.float32]: ...
    @property
    def normals(self) -> NDArray[np.float32]: ...
    @property
    def flatness(self) -> float: ...
    @property
    def displacement(self) -> NDArray[np.float32]: ...
    def set_displacement(self, displacement: Numbers) -> None: ...
    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]: ...
    def place(self, at_rest: Mesh, position: Numbers, rotation: Numbers) -> None: ...
    def triangles(self) -> Triangles: ...
    def copy(self) -> Mesh: ...

@final
class Planes(_Moving):
    def __new__(
        cls,
        normal: Vectors,
        d: Scalars,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> Planes: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> Planes: ...
    def copy(self) -> Planes: ...
    @property
    def normal(self) -> Columns3: ...
    @property
    def d(self) -> Column: ...

@final
class HalfSpaces(_Moving):
    def __new__(
        cls,
        normal: Vectors,
        d: Scalars,
        *,
        displacement: Vectors | None = None,
        groups: GroupBits | None = None,
        body: Bodies | None = None,
    ) -> HalfSpaces: ...
    @staticmethod
    def from_arrow(data: ArrowSource) -> HalfSpaces: ...
    def copy(self) -> HalfSpaces: ...
    @property
    def normal(self) -> Columns3: ...
    @property
    def d(self) -> Column: ...

@final
class Pairs: ...

def zip() -> Pairs: ...
def one_to_all(index: int) -> Pairs: ...

class _Answers:
    @property
    def hits(self) -> NDArray[np.int64]: ...
    @property
    def mask(self) -> NDArray[np.bool_]: ...
    @property
    def invalid(self) -> NDArray[np.bool_]: ...
    @property
    def count(self) -> int: ...
    @property
    def invalid_count(self) -> int: ...
    def pairs(self, pairs: PairList) -> NDArray[np.uint32]: ...
    def to_arrow(self) -> ArrowArray: ...
    def __len__(self) -> int: ...

@final
class Overlaps(_Answers): ...

@final
class Sweeps(_Answers):
    @property
    def enter(self) -> Column: ...
    @property
    def exit(self) -> Column: ...
    def first_hits(self, pairs: PairList) -> NDArray[np.int64]: ...

@final
class Impacts(_Answers):
    @property
    def time(self) -> Column: ...
    @property
    def settled(self) -> NDArray[np.bool_]: ...

@final
class Contacts(_Answers):
    @property
    def positions(self) -> NDArray[np.uint32]: ...
    @property
    def normal(self) -> Column: ...
    @property
    def separation(self) -> Column: ...
    @property
    def counts(self) -> NDArray[np.uint8]: ...
    @property
    def points(self) -> Column: ...
    @property
    def point_separation(self) -> Column: ...
    @property
    def features(self) -> NDArray[np.uint8]: ...

@final
class FirstHits:
    @property
    def hits(self) -> NDArray[np.int64]: ...
    @property
    def mask(self) -> NDArray[np.bool_]: ...
    @property
    def invalid(self) -> NDArray[np.bool_]: ...
    @property
    def count(self) -> int: ...
    @property
    def invalid_count(self) -> int: ...
    @property
    def index(self) -> NDArray[np.uint32]: ...
    @property
    def store(self) -> NDArray[np.uint8]: ...
    @property
    def enter(self) -> Column: ...
    @property
    def exit(self) -> Column: ...
    def pairs(self, store: int = 0) -> NDArray[np.uint32]: ...
    def __len__(self) -> int: ...

@final
class ArrowArray:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    @property
    def null_count(self) -> int: ...
    def __len__(self) -> int: ...

@final
class Detector:
    def __new__(
        cls, *, parallel: bool = True, margin: float = 0.0, simd: int | None = None, strict: bool = False
    ) -> Detector: ...
    def overlap(self, a: _Store, b: _Store, pairs: PairList) -> Overlaps: ...
    def sweep(self, a: _Store, b: _Store, pairs: PairList) -> Sweeps: ...
    def contact(self, a: _Store, b: _Store, pairs: PairList) -> Contacts: ...
    def sweep_contacts(self, a: _Store, b: _Store, pairs: PairList) -> tuple[Sweeps, Contacts]: ...
    def impact(self, a: _Store, b: _Store, pairs: PairList, tolerance: float) -> Impacts: ...
    def candidates(
        self, a: _Bounded, b: _Bounded, during: During = "start", *, keys: Keys | None = None
    ) -> NDArray[np.uint32]: ...
    def first_hits(self, a: _Bounded, *stores: _Store) -> FirstHits: ...
    def meets_any(self, a: _Bounded, b: _Store, during: During = "start") -> Overlaps: ...
    def shrink(self) -> None: ...

def kernels() -> list[tuple[str, str, str]]: ...
def instruction_sets() -> list[tuple[str, int]]: ...
def arrow_call(
    verb: str,
    first: str,
    second: str,
    a: ArrowSource,
    b: ArrowSource,
    *,
    margin: float = 0.0,
    tolerance: float | None = None,
) -> ArrowArray: ...
