//! The numbers of shapes in the columns of a struct, borrowed where they are `Float32`.

use std::array::from_fn;
use std::borrow::Cow;

use arrow::array::{Array, ArrayRef, AsArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    DataType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use datafusion_common::{Result, ScalarValue, exec_err};
use datafusion_expr::ColumnarValue;
use phalanx::traits::Shape;
use phalanx::{
    Aabb, AabbColumns, Capsule, CapsuleColumns, Error, HalfSpace, Obb, ObbColumns, Plane,
    PlaneColumns, Point, PointColumns, Sphere, SphereColumns, StoreRef,
};

use crate::kind::{Kind, MOTION, Place, check, position};
use crate::validity::is_there;
use crate::widen;

/// The most fields that a shape has beside its motion.
const MOST: usize = 10;

/// An argument as the engine passes it on.
pub(crate) enum Argument {
    /// One shape for each row.
    Column(ArrayRef),
    /// One shape for all rows.
    Literal(ArrayRef),
    /// NULL for all rows.
    Null,
}

impl Argument {
    pub fn new(value: ColumnarValue) -> Result<Self> {
        Ok(match value {
            ColumnarValue::Array(array) if *array.data_type() == DataType::Null => Argument::Null,
            ColumnarValue::Array(array) => Argument::Column(array),
            ColumnarValue::Scalar(ScalarValue::Null) => Argument::Null,
            ColumnarValue::Scalar(scalar) => Argument::Literal(scalar.to_array()?),
        })
    }

    /// The struct column and whether it is a literal, or none if the argument is NULL.
    pub fn shapes(&self, place: Place<'_>, kind: Kind) -> Result<Option<(&StructArray, bool)>> {
        let (array, is_literal) = match self {
            Argument::Null => return Ok(None),
            Argument::Column(array) => (array, false),
            Argument::Literal(array) => (array, true),
        };
        match array.as_struct_opt() {
            Some(shapes) => Ok(Some((shapes, is_literal))),
            None => check(place, kind, array.data_type()).map(|()| None),
        }
    }
}

/// The columns of shapes, as the library reads them.
pub(crate) struct Columns<'a> {
    /// What the shapes are tested as: points of `Float64` are spheres, which hold them.
    pub kind: Kind,
    fields: [Cow<'a, [f32]>; MOST],
    motion: [Cow<'a, [f32]>; 3],
    /// Which rows there is a shape in; none if there is one in each.
    pub nulls: Option<NullBuffer>,
    pub len: usize,
}

impl<'a> Columns<'a> {
    /// The columns of shapes of a kind. Their motion is read if it is asked for.
    pub fn new(
        place: Place<'_>,
        kind: Kind,
        shapes: &'a StructArray,
        moving: bool,
    ) -> Result<Self> {
        let fields = shapes.fields();
        let count = kind.fields().len();
        let moves = |names| moving && position(fields, names, count).is_some();
        let is_moving = kind.names().nth(count).is_some_and(moves);
        let wanted = if is_moving {
            count + MOTION.len()
        } else {
            count
        };
        let names = || kind.names().take(wanted).enumerate();
        let mut arrays: [Option<&ArrayRef>; MOST + 3] = [None; MOST + 3];
        let mut nulls = used(shapes.nulls()).cloned();
        let mut is_float32 = true;
        for (k, name) in names() {
            let Some(at) = position(fields, name, k) else {
                return check(place, kind, shapes.data_type()).and(exec_err!(
                    "{place}: the {} lacks the field {:?}",
                    kind.name(),
                    name[0]
                ));
            };
            let array = shapes.column(at);
            if let Some(more) = used(array.nulls()) {
                nulls = NullBuffer::union(nulls.as_ref(), Some(more));
            }
            is_float32 &= *array.data_type() == DataType::Float32;
            arrays[k] = Some(array);
        }
        let len = shapes.len();
        if is_float32 {
            let column = |k: usize| match arrays[k] {
                Some(array) => Cow::Borrowed(&array.as_primitive::<Float32Type>().values()[..]),
                None => Cow::default(),
            };
            return Ok(Columns {
                kind,
                fields: from_fn(|k| if k < count { column(k) } else { Cow::default() }),
                motion: from_fn(|k| column(count + k)),
                nulls,
                len,
            });
        }
        let mut exact: [Cow<'a, [f64]>; MOST + 3] = Default::default();
        for (k, name) in names() {
            if let Some(array) = arrays[k] {
                exact[k] = doubles(place, name[0], array, nulls.as_ref())?;
            }
        }
        let motion: Option<[&[f64]; 3]> = is_moving.then(|| from_fn(|k| &*exact[count + k]));
        let fields: [&[f64]; MOST] = from_fn(|k| if k < count { &*exact[k] } else { &[][..] });
        let wide = widen::enclosing(place, kind, fields, motion, nulls.as_ref())?;
        Ok(Columns {
            kind: wide.kind,
            fields: wide.fields.map(Cow::Owned),
            motion: wide.motion.map(Cow::Owned),
            nulls,
            len,
        })
    }

    fn three(&self, first: usize) -> [&[f32]; 3] {
        from_fn(|k| &*self.fields[first + k])
    }

    fn motion(&self) -> [&[f32]; 3] {
        from_fn(|k| &*self.motion[k])
    }
}

/// The nulls, if there are any.
fn used(nulls: Option<&NullBuffer>) -> Option<&NullBuffer> {
    nulls.filter(|nulls| nulls.null_count() > 0)
}

/// The numbers of a column, all exact.
fn doubles<'a>(
    place: Place<'_>,
    field: &str,
    array: &'a ArrayRef,
    nulls: Option<&NullBuffer>,
) -> Result<Cow<'a, [f64]>> {
    macro_rules! integers {
        ($type:ty) => {
            array
                .as_primitive::<$type>()
                .values()
                .iter()
                .map(|x| *x as i128)
                .collect::<Vec<_>>()
        };
    }
    let integers = match array.data_type() {
        DataType::Float64 => {
            return Ok(Cow::Borrowed(array.as_primitive::<Float64Type>().values()));
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            return Ok(values.iter().map(|x| f64::from(*x)).collect());
        }
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        other => {
            return exec_err!(
                "{place}: field {field:?} is of type {other}, not Float32, Float64 or an integer"
            );
        }
    };
    for (row, x) in integers.iter().enumerate() {
        if x.unsigned_abs() > 1 << f64::MANTISSA_DIGITS && is_there(nulls, row) {
            return exec_err!(
                "{place}: field {field:?} is {x} in row {row} of the batch, beyond the integers that Float64 has, 2^53"
            );
        }
    }
    Ok(integers.iter().map(|x| *x as f64).collect())
}

/// A shape of the library that has a kind here.
pub(crate) trait OfKind: Shape {
    /// The view of columns of this kind.
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error>;
}

impl OfKind for Point {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(PointColumns {
            position: columns.three(0),
            displacement: columns.motion(),
        })
    }
}

