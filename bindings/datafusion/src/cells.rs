//! The functions of a spatial join: which cells of a grid a shape falls into, and which cell reports a pair.
//!
//! Two shapes that a test reports have bounds that touch, and bounds that touch have a cell in common: cells are
//! counted by x ↦ ⌊x / size⌋ as computed, which never decreases as x grows. So the largest of both lower ends, which
//! lies in both bounds, falls into a cell that both have: the home of the pair, and the only cell that reports it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, ListArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use phalanx::traits::Bounded;
use phalanx::{Aabb, Aabbs, Capsule, During, Error, Obb, Point, Sphere};

use crate::columns::{Argument, Columns, OfKind};
use crate::functions::{pair_name, pairs_of_kinds};
use crate::kind::{Kind, Place, check};
use crate::validity::is_there;

/// The most cells that a shape may fall into.
pub const MAX_CELLS: usize = 4096;

/// The name of the function that tells the cells of shapes.
pub(crate) fn cells_name(kind: Kind, during: During) -> String {
    format!("{}{}_cells", kind.name(), infix(during))
}

/// The name of the function that tells which cell reports a pair.
pub(crate) fn home_name(a: Kind, b: Kind, during: During) -> String {
    format!("{}{}_home", pair_name(a, b), infix(during))
}

fn infix(during: During) -> &'static str {
    match during {
        During::Start => "",
        _ => "_sweep",
    }
}

/// A function of some shapes and the size of cells.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CellFunction {
    name: String,
    /// One kind for cells, two for homes.
    kinds: Vec<Kind>,
    during: During,
    signature: Signature,
}

/// The functions that a join by cells needs.
pub(crate) fn cell_functions() -> impl Iterator<Item = ScalarUDF> {
    [During::Start, During::Frame]
        .into_iter()
        .flat_map(|during| {
            let function = move |name: String, kinds: Vec<Kind>| {
                let signature = Signature::user_defined(Volatility::Immutable);
                ScalarUDF::from(CellFunction {
                    name,
                    kinds,
                    during,
                    signature,
                })
            };
            let bounded = Kind::ALL.into_iter().filter(|kind| kind.is_bounded());
            let cells = bounded.map(move |kind| function(cells_name(kind, during), vec![kind]));
            let pairs = pairs_of_kinds().filter(|(a, b)| a.is_bounded() && b.is_bounded());
            cells.chain(pairs.map(move |(a, b)| function(home_name(a, b, during), vec![a, b])))
        })
}

impl CellFunction {
    fn return_type(&self) -> DataType {
        match self.kinds[..] {
            [_] => DataType::List(item()),
            _ => DataType::Int64,
        }
    }

    /// The bounds of the shapes of an argument, and whether it is a literal. None if the argument is NULL.
    fn bounds(&self, index: usize, argument: &Argument) -> Result<Option<Bounds>> {
        let place = Place {
            function: &self.name,
            argument: index,
        };
        let kind = self.kinds[index];
        let Some((shapes, is_literal)) = argument.shapes(place, kind)? else {
            return Ok(None);
        };
        let columns = Columns::new(place, kind, shapes, self.during == During::Frame)?;
        let mut boxes = Aabbs::new();
        let written = match columns.kind {
            Kind::Point => write::<Point>(&columns, self.during, &mut boxes),
            Kind::Sphere => write::<Sphere>(&columns, self.during, &mut boxes),
            Kind::Capsule => write::<Capsule>(&columns, self.during, &mut boxes),
            Kind::Aabb => write::<Aabb>(&columns, self.during, &mut boxes),
            Kind::Obb => write::<Obb>(&columns, self.during, &mut boxes),
            Kind::Plane | Kind::HalfSpace => {
                return exec_err!("{place}: it has no end, and falls into no cells");
            }
        };
        if let Err(error) = written {
            return exec_err!("{place}: {error}");
        }
        let nulls = columns.nulls.clone();
        Ok(Some(Bounds {
            boxes,
            nulls,
            is_literal,
        }))
    }
}

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Int64, true))
}

fn write<T: OfKind + Bounded>(
    columns: &Columns<'_>,
    during: During,
    out: &mut Aabbs,
) -> Result<(), Error> {
    T::view(columns)?.bounds(during, out);
    Ok(())
}

/// Boxes that no hit of a kernel lies outside of.
struct Bounds {
    boxes: Aabbs,
    nulls: Option<NullBuffer>,
    is_literal: bool,
}

impl Bounds {
    /// The box of a row, or none where there is no shape or a bad one.
    fn at(&self, row: usize) -> Option<Aabb> {
        let row = if self.is_literal { 0 } else { row };
        let aabb = self.boxes.get(row as u32)?;
        (is_there(self.nulls.as_ref(), row) && !aabb.min[0].is_nan()).then_some(aabb)
    }

    fn len(&self) -> usize {
        self.boxes.len()
    }
}

/// The cell of a coordinate. Never decreases as the coordinate grows.
fn cell(x: f32, size: f64) -> i64 {
    (f64::from(x) / size).floor() as i64
}

/// One number for a cell; cells that are a multiple of 2²¹ apart along an axis share one.
fn key([x, y, z]: [i64; 3]) -> i64 {
    const BITS: i64 = 21;
    const MASK: i64 = (1 << BITS) - 1;
    ((x & MASK) << (2 * BITS)) | ((y & MASK) << BITS) | (z & MASK)
}

