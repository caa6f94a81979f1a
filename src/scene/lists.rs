//! Pair lists by the kinds of their shapes.

use alloc::vec::Vec;

use crate::pairs::Pair;
use crate::scene::collider::Kind;

/// One pair list for each two kinds. Lists keep their memory.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    lists: Vec<Vec<Pair>>,
}

impl Lists {
    /// Empties all lists.
    pub fn clear(&mut self) {
        self.lists.resize_with(Kind::COUNT * Kind::COUNT, Vec::new);
        self.lists.iter_mut().for_each(Vec::clear);
    }

    /// Appends a pair of rows.
    pub fn push(&mut self, a: Kind, b: Kind, pair: Pair) {
        self.lists[a as usize * Kind::COUNT + b as usize].push(pair);
    }

    /// The lists that are not empty, with their kinds.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, Kind, &[Pair])> {
        let each = |a: Kind| Kind::STORED.into_iter().map(move |b| (a, b));
        let kinds = Kind::STORED.into_iter().flat_map(each);
        kinds.filter_map(|(a, b)| {
            let list = self.lists.get(a as usize * Kind::COUNT + b as usize)?;
            (!list.is_empty()).then_some((a, b, &list[..]))
        })
    }

    /// Sorts all lists.
    pub fn sort(&mut self) {
        self.lists.iter_mut().for_each(|list| list.sort_unstable());
    }
}
