//! CONTRIBUTING names the files that a new shape or kernel touches: each of them knows every shape or kernel there is. It lists the
//! rooms of `src`: no file imports from a room above, and no files import each other in a circle. README stays short, and CI runs its
//! command; chapters have links both as files and in the docs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A shape, its store, and whether it is bounded.
type ListedShape = (&'static str, &'static str, bool);

macro_rules! listed_shapes {
    ($($name:ident: $shape:ident, $stores:ident, $bounds:ident;)*) => {
        &[$((stringify!($shape), stringify!($stores), listed_shapes!(@ $bounds))),*]
    };
    (@ bounded) => { true };
    (@ unbounded) => { false };
}
const SHAPES: &[ListedShape] = phalanx::shapes!(listed_shapes);

/// A kernel and its shapes.
type ListedKernel = (&'static str, &'static [&'static str]);

macro_rules! listed_kernels {
    ($($name:ident: $verb:ident($($shape:ident),+);)*) => {
        &[$((stringify!($name), &[$(stringify!($shape)),+])),*]
    };
}
const KERNELS: &[ListedKernel] = phalanx::kernels!(listed_kernels);

fn read(path: &str) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(full).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The items of numbered lists in a section of CONTRIBUTING: their paths, and their text.
fn items(section: &str) -> Vec<(Vec<String>, String)> {
    let text = read("CONTRIBUTING.md");
    let section = text.split("\n## ").find(|part| part.starts_with(section));
    let mut items: Vec<(Vec<String>, String)> = Vec::new();
    let mut in_item = false;
    for line in section.expect("the section").lines() {
        let starts = line.split_once(". ").filter(|(number, _)| {
            !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit())
        });
        if let Some((_, item)) = starts {
            // Paths come before the first colon.
            let paths = item
                .split(':')
                .next()
                .unwrap()
                .split('`')
                .skip(1)
                .step_by(2);
            items.push((paths.map(str::to_owned).collect(), item.to_owned()));
        } else if in_item && line.starts_with("   ") {
            items.last_mut().unwrap().1.push_str(line);
        }
        in_item = starts.is_some() || in_item && line.starts_with("   ");
    }
    items
}

/// The kinds of a kernel's shapes, as its file is named: AABBs and OBBs are boxes.
fn kinds(pair: &str) -> String {
    let words = pair.split('_').map(|word| match word {
        "aabb" | "obb" => "box",
        other => other,
    });
    words.collect::<Vec<_>>().join("_")
}

/// Whether a text has one of these words.
fn mentions(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| words.contains(&word))
}

#[test]
fn files_of_a_shape_mention_every_shape() {
    let mut files = 0;
    for (paths, item) in items("Adding a shape") {
        for path in paths.iter().filter(|path| !path.contains("cone")) {
            let text = read(path);
            for (shape, stores, is_bounded) in SHAPES {
                let concerns = *is_bounded || !item.contains("bounded shape");
                assert!(
                    !concerns || mentions(&text, &[shape, stores]),
                    "{path} does not mention {shape}"
                );
            }
            files += 1;
        }
    }
    assert!(files >= 18, "CONTRIBUTING names {files} files of a shape");
}

#[test]
fn files_of_a_kernel_mention_every_kernel() {
    let mut files = 0;
    for (paths, _) in items("Adding a kernel") {
        for path in &paths {
            let is_template = path.contains("sphere_cone");
            for (kernel, shapes) in KERNELS {
                // Kernels of planes and half-spaces have one file per verb.
                let is_flat = shapes.contains(&"Plane") || shapes.contains(&"HalfSpace");
                let (pair, verb) = kernel.rsplit_once('_').unwrap();
                let file = kinds(pair);
                let path = path
                    .replace("sphere_cone_overlap", kernel)
                    .replace("overlap/sphere_cone", &format!("{verb}/{file}"))
                    .replace("narrow/overlap", &format!("narrow/{verb}"));
                let is_room = path.ends_with("/mod.rs") || path == "tests/cases.rs";
                if is_flat && (is_template || is_room) {
                    continue;
                }
                let text = read(&path);
                let name = if is_room { &file } else { *kernel };
                assert!(
                    is_template || mentions(&text, &[name]),
                    "{path} does not mention {name}"
                );
            }
            files += 1;
        }
    }
    assert_eq!(files, 9);
}

#[test]
fn shapes_of_kernels_are_listed() {
    for (kernel, shapes) in KERNELS {
        for shape in *shapes {
            let is_listed = SHAPES.iter().any(|(listed, ..)| listed == shape);
            assert!(is_listed, "`shapes!` lacks the {shape} of {kernel}");
        }
    }
}

/// The floor of each room of `src`, as CONTRIBUTING lists them. `lib.rs` stands above all.
fn floors() -> HashMap<String, u32> {
    let text = read("CONTRIBUTING.md");
    let section = text.split("\n## ").find(|part| part.starts_with("Rooms"));
    let rows = section.expect("the section").lines().filter_map(|line| {
        let (floor, rooms) = line.strip_prefix("| ")?.split_once(" | ")?;
        Some((floor.parse().ok()?, rooms))
    });
    rows.flat_map(|(floor, rooms): (u32, _)| {
        let names = rooms.split('`').skip(1).step_by(2);
        names.map(move |name| (name.trim_end_matches(".rs").to_owned(), floor))
    })
    .collect()
}