/// Checks the size of cells.
fn checked_size(function: &str, size: &ScalarValue) -> Result<f64> {
    match size.cast_to(&DataType::Float64)? {
        ScalarValue::Float64(Some(size)) if size > 0.0 && size.is_finite() => Ok(size),
        ScalarValue::Float64(Some(size)) => {
            plan_err!("{function}: the size of cells is {size}, not above zero and finite")
        }
        _ => plan_err!("{function}: the size of cells is NULL"),
    }
}

impl CellFunction {
    fn cells(&self, bounds: &Bounds, size: f64) -> Result<ArrayRef> {
        let len = bounds.len();
        let (mut keys, mut counts) = (Vec::with_capacity(len), Vec::with_capacity(len));
        let mut there = Vec::with_capacity(len);
        for row in 0..len {
            let before = keys.len();
            let found = bounds.at(row);
            there.push(found.is_some());
            if let Some(Aabb { min, max }) = found {
                let [low, high] = [min, max].map(|corner| corner.map(|x| cell(x, size)));
                let across = |k: usize| (i128::from(high[k]) - i128::from(low[k]) + 1) as f64;
                if across(0) * across(1) * across(2) > MAX_CELLS as f64 {
                    return exec_err!(
                        "{}: the shape in row {row} of the batch reaches from {min:?} to {max:?}, which is {} x {} \
                         x {} cells of size {size}, more than {MAX_CELLS}: take a larger size",
                        self.name,
                        across(0),
                        across(1),
                        across(2)
                    );
                }
                for x in low[0]..=high[0] {
                    for y in low[1]..=high[1] {
                        keys.extend((low[2]..=high[2]).map(|z| key([x, y, z])));
                    }
                }
            }
            counts.push(keys.len() - before);
        }
        if i32::try_from(keys.len()).is_err() {
            return exec_err!(
                "{}: a batch of {len} rows falls into {} cells: take a larger size",
                self.name,
                keys.len()
            );
        }
        let nulls = NullBuffer::from(there);
        Ok(Arc::new(ListArray::new(
            item(),
            OffsetBuffer::from_lengths(counts),
            Arc::new(Int64Array::from(keys)),
            (nulls.null_count() > 0).then_some(nulls),
        )))
    }

    fn homes(&self, a: &Bounds, b: &Bounds, size: f64) -> Result<ArrayRef> {
        let len = match (a.is_literal, b.is_literal) {
            (true, _) => b.len(),
            (_, true) => a.len(),
            _ if a.len() == b.len() => a.len(),
            _ => {
                return exec_err!(
                    "{}: the arguments have {} and {} rows",
                    self.name,
                    a.len(),
                    b.len()
                );
            }
        };
        let homes: Int64Array = (0..len)
            .map(|row| {
                let (a, b) = (a.at(row)?, b.at(row)?);
                Some(key(std::array::from_fn(|k| {
                    cell(a.min[k], size).max(cell(b.min[k], size))
                })))
            })
            .collect();
        Ok(Arc::new(homes))
    }
}

impl ScalarUDFImpl for CellFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let (function, count) = (self.name.as_str(), self.kinds.len());
        if types.len() != count + 1 {
            let shapes = if count == 1 { "1 shape" } else { "2 shapes" };
            return plan_err!(
                "{function} takes {shapes} and the size of cells, not {} arguments",
                types.len()
            );
        }
        for (argument, (kind, data_type)) in self.kinds.iter().zip(types).enumerate() {
            check(Place { function, argument }, *kind, data_type)?;
        }
        let size = &types[count];
        if !size.is_numeric() {
            return plan_err!("{function}: the size of cells is of type {size}, not a number");
        }
        Ok([&types[..count], &[DataType::Float64]].concat())
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(CellFunction::return_type(self))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if let Some(Some(size)) = args.scalar_arguments.get(self.kinds.len()) {
            checked_size(&self.name, size)?;
        }
        Ok(Arc::new(Field::new(
            &self.name,
            CellFunction::return_type(self),
            true,
        )))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (mut values, count) = (args.args, self.kinds.len());
        if values.len() != count + 1 {
            return plan_err!(
                "{} takes {} arguments, not {}",
                self.name,
                count + 1,
                values.len()
            );
        }
        let size = match values.pop() {
            Some(ColumnarValue::Scalar(size)) => checked_size(&self.name, &size)?,
            Some(ColumnarValue::Array(sizes)) => constant(&self.name, &sizes)?,
            None => return exec_err!("{}: no size of cells", self.name),
        };
        let mut bounds = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            match self.bounds(index, &Argument::new(value)?)? {
                Some(found) => bounds.push(found),
                None => {
                    let null = ScalarValue::try_from(CellFunction::return_type(self))?;
                    return Ok(ColumnarValue::Scalar(null));
                }
            }
        }
        let answers = match &bounds[..] {
            [one] => self.cells(one, size)?,
            [a, b] => self.homes(a, b, size)?,
            _ => return exec_err!("{}: no shapes", self.name),
        };
        Ok(if bounds.iter().all(|it| it.is_literal) {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?)
        } else {
            ColumnarValue::Array(answers)
        })
    }
}

/// The one size in a column of sizes.
fn constant(function: &str, sizes: &ArrayRef) -> Result<f64> {
    let Some(numbers) = sizes.as_primitive_opt::<Float64Type>() else {
        return plan_err!(
            "{function}: the size of cells is of type {}",
            sizes.data_type()
        );
    };
    match numbers.iter().next() {
        Some(first) if numbers.iter().all(|size| size == first) => {
            checked_size(function, &ScalarValue::Float64(first))
        }
        Some(_) => exec_err!("{function}: the size of cells differs from row to row"),
        // No rows.
        None => Ok(1.0),
    }
}
