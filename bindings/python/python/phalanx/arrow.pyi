from typing import Protocol

from phalanx._phalanx import ArrowArray
from phalanx.typing import ArrowSource

class _Function(Protocol):
    def __call__(self, a: ArrowSource, b: ArrowSource, *, margin: float = 0.0) -> ArrowArray: ...

class _Impact(Protocol):
    def __call__(self, a: ArrowSource, b: ArrowSource, *, tolerance: float, margin: float = 0.0) -> ArrowArray: ...

class _Distance(Protocol):
    def __call__(self, a: ArrowSource, b: ArrowSource) -> ArrowArray: ...

__all__ = [
    "aabb_aabb_contact",
    "aabb_aabb_distance",
    "aabb_aabb_overlap",
    "aabb_aabb_sweep",
    "aabb_capsule_contact",
    "aabb_capsule_distance",
    "aabb_capsule_overlap",
    "aabb_capsule_sweep",
    "aabb_contact",
    "aabb_distance",
    "aabb_half_space_contact",
    "aabb_half_space_distance",
    "aabb_half_space_overlap",
    "aabb_half_space_sweep",
    "aabb_obb_contact",
    "aabb_obb_distance",
    "aabb_obb_impact",
    "aabb_obb_overlap",
    "aabb_obb_sweep",
    "aabb_overlap",
    "aabb_plane_contact",
    "aabb_plane_distance",
    "aabb_plane_overlap",
    "aabb_plane_sweep",
    "aabb_point_contact",
    "aabb_point_distance",
    "aabb_point_overlap",
    "aabb_point_sweep",
    "aabb_sphere_contact",
    "aabb_sphere_distance",
    "aabb_sphere_overlap",
    "aabb_sphere_sweep",
    "aabb_sweep",
    "aabb_triangle_contact",
    "aabb_triangle_distance",
    "aabb_triangle_overlap",
    "aabb_triangle_sweep",
    "capsule_aabb_contact",
    "capsule_aabb_distance",
    "capsule_aabb_overlap",
    "capsule_aabb_sweep",
    "capsule_capsule_contact",
    "capsule_capsule_distance",
    "capsule_capsule_overlap",
    "capsule_capsule_sweep",
    "capsule_contact",
    "capsule_distance",
    "capsule_half_space_contact",
    "capsule_half_space_distance",
    "capsule_half_space_overlap",
    "capsule_half_space_sweep",
    "capsule_obb_contact",
    "capsule_obb_distance",
    "capsule_obb_impact",
    "capsule_obb_overlap",
    "capsule_obb_sweep",
    "capsule_overlap",
    "capsule_plane_contact",
    "capsule_plane_distance",
    "capsule_plane_overlap",
    "capsule_plane_sweep",
    "capsule_point_contact",
    "capsule_point_distance",
    "capsule_point_overlap",
    "capsule_point_sweep",
    "capsule_sphere_contact",
    "capsule_sphere_distance",
    "capsule_sphere_overlap",
    "capsule_sphere_sweep",
    "capsule_sweep",
    "capsule_triangle_contact",
    "capsule_triangle_distance",
    "capsule_triangle_overlap",
    "capsule_triangle_sweep",
    "half_space_aabb_contact",
    "half_space_aabb_distance",
    "half_space_aabb_overlap",
    "half_space_aabb_sweep",
    "half_space_capsule_contact",
    "half_space_capsule_distance",
    "half_space_capsule_overlap",
    "half_space_capsule_sweep",
    "half_space_obb_contact",
    "half_space_obb_distance",
    "half_space_obb_impact",
    "half_space_obb_overlap",
    "half_space_obb_sweep",
    "half_space_point_contact",
    "half_space_point_distance",
    "half_space_point_overlap",
    "half_space_point_sweep",
    "half_space_sphere_contact",
    "half_space_sphere_distance",
    "half_space_sphere_overlap",
    "half_space_sphere_sweep",
    "half_space_triangle_contact",
    "half_space_triangle_distance",
    "half_space_triangle_overlap",
    "half_space_triangle_sweep",
    "obb_aabb_contact",
    "obb_aabb_distance",
    "obb_aabb_impact",
    "obb_aabb_overlap",
    "obb_aabb_sweep",
    "obb_capsule_contact",
    "obb_capsule_distance",
    "obb_capsule_impact",
    "obb_capsule_overlap",
    "obb_capsule_sweep",
    "obb_contact",
    "obb_distance",
    "obb_half_space_contact",
    "obb_half_space_distance",
    "obb_half_space_impact",
    "obb_half_space_overlap",
    "obb_half_space_sweep",
    "obb_impact",
    "obb_obb_contact",
    "obb_obb_distance",
    "obb_obb_impact",
    "obb_obb_overlap",
    "obb_obb_sweep",
    "obb_overlap",
    "obb_plane_contact",
    "obb_plane_distance",
    "obb_plane_impact",
    "obb_plane_overlap",
    "obb_plane_sweep",
    "obb_point_contact",
    "obb_point_distance",
    "obb_point_overlap",
    "obb_point_sweep",
    "obb_sphere_contact",
    "obb_sphere_distance",
    "obb_sphere_impact",
    "obb_sphere_overlap",
    "obb_sphere_sweep",
    "obb_sweep",
    "obb_triangle_contact",
    "obb_triangle_distance",
    "obb_triangle_impact",
    "obb_triangle_overlap",
    "obb_triangle_sweep",
    "plane_aabb_contact",
    "plane_aabb_distance",
    "plane_aabb_overlap",
    "plane_aabb_sweep",
    "plane_capsule_contact",
    "plane_capsule_distance",
    "plane_capsule_overlap",
    "plane_capsule_sweep",
    "plane_obb_contact",
    "plane_obb_distance",
    "plane_obb_impact",
    "plane_obb_overlap",
    "plane_obb_sweep",
    "plane_point_contact",
    "plane_point_distance",
    "plane_point_overlap",
    "plane_point_sweep",
    "plane_sphere_contact",
    "plane_sphere_distance",
    "plane_sphere_overlap",
    "plane_sphere_sweep",
    "plane_triangle_contact",
    "plane_triangle_distance",
    "plane_triangle_overlap",
    "plane_triangle_sweep",
    "point_aabb_contact",
    "point_aabb_distance",
    "point_aabb_overlap",
    "point_aabb_sweep",
    "point_capsule_contact",
    "point_capsule_distance",
    "point_capsule_overlap",
    "point_capsule_sweep",
    "point_distance",
    "point_half_space_contact",
    "point_half_space_distance",
    "point_half_space_overlap",
    "point_half_space_sweep",
    "point_obb_contact",
    "point_obb_distance",
    "point_obb_overlap",
    "point_obb_sweep",
    "point_plane_contact",
    "point_plane_distance",
    "point_plane_overlap",
    "point_plane_sweep",
    "point_point_distance",
    "point_sphere_contact",
    "point_sphere_distance",
    "point_sphere_overlap",
    "point_sphere_sweep",
    "point_triangle_contact",
    "point_triangle_distance",
    "point_triangle_overlap",
    "point_triangle_sweep",
    "sphere_aabb_contact",
    "sphere_aabb_distance",
    "sphere_aabb_overlap",
    "sphere_aabb_sweep",
    "sphere_capsule_contact",
    "sphere_capsule_distance",
    "sphere_capsule_overlap",
    "sphere_capsule_sweep",
    "sphere_contact",
    "sphere_distance",
    "sphere_half_space_contact",
    "sphere_half_space_distance",
    "sphere_half_space_overlap",
    "sphere_half_space_sweep",
    "sphere_obb_contact",
    "sphere_obb_distance",
    "sphere_obb_impact",
    "sphere_obb_overlap",
    "sphere_obb_sweep",
    "sphere_overlap",
    "sphere_plane_contact",
    "sphere_plane_distance",
    "sphere_plane_overlap",
    "sphere_plane_sweep",
    "sphere_point_contact",
    "sphere_point_distance",
    "sphere_point_overlap",
    "sphere_point_sweep",
    "sphere_sphere_contact",
    "sphere_sphere_distance",
    "sphere_sphere_overlap",
    "sphere_sphere_sweep",
    "sphere_sweep",
    "sphere_triangle_contact",
    "sphere_triangle_distance",
    "sphere_triangle_overlap",
    "sphere_triangle_sweep",
    "triangle_aabb_contact",
    "triangle_aabb_distance",
    "triangle_aabb_overlap",
    "triangle_aabb_sweep",
    "triangle_capsule_contact",
    "triangle_capsule_distance",
    "triangle_capsule_overlap",
    "triangle_capsule_sweep",
    "triangle_contact",
    "triangle_distance",
    "triangle_half_space_contact",
    "triangle_half_space_distance",
    "triangle_half_space_overlap",
    "triangle_half_space_sweep",
    "triangle_obb_contact",
    "triangle_obb_distance",
    "triangle_obb_impact",
    "triangle_obb_overlap",
    "triangle_obb_sweep",
    "triangle_overlap",
    "triangle_plane_contact",
    "triangle_plane_distance",
    "triangle_plane_overlap",
    "triangle_plane_sweep",
    "triangle_point_contact",
    "triangle_point_distance",
    "triangle_point_overlap",
    "triangle_point_sweep",
    "triangle_sphere_contact",
    "triangle_sphere_distance",
    "triangle_sphere_overlap",
    "triangle_sphere_sweep",
    "triangle_sweep",
    "triangle_triangle_contact",
    "triangle_triangle_distance",
    "triangle_triangle_overlap",
    "triangle_triangle_sweep",
]