/// Files below a folder, with their path in it.
fn files_in(folder: &Path, within: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, within, found);
        } else if path.extension().is_some_and(|name| name == "rs") {
            let inside = path.strip_prefix(within).unwrap();
            found.push(inside.to_str().unwrap().replace('\\', "/"));
        }
    }
}

/// The paths after `crate::` in the code of a file, one for each name of a list in braces.
fn paths_in(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut paths = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        let list = after
            .strip_prefix('{')
            .and_then(|list| list.split('}').next());
        match list.filter(|_| path.ends_with("::")) {
            None => paths.push(path.to_owned()),
            Some(list) => {
                paths.extend(list.split(',').map(|name| format!("{path}{}", name.trim())));
            }
        }
    }
    paths
}

/// Files of `src` with the files that they import from, without `lib.rs`.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_in(&src, &src, &mut files);
    assert!(files.len() > 100);
    files.retain(|file| file != "lib.rs");
    let module = |file: &str| {
        let name = file.trim_end_matches(".rs").trim_end_matches("/mod");
        name.replace('/', "::")
    };
    let by_module: HashMap<String, &String> =
        files.iter().map(|file| (module(file), file)).collect();
    let file_of = |path: &str| {
        let mut path = path.trim_end_matches("::");
        loop {
            match by_module.get(path) {
                Some(&file) => return Some(file.clone()),
                None => path = path.rsplit_once("::")?.0,
            }
        }
    };
    let used = |file: &String| {
        let paths = paths_in(&read(&format!("src/{file}")));
        let mut used: BTreeSet<String> = paths.iter().filter_map(|path| file_of(path)).collect();
        used.remove(file);
        used
    };
    files
        .iter()
        .map(|file| (file.clone(), used(file)))
        .collect()
}

#[test]
fn a_room_uses_only_rooms_below() {
    let floors = floors();
    let floor = |file: &str| {
        let room = file.split('/').next().unwrap().trim_end_matches(".rs");
        let floor = floors.get(room);
        *floor.unwrap_or_else(|| panic!("src/{file} is on no floor"))
    };
    for (file, used) in imports() {
        for other in used {
            assert!(floor(&other) <= floor(&file), "{file} uses {other}");
        }
    }
}

/// A file stands above all files that it imports from.
#[test]
fn no_files_import_in_a_circle() {
    let mut left = imports();
    while !left.is_empty() {
        let lowest = |(file, used): (&String, &BTreeSet<String>)| {
            let is_lowest = !used.iter().any(|other| left.contains_key(other));
            is_lowest.then(|| file.clone())
        };
        let found: Vec<String> = left.iter().filter_map(lowest).collect();
        let circle = left.keys().collect::<Vec<_>>();
        assert!(!found.is_empty(), "in circles, or above them: {circle:?}");
        left.retain(|file, _| !found.contains(file));
    }
}

#[test]
fn readme_has_at_most_150_lines() {
    let lines = read("README.md").lines().count();
    assert!(
        lines <= 150,
        "README.md has {lines} lines (limit 150): move text to src/guide.md"
    );
}

/// Commands of README that clone the repository, without the clone.
fn commands_of_readme() -> Vec<String> {
    let clone = "git clone \"$PHALANX\" phalanx && cd phalanx && ";
    let text = read("README.md");
    let lines = text.lines().filter_map(|line| line.strip_prefix(clone));
    let commands = lines.map(|line| line.split(" # ").next().unwrap().trim().to_owned());
    commands.collect()
}

#[test]
fn readme_runs_the_tests_as_ci_does() {
    let commands = commands_of_readme();
    assert_eq!(commands.len(), 2, "README.md: {commands:?}");
    assert_eq!(commands[0], "cargo run --release --example first");
    let text = read(".ci/run");
    let (_, step) = text.split_once("\nstep_tests() {\n    run ").unwrap();
    let command = step.lines().next().unwrap();
    assert_eq!(command, commands[1], ".ci/run and README.md differ");
}

/// Names in brackets without an address of their own, as they are written.
fn named_links(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code || line.starts_with('[') && line.contains("]: ") {
            continue;
        }
        for (at, _) in line.match_indices("[`") {
            let (name, rest) = line[at + 1..]
                .split_once(']')
                .unwrap_or_else(|| panic!("a bracket does not end: {line}"));
            if !rest.starts_with(['(', '[']) {
                names.push(name);
            }
        }
        for (at, _) in line.match_indices("][") {
            let (name, _) = line[at + 2..]
                .split_once(']')
                .unwrap_or_else(|| panic!("a bracket does not end: {line}"));
            names.push(name);
        }
    }
    names
}

/// Labels and targets of the link definitions of a page.
fn definitions(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
        .collect()
}

#[test]
fn chapters_define_their_links_as_files_and_in_the_docs() {
    let docs = read("src/links.md");
    let docs = definitions(&docs);
    let mut links = 0;
    for chapter in ["guide", "recipes", "contract", "errata"] {
        let path = format!("src/{chapter}.md");
        let text = read(&path);
        let own = definitions(&text);
        for name in named_links(&text) {
            let is_defined = own.iter().any(|(label, _)| *label == name);
            assert!(is_defined, "{path} does not say where [{name}] leads");
            links += 1;
        }
        for (label, target) in own {
            let is_defined = docs.iter().any(|(defined, _)| *defined == label);
            assert!(is_defined, "src/links.md lacks [{label}] of {path}");
            let file = target.split('#').next().unwrap_or_default();
            let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
            assert!(full.exists(), "{path}: [{label}] leads to {target}");
        }
    }
    assert!(links > 60, "only {links} links were found");
}
