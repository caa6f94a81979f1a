//! Bytes read as shapes, pairs and settings.

use phalanx::{MAX_LENGTH, Pair, Store};

use super::expected::Expected;

/// Bytes read from both ends; zeros past the end.
pub struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Bytes(bytes.iter())
    }

    fn front(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn back(&mut self) -> u8 {
        self.0.next_back().copied().unwrap_or(0)
    }

    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes([(); 4].map(|()| self.front()))
    }
}

/// Inputs of a call.
pub struct Scene<A: Expected, B: Expected> {
    pub a: Store<A>,
    pub b: Store<B>,
    pub list: Vec<Pair>,
    /// An arbitrary number.
    pub margin: f32,
    /// The index for `one_to_all`, sometimes out of range.
    pub one: u32,
}

impl<A: Expected, B: Expected> Scene<A, B> {
    /// Numbers come from the front, in whole words after the header, and smaller values from the back. So an additional
    /// shape does not change the others.
    pub fn read(mut bytes: Bytes<'_>) -> Self {
        let [len_a, len_b, len_list] = [21, 21, 71].map(|end| usize::from(bytes.front()) % end);
        let margin = bytes.word();
        let [one, how_margin, ..] = bytes.word().to_le_bytes();
        let [margin] = numbers(How::from(how_margin), [margin]);
        let a = shapes(&mut bytes, len_a);
        let b = shapes(&mut bytes, len_b);
        let list = (0..len_list)
            .map(|_| Pair::new(index(bytes.back(), len_a), index(bytes.back(), len_b)))
            .collect();
        Scene {
            a,
            b,
            list,
            margin,
            one: index(one, len_a),
        }
    }

    /// Brings indices back into the range of other stores, except those out of range of any.
    pub fn keep_within(&mut self, len_a: usize, len_b: usize) {
        let within = |index: u32, len: usize| match (index as usize) < 21 {
            true if len > 0 => index % len as u32,
            _ => index,
        };
        for pair in &mut self.list {
            *pair = Pair::new(within(pair.a, len_a), within(pair.b, len_b));
        }
    }
}

/// An index, sometimes out of range.
fn index(byte: u8, len: usize) -> u32 {
    match byte {
        255 => u32::MAX,
        254 => i32::MAX as u32 + 1,
        253 => len as u32,
        _ if len == 0 => byte.into(),
        _ => u32::from(byte) % len as u32,
    }
}

/// Conversion of the words of a shape.
#[derive(Clone, Copy)]
enum How {
    /// Unchanged.
    Raw,
    /// Made a valid shape with the fewest changes, so still extreme.
    Mended,
    /// Made a valid shape, then scaled by up to 2e-3 in all its numbers: across the limits of lengths and rotations, or
    /// up to them.
    Scaled,
    /// Made multiples of an eighth, so that shapes are near each other and touch exactly, then a valid shape.
    Near,
}

impl From<u8> for How {
    fn from(byte: u8) -> Self {
        [How::Raw, How::Mended, How::Near, How::Scaled][usize::from(byte) % 4]
    }
}

fn numbers<const N: usize>(how: How, words: [u32; N]) -> [f32; N] {
    words.map(|word| match how {
        How::Near => f32::from(word as i8) / 8.0,
        _ => f32::from_bits(word),
    })
}

fn shapes<T: Expected>(bytes: &mut Bytes<'_>, len: usize) -> Store<T> {
    let mut store = Store::new();
    for _ in 0..len {
        let how = How::from(bytes.back());
        let mut shape = T::zeroed();
        for x in each_number(&mut shape) {
            [*x] = numbers(how, [bytes.word()]);
        }
        let mut displacement = numbers(how, [(); 3].map(|()| bytes.word()));
        if !matches!(how, How::Raw) {
            shape.mend();
            displacement = displacement.map(as_length);
        }
        if matches!(how, How::Scaled) {
            let factor = 1.0 + f32::from(bytes.back() as i8) / 64e3;
            for x in each_number(&mut shape) {
                *x *= factor;
            }
            displacement = displacement.map(|x| x * factor);
        }
        store.push_moving(shape, displacement);
    }
    store
}

fn each_number<T: Expected>(shape: &mut T) -> &mut [f32] {
    bytemuck::cast_slice_mut(std::slice::from_mut(shape))
}

/// The nearest length; zero for NaN.
pub fn as_length(x: f32) -> f32 {
    if x.is_nan() {
        0.0
    } else {
        x.clamp(-MAX_LENGTH, MAX_LENGTH)
    }
}

/// The nearest size, up to its sign.
pub fn as_size(x: f32) -> f32 {
    as_length(x).abs()
}
