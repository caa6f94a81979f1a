//! The figures of README.md, BENCHMARKS.md and the guide are those of the newest data file and of the contract.
//!
//! A table of a page is below a line `<!-- figures: NAME -->`, and is generated here from the tables of the newest file
//! in `benches/results`, which the report wrote, and of `src/contract.md`. Sentences with figures are compared
//! verbatim. Update the figures by
//!
//! ```text
//! PHALANX_PAGES=write cargo test --release -p phalanx-bench --test pages
//! ```

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const NONE: &str = "–";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The data file with the latest day in its name.
fn newest_results() -> PathBuf {
    let folder = root().join("benches/results");
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.map(|file| file.expect("a file of the folder").path());
    let newest = paths
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .max();
    newest.expect("no data file")
}

/// A Markdown table and the heading above it.
struct Table {
    section: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// All tables of a page.
struct Tables(Vec<Table>);

impl Tables {
    fn of(text: &str) -> Self {
        let (mut tables, mut section) = (Vec::<Table>::new(), String::new());
        let mut is_within = false;
        for line in text.lines() {
            if let Some(title) = line.strip_prefix('#') {
                section = title.trim_start_matches('#').trim().to_owned();
            }
            let Some(cells) = line
                .strip_prefix('|')
                .and_then(|line| line.strip_suffix('|'))
            else {
                is_within = false;
                continue;
            };
            let cells: Vec<String> = cells
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect();
            if !is_within {
                tables.push(Table {
                    section: section.clone(),
                    head: cells,
                    rows: Vec::new(),
                });
            } else if !line.starts_with("|--") {
                tables
                    .last_mut()
                    .expect("a head comes first")
                    .rows
                    .push(cells);
            }
            is_within = true;
        }
        Tables(tables)
    }

    /// The table with this column below a heading.
    fn table(&self, section: &str, column: &str) -> &Table {
        let is_it = |table: &&Table| {
            table.section == section && table.head.iter().any(|head| head == column)
        };
        self.0
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("no table with a column {column:?} below {section:?}"))
    }
}

impl Table {
    /// The cell of a column in the row that begins with `row`.
    fn cell(&self, row: &[&str], column: &str) -> &str {
        let at = self.head.iter().position(|head| head == column);
        let at = at.unwrap_or_else(|| panic!("no column {column:?} in {:?}", self.head));
        let is_it = |cells: &&Vec<String>| cells.iter().zip(row).all(|(cell, name)| cell == name);
        let cells = self
            .rows
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("no row {row:?} in {:?}", self.section));
        &cells[at]
    }

    fn column(&self, column: &str) -> impl Iterator<Item = &str> {
        let at = self.head.iter().position(|head| head == column);
        let at = at.unwrap_or_else(|| panic!("no column {column:?} in {:?}", self.head));
        self.rows.iter().map(move |cells| cells[at].as_str())
    }
}

/// The figure before the brackets of a cell such as `2.92 (2.34 ×)`.
fn time(cell: &str) -> &str {
    cell.split(" (").next().unwrap_or(cell)
}

/// The figure in the brackets.
fn ratio(cell: &str) -> &str {
    cell.split_once(" (")
        .map_or(NONE, |(_, ratio)| ratio.trim_end_matches([')', '×', ' ']))
}

fn parsed(figure: &str) -> f64 {
    let digits: String = figure.chars().filter(|c| !c.is_whitespace()).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{figure:?} is no figure"))
}

/// The smallest and the largest of some figures, as written.
fn range<'a>(figures: impl Iterator<Item = &'a str>) -> (&'a str, &'a str) {
    let mut figures: Vec<&str> = figures.filter(|figure| *figure != NONE).collect();
    figures.sort_by(|a, b| parsed(a).total_cmp(&parsed(b)));
    (figures[0], figures[figures.len() - 1])
}

