//! CONTRIBUTING lists the files that a new shape or kernel touches: each file covers every shape or kernel.

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
            let is_template = path.contains("sphere_cone_overlap");
            let text = if is_template {
                String::new()
            } else {
                read(path)
            };
            for (kernel, shapes) in KERNELS {
                // Kernels of planes and half-spaces have one file per verb.
                let is_flat = shapes.contains(&"Plane") || shapes.contains(&"HalfSpace");
                match (is_template, is_flat) {
                    (true, true) => {}
                    (true, false) => drop(read(&path.replace("sphere_cone_overlap", kernel))),
                    (false, true) if path == "src/kernel/mod.rs" => {}
                    (false, _) => {
                        assert!(
                            mentions(&text, &[kernel]),
                            "{path} does not mention {kernel}"
                        );
                    }
                }
            }
            files += 1;
        }
    }
    assert_eq!(files, 7);
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
