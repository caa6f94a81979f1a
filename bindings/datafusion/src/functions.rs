//! The functions that test pairs of shapes.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, BooleanArray, Float32Array, ListArray, StructArray, UInt8Array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use phalanx::traits::{Collide, Overlap, Sweep};
use phalanx::{
    Aabb, Capsule, Contacts, Detector, Error, HalfSpace, Obb, OverlapWords, Overlaps, Pair, Pairs,
    Plane, Point, Sphere, SweepColumns, Sweeps,
};

use crate::columns::{Argument, Columns, OfKind};
use crate::kind::{Kind, Place, check};
use crate::validity::is_there;

/// Fills answers about pairs of shapes.
type Answer<O> =
    fn(&mut Detector, &Columns<'_>, &Columns<'_>, Pairs<'_>, &mut O) -> Result<(), Error>;

/// The verbs of two kinds of shapes.
struct Kernel {
    a: Kind,
    b: Kind,
    overlap: Answer<Overlaps>,
    sweep: Answer<Sweeps>,
    contact: Option<Answer<Contacts>>,
}

fn overlap<A: OfKind + Overlap<B>, B: OfKind>(
    detector: &mut Detector,
    a: &Columns<'_>,
    b: &Columns<'_>,
    pairs: Pairs<'_>,
    out: &mut Overlaps,
) -> Result<(), Error> {
    detector.overlap(&A::view(a)?, &B::view(b)?, pairs, out)
}

fn sweep<A: OfKind + Sweep<B>, B: OfKind>(
    detector: &mut Detector,
    a: &Columns<'_>,
    b: &Columns<'_>,
    pairs: Pairs<'_>,
    out: &mut Sweeps,
) -> Result<(), Error> {
    detector.sweep(&A::view(a)?, &B::view(b)?, pairs, out)
}

fn contact<A: OfKind + Collide<B>, B: OfKind>(
    detector: &mut Detector,
    a: &Columns<'_>,
    b: &Columns<'_>,
    pairs: Pairs<'_>,
    out: &mut Contacts,
) -> Result<(), Error> {
    detector.contact(&A::view(a)?, &B::view(b)?, pairs, out)
}

macro_rules! kernels {
    ($($a:ident $b:ident $($contact:ident)?;)*) => {
        &[$(Kernel {
            a: Kind::$a,
            b: Kind::$b,
            overlap: overlap::<$a, $b>,
            sweep: sweep::<$a, $b>,
            contact: kernels!(@ $a $b $($contact)?),
        }),*]
    };
    (@ $a:ident $b:ident) => { None };
    (@ $a:ident $b:ident contact) => { Some(contact::<$a, $b>) };
}

/// Every two kinds of shapes that the library tests, in both orders. Those with a `Triangle` are not among them.
static KERNELS: &[Kernel] = kernels! {
    Point Sphere; Point Capsule; Point Aabb; Point Obb; Point Plane; Point HalfSpace;
    Sphere Point; Capsule Point; Aabb Point; Obb Point; Plane Point; HalfSpace Point;
    Sphere Sphere contact; Sphere Capsule contact; Sphere Aabb contact; Sphere Obb contact;
    Sphere Plane contact; Sphere HalfSpace contact;
    Capsule Sphere contact; Aabb Sphere contact; Obb Sphere contact;
    Plane Sphere contact; HalfSpace Sphere contact;
    Capsule Capsule contact; Capsule Aabb contact; Capsule Obb contact;
    Capsule Plane contact; Capsule HalfSpace contact;
    Aabb Capsule contact; Obb Capsule contact; Plane Capsule contact; HalfSpace Capsule contact;
    Aabb Aabb contact; Aabb Obb contact; Aabb Plane contact; Aabb HalfSpace contact;
    Obb Aabb contact; Plane Aabb contact; HalfSpace Aabb contact;
    Obb Obb contact; Obb Plane contact; Obb HalfSpace contact;
    Plane Obb contact; HalfSpace Obb contact;
};

/// Every two kinds of shapes that can be tested.
pub(crate) fn pairs_of_kinds() -> impl Iterator<Item = (Kind, Kind)> {
    KERNELS.iter().map(|kernel| (kernel.a, kernel.b))
}

/// The first part of the names of functions of two kinds: one name if they are the same.
pub(crate) fn pair_name(a: Kind, b: Kind) -> String {
    if a == b {
        a.name().to_string()
    } else {
        format!("{}_{}", a.name(), b.name())
    }
}

/// What a function says of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Verb {
    Overlap,
    Sweep,
    Contact,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Verb::Overlap => "overlap",
            Verb::Sweep => "sweep",
            Verb::Contact => "contact",
        }
    }

    fn return_type(self) -> DataType {
        match self {
            Verb::Overlap => DataType::Boolean,
            Verb::Sweep => DataType::Struct(SWEEP.clone()),
            Verb::Contact => DataType::Struct(CONTACT.clone()),
        }
    }
}

