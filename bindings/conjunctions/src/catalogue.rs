use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::Value;
use sgp4::Elements;

use crate::Error;

/// The elements of a file, and what in it is none.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The elements, in the order of the file.
    pub elements: Vec<Elements>,
    /// The entries that are bad.
    pub rejected: Vec<Rejected>,
}

/// An entry that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Where it stands: a line, or a position.
    pub place: String,
    /// The name of the object, as far as it is known.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

impl Catalogue {
    /// Reads a catalogue of orbit mean-elements messages in JSON, or of two-line elements.
    ///
    /// Two-line elements may have lines of names.
    ///
    /// # Errors
    ///
    /// [`Error::File`], and [`Error::NoCatalogue`] for what is no JSON and has no two-line elements.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let no_catalogue = |reason: String| Error::NoCatalogue {
            path: path.into(),
            reason,
        };
        let bytes = fs::read(path).map_err(|source| Error::File {
            path: path.into(),
            source,
        })?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        let catalogue = match text.trim_start().chars().next() {
            Some('[' | '{') => {
                Self::from_json(text).map_err(|error| no_catalogue(error.to_string()))?
            }
            _ => Self::from_lines(text),
        };
        if catalogue.elements.is_empty() && catalogue.rejected.is_empty() {
            return Err(no_catalogue("it has no elements".to_owned()));
        }
        Ok(catalogue)
    }

    /// The catalogue that a JSON text holds: a list of messages, or one.
    fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let messages = match serde_json::from_str(text)? {
            Value::Array(messages) => messages,
            one => vec![one],
        };
        let mut catalogue = Catalogue::default();
        for (index, message) in messages.into_iter().enumerate() {
            let named = message.get("OBJECT_NAME").and_then(Value::as_str);
            let name = named.unwrap_or("an object without a name").to_owned();
            match serde_json::from_value(message) {
                Ok(elements) => catalogue.elements.push(elements),
                Err(error) => catalogue.rejected.push(Rejected {
                    place: format!("message {index}"),
                    name,
                    reason: error.to_string(),
                }),
            }
        }
        Ok(catalogue)
    }

    /// The catalogue that lines hold. Before each two of elements there may be one with a name.
    fn from_lines(text: &str) -> Self {
        let mut catalogue = Catalogue::default();
        let mut lines = text.lines().map(str::trim_end).enumerate().peekable();
        let mut named: Option<(usize, &str)> = None;
        let mut reject = |at: usize, name: Option<&str>, reason: String| {
            let name = name.unwrap_or("an object without a name").to_owned();
            let place = format!("line {}", at + 1);
            catalogue.rejected.push(Rejected {
                place,
                name,
                reason,
            });
        };
        while let Some((at, line)) = lines.next() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let name = named.take();
            if line.starts_with("1 ") {
                let name = name.map(|(_, name)| name);
                match lines.next_if(|(_, next)| next.starts_with("2 ")) {
                    None => reject(at, name, "no line that begins with 2 follows".to_owned()),
                    Some((_, second)) => match two_lines(name, line, second) {
                        Ok(elements) => catalogue.elements.push(elements),
                        Err(reason) => reject(at, name, reason),
                    },
                }
                continue;
            }
            if let Some((at, name)) = name {
                reject(
                    at,
                    Some(name),
                    "no line that begins with 1 follows".to_owned(),
                );
            }
            if line.starts_with("2 ") {
                reject(
                    at,
                    None,
                    "no line that begins with 1 stands before".to_owned(),
                );
            } else {
                named = Some((at, line.strip_prefix("0 ").unwrap_or(line).trim()));
            }
        }
        if let Some((at, name)) = named {
            reject(
                at,
                Some(name),
                "no line that begins with 1 follows".to_owned(),
            );
        }
        catalogue
    }
}

/// The elements of two lines.
fn two_lines(name: Option<&str>, first: &str, second: &str) -> Result<Elements, String> {
    if !(first.is_ascii() && second.is_ascii()) {
        return Err("the lines have characters that are not ASCII".to_owned());
    }
    let name = name.map(str::to_owned);
    Elements::from_tle(name, first.as_bytes(), second.as_bytes()).map_err(|error| error.to_string())
}

/// Writes a catalogue as JSON: a list of orbit mean-elements messages.
///
/// The file is written wholly or not at all.
///
/// # Errors
///
/// [`Error::File`].
pub fn write_catalogue(path: &Path, elements: &[Elements]) -> Result<(), Error> {
    let write = || {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut out = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
        for (index, each) in elements.iter().enumerate() {
            out.write_all(if index == 0 { b"[\n" } else { b",\n" })?;
            serde_json::to_writer(&mut out, each)?;
        }
        out.write_all(if elements.is_empty() {
            b"[]\n"
        } else {
            b"\n]\n"
        })?;
        let file = out.into_inner().map_err(|error| error.into_error())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| Error::File {
        path: path.into(),
        source,
    })
}
