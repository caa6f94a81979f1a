//! The stores: a Python class for each kind of shape.

use numpy::{PyArray1, PyArray2};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Point, Sphere, Store, Triangle};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::columns::{Angles, Argument, without_gaps};
use crate::filters::{indices_of, one_by_one};
use crate::poses::{Poses, of_corners};
use crate::raised;
use crate::view::{Data, bodies_array, copied, during, groups_array, of_yaw, taken, yaw_columns};

/// Declares the Python class of a store.
macro_rules! store {
    (
        $(#[$doc:meta])* $stores:ident: $shape:ident($($field:ident),*; $($motion:ident),*) $($bounds:item)*
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "phalanx")]
        pub struct $stores(pub Data<$shape>);

        #[pymethods]
        impl $stores {
            #[new]
            #[pyo3(signature = ($($field),*, *, $($motion = None),*, groups = None, body = None))]
            fn new<'py>(
                $($field: &Bound<'py, PyAny>,)*
                $($motion: Option<&Bound<'py, PyAny>>,)*
                groups: Option<&Bound<'py, PyAny>>,
                body: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Self> {
                let py = [$($field),*][0].py();
                let data = Data::of_arguments(py, &[$(Some($field),)* $($motion),*])?;
                data.filtered(py, groups, body).map(Self)
            }

            /// Two bit masks for each shape, the groups that it is in and those that it meets: an array (n, 2). A copy.
            #[getter]
            fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
                groups_array(py, &self.0.lend(py)?.view()?)
            }

            /// The body of each shape, an integer; 2**32 - 1 for none. Shapes of one body are in no pair. A copy.
            #[getter]
            fn body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
                Ok(bodies_array(py, &self.0.lend(py)?.view()?))
            }

            /// The shapes of anything that exports Arrow: a struct array, record batch, table or data frame.
            ///
            /// Parameters
            /// ----------
            /// data : object with `__arrow_c_array__` or `__arrow_c_stream__`
            ///     Fields of float32, named as the arguments of the store: `center_x`, `center_y`, ..., or `center` as a
            ///     struct or list of a fixed size. Short names, those of SQL, are `x`, `y`, `z`, `r`, `ax`, ..., `hx`, ..., `qx`,
            ///     ..., `nx`, ..., `dx`, .... Fields of motion are optional.
            /// extra : "error" or "ignore"
            ///     Other fields raise a TypeError, because a misspelled name would go unnoticed, or are ignored.
            ///
            /// The store reads flat fields and structs without a copy. A shape with a null is invalid.
            #[staticmethod]
            #[pyo3(signature = (data, *, extra = "error"))]
            fn from_arrow(data: &Bound<'_, PyAny>, extra: &str) -> PyResult<Self> {
                Data::of_arrow(data, extra).map(Self)
            }

            $(
                /// The numbers, without a copy: an array, or a tuple with one for each axis.
                #[getter]
                fn $field<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                    this.get().0.argument(stringify!($field), this.py(), this.as_any())
                }
            )*
            $(
                /// The motion, without a copy, or None.
                #[getter]
                fn $motion<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                    this.get().0.argument(stringify!($motion), this.py(), this.as_any())
                }
            )*

            /// Whether the store reads the arrays that it was made of in place, instead of a copy.
            #[getter]
            fn is_view(&self) -> bool {
                matches!(self.0, Data::View(..))
            }

            /// A store with a copy of the numbers, which never changes: calls cache its packed rows and its tree.
            fn copy(&self, py: Python<'_>) -> PyResult<Self> {
                let lent = self.0.lend(py)?;
                let copy = copied(&lent.view()?).map_err(raised)?;
                Ok(Self(Data::Owned(Box::new(copy))))
            }

            /// Raises a ValueError that names the first invalid shape, its field and the value.
            fn validate(&self, py: Python<'_>) -> PyResult<()> {
                let lent = self.0.lend(py)?;
                let view = lent.view()?;
                py.detach(|| view.validate()).map_err(raised)
            }

            fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
                Ok(self.0.lend(py)?.view()?.len())
            }

            /// A store with a copy of some shapes: of one index, of a slice, of a mask or of an array of indices.
            fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
                let py = index.py();
                let indices = indices_of(self.__len__(py)?, index)?;
                let lent = self.0.lend(py)?;
                let some = taken(&lent.view()?, indices.into_iter()).map_err(raised)?;
                Ok(Self(Data::Owned(Box::new(some))))
            }

            /// Iterates over stores of one shape each.
            fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                one_by_one(this.as_any())
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let how = if self.is_view() { "a view" } else { "a copy" };
                Ok(format!("<phalanx.{} of {} shapes, {how}>", stringify!($stores), self.__len__(py)?))
            }

            $($bounds)*
        }
    };
}

