//! Levels from files: OBJ and glTF.
//!
//! Errors name the file and the reason. Both formats have y up; the level has z up.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Document, Gltf, Node, Primitive};

use crate::level::Soup;

type Matrix = [[f32; 4]; 4];

const UNIT: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Reads the triangles of a file.
pub fn read(path: &Path) -> Result<Soup, String> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let soup = match extension.to_str() {
        Some("obj") => read_obj(path),
        Some("gltf" | "glb") => read_gltf(path),
        _ => Err("unknown format: expected .obj, .gltf or .glb".into()),
    };
    let soup = soup.and_then(|soup| match soup.indices.is_empty() {
        true => Err("no triangles".into()),
        false => Ok(soup),
    });
    soup.map_err(|reason| format!("{}: {reason}", path.display()))
}

fn z_up([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, -z, y]
}

fn read_obj(path: &Path) -> Result<Soup, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    let no_materials = |_: &Path| Err(tobj::LoadError::GenericFailure);
    let (models, _) = tobj::load_obj_buf(&mut BufReader::new(file), &options, no_materials)
        .map_err(|error| error.to_string())?;
    let mut soup = Soup::default();
    for model in models {
        let positions = model.mesh.positions.chunks_exact(3);
        soup.add(
            positions.map(|p| z_up([p[0], p[1], p[2]])),
            model.mesh.indices.into_iter(),
        )?;
    }
    Ok(soup)
}

fn read_gltf(path: &Path) -> Result<Soup, String> {
    let file = fs::read(path).map_err(|error| error.to_string())?;
    let Gltf { document, blob } = Gltf::from_slice(&file).map_err(|error| error.to_string())?;
    let buffers = read_buffers(path, &document, blob)?;
    let mut soup = Soup::default();
    let scene = document
        .default_scene()
        .or_else(|| document.scenes().next());
    let mut nodes: Vec<(Node, Matrix)> = scene
        .ok_or("no scene")?
        .nodes()
        .map(|node| (node, UNIT))
        .collect();
    let mut visited = 0;
    while let Some((node, parent)) = nodes.pop() {
        // The format requires a tree.
        visited += 1;
        if visited > document.nodes().len() {
            return Err("a node has two parents, or contains itself".into());
        }
        let placed = product(&parent, &node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            if primitive.mode() == Mode::Triangles {
                add_primitive(&mut soup, &primitive, &buffers, &placed)
                    .map_err(|reason| format!("node {}: {reason}", node.index()))?;
            }
        }
        nodes.extend(node.children().map(|child| (child, placed)));
    }
    Ok(soup)
}

fn read_buffers(
    path: &Path,
    document: &Document,
    mut blob: Option<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, String> {
    let buffers = document.buffers().map(|buffer| match buffer.source() {
        Source::Bin => blob.take().ok_or("no binary chunk".into()),
        Source::Uri(uri) => match uri.strip_prefix("data:") {
            Some(data) => {
                let (_, data) = data
                    .split_once(";base64,")
                    .ok_or("data URI not in base64")?;
                let decoded = BASE64_STANDARD.decode(data);
                decoded.map_err(|error| format!("data URI: {error}"))
            }
            None => {
                let name = percent_encoding::percent_decode_str(uri).decode_utf8();
                let name = name.map_err(|error| format!("{uri}: {error}"))?;
                let beside: PathBuf = path.with_file_name("").join(&*name);
                fs::read(&beside).map_err(|error| format!("{}: {error}", beside.display()))
            }
        },
    });
    buffers
        .enumerate()
        .map(|(k, buffer)| buffer.map_err(|reason: String| format!("buffer {k}: {reason}")))
        .collect()
}

fn add_primitive(
    soup: &mut Soup,
    primitive: &Primitive,
    buffers: &[Vec<u8>],
    placed: &Matrix,
) -> Result<(), String> {
    let positions = primitive
        .get(&gltf::Semantic::Positions)
        .ok_or("no positions")?;
    // The reader relies on these.
    let is_usable = |accessor: &gltf::Accessor| {
        let stride = accessor.view().and_then(|view| view.stride());
        accessor.count() > 0
            && accessor.sparse().is_none()
            && stride.is_none_or(|stride| stride >= accessor.size())
    };
    let has_floats = positions.data_type() == DataType::F32;
    if !(is_usable(&positions) && has_floats && positions.dimensions() == Dimensions::Vec3) {
        return Err("positions are not plain vectors of three floats".into());
    }
    if let Some(indices) = primitive.indices() {
        let has_integers = matches!(
            indices.data_type(),
            DataType::U8 | DataType::U16 | DataType::U32
        );
        if !(is_usable(&indices) && has_integers && indices.dimensions() == Dimensions::Scalar) {
            return Err("indices are not plain unsigned integers".into());
        }
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let beyond = "past the end of its buffer";
    let read = reader
        .read_positions()
        .ok_or_else(|| format!("positions: {beyond}"))?;
    let vertices = read.map(|p| z_up(apply(placed, p)));
    match (primitive.indices(), reader.read_indices()) {
        (None, _) => {
            let count = positions.count() as u32;
            soup.add(vertices, 0..count)
        }
        (Some(_), Some(indices)) => soup.add(vertices, indices.into_u32()),
        (Some(_), None) => Err(format!("indices: {beyond}")),
    }
}

/// The product of two matrices in columns.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|column| [0, 1, 2, 3].map(|row| (0..4).map(|k| a[k][row] * column[k]).sum()))
}

fn apply(matrix: &Matrix, [x, y, z]: [f32; 3]) -> [f32; 3] {
    [0, 1, 2]
        .map(|row| matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z + matrix[3][row])
}

impl Soup {
    /// Adds a mesh with its own indices.
    fn add(
        &mut self,
        vertices: impl Iterator<Item = [f32; 3]>,
        indices: impl Iterator<Item = u32>,
    ) -> Result<(), String> {
        let first = self.vertices.len();
        self.vertices.extend(vertices);
        let count = self.vertices.len() - first;
        if u32::try_from(self.vertices.len()).is_err() {
            return Err(format!(
                "too many vertices: {} (limit {})",
                self.vertices.len(),
                u32::MAX
            ));
        }
        let mut corners = Vec::new();
        for index in indices {
            if index as usize >= count {
                return Err(format!(
                    "index {index} is out of bounds: there are {count} vertices"
                ));
            }
            corners.push(first as u32 + index);
        }
        let (triangles, rest) = corners.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(format!("{} indices are no whole triangles", corners.len()));
        }
        self.indices.extend_from_slice(triangles);
        Ok(())
    }
}