impl OfKind for Sphere {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(SphereColumns {
            center: columns.three(0),
            radius: &columns.fields[3],
            displacement: columns.motion(),
        })
    }
}

impl OfKind for Capsule {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(CapsuleColumns {
            center: columns.three(0),
            half_axis: columns.three(3),
            radius: &columns.fields[6],
            displacement: columns.motion(),
        })
    }
}

impl OfKind for Aabb {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(AabbColumns {
            min: columns.three(0),
            max: columns.three(3),
            displacement: columns.motion(),
        })
    }
}

impl OfKind for Obb {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(ObbColumns {
            center: columns.three(0),
            half_extents: columns.three(3),
            rotation: from_fn(|k| &*columns.fields[6 + k]),
            displacement: columns.motion(),
            turn: [&[]; 3],
        })
    }
}

impl OfKind for Plane {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(plane_columns(columns))
    }
}

impl OfKind for HalfSpace {
    fn view<'a>(columns: &'a Columns<'_>) -> Result<StoreRef<'a, Self>, Error> {
        StoreRef::new(plane_columns(columns))
    }
}

fn plane_columns<'a>(columns: &'a Columns<'_>) -> PlaneColumns<&'a [f32]> {
    PlaneColumns {
        normal: columns.three(0),
        d: &columns.fields[3],
        displacement: columns.motion(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float32Array, Float64Array};
    use arrow::datatypes::Field;

    use super::*;

    const PLACE: Place<'static> = Place {
        function: "test",
        argument: 0,
    };

    fn spheres(of: impl Fn(usize) -> ArrayRef) -> StructArray {
        let names = ["x", "y", "z", "r", "dx", "dy", "dz"];
        let columns = names.iter().enumerate().map(|(k, name)| {
            let array = of(k);
            (
                Arc::new(Field::new(*name, array.data_type().clone(), true)),
                array,
            )
        });
        columns.collect::<Vec<_>>().into()
    }

    #[test]
    fn columns_are_borrowed_from_the_offset_of_a_slice_on() {
        let arrays: Vec<Float32Array> = (0..7)
            .map(|k| (0..100).map(|i| (i + k) as f32).collect())
            .collect();
        let all = spheres(|k| Arc::new(arrays[k].clone()));
        for (first, len) in [(0, 100), (13, 50), (99, 1), (100, 0)] {
            let slice = all.slice(first, len);
            let columns = Columns::new(PLACE, Kind::Sphere, &slice, true).unwrap();
            for (k, array) in arrays.iter().enumerate() {
                let column = if k < 4 {
                    &columns.fields[k]
                } else {
                    &columns.motion[k - 4]
                };
                assert!(
                    std::ptr::eq(&**column, &array.values()[first..first + len]),
                    "{k} from {first}"
                );
            }
        }
    }

    #[test]
    fn each_field_has_either_name() {
        for kind in Kind::ALL {
            let count = kind.fields().len();
            let named = |pick: fn(usize) -> usize| -> StructArray {
                let columns = kind.names().enumerate().map(|(k, names)| {
                    let array: ArrayRef = Arc::new(Float32Array::from(vec![k as f32, 7.0]));
                    let field = Field::new(names[pick(k)], DataType::Float32, true);
                    (Arc::new(field), array)
                });
                columns.collect::<Vec<_>>().into()
            };
            for pick in [|_| 0, |_| 1, |k| k % 2] as [fn(usize) -> usize; 3] {
                let shapes = named(pick);
                check(PLACE, kind, shapes.data_type()).unwrap();
                let columns = Columns::new(PLACE, kind, &shapes, true).unwrap();
                for k in 0..count {
                    assert_eq!(columns.fields[k][0], k as f32, "{kind:?}");
                }
                for k in 0..3 {
                    assert_eq!(columns.motion[k][0], (count + k) as f32, "{kind:?}");
                }
            }
        }
        let array: ArrayRef = Arc::new(Float32Array::from(vec![1.0]));
        let fields = ["x", "y", "z", "r", "radius"].map(|name| {
            let field = Field::new(name, DataType::Float32, true);
            (Arc::new(field), array.clone())
        });
        let both = StructArray::from(fields.to_vec());
        let error = check(PLACE, Kind::Sphere, both.data_type()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("has both \"r\" and \"radius\""),
            "{message}"
        );
    }

    #[test]
    fn points_of_doubles_are_spheres() {
        let points = spheres(|k| Arc::new(Float64Array::from(vec![0.1 * k as f64])));
        let (fields, columns, _) = points.into_parts();
        let keep: Vec<_> = (0..3)
            .map(|k| (fields[k].clone(), columns[k].clone()))
            .collect();
        let points = StructArray::from(keep);
        let columns = Columns::new(PLACE, Kind::Point, &points, true).unwrap();
        assert_eq!(columns.kind, Kind::Sphere);
        assert!(
            columns.fields[3][0] > 0.0
                && columns.fields[3][0] < 1e-7
                && columns.motion[0].is_empty()
        );
    }
}