/// Declares the stores of shapes that have bounds.
macro_rules! bounded_store {
    ($(#[$doc:meta])* $stores:ident: $shape:ident($($argument:tt)*) $($own:item)*) => {
        store! {
            $(#[$doc])* $stores: $shape($($argument)*)

            /// Bounding boxes of the shapes, at the start or during all of the frame; no hit lies outside them.
            #[pyo3(signature = (during = "start"))]
            fn bounds(&self, py: Python<'_>, during: &str) -> PyResult<Aabbs> {
                let during = self::during(during)?;
                let lent = self.0.lend(py)?;
                let view = lent.view()?;
                let mut boxes = Store::new();
                py.detach(|| view.bounds(during, &mut boxes));
                Ok(Aabbs(Data::Owned(Box::new(boxes))))
            }
            $($own)*
        }
    };
}

bounded_store! {
    /// Points; one that moves is a ray.
    ///
    /// Parameters
    /// ----------
    /// position : (n, 3) float32, or a tuple of 3 columns
    ///     Coordinates x, y, z, in any unit of length, the same for all stores of a call.
    /// displacement : like position, optional
    ///     The way of each point during the frame, in the unit of length: a ray from `position`.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array (n, 3) or a list is copied. A tuple of 1-D arrays, one for each axis, is read in place: the store is a view,
    /// and a number in the tuple stands for all shapes.
    Points: Point(position; displacement)
}
bounded_store! {
    /// Spheres: all within `radius` of `center`.
    ///
    /// Parameters
    /// ----------
    /// center : (n, 3) float32, or a tuple of 3 columns
    ///     Coordinates x, y, z, in any unit of length, the same for all stores of a call.
    /// radius : (n,) float32, or a number for all
    ///     The radius, not the diameter, at least 0.
    /// displacement : like center, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array (n, 3) or a list is copied. A tuple of 1-D arrays, one for each axis, is read in place: the store is a view,
    /// and a number in the tuple stands for all shapes.
    Spheres: Sphere(center, radius; displacement)
}
bounded_store! {
    /// Capsules: all within `radius` of the segment from `center - half_axis` to `center + half_axis`.
    ///
    /// Parameters
    /// ----------
    /// center : (n, 3) float32, or a tuple of 3 columns
    ///     The middle of the segment: coordinates x, y, z, in any unit of length, the same for all stores of a call.
    /// half_axis : like center
    ///     The vector from the center to an end of the segment.
    /// radius : (n,) float32, or a number for all
    ///     The radius, not the diameter, at least 0.
    /// displacement : like center, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array (n, 3) or a list is copied. A tuple of 1-D arrays, one for each axis, is read in place: the store is a view,
    /// and a number in the tuple stands for all shapes.
    Capsules: Capsule(center, half_axis, radius; displacement)

    /// Capsules along the z axes of poses.
    ///
    /// Parameters
    /// ----------
    /// matrix : (n, 4, 4) float32, or (4, 4) for all
    ///     As for `Obbs.from_matrix`.
    /// half_length : (n,) float32, or a number for all
    ///     The distance from the center to an end of the segment.
    /// radius : (n,) float32, or a number for all
    ///     The radius, at least 0.
    /// origin, displacement, groups, body : optional
    ///     As for `Obbs.from_matrix`.
    ///
    /// The store is a copy.
    #[staticmethod]
    #[pyo3(signature = (matrix, half_length, radius, *, origin = None, displacement = None, groups = None, body = None))]
    fn from_matrix<'py>(
        matrix: &Bound<'py, PyAny>,
        half_length: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
        origin: Option<&Bound<'py, PyAny>>,
        displacement: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let py = matrix.py();
        let poses = Poses::of_matrix(matrix, origin)?;
        let shape = [
            poses.center(),
            poses.along_z("half_length", half_length)?,
            Argument::new("radius", 1, radius)?,
        ];
        let data = Data::of_shapes(py, shape, [("displacement", displacement)])?;
        data.filtered(py, groups, body).map(Self)
    }
}
bounded_store! {
    /// Axis-aligned boxes (AABBs), from `min` to `max`.
    ///
    /// Parameters
    /// ----------
    /// min, max : (n, 3) float32, or tuples of 3 columns
    ///     The lowest and the highest corner: coordinates x, y, z, in any unit of length, the same for all stores of a call.
    ///     `min` is at most `max` on each axis.
    /// displacement : like min, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array (n, 3) or a list is copied. A tuple of 1-D arrays, one for each axis, is read in place: the store is a view,
    /// and a number in the tuple stands for all shapes.
    Aabbs: Aabb(min, max; displacement)
}
bounded_store! {
    /// Oriented boxes (OBBs). `Obbs.from_yaw` takes sizes and yaw angles.
    ///
    /// Parameters
    /// ----------
    /// center : (n, 3) float32, or a tuple of 3 columns
    ///     Coordinates x, y, z, in any unit of length, the same for all stores of a call.
    /// half_extents : like center
    ///     Half of each side, along the x, y and z axis of the box, at least 0.
    /// rotation : (n, 4) float32, or a tuple of 4 columns
    ///     Unit quaternions in the order x, y, z, w, as scipy has them: w is last. Another order is a valid but different
    ///     rotation, which cannot be detected. Lengths may differ from 1 by 0.001.
    /// displacement : like center, optional
    ///     The motion of the center during the frame, in the unit of length.
    /// turn : like center, optional
    ///     The rotation during the frame: a rotation vector in radians, at most pi long. Used by `impact` and by bounds
    ///     during the frame.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array (n, 3) or a list is copied. A tuple of 1-D arrays, one for each axis, is read in place: the store is a view,
    /// and a number in the tuple stands for all shapes.
    Obbs: Obb(center, half_extents, rotation; displacement, turn)

    /// Boxes with quaternions in the order w, x, y, z, as trimesh, MuJoCo, Drake and pyquaternion have them.
    ///
    /// It takes what `Obbs` take; the first number of each rotation is w.
    #[staticmethod]
    #[pyo3(signature = (center, half_extents, rotation, *, displacement = None, turn = None, groups = None, body = None))]
    fn from_wxyz<'py>(
        center: &Bound<'py, PyAny>,
        half_extents: &Bound<'py, PyAny>,
        rotation: &Bound<'py, PyAny>,
        displacement: Option<&Bound<'py, PyAny>>,
        turn: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let shape = [
            Argument::new("center", 3, center)?,
            Argument::new("half_extents", 3, half_extents)?,
            Argument::of_wxyz(rotation)?,
        ];
        let motion = [("displacement", displacement), ("turn", turn)];
        let data = Data::of_shapes(center.py(), shape, motion)?;
        data.filtered(center.py(), groups, body).map(Self)
    }

    /// Boxes with poses as matrices: points `p` of a box are at `matrix @ [*p, 1]`.
    ///
    /// Parameters
    /// ----------
    /// matrix : (n, 4, 4) float32, or (4, 4) for all
    ///     Homogeneous matrices of a rotation and a position. Boxes of matrices that scale or mirror are invalid.
    /// half_extents : (n, 3) float32, or a tuple of 3 columns
    ///     Half of each side, along the x, y and z axis of the box, at least 0.
    /// origin : three numbers, optional
    ///     Subtracted from the positions in float64. With it, matrices may be of any real dtype; all stores of a call need the same
    ///     origin.
    /// displacement, turn, groups, body : optional
    ///     As for `Obbs`.
    ///
    /// The store is a copy.
    #[staticmethod]
    #[pyo3(signature = (
        matrix, half_extents, *, origin = None, displacement = None, turn = None, groups = None, body = None
    ))]
    fn from_matrix<'py>(
        matrix: &Bound<'py, PyAny>,
        half_extents: &Bound<'py, PyAny>,
        origin: Option<&Bound<'py, PyAny>>,
        displacement: Option<&Bound<'py, PyAny>>,
        turn: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let py = matrix.py();
        let poses = Poses::of_matrix(matrix, origin)?;
        let half_extents = Argument::new("half_extents", 3, half_extents)?;
        let motion = [("displacement", displacement), ("turn", turn)];
        let shape = [poses.center(), half_extents, poses.rotation()];
        let data = Data::of_shapes(py, shape, motion)?;
        data.filtered(py, groups, body).map(Self)
    }

    /// Boxes around their eight corners.
    ///
    /// Parameters
    /// ----------
    /// corners : (n, 8, 3) float32, or (8, 3) for one box
    ///     The corners of each box, in any order. Sides are in the order of the corners that are next to corner 0.
    /// origin : three numbers, optional
    ///     Subtracted from the corners in float64. With it, corners may be of any real dtype; all stores of a call need the same
    ///     origin.
    /// displacement, turn, groups, body : optional
    ///     As for `Obbs`.
    ///
    /// The store is a copy. Each box contains its corners. Corners that are not those of a box raise a ValueError; a box with one that
    /// is not finite is invalid.
    #[staticmethod]
    #[pyo3(signature = (corners, *, origin = None, displacement = None, turn = None, groups = None, body = None))]
    fn from_corners<'py>(
        corners: &Bound<'py, PyAny>,
        origin: Option<&Bound<'py, PyAny>>,
        displacement: Option<&Bound<'py, PyAny>>,
        turn: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let py = corners.py();
        let motion = [("displacement", displacement), ("turn", turn)];
        let data = Data::of_shapes(py, of_corners(corners, origin)?, motion)?;
        data.filtered(py, groups, body).map(Self)
    }

    /// Boxes from whole sides and yaw angles, as labels of lidar frames have them; z is up.
    ///
    /// Parameters
    /// ----------
    /// center : (n, 3) float32, or a tuple of 3 columns, such as those of a larger array
    ///     Coordinates x, y, z of each box, in any unit of length. `phalanx.centered` makes them of float64 coordinates of a map.
    /// size : like center
    ///     Whole sides, not half: length, width and height, along x, y and z at a yaw of 0.
    /// yaw : (n,) float32, float64 or integers, or a number for all
    ///     The angle of the length from the x axis, in radians, counterclockwise seen from above.
    /// z : "middle" or "bottom"
    ///     Whether the z of a center is that of the middle of the box or of its lower face.
    /// displacement, turn, groups, body : optional
    ///     As for `Obbs`.
    ///
    /// The store is a copy.
    #[staticmethod]
    #[pyo3(signature = (
        center, size, yaw, *, z = "middle", displacement = None, turn = None, groups = None, body = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "as Python calls it, by name")]
    fn from_yaw<'py>(
        center: &Bound<'py, PyAny>,
        size: &Bound<'py, PyAny>,
        yaw: &Bound<'py, PyAny>,
        z: &str,
        displacement: Option<&Bound<'py, PyAny>>,
        turn: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        body: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let py = center.py();
        let shape = of_yaw(
            py,
            [
                Argument::new("center", 3, &without_gaps(center)?)?,
                Argument::new("size", 3, &without_gaps(size)?)?,
            ],
            &Angles::new("yaw", yaw)?,
            z,
        )?;
        let motion = [("displacement", displacement), ("turn", turn)];
        let data = Data::of_shapes(py, shape, motion)?;
        data.filtered(py, groups, body).map(Self)
    }

    /// Boxes from a table of whole sides and yaw angles: anything that exports Arrow.
    ///
    /// Parameters
    /// ----------
    /// data : object with `__arrow_c_array__` or `__arrow_c_stream__`
    ///     Fields of float32: `center_x`, `center_y`, `center_z` or `x`, `y`, `z`; `size_x`, `size_y`, `size_z` or `length`, `width`,
    ///     `height`; `yaw`; optional `displacement_x`, ... or `dx`, ..., and `turn_x`, .... Structs and lists as in `from_arrow`.
    /// z : "middle" or "bottom"
    ///     As for `from_yaw`.
    /// extra : "error" or "ignore"
    ///     As for `from_arrow`.
    ///
    /// The store is a copy. A box with a null is invalid.
    #[staticmethod]
    #[pyo3(signature = (data, *, z = "middle", extra = "error"))]
    fn from_yaw_arrow(data: &Bound<'_, PyAny>, z: &str, extra: &str) -> PyResult<Self> {
        let py = data.py();
        let mut columns = yaw_columns(data, extra)?.into_iter();
        let mut argument = |name, axes| Argument::of_columns(name, columns.by_ref().take(axes));
        let (center, size) = (argument("center", 3), argument("size", 3));
        let yaw = argument("yaw", 1);
        let motion = [argument("displacement", 3), argument("turn", 3)];
        let (Some(center), Some(size), Some(yaw)) = (center, size, yaw) else {
            return Err(PyTypeError::new_err("Obbs lack a field"));
        };
        let angles = Angles::of(py, &yaw)?;
        let shape = of_yaw(py, [center, size], &angles, z)?.map(Some);
        let data = Data::assembled(py, shape.into_iter().chain(motion).collect())?;
        Ok(Self(data))
    }
}
bounded_store! {
    /// Triangles, closed and two-sided.
    ///
    /// Parameters
    /// ----------
    /// corners : (n, 3, 3) or (n, 9) float32, or a tuple of 9 columns
    ///     Coordinates x, y, z of three corners, as `vertices[faces]` has them, in any unit of length, the same for all
    ///     stores of a call.
    /// displacement : (n, 3) float32, or a tuple of 3 columns, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    ///
    /// An array is copied. A tuple of 1-D arrays is read in place: the store is a view.
    Triangles: Triangle(corners; displacement)
}
store! {
    /// Planes: the points p with `normal · p + d = 0`.
    ///
    /// Parameters
    /// ----------
    /// normal : (n, 3) float32, or a tuple of 3 columns
    ///     A vector x, y, z across the plane; it need not have length 1.
    /// d : (n,) float32, or a number for all
    ///     The offset, in the unit of length times the length of the normal.
    /// displacement : like normal, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    Planes: Plane(normal, d; displacement)
}
store! {
    /// Half-spaces: the points p with `normal · p + d <= 0`. The normal points out: that of a floor points up.
    ///
    /// Parameters
    /// ----------
    /// normal : (n, 3) float32, or a tuple of 3 columns
    ///     A vector x, y, z out of the half-space; it need not have length 1.
    /// d : (n,) float32, or a number for all
    ///     The offset, in the unit of length times the length of the normal.
    /// displacement : like normal, optional
    ///     The motion during the frame, in the unit of length.
    /// groups, body : integers, optional
    ///     See `groups` and `body` of the store.
    HalfSpaces: HalfSpace(normal, d; displacement)
}