# One for each kernel and order of shapes; the tests compare them with those that there are.
aabb_aabb_contact: _Function
aabb_aabb_distance: _Distance
aabb_aabb_overlap: _Function
aabb_aabb_sweep: _Function
aabb_capsule_contact: _Function
aabb_capsule_distance: _Distance
aabb_capsule_overlap: _Function
aabb_capsule_sweep: _Function
aabb_contact: _Function
aabb_distance: _Distance
aabb_half_space_contact: _Function
aabb_half_space_distance: _Distance
aabb_half_space_overlap: _Function
aabb_half_space_sweep: _Function
aabb_obb_contact: _Function
aabb_obb_distance: _Distance
aabb_obb_impact: _Impact
aabb_obb_overlap: _Function
aabb_obb_sweep: _Function
aabb_overlap: _Function
aabb_plane_contact: _Function
aabb_plane_distance: _Distance
aabb_plane_overlap: _Function
aabb_plane_sweep: _Function
aabb_point_contact: _Function
aabb_point_distance: _Distance
aabb_point_overlap: _Function
aabb_point_sweep: _Function
aabb_sphere_contact: _Function
aabb_sphere_distance: _Distance
aabb_sphere_overlap: _Function
aabb_sphere_sweep: _Function
aabb_sweep: _Function
aabb_triangle_contact: _Function
aabb_triangle_distance: _Distance
aabb_triangle_overlap: _Function
aabb_triangle_sweep: _Function
capsule_aabb_contact: _Function
capsule_aabb_distance: _Distance
capsule_aabb_overlap: _Function
capsule_aabb_sweep: _Function
capsule_capsule_contact: _Function
capsule_capsule_distance: _Distance
capsule_capsule_overlap: _Function
capsule_capsule_sweep: _Function
capsule_contact: _Function
capsule_distance: _Distance
capsule_half_space_contact: _Function
capsule_half_space_distance: _Distance
capsule_half_space_overlap: _Function
capsule_half_space_sweep: _Function
capsule_obb_contact: _Function
capsule_obb_distance: _Distance
capsule_obb_impact: _Impact
capsule_obb_overlap: _Function
capsule_obb_sweep: _Function
capsule_overlap: _Function
capsule_plane_contact: _Function
capsule_plane_distance: _Distance
capsule_plane_overlap: _Function
capsule_plane_sweep: _Function
capsule_point_contact: _Function
capsule_point_distance: _Distance
capsule_point_overlap: _Function
capsule_point_sweep: _Function
capsule_sphere_contact: _Function
capsule_sphere_distance: _Distance
capsule_sphere_overlap: _Function
capsule_sphere_sweep: _Function
capsule_sweep: _Function
capsule_triangle_contact: _Function
capsule_triangle_distance: _Distance
capsule_triangle_overlap: _Function
capsule_triangle_sweep: _Function
half_space_aabb_contact: _Function
half_space_aabb_distance: _Distance
half_space_aabb_overlap: _Function
half_space_aabb_sweep: _Function
half_space_capsule_contact: _Function
half_space_capsule_distance: _Distance
half_space_capsule_overlap: _Function
half_space_capsule_sweep: _Function
half_space_obb_contact: _Function
half_space_obb_distance: _Distance
half_space_obb_impact: _Impact
half_space_obb_overlap: _Function
half_space_obb_sweep: _Function
half_space_point_contact: _Function
half_space_point_distance: _Distance
half_space_point_overlap: _Function
half_space_point_sweep: _Function
half_space_sphere_contact: _Function
half_space_sphere_distance: _Distance
half_space_sphere_overlap: _Function
half_space_sphere_sweep: _Function
half_space_triangle_contact: _Function
half_space_triangle_distance: _Distance
half_space_triangle_overlap: _Function
half_space_triangle_sweep: _Function
obb_aabb_contact: _Function
obb_aabb_distance: _Distance
obb_aabb_impact: _Impact
obb_aabb_overlap: _Function
obb_aabb_sweep: _Function
obb_capsule_contact: _Function
obb_capsule_distance: _Distance
obb_capsule_impact: _Impact
obb_capsule_overlap: _Function
obb_capsule_sweep: _Function
obb_contact: _Function
obb_distance: _Distance
obb_half_space_contact: _Function
obb_half_space_distance: _Distance
obb_half_space_impact: _Impact
obb_half_space_overlap: _Function
obb_half_space_sweep: _Function
obb_impact: _Impact
obb_obb_contact: _Function
obb_obb_distance: _Distance
obb_obb_impact: _Impact
obb_obb_overlap: _Function
obb_obb_sweep: _Function
obb_overlap: _Function
obb_plane_contact: _Function
obb_plane_distance: _Distance
obb_plane_impact: _Impact
obb_plane_overlap: _Function
obb_plane_sweep: _Function
obb_point_contact: _Function
obb_point_distance: _Distance
obb_point_overlap: _Function
obb_point_sweep: _Function
obb_sphere_contact: _Function
obb_sphere_distance: _Distance
obb_sphere_impact: _Impact
obb_sphere_overlap: _Function
obb_sphere_sweep: _Function
obb_sweep: _Function
obb_triangle_contact: _Function
obb_triangle_distance: _Distance
obb_triangle_impact: _Impact
obb_triangle_overlap: _Function
obb_triangle_sweep: _Function
plane_aabb_contact: _Function
plane_aabb_distance: _Distance
plane_aabb_overlap: _Function
plane_aabb_sweep: _Function
plane_capsule_contact: _Function
plane_capsule_distance: _Distance
plane_capsule_overlap: _Function
plane_capsule_sweep: _Function
plane_obb_contact: _Function
plane_obb_distance: _Distance
plane_obb_impact: _Impact
plane_obb_overlap: _Function
plane_obb_sweep: _Function
plane_point_contact: _Function
plane_point_distance: _Distance
plane_point_overlap: _Function
plane_point_sweep: _Function
plane_sphere_contact: _Function
plane_sphere_distance: _Distance
plane_sphere_overlap: _Function
plane_sphere_sweep: _Function
plane_triangle_contact: _Function
plane_triangle_distance: _Distance
plane_triangle_overlap: _Function
plane_triangle_sweep: _Function
point_aabb_contact: _Function
point_aabb_distance: _Distance
point_aabb_overlap: _Function
point_aabb_sweep: _Function
point_capsule_contact: _Function
point_capsule_distance: _Distance
point_capsule_overlap: _Function
point_capsule_sweep: _Function
point_distance: _Distance
point_half_space_contact: _Function
point_half_space_distance: _Distance
point_half_space_overlap: _Function
point_half_space_sweep: _Function
point_obb_contact: _Function
point_obb_distance: _Distance
point_obb_overlap: _Function
point_obb_sweep: _Function
point_plane_contact: _Function
point_plane_distance: _Distance
point_plane_overlap: _Function
point_plane_sweep: _Function
point_point_distance: _Distance
point_sphere_contact: _Function
point_sphere_distance: _Distance
point_sphere_overlap: _Function
point_sphere_sweep: _Function
point_triangle_contact: _Function
point_triangle_distance: _Distance
point_triangle_overlap: _Function
point_triangle_sweep: _Function
sphere_aabb_contact: _Function
sphere_aabb_distance: _Distance
sphere_aabb_overlap: _Function
sphere_aabb_sweep: _Function
sphere_capsule_contact: _Function
sphere_capsule_distance: _Distance
sphere_capsule_overlap: _Function
sphere_capsule_sweep: _Function
sphere_contact: _Function
sphere_distance: _Distance
sphere_half_space_contact: _Function
sphere_half_space_distance: _Distance
sphere_half_space_overlap: _Function
sphere_half_space_sweep: _Function
sphere_obb_contact: _Function
sphere_obb_distance: _Distance
sphere_obb_impact: _Impact
sphere_obb_overlap: _Function
sphere_obb_sweep: _Function
sphere_overlap: _Function
sphere_plane_contact: _Function
sphere_plane_distance: _Distance
sphere_plane_overlap: _Function
sphere_plane_sweep: _Function
sphere_point_contact: _Function
sphere_point_distance: _Distance
sphere_point_overlap: _Function
sphere_point_sweep: _Function
sphere_sphere_contact: _Function
sphere_sphere_distance: _Distance
sphere_sphere_overlap: _Function
sphere_sphere_sweep: _Function
sphere_sweep: _Function
sphere_triangle_contact: _Function
sphere_triangle_distance: _Distance
sphere_triangle_overlap: _Function
sphere_triangle_sweep: _Function
triangle_aabb_contact: _Function
triangle_aabb_distance: _Distance
triangle_aabb_overlap: _Function
triangle_aabb_sweep: _Function
triangle_capsule_contact: _Function
triangle_capsule_distance: _Distance
triangle_capsule_overlap: _Function
triangle_capsule_sweep: _Function
triangle_contact: _Function
triangle_distance: _Distance
triangle_half_space_contact: _Function
triangle_half_space_distance: _Distance
triangle_half_space_overlap: _Function
triangle_half_space_sweep: _Function
triangle_obb_contact: _Function
triangle_obb_distance: _Distance
triangle_obb_impact: _Impact
triangle_obb_overlap: _Function
triangle_obb_sweep: _Function
triangle_overlap: _Function
triangle_plane_contact: _Function
triangle_plane_distance: _Distance
triangle_plane_overlap: _Function
triangle_plane_sweep: _Function
triangle_point_contact: _Function
triangle_point_distance: _Distance
triangle_point_overlap: _Function
triangle_point_sweep: _Function
triangle_sphere_contact: _Function
triangle_sphere_distance: _Distance
triangle_sphere_overlap: _Function
triangle_sphere_sweep: _Function
triangle_sweep: _Function
triangle_triangle_contact: _Function
triangle_triangle_distance: _Distance
triangle_triangle_overlap: _Function
triangle_triangle_sweep: _Function