/// Two digits, for ratios that need no more.
fn short(figure: &str) -> String {
    if figure == NONE {
        return NONE.into();
    }
    let x = parsed(figure);
    if x < 9.95 {
        format!("{x:.1}")
    } else {
        format!("{x:.0}")
    }
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let named = head
        .iter()
        .take_while(|head| !head.starts_with('>'))
        .count();
    let mut text = String::new();
    let heads: Vec<&str> = head
        .iter()
        .map(|head| head.trim_start_matches('>'))
        .collect();
    let _ = writeln!(text, "| {} |", heads.join(" | "));
    let _ = writeln!(
        text,
        "|{}{}",
        "---|".repeat(named),
        "--:|".repeat(head.len() - named)
    );
    for row in rows {
        assert_eq!(row.len(), head.len(), "{row:?}");
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// The kernels of the tables, and their names in text.
const KERNELS: [(&str, &str, &str); 5] = [
    ("sphere_sphere_overlap", "sphere – sphere", "`overlap`"),
    ("sphere_sphere_sweep", "sphere – sphere", "`sweep`"),
    ("aabb_aabb_overlap", "AABB – AABB", "`overlap`"),
    ("aabb_aabb_sweep", "AABB – AABB", "`sweep`"),
    ("obb_obb_overlap", "OBB – OBB", "`overlap`"),
];

fn strings<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}

/// Sources of the pages.
struct Sources {
    results: Tables,
    contract: Tables,
}

impl Sources {
    fn read() -> Self {
        Sources {
            results: Tables::of(&read(&newest_results())),
            contract: Tables::of(&read(&root().join("src/contract.md"))),
        }
    }

    fn kernels(&self) -> &Table {
        self.results.table("Default build", "kernel")
    }

    /// The instruction set that phalanx uses by default.
    fn best(&self) -> &str {
        &self.kernels().head[3]
    }

    /// Every table of the pages, by name.
    fn tables(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("pairs", self.pairs()),
            ("frames", self.frames()),
            ("candidates", self.candidates()),
            ("rays", self.rays()),
            ("meshes", self.meshes()),
            ("nearest", self.nearest()),
            ("distances", self.distances()),
            ("hulls", self.hulls()),
            ("kernels", self.kernel_times()),
            ("in a frame", self.in_frame()),
            ("contacts", self.contacts()),
            ("impacts", self.impacts()),
            ("casts", self.casts()),
            ("lists", self.lists()),
            ("threads", self.threads()),
            ("missed", self.missed()),
            ("missed by kind", self.missed_by_kind()),
            ("turning", self.turning()),
        ])
    }

    /// The table of README: a million pairs.
    fn pairs(&self) -> String {
        let (kernels, best) = (self.kernels(), self.best());
        let mut rows: Vec<_> = KERNELS
            .iter()
            .map(|(kernel, shapes, verb)| {
                let cell = |column| kernels.cell(&[kernel, "1M"], column);
                let parry = match (*kernel, time(cell("parry3d"))) {
                    (_, NONE) => NONE.into(),
                    ("sphere_sphere_sweep", cast) => {
                        format!("{cast}; ball cast {}", time(cell("parry3d ball cast")))
                    }
                    (_, time) => time.to_owned(),
                };
                let own = format!("**{}**", cell(best));
                let others = [time(cell("wreck")), time(cell("by hand"))].map(String::from);
                [
                    vec![format!("{shapes}, {verb}"), own, parry],
                    others.to_vec(),
                ]
                .concat()
            })
            .collect();
        let contact = |column| {
            self.results
                .table("Contacts", "contact")
                .cell(&["obb_obb_contact"], column)
        };
        rows.push(vec![
            "OBB – OBB, `contact`".into(),
            format!("**{}**", contact("contact")),
            format!(
                "{}; `query::contact` {}",
                time(contact("parry3d manifold, new")),
                time(contact("parry3d contact"))
            ),
            NONE.into(),
            NONE.into(),
        ]);
        let impact = |column| {
            self.results
                .table("Impacts", "kernel")
                .cell(&["obb_obb_impact", "1M, hard"], column)
        };
        rows.push(vec![
            "rotating OBBs, `impact` within 1e-3".into(),
            format!("**{}**", impact("within 1e-3")),
            time(impact("parry3d nonlinear")).to_owned(),
            NONE.into(),
            NONE.into(),
        ]);
        table(
            &[
                "ns per pair",
                ">phalanx",
                ">parry3d",
                ">wreck",
                ">a loop by hand",
            ],
            rows,
        )
    }

    fn frame(&self, work: &str, scene: &str, column: &str) -> &str {
        self.results
            .table("Frames", "work")
            .cell(&[work, scene], column)
    }

    fn frames(&self) -> String {
        let rows = [
            (
                "motion of a game",
                "game: boxes drift by up to 1 % of their size",
            ),
            ("free motion", "free: every box moves by half its size"),
        ];
        let rows = rows.map(|(motion, about)| {
            let cell = |column| self.frame("whole frame", &format!("20000, {motion}"), column);
            strings([
                about,
                cell("phalanx"),
                time(cell("parry3d")),
                ratio(cell("parry3d")),
            ])
        });
        table(&["motion", ">phalanx", ">parry3d", ">times as fast"], rows)
    }

    /// Milliseconds become nanoseconds a box.
    fn candidates(&self) -> String {
        let sizes = [
            ("20 000", 20_000),
            ("100 000", 100_000),
            ("1 000 000", 1_000_000),
        ];
        let rows = sizes.map(|(name, size)| {
            let cell = |motion: &str, column| {
                self.frame("candidates", &format!("{size}, {motion}"), column)
            };
            let per_box = |ms: &str| format!("{:.0}", parsed(ms) * 1e6 / f64::from(size));
            let own = |motion| {
                let ratio = ratio(cell(motion, "parry3d"));
                format!("{} ({})", per_box(cell(motion, "phalanx")), short(ratio))
            };
            let threads = ["free motion", "motion of a game"]
                .map(|motion| per_box(cell(motion, "phalanx, 2 threads")));
            vec![
                name.to_owned(),
                own("free motion"),
                own("motion of a game"),
                threads.join(", "),
            ]
        });
        table(
            &[
                ">boxes",
                ">free motion",
                ">a game's motion",
                ">two threads: free, a game's",
            ],
            rows,
        )
    }

    /// Nanoseconds per ray.
    fn rays(&self) -> String {
        let scenes = [
            (
                "cube of 1 km, rays of 10 to 1000 m",
                "cube, rays of 10 to 1000 m",
            ),
            ("cube of 1 km, rays of 1 to 10 m", "cube, rays of 1 to 10 m"),
            (
                "4 km x 4 km x 60 m, rays of 10 to 1000 m",
                "flat, rays of 10 to 1000 m",
            ),
            ("new cube, rays of 10 to 1000 m", "new level"),
        ];
        let rows = scenes.map(|(name, scene)| {
            let cells = ["100000", "1000000"].map(|size| {
                let scene = format!("{size}, {scene}");
                let cell = |column| self.results.table("Rays", "scene").cell(&[&scene], column);
                let own = [time(cell("phalanx")), time(cell("phalanx, 2 threads"))];
                let own = own.into_iter().filter(|time| *time != NONE);
                let own = own.collect::<Vec<_>>().join(", ");
                format!("{own} ({})", short(ratio(cell("parry3d"))))
            });
            [strings([name]), cells.to_vec()].concat()
        });
        table(&["scene", ">100 000 boxes", ">1 000 000"], rows)
    }

    /// Nanoseconds per ray or box.
    fn meshes(&self) -> String {
        let scenes = [
            ("rays down", "rays down"),
            ("rays of 50 to 500 m", "rays of 50 to 500 m"),
            ("rays of 0.2 to 2 m", "rays of 0.2 to 2 m"),
            ("boxes lying on it, a frame", "boxes at rest"),
        ];
        let meshes = self.results.table("Meshes", "scene");
        let rows = scenes.map(|(name, scene)| {
            let cells = ["9800", "500000"].map(|size| {
                let scene = format!("{size}, {scene}");
                let cell = |column| meshes.cell(&[&scene], column);
                format!(
                    "{} ({})",
                    time(cell("phalanx")),
                    short(ratio(cell("parry3d")))
                )
            });
            [strings([name]), cells.to_vec()].concat()
        });
        table(&["scene", ">9 800 triangles", ">500 000"], rows)
    }

    /// Nanoseconds per point.
    fn nearest(&self) -> String {
        let nearest = self.results.table("Nearest", "scene");
        let rows = [("OBBs", "boxes"), ("triangles", "triangles")].map(|(name, shapes)| {
            let cells = ["100000", "1000000"].map(|size| {
                let cell = |column| nearest.cell(&[&format!("{size} {shapes}")], column);
                format!(
                    "{} ({})",
                    time(cell("phalanx")),
                    short(ratio(cell("parry3d")))
                )
            });
            [strings([name]), cells.to_vec()].concat()
        });
        table(&["nearest of", ">100 000", ">1 000 000"], rows)
    }

    /// Nanoseconds per pair.
    fn distances(&self) -> String {
        const SHAPES: [(&str, &str); 10] = [
            ("sphere_sphere", "sphere – sphere"),
            ("sphere_obb", "sphere – OBB"),
            ("capsule_capsule", "capsule – capsule"),
            ("capsule_obb", "capsule – OBB"),
            ("obb_obb", "OBB – OBB"),
            ("sphere_triangle", "sphere – triangle"),
            ("capsule_triangle", "capsule – triangle"),
            ("obb_triangle", "OBB – triangle"),
            ("triangle_triangle", "triangle – triangle"),
            ("obb_half_space", "OBB – half-space"),
        ];
        let distances = self.results.table("Distances", "kernel");
        let rows = SHAPES.map(|(shapes, name)| {
            let kernel = format!("{shapes}_distance");
            let cell = |column| distances.cell(&[&kernel], column);
            vec![
                name.to_owned(),
                cell("distance").to_owned(),
                time(cell("parry3d")).to_owned(),
                short(ratio(cell("parry3d"))),
            ]
        });
        table(
            &["shapes", ">`distance`", ">parry3d", ">times as fast"],
            rows,
        )
    }

    /// Nanoseconds per pair or rock.
    fn hulls(&self) -> String {
        const SCENES: [&str; 4] = [
            "16 points, close",
            "16 points, apart",
            "32 points, close",
            "32 points, apart",
        ];
        let hulls = self.results.table("Hulls", "verb");
        let cell = |verb: &str, scene: &str| {
            let cell = |column| hulls.cell(&[verb, scene], column);
            let ratio = short(ratio(cell("parry3d")));
            format!("{} ({ratio})", cell("phalanx"))
        };
        let verbs = [
            ("overlap", "`overlap`"),
            ("distance", "`distance`"),
            ("sweep", "`sweep`"),
            ("contact", "`contact` of pairs that touch"),
        ];
        let mut rows: Vec<_> = verbs
            .iter()
            .map(|(verb, name)| {
                let cells = SCENES.map(|scene| cell(&format!("hull_hull_{verb}"), scene));
                [strings([*name]), cells.to_vec()].concat()
            })
            .collect();
        let frame = cell("whole frame", "rocks of 32 points");
        rows.push(strings([
            "a frame of 5 000 rocks, per rock",
            NONE,
            NONE,
            &frame,
            NONE,
        ]));
        table(
            &[
                "",
                ">16 points, close",
                ">apart",
                ">32 points, close",
                ">apart",
            ],
            rows,
        )
    }

    /// Times, and speed relative to each peer on 16k and on 1M.
    fn kernel_times(&self) -> String {
        let rows = KERNELS.iter().map(|(kernel, shapes, verb)| {
            let time = |scene: &str| {
                self.kernels()
                    .cell(&[kernel, scene], self.best())
                    .to_owned()
            };
            let both = |peer: &str| {
                let ratios =
                    ["16k", "1M"].map(|scene| ratio(self.kernels().cell(&[kernel, scene], peer)));
                if ratios[0] == NONE {
                    NONE.into()
                } else {
                    ratios.join(", ")
                }
            };
            let mut parry = both("parry3d");
            if *kernel == "sphere_sphere_sweep" {
                parry = format!("{parry}; ball cast {}", both("parry3d ball cast"));
            }
            let named = [format!("{shapes}, {verb}")].into_iter();
            let times = ["16k", "1M", "4M", "4M random"].map(time);
            named
                .chain(times)
                .chain([parry, both("wreck"), both("by hand")])
                .collect()
        });
        let head = [
            "kernel",
            ">16k",
            ">1M",
            ">4M",
            ">4M random",
            ">parry3d",
            ">wreck",
            ">by hand",
        ];
        table(&head, rows)
    }

    /// Calls after other work, and the same when called repeatedly.
    fn in_frame(&self) -> String {
        let lone = self.results.table("Calls within a frame", "kernel");
        let rows = KERNELS.iter().map(|(kernel, shapes, verb)| {
            let cell = |column| lone.cell(&[kernel], column);
            let again = self.kernels().cell(&[kernel, "16k"], self.best());
            let ratios = ["parry3d", "wreck", "by hand"].map(|peer| ratio(cell(peer)));
            let named = [format!("{shapes}, {verb}"), again.to_owned()];
            let own = [cell(self.best()).to_owned()];
            let ratios = ratios.map(String::from);
            named.into_iter().chain(own).chain(ratios).collect()
        });
        let head = [
            "kernel",
            ">repeated",
            ">in a frame",
            ">parry3d",
            ">wreck",
            ">by hand",
        ];
        table(&head, rows)
    }

    fn contacts(&self) -> String {
        const COLUMNS: [(&str, &str); 9] = [
            ("obb_obb_contact", "OBB – OBB"),
            ("aabb_obb_contact", "AABB – OBB"),
            ("aabb_aabb_contact", "AABB – AABB"),
            ("sphere_obb_contact", "sphere – OBB"),
            ("sphere_sphere_contact", "sphere – sphere"),
            ("capsule_obb_contact", "capsule – OBB"),
            ("sphere_triangle_contact", "sphere – triangle"),
            ("capsule_triangle_contact", "capsule – triangle"),
            ("obb_triangle_contact", "OBB – triangle"),
        ];
        let all = self.results.table("Contacts", "contact");
        let hits = self.results.table("Contacts", "beyond overlap");
        let row = |name: &str, cell: &dyn Fn(&str) -> String| {
            let cells = COLUMNS.iter().map(|(kernel, _)| cell(kernel));
            [name.to_owned()]
                .into_iter()
                .chain(cells)
                .collect::<Vec<_>>()
        };
        // New manifolds for boxes, and for spheres their own call, if parry3d has one.
        let first = |table: &Table, kernel: &str| {
            let ways = ["parry3d manifold, new", "parry3d ball contact"]
                .map(|way| ratio(table.cell(&[kernel], way)));
            short(
                ways.into_iter()
                    .find(|ratio| *ratio != NONE)
                    .unwrap_or(NONE),
            )
        };
        let rows = [
            row("`contact`, per pair", &|kernel| {
                all.cell(&[kernel], "contact").to_owned()
            }),
            row("per hit beyond `overlap`", &|kernel| {
                hits.cell(&[kernel], "beyond overlap").to_owned()
            }),
            row("all pairs: new manifolds, or `Ball` contact", &|kernel| {
                first(all, kernel)
            }),
            row("all pairs: `query::contact`", &|kernel| {
                short(ratio(all.cell(&[kernel], "parry3d contact")))
            }),
            row("hits: new manifolds, or `Ball` contact", &|kernel| {
                first(hits, kernel)
            }),
        ];
        let heads: Vec<String> = COLUMNS.iter().map(|(_, name)| format!(">{name}")).collect();
        let heads: Vec<&str> = [""]
            .into_iter()
            .chain(heads.iter().map(String::as_str))
            .collect();
        table(&heads, rows)
    }

    fn impacts(&self) -> String {
        const COLUMNS: [&str; 6] = [
            "obb_obb_impact",
            "aabb_obb_impact",
            "sphere_obb_impact",
            "capsule_obb_impact",
            "obb_half_space_impact",
            "obb_triangle_impact",
        ];
        let impacts = self.results.table("Impacts", "kernel");
        let row = |name: &str, scene: &str, own: &str, peer: &str| {
            let cells = COLUMNS.map(|kernel| {
                let cell = |column| impacts.cell(&[kernel, scene], column);
                format!("{} ({})", cell(own), short(ratio(cell(peer))))
            });
            [name.to_owned()]
                .into_iter()
                .chain(cells)
                .collect::<Vec<_>>()
        };
        let (fine, coarse) = (
            ("within 1e-3", "parry3d nonlinear"),
            ("within 5e-3", "parry3d sweep"),
        );
        let rows = [
            row(
                "within 1e-3, 0.48 rad; `cast_shapes_nonlinear`",
                "16k, hard",
                fine.0,
                fine.1,
            ),
            row(
                "within 1e-3, to 0.2 rad; `cast_shapes_nonlinear`",
                "16k, games",
                fine.0,
                fine.1,
            ),
            row(
                "within 5e-3, 0.48 rad; `sweep_time_of_impact`",
                "16k, hard",
                coarse.0,
                coarse.1,
            ),
            row(
                "1M: within 1e-3, 0.48 rad; `cast_shapes_nonlinear`",
                "1M, hard",
                fine.0,
                fine.1,
            ),
        ];
        let head = [
            "16k",
            ">OBB – OBB",
            ">AABB – OBB",
            ">sphere – OBB",
            ">capsule – OBB",
            ">OBB – half-space",
            ">OBB – triangle",
        ];
        table(&head, rows)
    }

    /// Casts and distances of parry3d, on 16k.
    fn casts(&self) -> String {
        const SHAPES: [(&str, &str); 14] = [
            ("point_sphere", "point – sphere"),
            ("point_aabb", "point – AABB"),
            ("point_obb", "point – OBB"),
            ("sphere_aabb", "sphere – AABB"),
            ("sphere_obb", "sphere – OBB"),
            ("sphere_capsule", "sphere – capsule"),
            ("capsule_capsule", "capsule – capsule"),
            ("capsule_obb", "capsule – OBB"),
            ("obb_obb", "OBB – OBB"),
            ("point_triangle", "point – triangle"),
            ("sphere_triangle", "sphere – triangle"),
            ("capsule_triangle", "capsule – triangle"),
            ("obb_triangle", "OBB – triangle"),
            ("triangle_triangle", "triangle – triangle"),
        ];
        let rows = SHAPES.map(|(shapes, name)| {
            let cell = |verb: &str| {
                let kernel = format!("{shapes}_{verb}");
                let cell = |column| self.kernels().cell(&[&kernel, "16k"], column);
                match ratio(cell("parry3d")) {
                    NONE => cell(self.best()).to_owned(),
                    ratio => format!("{} ({})", cell(self.best()), short(ratio)),
                }
            };
            vec![name.to_owned(), cell("overlap"), cell("sweep")]
        });
        table(&["shapes", ">`overlap`", ">`sweep`"], rows)
    }

    /// Speed of one thread relative to the first peer.
    fn lists(&self) -> String {
        const LENGTHS: [&str; 8] = ["1", "4", "8", "32", "128", "512", "2k", "8k"];
        let lists = self.results.table("Lengths of lists", "pairs of shapes");
        let rows = KERNELS.iter().map(|(kernel, shapes, verb)| {
            let cells = LENGTHS.map(|length| {
                let scene = format!("{length} of 4k");
                let peers =
                    ["parry3d", "by hand"].map(|peer| ratio(lists.cell(&[kernel, &scene], peer)));
                peers
                    .into_iter()
                    .find(|ratio| *ratio != NONE)
                    .unwrap_or(NONE)
                    .to_owned()
            });
            [format!("{shapes}, {verb}")]
                .into_iter()
                .chain(cells)
                .collect()
        });
        let heads: Vec<String> = LENGTHS.iter().map(|length| format!(">{length}")).collect();
        let heads: Vec<&str> = ["kernel, 4096 shapes"]
            .into_iter()
            .chain(heads.iter().map(String::as_str))
            .collect();
        table(&heads, rows)
    }

    fn threads(&self) -> String {
        let threads = self.results.table("Threads", "2 threads");
        let named = KERNELS
            .iter()
            .map(|(kernel, shapes, verb)| (*kernel, format!("{shapes}, {verb}")));
        let named = named.chain([("arithmetic in registers", "pure ALU loop".into())]);
        let rows = named.map(|(row, name)| {
            let [one, two] = ["1 thread", "2 threads"].map(|column| threads.cell(&[row], column));
            vec![name, one.into(), time(two).into(), ratio(two).into()]
        });
        table(
            &[
                "ns per pair",
                ">one thread",
                ">two threads",
                ">times as fast",
            ],
            rows,
        )
    }

    /// Contacts missed by each library, of 1000: all rows, for the guide.
    fn missed(&self) -> String {
        const ROWS: [(&str, &str); 19] = [
            ("sphere_sphere_overlap", "sphere – sphere, `overlap`"),
            ("sphere_sphere_sweep", "sphere – sphere, `sweep`"),
            ("aabb_aabb_overlap", "AABB – AABB, `overlap`"),
            ("aabb_aabb_sweep", "AABB – AABB, `sweep`"),
            ("obb_obb_overlap", "OBB – OBB, `overlap`"),
            ("sphere_aabb_overlap", "sphere – AABB, `overlap`"),
            ("sphere_obb_overlap", "sphere – OBB, `overlap`"),
            ("aabb_obb_overlap", "AABB – OBB, `overlap`"),
            ("sphere_plane_sweep", "sphere – plane, `sweep`"),
            (
                "sphere_half_space_overlap",
                "sphere – half-space, `overlap`",
            ),
            ("sphere_half_space_sweep", "sphere – half-space, `sweep`"),
            ("point_obb_sweep", "point – OBB, `sweep`: a ray"),
            ("sphere_aabb_sweep", "sphere – AABB, `sweep`"),
            ("sphere_obb_sweep", "sphere – OBB, `sweep`"),
            ("capsule_capsule_overlap", "capsule – capsule, `overlap`"),
            ("capsule_capsule_sweep", "capsule – capsule, `sweep`"),
            ("capsule_obb_overlap", "capsule – OBB, `overlap`"),
            ("capsule_obb_sweep", "capsule – OBB, `sweep`"),
            ("obb_obb_sweep", "OBB – OBB, `sweep`"),
        ];
        self.missed_rows(
            &ROWS,
            &[
                ("parry3d", ">parry3d"),
                ("wreck", ">wreck"),
                ("article", ">the article"),
            ],
        )
    }

    /// Five rows of [`missed`](Self::missed), for README.
    fn missed_by_kind(&self) -> String {
        const ROWS: [(&str, &str); 5] = [
            ("sphere_sphere_sweep", "sphere – sphere, `sweep`"),
            ("aabb_aabb_overlap", "AABB – AABB, `overlap`"),
            ("aabb_aabb_sweep", "AABB – AABB, `sweep`"),
            ("obb_obb_overlap", "OBB – OBB, `overlap`"),
            ("point_obb_sweep", "point – OBB, `sweep`: a ray"),
        ];
        self.missed_rows(&ROWS, &[("parry3d", ">parry3d"), ("wreck", ">wreck")])
    }

    fn missed_rows(&self, rows: &[(&str, &str)], others: &[(&str, &str)]) -> String {
        let missed = self.shares_missed();
        let rows = rows.iter().map(|(kernel, name)| {
            let cell = |who: &str| match missed.get(&((*kernel).to_owned(), who.to_owned())) {
                None => NONE.to_owned(),
                Some(0.0) => "0".to_owned(),
                Some(share) => format!("{share:.1}"),
            };
            let own = format!("**{}**", cell("phalanx"));
            [(*name).to_owned(), own]
                .into_iter()
                .chain(others.iter().map(|(who, _)| cell(who)))
                .collect::<Vec<_>>()
        });
        let head: Vec<_> = ["of 1000 contacts, missed by", ">phalanx"]
            .into_iter()
            .chain(others.iter().map(|(_, head)| *head))
            .collect();
        table(&head, rows)
    }

    /// Contacts missed of 1000, by kernel and library.
    fn shares_missed(&self) -> BTreeMap<(String, String), f64> {
        self.tortured()
            .map(|(kernel, who, row)| {
                let [hits, misses] = [&row[3], &row[4]].map(|figure| parsed(figure));
                ((kernel, who), 1000.0 * misses / hits)
            })
            .collect()
    }

    /// Kernel, library and cells of each row of the torture table.
    fn tortured(&self) -> impl Iterator<Item = (String, String, &[String])> {
        // A kernel is named in the first of its rows alone.
        let mut kernel = String::new();
        let rows = &self.contract.table("Torture", "false hits").rows;
        rows.iter().map(move |row| {
            if !row[0].is_empty() {
                kernel = row[0].trim_matches('`').to_owned();
            }
            let who = row[1].trim_matches('*').split([' ', ',']).next();
            (
                kernel.clone(),
                who.unwrap_or_default().to_owned(),
                row.as_slice(),
            )
        })
    }

    fn turning(&self) -> String {
        let impacts = self.contract.table("Torture", "deepest missed");
        let row = |name: &str, who: &str| {
            let cells =
                ["missed", "deeper than 10⁻³", "late"].map(|column| impacts.cell(&[who], column));
            let cell = |cell: &str| {
                if cell == "0" {
                    "**0**".into()
                } else {
                    cell.to_owned()
                }
            };
            [name.to_owned()]
                .into_iter()
                .chain(cells.map(cell))
                .collect::<Vec<_>>()
        };
        let rows = [
            row("phalanx `impact`, within 1e-2", "**phalanx**, within 10⁻²"),
            row("phalanx `impact`, within 1e-3", "**phalanx**, within 10⁻³"),
            row("phalanx `impact`, within 1e-4", "**phalanx**, within 10⁻⁴"),
            row(
                "parry3d `cast_shapes_nonlinear`",
                "parry3d cast_shapes_nonlinear",
            ),
            row(
                "parry3d `sweep_time_of_impact`, in its own motion",
                "parry3d sweep_time_of_impact, slop 5·10⁻³, in its own motion",
            ),
        ];
        let head = [
            "",
            ">missed",
            ">deeper than 1e-3 of the longest half extent",
            ">late by as much",
        ];
        table(&head, rows)
    }

    /// Sentences with figures, each with its page.
    fn sentences(&self) -> Vec<(&'static str, String)> {
        let frame =
            |motion: &str| ratio(self.frame("whole frame", &format!("20000, {motion}"), "parry3d"));
        let kernel = |kernel: &str, scene: &str, peer: &str| {
            ratio(self.kernels().cell(&[kernel, scene], peer))
        };
        let milliseconds =
            |motion: &str| self.frame("whole frame", &format!("20000, {motion}"), "phalanx");
        let own = self.tortured().filter(|(_, who, _)| who == "phalanx");
        let own = own.map(|(_, _, row)| [&row[2], &row[4]].map(|figure| parsed(figure)));
        let (cases, lost) = own.fold((0.0, 0.0), |sum, row| (sum.0 + row[0], sum.1 + row[1]));
        let shares = self.shares_missed();
        let shares = shares.iter().filter(|((_, who), _)| who == "parry3d");
        let worst = shares.map(|(_, share)| *share).fold(0.0, f64::max);
        let spheres = ["16k", "1M"].map(|scene| {
            ["parry3d", "parry3d ball cast"].map(|peer| kernel("sphere_sphere_sweep", scene, peer))
        });
        let (least, most) = range(spheres.as_flattened().iter().copied());
        let ratios = ["16k", "1M"].map(|scene| kernel("obb_obb_overlap", scene, "parry3d"));
        let boxes = range(ratios.into_iter());
        let calls = self.results.table("Lengths of lists", "1, one thread");
        let (shortest, longest) = range(calls.column("1, one thread"));
        let lanes = self.results.table("Lanes", "kernel");
        let step =
            |step: &String| range(lanes.column(step).map(|cell| cell.trim_end_matches(" ×")));
        let steps: Vec<_> = lanes.head[1..].iter().map(step).collect();
        // Cheap pairs scattered over a million shapes.
        let cheap = [
            "sphere_sphere_overlap",
            "aabb_aabb_overlap",
            "aabb_aabb_sweep",
        ];
        let lists = self.results.table("Lengths of lists", "pairs of shapes");
        let scattered = cheap.iter().flat_map(|kernel| {
            let time = |length| lists.cell(&[kernel, &format!("{length} of 1M")], "one thread");
            ["512", "2k", "8k", "32k", "128k"].map(time)
        });
        let (near, far) = range(scattered);
        let contacts = self.contract.table("Torture", "no point");
        let of = |who: &str, column: &str| contacts.cell(&[who], column).to_owned();
        let (manifold, contact) = (
            "parry3d contact_manifold_cuboid_cuboid",
            "parry3d query::contact",
        );
        vec![
            (
                "README.md",
                format!(
                    "A full frame of 20 000 OBBs, from poses to touching pairs, runs {} to {} times as fast as with \
                     parry3d, depending on the motion.",
                    short(frame("free motion")),
                    short(frame("motion of a game")),
                ),
            ),
            (
                "README.md",
                format!(
                    "A native frame of 20 000 OBBs takes [{} to {} ms](BENCHMARKS.md#how-fast-is-a-frame) on one thread",
                    milliseconds("motion of a game"),
                    milliseconds("free motion"),
                ),
            ),
            (
                "README.md",
                format!(
                    "{lost} contacts missed in {} adversarial cases; [parry3d]({}) {} misses up to {worst:.0} of 1000 there",
                    grouped(cases),
                    docs_of("parry3d"),
                    version_of("parry3d"),
                ),
            ),
            (
                "BENCHMARKS.md",
                format!(
                    "Sphere sweeps are {} to {} times as fast as with parry3d, OBB overlaps {} to {} times.",
                    short(least),
                    short(most),
                    short(boxes.0),
                    short(boxes.1),
                ),
            ),
            (
                "src/guide.md",
                format!(
                    "{} of them touching. parry3d's `query::contact` returns a depth that is wrong by more than a \
                     thousandth of the size for {} and a wrong normal for {}. Its manifolds have a wrong depth for {} \
                     and no point for {}. `contact` has none of these errors.",
                    of(contact, "touching"),
                    of(contact, "separation"),
                    of(contact, "normal"),
                    of(manifold, "separation"),
                    of(manifold, "no point"),
                ),
            ),
            (
                "README.md",
                format!(
                    "one cache miss per component, {} to {} ns a pair",
                    short(near),
                    short(far)
                ),
            ),
            (
                "BENCHMARKS.md",
                format!(
                    "AVX-512 is {} to {} times as fast as AVX2, and AVX2 {} to {} times as fast as SSE2",
                    steps[0].0, steps[0].1, steps[1].0, steps[1].1,
                ),
            ),
            (
                "BENCHMARKS.md",
                format!("A call of one pair takes {shortest} to {longest} ns"),
            ),
        ]
    }
}

