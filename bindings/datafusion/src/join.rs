//! The SQL of a spatial join by cells.

use std::collections::HashSet;

use datafusion_common::{Result, TableReference, plan_err};
use phalanx::During;

use crate::cells::{cells_name, home_name};
use crate::functions::{pair_name, pairs_of_kinds};
use crate::kind::Kind;

/// One side of a join: a table, its column of shapes, and the columns to return.
#[derive(Clone, Debug)]
pub struct JoinSide {
    table: TableReference,
    shapes: String,
    kind: Kind,
    columns: Vec<[String; 2]>,
}

impl JoinSide {
    /// The shapes of a kind in a column of a table.
    ///
    /// A table given as text is read as SQL does: `Parts` is `parts`, unless it stands in quotes. Columns are taken
    /// as they are.
    pub fn new(table: impl Into<TableReference>, shapes: &str, kind: Kind) -> Self {
        JoinSide {
            table: table.into(),
            shapes: shapes.to_string(),
            kind,
            columns: Vec::new(),
        }
    }

    /// Also returns a column of the table, under a name of its own.
    #[must_use]
    pub fn column(mut self, column: &str, name: &str) -> Self {
        self.columns.push([column.to_string(), name.to_string()]);
        self
    }
}

/// A join of two tables of shapes that touch, by the cells of a grid.
///
/// Each pair that the test reports is returned once. A size of cells somewhat above that of most shapes is fast; any
/// size returns the same pairs, unless a shape falls into more than [`MAX_CELLS`](crate::MAX_CELLS), which is an
/// error. A table joined with itself returns each pair in both orders, and each shape with itself.
///
/// ```
/// use phalanx_datafusion::{CellJoin, JoinSide, Kind};
///
/// let bullets = JoinSide::new("bullets", "ball", Kind::Sphere).column("id", "bullet");
/// let walls = JoinSide::new("walls", "box", Kind::Obb).column("id", "wall");
/// let sql = CellJoin::overlap(bullets, walls, 2.0).sql()?;
/// assert!(sql.contains("sphere_obb_overlap"));
/// # Ok::<(), datafusion_common::DataFusionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CellJoin {
    left: JoinSide,
    right: JoinSide,
    during: During,
    size: f64,
}

impl CellJoin {
    /// A join of shapes that touch now.
    pub fn overlap(left: JoinSide, right: JoinSide, size: f64) -> Self {
        CellJoin {
            left,
            right,
            during: During::Start,
            size,
        }
    }

    /// A join of shapes that touch during the frame. It also returns the columns `enter` and `exit`.
    pub fn sweep(left: JoinSide, right: JoinSide, size: f64) -> Self {
        CellJoin {
            left,
            right,
            during: During::Frame,
            size,
        }
    }

    /// The join in SQL.
    ///
    /// # Errors
    ///
    /// A plan error for a size that is not above zero, for kinds without a test or without an end, for a name that
    /// is returned twice, and if no column is.
    pub fn sql(&self) -> Result<String> {
        let CellJoin {
            left,
            right,
            during,
            size,
        } = self;
        let (a, b) = (left.kind, right.kind);
        if !(*size > 0.0 && size.is_finite()) {
            return plan_err!("the size of cells is {size}, not above zero and finite");
        }
        if !(a.is_bounded() && b.is_bounded() && pairs_of_kinds().any(|kinds| kinds == (a, b))) {
            return plan_err!(
                "there is no join by cells of a {} and a {}",
                a.name(),
                b.name()
            );
        }
        let pair = pair_name(a, b);
        let (test, times) = match during {
            During::Start => (format!("{pair}_overlap(a.shape, b.shape)"), vec![]),
            _ => {
                let times = format!("{pair}_sweep(a.shape, b.shape)");
                let named =
                    |name: &str| (format!("get_field({times}, '{name}')"), name.to_string());
                (
                    format!("get_field({times}, 'hit')"),
                    vec![named("enter"), named("exit")],
                )
            }
        };
        let mut returned: Vec<(String, String)> = Vec::new();
        for (side, columns) in [("a", &left.columns), ("b", &right.columns)] {
            for (at, [_, name]) in columns.iter().enumerate() {
                returned.push((format!("{side}.column_{at}"), name.clone()));
            }
        }
        if returned.is_empty() {
            return plan_err!("the join returns no column: name some with JoinSide::column");
        }
        returned.extend(times);
        let mut names = HashSet::new();
        if let Some((_, twice)) = returned.iter().find(|(_, name)| !names.insert(name)) {
            return plan_err!("the join returns two columns {twice:?}");
        }
        let select: Vec<_> = returned
            .iter()
            .map(|(from, name)| format!("{from} AS {}", quoted(name)))
            .collect();
        Ok(format!(
            "SELECT {}\nFROM (\n{}\n) AS a\nJOIN (\n{}\n) AS b ON a.cell = b.cell\n\
             WHERE {}(a.shape, b.shape, {size:e}) = a.cell\n  AND {test}",
            select.join(", "),
            self.cells_of(left),
            self.cells_of(right),
            home_name(a, b, *during),
        ))
    }

    /// The rows of a side, one for each cell that its shape falls into.
    fn cells_of(&self, side: &JoinSide) -> String {
        let shapes = quoted(&side.shapes);
        let columns = side.columns.iter().enumerate();
        let columns: String = columns
            .map(|(at, [column, _])| format!("{} AS column_{at}, ", quoted(column)))
            .collect();
        let (cells, size) = (cells_name(side.kind, self.during), self.size);
        let table: Vec<_> = side
            .table
            .to_vec()
            .iter()
            .map(|part| quoted(part))
            .collect();
        format!(
            "  SELECT {columns}{shapes} AS shape, unnest({cells}({shapes}, {size:e})) AS cell\n  FROM {}",
            table.join(".")
        )
    }
}

/// A name in quotes. SQL has words that may not stand without.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
