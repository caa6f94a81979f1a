//! Catalogues are read as they were written, and what is bad in them is told.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use conjunctions::{Catalogue, Error, generate, objects_of, write_catalogue};
use sgp4::Elements;
use sgp4::chrono::{Datelike, Timelike};

/// A line of elements with its checksum: the digits, and one for each minus.
fn with_checksum(line: String) -> String {
    let sum: u32 = line
        .chars()
        .map(|c| c.to_digit(10).unwrap_or(u32::from(c == '-')))
        .sum();
    format!("{line}{}", sum % 10)
}

/// A drag term as two-line elements have it.
fn drag(x: f64) -> String {
    if x == 0.0 {
        return " 00000-0".to_owned();
    }
    let exponent = x.log10().floor() as i32 + 1;
    format!(
        " {:05}-{}",
        (x * 10.0_f64.powi(5 - exponent)).round(),
        -exponent
    )
}

/// The lines of elements: the name, and two.
fn lines(elements: &Elements) -> [String; 3] {
    let Elements {
        datetime: at,
        norad_id,
        ..
    } = elements;
    let nanoseconds =
        u64::from(at.num_seconds_from_midnight()) * 1_000_000_000 + u64::from(at.nanosecond());
    let fraction = (nanoseconds + 432_000) / 864_000;
    let id = norad_id - 90_000;
    let first = format!(
        "1 {id:05}U 25001A   {:02}{:03}.{fraction:08}  .00000000  00000-0 {} 0    1",
        at.year() % 100,
        at.ordinal(),
        drag(elements.drag_term)
    );
    let second = format!(
        "2 {id:05} {:8.4} {:8.4} {:07} {:8.4} {:8.4} {:11.8}    1",
        elements.inclination,
        elements.right_ascension,
        (elements.eccentricity * 1e7).round(),
        elements.argument_of_perigee,
        elements.mean_anomaly,
        elements.mean_motion
    );
    let name = elements.object_name.clone().unwrap();
    [name, with_checksum(first), with_checksum(second)]
}

#[test]
fn json_comes_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.json");
    for count in [0, 1, 500] {
        let elements = generate(count, 42);
        write_catalogue(&path, &elements).unwrap();
        if count == 0 {
            assert!(matches!(
                Catalogue::read(&path),
                Err(Error::NoCatalogue { .. })
            ));
            continue;
        }
        let back = Catalogue::read(&path).unwrap();
        assert_eq!(back.rejected, []);
        assert_eq!(back.elements, elements);
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "only the catalogue is left"
    );
}

#[test]
fn two_line_elements_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.tle");
    let elements = generate(300, 43);
    for (named, prefix) in [(true, ""), (true, "0 "), (false, "")] {
        let mut text = String::new();
        for each in &elements {
            let [name, first, second] = lines(each);
            if named {
                text += &format!("{prefix}{name}\r\n");
            }
            text += &format!("{first}\r\n{second}\r\n");
        }
        fs::write(&path, text).unwrap();
        let back = Catalogue::read(&path).unwrap();
        assert_eq!(back.rejected, []);
        assert_eq!(back.elements.len(), elements.len());
        for (back, each) in back.elements.iter().zip(&elements) {
            assert_eq!(back.object_name, each.object_name.clone().filter(|_| named));
            let late = (back.datetime - each.datetime).num_microseconds().unwrap();
            assert!(late.abs() < 1000, "{late} µs");
            let numbers = |x: &Elements| {
                let angles = [
                    x.inclination,
                    x.right_ascension,
                    x.argument_of_perigee,
                    x.mean_anomaly,
                ];
                (angles, x.eccentricity, x.mean_motion)
            };
            assert_eq!(numbers(back), numbers(each));
            assert!((back.drag_term - each.drag_term).abs() <= 1e-12 * each.drag_term);
        }
    }
}

#[test]
fn bad_entries_are_named_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.tle");
    let elements = generate(6, 44);
    let [good, spoiled, alone, foreign, short, last] =
        [0, 1, 2, 3, 4, 5].map(|k| lines(&elements[k]));
    let wrong = spoiled[2].replace(' ', "  ");
    let text = [
        good.join("\n"),
        format!("{}\n{}\n{wrong}", spoiled[0], spoiled[1]),
        format!("{}\n{}", alone[0], alone[1]),
        format!(
            "{}\n{}\n{}",
            foreign[0],
            foreign[1].replace('U', "é"),
            foreign[2]
        ),
        format!("{}\n{}\n{}", short[0], &short[1][..40], short[2]),
        "# a remark\n\nLONELY NAME".to_owned(),
        last[2].clone(),
        last.join("\n"),
    ];
    fs::write(&path, text.join("\n")).unwrap();
    let back = Catalogue::read(&path).unwrap();
    let names: Vec<_> = back
        .elements
        .iter()
        .map(|each| each.object_name.clone().unwrap())
        .collect();
    assert_eq!(names, [good[0].clone(), last[0].clone()]);
    let rejected: Vec<_> = back
        .rejected
        .iter()
        .map(|each| (each.place.as_str(), each.name.as_str()))
        .collect();
    let expected = [
        ("line 5", spoiled[0].as_str()),
        ("line 8", &alone[0]),
        ("line 10", &foreign[0]),
        ("line 13", &short[0]),
        ("line 17", "LONELY NAME"),
        ("line 18", "an object without a name"),
    ];
    assert_eq!(rejected, expected);
    assert!(
        back.rejected[0].reason.contains("Bad line length"),
        "{:?}",
        back.rejected[0]
    );
    assert_eq!(
        back.rejected[1].reason,
        "no line that begins with 2 follows"
    );
    assert_eq!(
        back.rejected[2].reason,
        "the lines have characters that are not ASCII"
    );
}

