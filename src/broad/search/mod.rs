//! The search of a store for each shape of another one.
//!
//! - [`wanted`] says what is searched, and what is found.
//! - [`scope`] is the order in which nodes are visited: [by time](by_time), [by distance](by_distance), or by the distance of
//!   [points](by_point). Each has its proof that nothing is missed.
//! - A [`traveller`] is a shape on its way through a tree, or a [bundle] of them; pairs [wait](waiting) for the kernel.
//! - [`search`] lets them take turns.

pub mod bundle;
pub mod by_distance;
pub mod by_point;
pub mod by_time;
pub mod found;
pub mod local_bounds;
pub mod ranking;
pub mod scope;
#[expect(
    clippy::module_inception,
    reason = "it holds the type that the room is named after"
)]
pub mod search;
#[cfg(test)]
mod tests;
pub mod traveller;
pub mod waiting;
pub mod wanted;
pub mod way;
