//! The state of a scene as bytes, to go on with it in another build.

use phalanx::{Hulls, Obbs};

/// Takes columns out of a scene, or puts them into one.
#[derive(Debug)]
pub enum Ferry<'a> {
    /// Collects the bytes of columns.
    Out(Vec<u8>),
    /// Hands out what was collected, in the same order.
    In {
        /// What is left.
        left: &'a [u8],
        /// Whether there was too little of it.
        is_short: bool,
    },
}

/// Bytes that are not the state of such a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// How many bytes were too many; zero if there were too few.
    pub left: usize,
}

impl<'a> Ferry<'a> {
    /// Collects.
    pub fn out() -> Self {
        Ferry::Out(Vec::new())
    }

    /// Hands these out.
    pub fn of(bytes: &'a [u8]) -> Self {
        Ferry::In {
            left: bytes,
            is_short: false,
        }
    }

    /// What was collected; nothing if it was handed out.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Ferry::Out(bytes) => bytes,
            Ferry::In { .. } => Vec::new(),
        }
    }

    /// Carries a column.
    pub fn words(&mut self, column: &mut [u32]) {
        for word in column {
            *word = self.word(*word);
        }
    }

    /// Carries a column.
    pub fn numbers(&mut self, column: &mut [f32]) {
        for x in column {
            *x = f32::from_bits(self.word(x.to_bits()));
        }
    }

    /// Carries a counter.
    pub fn counter(&mut self, x: &mut f64) {
        let bits = x.to_bits();
        let (high, low) = (self.word((bits >> 32) as u32), self.word(bits as u32));
        *x = f64::from_bits(u64::from(high) << 32 | u64::from(low));
    }

    /// Carries a number of things.
    pub fn count(&mut self, x: &mut usize) {
        *x = self.word(*x as u32) as usize;
    }

    /// Carries where boxes are, how they are turned, and how they move; their sizes stay as they are.
    pub fn boxes(&mut self, boxes: &mut Obbs) {
        let columns = boxes.columns_mut();
        for column in columns.center.into_iter().chain(columns.rotation) {
            self.numbers(column);
        }
        for column in columns.displacement.into_iter().chain(columns.turn) {
            self.numbers(column);
        }
    }

    /// Carries the poses of hulls; their kinds stay.
    pub fn hulls(&mut self, hulls: &mut Hulls) {
        let columns = hulls.poses_mut();
        for column in columns.center.into_iter().chain(columns.rotation) {
            self.numbers(column);
        }
    }

    /// Whether all went well.
    ///
    /// # Errors
    ///
    /// If there were other bytes than the columns have.
    pub fn arrive(&self) -> Result<(), Mismatch> {
        match self {
            Ferry::In { is_short: true, .. } => Err(Mismatch { left: 0 }),
            Ferry::In { left, .. } if !left.is_empty() => Err(Mismatch { left: left.len() }),
            _ => Ok(()),
        }
    }

    fn word(&mut self, word: u32) -> u32 {
        match self {
            Ferry::Out(bytes) => {
                bytes.extend(word.to_le_bytes());
                word
            }
            Ferry::In { left, is_short } => {
                let Some((first, rest)) = left.split_first_chunk() else {
                    *is_short = true;
                    return word;
                };
                *left = rest;
                u32::from_le_bytes(*first)
            }
        }
    }
}

impl core::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.left {
            0 => f.write_str("the state has too few bytes for this scene"),
            left => write!(f, "the state has {left} bytes more than this scene"),
        }
    }
}

impl std::error::Error for Mismatch {}
