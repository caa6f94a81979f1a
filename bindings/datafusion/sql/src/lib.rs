//! Tests and an example of phalanx-datafusion in SQL.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