fn fields<const N: usize>(fields: [(&str, DataType); N]) -> Fields {
    let nullable = |(name, data_type)| Field::new(name, data_type, true);
    fields.into_iter().map(nullable).collect()
}

/// What a sweep returns for a pair.
static SWEEP: LazyLock<Fields> = LazyLock::new(|| {
    fields([
        ("hit", DataType::Boolean),
        ("enter", DataType::Float32),
        ("exit", DataType::Float32),
    ])
});

/// A point of a contact.
static POINT: LazyLock<Fields> = LazyLock::new(|| {
    fields([
        ("x", DataType::Float32),
        ("y", DataType::Float32),
        ("z", DataType::Float32),
        ("separation", DataType::Float32),
        ("feature", DataType::UInt8),
    ])
});

/// What a contact returns for a pair.
static CONTACT: LazyLock<Fields> = LazyLock::new(|| {
    fields([
        ("hit", DataType::Boolean),
        ("normal_x", DataType::Float32),
        ("normal_y", DataType::Float32),
        ("normal_z", DataType::Float32),
        ("separation", DataType::Float32),
        ("points", DataType::List(point_item())),
    ])
});

fn point_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(POINT.clone()), true))
}

/// A function of two shapes.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PairFunction {
    name: String,
    verb: Verb,
    kinds: [Kind; 2],
    signature: Signature,
}

/// The functions of two shapes.
pub(crate) fn pair_functions() -> impl Iterator<Item = ScalarUDF> {
    KERNELS.iter().flat_map(|kernel| {
        let contact = kernel.contact.map(|_| Verb::Contact);
        let verbs = [Some(Verb::Overlap), Some(Verb::Sweep), contact];
        verbs.into_iter().flatten().map(|verb| {
            ScalarUDF::from(PairFunction {
                name: format!("{}_{}", pair_name(kernel.a, kernel.b), verb.name()),
                verb,
                kinds: [kernel.a, kernel.b],
                signature: Signature::user_defined(Volatility::Immutable),
            })
        })
    })
}

thread_local! {
    /// The engine has threads of its own.
    static DETECTOR: RefCell<Detector> = RefCell::new(Detector::new().parallel(false));
}

/// The pairs of rows of two arguments, and which of them there are.
struct Rows<'a> {
    function: &'a str,
    a: Columns<'a>,
    b: Columns<'a>,
    order: Order,
    len: usize,
    nulls: Option<NullBuffer>,
}

/// Which pairs the rows are.
#[derive(Clone, Copy)]
enum Order {
    Zip,
    /// The first argument is a literal.
    OneToAll,
    /// The second argument is a literal.
    AllToOne,
}

