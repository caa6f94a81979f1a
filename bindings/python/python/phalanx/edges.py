"""The edges of a mesh."""

from enum import IntEnum


class EdgeKind(IntEnum):
    """The kind of an edge of a `Mesh`, as seen from the side to which the normals point. Decided exactly."""

    BORDER = 0
    """No neighbour: an edge of one triangle, of three or more, or of triangles with unequal winding."""
    FLAT = 1
    """The triangles are coplanar, or the angle between their normals is below the flatness of the mesh."""
    CONVEX = 2
    """A ridge: the neighbour is below the plane of the triangle."""
    CONCAVE = 3
    """A valley: the neighbour is above the plane of the triangle."""
