//! Tables and numbers in Markdown.

use std::fmt::{self, Display};

/// Text of a missing figure.
pub const NONE: &str = "–";

/// A table whose first column names the row.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Table {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", self.head.join(" | "))?;
        writeln!(
            f,
            "|---|{}",
            "--:|".repeat(self.head.len().saturating_sub(1))
        )?;
        for row in &self.rows {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

/// Three digits.
pub fn number(x: f64) -> String {
    match x {
        _ if x.is_nan() => NONE.into(),
        _ if x < 9.995 => format!("{x:.2}"),
        _ if x < 99.95 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

pub fn times(ratio: f64) -> String {
    format!("{} ×", number(ratio))
}

pub fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", part as f64 / whole as f64 * 100.0)
}