impl Rows<'_> {
    /// Answers about all rows: the same bits whichever argument is a literal.
    fn answer<O: Default>(
        &self,
        of: fn(&Kernel) -> Option<Answer<O>>,
        may_swap: bool,
    ) -> Result<O> {
        let (a, b, function) = (&self.a, &self.b, self.function);
        let find = |a: Kind, b: Kind| {
            let kernel = KERNELS.iter().find(|it| it.a == a && it.b == b);
            kernel.and_then(of)
        };
        // In the other order, boxes in any orientation and capsules have other bits among their own kind.
        let is_same = a.kind != b.kind || matches!(a.kind, Kind::Sphere | Kind::Aabb);
        let (answer, a, b, pairs) = match self.order {
            Order::AllToOne if may_swap && is_same => {
                (find(b.kind, a.kind), b, a, Pairs::one_to_all(0))
            }
            Order::OneToAll => (find(a.kind, b.kind), a, b, Pairs::one_to_all(0)),
            Order::Zip => (find(a.kind, b.kind), a, b, Pairs::zip()),
            Order::AllToOne => {
                let list: Vec<Pair> = (0..self.len as u32).map(|i| Pair::new(i, 0)).collect();
                let answer = find(a.kind, b.kind);
                return ask(function, answer, a, b, Pairs::from(&list));
            }
        };
        ask(function, answer, a, b, pairs)
    }

    /// Which rows have an answer: those with both shapes, neither of them bad.
    fn validity(&self, mut invalid: Vec<u64>) -> Option<NullBuffer> {
        if invalid.iter().all(|word| *word == 0) {
            return self.nulls.clone();
        }
        for word in &mut invalid {
            *word = !*word;
        }
        let good = NullBuffer::new(bits(invalid, self.len));
        NullBuffer::union(self.nulls.as_ref(), Some(&good))
    }

    fn overlaps(&self) -> Result<ArrayRef> {
        Ok(self.boolean(self.answer(|kernel| Some(kernel.overlap), true)?))
    }

    fn boolean(&self, overlaps: Overlaps) -> ArrayRef {
        let OverlapWords { hits, invalid, .. } = overlaps.into_words();
        let nulls = self.validity(invalid);
        Arc::new(BooleanArray::new(bits(hits, self.len), nulls))
    }

    fn sweeps(&self) -> Result<ArrayRef> {
        Ok(self.intervals(self.answer(|kernel| Some(kernel.sweep), true)?))
    }

    fn intervals(&self, sweeps: Sweeps) -> ArrayRef {
        let SweepColumns {
            hits,
            invalid,
            enter,
            exit,
            ..
        } = sweeps.into_columns();
        let nulls = self.validity(invalid);
        // Whoever takes one field out of the struct may not look at the nulls of the struct.
        let columns: Vec<ArrayRef> = vec![
            Arc::new(BooleanArray::new(bits(hits, self.len), nulls.clone())),
            Arc::new(Float32Array::new(enter.into(), nulls.clone())),
            Arc::new(Float32Array::new(exit.into(), nulls.clone())),
        ];
        Arc::new(StructArray::new(SWEEP.clone(), columns, nulls))
    }

    fn contacts(&self) -> Result<ArrayRef> {
        let contacts = self.answer(|kernel| kernel.contact, false)?;
        let nulls = self.validity(contacts.invalid_words().to_vec());
        let hits = bits(contacts.words().to_vec(), self.len);
        let has = NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(hits.clone())));
        let mut numbers: [Vec<f32>; 4] = std::array::from_fn(|_| vec![0.0; self.len]);
        let mut counts = vec![0; self.len];
        let mut points: [Vec<f32>; 4] = Default::default();
        let mut features = Vec::new();
        for contact in &contacts {
            let row = contact.position;
            if !is_there(nulls.as_ref(), row) {
                continue;
            }
            let [x, y, z] = contact.normal;
            for (column, number) in numbers.iter_mut().zip([x, y, z, contact.separation]) {
                column[row] = number;
            }
            counts[row] = contact.points().len();
            for point in contact.points() {
                let [x, y, z] = point.at;
                for (column, number) in points.iter_mut().zip([x, y, z, point.separation]) {
                    column.push(number);
                }
                features.push(point.feature);
            }
        }
        let mut of_points: Vec<ArrayRef> = Vec::new();
        for column in points {
            of_points.push(Arc::new(Float32Array::from(column)));
        }
        of_points.push(Arc::new(UInt8Array::from(features)));
        let points = ListArray::new(
            point_item(),
            OffsetBuffer::from_lengths(counts),
            Arc::new(StructArray::new(POINT.clone(), of_points, None)),
            has.clone(),
        );
        let mut columns: Vec<ArrayRef> = vec![Arc::new(BooleanArray::new(hits, nulls.clone()))];
        for column in numbers {
            columns.push(Arc::new(Float32Array::new(column.into(), has.clone())));
        }
        columns.push(Arc::new(points));
        Ok(Arc::new(StructArray::new(CONTACT.clone(), columns, nulls)))
    }
}

/// Bits in the memory of words.
fn bits(words: Vec<u64>, len: usize) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(words), 0, len)
}

fn ask<O: Default>(
    function: &str,
    answer: Option<Answer<O>>,
    a: &Columns<'_>,
    b: &Columns<'_>,
    pairs: Pairs<'_>,
) -> Result<O> {
    let (Some(answer), mut out) = (answer, O::default()) else {
        let (a, b) = (a.kind.name(), b.kind.name());
        return exec_err!("{function}: there is no such test of a {a} and a {b}");
    };
    match DETECTOR.with_borrow_mut(|detector| answer(detector, a, b, pairs, &mut out)) {
        Ok(()) => Ok(out),
        Err(error) => exec_err!("{function}: {error}"),
    }
}

/// Two arguments of a function.
pub(crate) fn two<T>(function: &str, arguments: Vec<T>) -> Result<[T; 2]> {
    let count = arguments.len();
    match <[T; 2]>::try_from(arguments) {
        Ok(arguments) => Ok(arguments),
        Err(_) => plan_err!("{function} takes 2 shapes, not {count} arguments"),
    }
}

