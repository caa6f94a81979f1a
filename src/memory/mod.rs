//! Columns on pages.

pub mod column;
pub mod pages;