#[test]
fn bad_messages_are_named_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.json");
    let mut messages = Vec::new();
    for each in generate(3, 45) {
        messages.push(serde_json::to_value(each).unwrap());
    }
    messages[1]["ECCENTRICITY"] = "not a number".into();
    messages.push(17.into());
    fs::write(&path, serde_json::to_string(&messages).unwrap()).unwrap();
    let back = Catalogue::read(&path).unwrap();
    assert_eq!(back.elements.len(), 2);
    assert_eq!(back.rejected[0].place, "message 1");
    assert_eq!(back.rejected[0].name, messages[1]["OBJECT_NAME"]);
    assert!(
        back.rejected[0].reason.contains("invalid float"),
        "{}",
        back.rejected[0].reason
    );
    assert_eq!(back.rejected[1].name, "an object without a name");

    for (text, reason) in [
        ("[{]", "key must be a string"),
        ("", "it has no elements"),
        ("[]", "it has no elements"),
    ] {
        fs::write(&path, text).unwrap();
        let error = Catalogue::read(&path).unwrap_err().to_string();
        assert!(
            error.contains(reason) && error.contains("catalogue.json"),
            "{error}"
        );
    }
    let error = Catalogue::read(Path::new("no-such-file"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no-such-file: "), "{error}");
}

#[test]
fn elements_that_no_orbit_has_are_named_and_left_out() {
    let mut elements = generate(7, 46);
    elements[0].mean_motion = -1.0;
    elements[1].eccentricity = 1.5;
    elements[2].mean_motion = 17.6;
    elements[3].inclination = f64::NAN;
    elements[4].datetime = elements[4].datetime.with_year(1800).unwrap();
    elements[5].right_ascension = f64::NAN;
    let (objects, rejected) = objects_of(&elements, common::start());
    assert_eq!(objects.len(), 1);
    let reasons = [
        "Kozai mean motion",
        "epoch eccentricity",
        "come down",
        "(NaN)",
        "the year 1800",
        "no position",
    ];
    for (index, (each, reason)) in rejected.iter().zip(reasons).enumerate() {
        assert_eq!(each.place, format!("object {index}"));
        assert_eq!(each.name, elements[index].object_name.clone().unwrap());
        assert!(each.reason.contains(reason), "{}", each.reason);
    }
    assert_eq!(rejected.len(), 6);
}

fn conjunctions(arguments: &[&str], folder: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_conjunctions"));
    program
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn a_written_catalogue_has_the_same_approaches() {
    let folder = tempfile::tempdir().unwrap();
    let common = ["--hours", "0.5", "--below", "20"];
    let generated = ["--objects", "800", "--write-catalogue", "it.json"];
    let first = conjunctions(&[&common[..], &generated].concat(), folder.path());
    let second = conjunctions(
        &[&common[..], &["--catalogue", "it.json"]].concat(),
        folder.path(),
    );
    assert!(first.status.success() && second.status.success());
    assert_eq!(first.stdout, second.stdout);
    assert!(first.stdout.iter().filter(|byte| **byte == b'\n').count() > 5);
    let told = String::from_utf8(first.stderr).unwrap();
    assert!(told.contains("wrote 800 elements to it.json"), "{told}");
}

#[test]
fn the_program_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, message) in [
        (
            &["--step", "600"][..],
            "the step is 600: it has to be above 0 and at most 60 seconds",
        ),
        (&["--catalogue", "none.tle"], "none.tle: "),
        (&["--objects", "0"], "no object is left to screen"),
        (
            &[
                "--objects",
                "2",
                "--hours",
                "1",
                "--write-catalogue",
                "no/folder.json",
            ],
            "no/folder.json: ",
        ),
        (
            &["--objects", "2", "--check-rate", "0"],
            "--check-rate is 0: it has to be from 0.001 to 1000",
        ),
    ] {
        let output = conjunctions(arguments, folder.path());
        assert!(!output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(message), "{arguments:?}: {told}");
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is half-written"
    );
}