impl ScalarUDFImpl for PairFunction {
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
        let function = self.name.as_str();
        let types = two(function, types.to_vec())?;
        for (argument, (kind, data_type)) in self.kinds.into_iter().zip(&types).enumerate() {
            check(Place { function, argument }, kind, data_type)?;
        }
        Ok(types.to_vec())
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.verb.return_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let function = self.name.as_str();
        let null = || {
            Ok(ColumnarValue::Scalar(ScalarValue::try_from(
                self.verb.return_type(),
            )?))
        };
        let [first, second] = two(function, args.args)?;
        let [first, second] = [Argument::new(first)?, Argument::new(second)?];
        let places = [0, 1].map(|argument| Place { function, argument });
        let [kind_a, kind_b] = self.kinds;
        let a = first.shapes(places[0], kind_a)?;
        let b = second.shapes(places[1], kind_b)?;
        let (Some((a, a_is_literal)), Some((b, b_is_literal))) = (a, b) else {
            return null();
        };
        let moving = self.verb == Verb::Sweep;
        let a = Columns::new(places[0], kind_a, a, moving)?;
        let b = Columns::new(places[1], kind_b, b, moving)?;
        let is_null = |columns: &Columns<'_>| !is_there(columns.nulls.as_ref(), 0);
        if a_is_literal && is_null(&a) || b_is_literal && is_null(&b) {
            return null();
        }
        let (order, len) = match (a_is_literal, b_is_literal) {
            (true, false) => (Order::OneToAll, b.len),
            (false, true) => (Order::AllToOne, a.len),
            _ => (Order::Zip, a.len),
        };
        let nulls = match order {
            Order::OneToAll => b.nulls.clone(),
            Order::AllToOne => a.nulls.clone(),
            Order::Zip if a.len == b.len => NullBuffer::union(a.nulls.as_ref(), b.nulls.as_ref()),
            Order::Zip => {
                return exec_err!(
                    "{function}: the arguments have {} and {} rows",
                    a.len,
                    b.len
                );
            }
        };
        let rows = Rows {
            function,
            a,
            b,
            order,
            len,
            nulls,
        };
        let answers = match self.verb {
            Verb::Overlap => rows.overlaps()?,
            Verb::Sweep => rows.sweeps()?,
            Verb::Contact => rows.contacts()?,
        };
        Ok(if a_is_literal && b_is_literal {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?)
        } else {
            ColumnarValue::Array(answers)
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Float32Type;

    use super::*;

    fn rows(len: usize) -> Rows<'static> {
        let numbers = |x: f32| -> ArrayRef { Arc::new(Float32Array::from(vec![x; len])) };
        let columns = ["x", "y", "z", "r"].map(|name| (name, DataType::Float32));
        let arrays = [0.0, 0.0, 0.0, 1.0].map(numbers).to_vec();
        let shapes: &'static StructArray =
            Box::leak(Box::new(StructArray::new(fields(columns), arrays, None)));
        let place = Place {
            function: "test",
            argument: 0,
        };
        let [a, b] = [0, 1].map(|_| Columns::new(place, Kind::Sphere, shapes, true).unwrap());
        Rows {
            function: "test",
            a,
            b,
            order: Order::Zip,
            len,
            nulls: None,
        }
    }

    #[test]
    fn answers_are_handed_on_in_their_own_memory() {
        let rows = rows(300);
        let overlaps = rows.answer(|kernel| Some(kernel.overlap), true).unwrap();
        let words = overlaps.words().as_ptr();
        let found = rows.boolean(overlaps);
        assert_eq!(found.as_boolean().values().inner().as_ptr(), words.cast());
        assert_eq!(found.as_boolean().true_count(), 300);

        let sweeps = rows.answer(|kernel| Some(kernel.sweep), true).unwrap();
        let (words, enter, exit) = (
            sweeps.words().as_ptr(),
            sweeps.enter().as_ptr(),
            sweeps.exit().as_ptr(),
        );
        let found = rows.intervals(sweeps);
        let found = found.as_struct();
        assert_eq!(
            found.column(0).as_boolean().values().inner().as_ptr(),
            words.cast()
        );
        assert_eq!(
            found
                .column(1)
                .as_primitive::<Float32Type>()
                .values()
                .as_ptr(),
            enter
        );
        assert_eq!(
            found
                .column(2)
                .as_primitive::<Float32Type>()
                .values()
                .as_ptr(),
            exit
        );
    }
}