/// A count with a space between groups of three digits.
fn grouped(count: f64) -> String {
    let digits = format!("{count:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The minor version of a package in the lock file; the major one from 1.0 on.
fn version_of(package: &str) -> String {
    let lock = read(&root().join("Cargo.lock"));
    let entry = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock
        .split_once(&entry)
        .unwrap_or_else(|| panic!("{package} is not in Cargo.lock"));
    let version = rest.split('"').next().unwrap_or_default();
    let mut parts = version.split('.');
    match (parts.next(), parts.next()) {
        (Some("0"), Some(minor)) => format!("0.{minor}"),
        (Some(major), _) => major.to_owned(),
        _ => panic!("{package} has version {version:?}"),
    }
}

fn docs_of(package: &str) -> String {
    format!("https://docs.rs/{package}/{}", version_of(package))
}

/// Pages with tables of figures.
const PAGES: [&str; 3] = ["README.md", "BENCHMARKS.md", "src/guide.md"];

/// A page with its tables replaced by those of the sources.
fn filled(page: &str, tables: &BTreeMap<&'static str, String>) -> Result<String, String> {
    let (mut text, mut is_old) = (String::new(), false);
    for line in page.lines() {
        is_old = is_old && line.starts_with('|');
        if is_old {
            continue;
        }
        let _ = writeln!(text, "{line}");
        if let Some(rest) = line.strip_prefix("<!-- figures: ") {
            let name = rest.strip_suffix(" -->").ok_or("a comment does not end")?;
            let table = tables
                .get(name)
                .ok_or_else(|| format!("there is no table {name:?}"))?;
            text += table;
            is_old = true;
        }
    }
    Ok(text)
}

/// Joins lines, and collapses spaces as in rendered text.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn figures_are_those_of_the_newest_data() {
    let sources = Sources::read();
    let tables = sources.tables();
    let is_written = env::var_os("PHALANX_PAGES").is_some_and(|value| value == "write");
    let mut shown: Vec<&&str> = Vec::new();
    for name in PAGES {
        let path = root().join(name);
        let page = read(&path);
        let fresh = filled(&page, &tables).unwrap_or_else(|error| panic!("{name}: {error}"));
        shown.extend(
            tables
                .keys()
                .filter(|table| page.contains(&format!("<!-- figures: {table} -->"))),
        );
        if is_written {
            fs::write(&path, &fresh).unwrap_or_else(|error| panic!("{name}: {error}"));
        } else {
            for (line, (old, new)) in page.lines().zip(fresh.lines()).enumerate() {
                assert_eq!(
                    old,
                    new,
                    "{name}, line {}: PHALANX_PAGES=write puts it right",
                    line + 1
                );
            }
            assert_eq!(page, fresh, "{name}: PHALANX_PAGES=write puts it right");
        }
    }
    shown.sort_unstable();
    assert!(tables.keys().eq(shown), "a table is on no page, or on two");
}

#[test]
fn sentences_have_the_figures_of_the_newest_data() {
    for (name, sentence) in Sources::read().sentences() {
        let page = in_one_line(&read(&root().join(name)));
        assert!(
            page.contains(&in_one_line(&sentence)),
            "{name} does not say: {sentence}"
        );
    }
}

/// The versions that README names are those that the figures are measured with.
#[test]
fn versions_are_those_of_the_lock_file() {
    let readme = in_one_line(&read(&root().join("README.md")));
    for package in ["parry3d", "wreck", "rapier3d", "rayon", "wide"] {
        let named = format!("[{package}]({}) {}", docs_of(package), version_of(package));
        assert!(readme.contains(&named), "README.md does not say: {named}");
    }
}

/// Links to files of the repository lead somewhere.
#[test]
fn links_lead_to_files() {
    let mut links = 0;
    for name in [
        "README.md",
        "BENCHMARKS.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "bindings/README.md",
        "src/contract.md",
        "src/guide.md",
        "src/recipes.md",
    ] {
        let path = root().join(name);
        let text = read(&path);
        assert!(
            !text.contains("](crate::"),
            "{name}: a link that only rustdoc can follow"
        );
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(link, _)| link)
        {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let to = path.parent().unwrap_or(&path).join(file);
            assert!(to.exists(), "{name}: {link} leads nowhere");
            links += 1;
        }
    }
    assert!(links > 20, "only {links} links were found");
}
