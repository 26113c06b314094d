//! Models from files.

mod json;
mod onnx;
mod safetensors;
mod table;

use crate::{Model, ModelError};
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No model file is larger, unpacked: a small packed file could otherwise fill the memory.
const LARGEST_FILE: u64 = 1 << 30;

impl Model {
    /// Reads a model. The ending says the format, and `.gz` may follow it:
    ///
    /// - `.json`: a linear model `{"coef": .., "intercept": ..}` (a list and a number, or a list of lists and a list), or
    ///   an ensemble `{"inputs": .., "trees": [[node, ..], ..], "combination": .., "base": [..], "threshold": ..}` where
    ///   the combination is `"sum"` or `"mean"` and a node is `{"feature", "threshold", "below", "above"}` or
    ///   `{"values": [..]}`;
    /// - `.csv`: a forest as a table with the columns `tree,node,feature,threshold,left,right,p1`; feature -2 is a leaf,
    ///   and the single score is the mean of `p1` with threshold 0.5;
    /// - `.onnx`: one chain of layers, a linear model or a tree ensemble. Scores are those before a last softmax, sigmoid
    ///   or normalisation, which keep their order; classes are counted in the order of the file's labels. Two classes
    ///   with opposite margins become one score. Regressors are read as such: they have scores, and no labels. A chain
    ///   that ends without labels is read as the logits of a classifier;
    /// - `.safetensors`: a multilayer perceptron with tensors `NAME.weight` (out x in) and `NAME.bias`, in the order of
    ///   their names; the metadata's `activation` (relu, gelu, tanh or sigmoid) stands between the layers.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not a model of that format.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = read_bytes(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("json") => json::read(&bytes),
            Some("csv") => table::read(&bytes),
            Some("onnx") => onnx::read(&bytes),
            Some("safetensors") => safetensors::read(&bytes),
            _ => Err(ModelError::format(
                "model file",
                format!("a name ends in .onnx, .safetensors, .json or .csv, and .gz may follow; got {name}"),
            )),
        }
    }
}

/// The bytes of a file, unpacked if they are packed.
fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
    let failure = |error: std::io::Error| ModelError::file(path, &error);
    let mut bytes = Vec::new();
    File::open(path).map_err(failure)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        GzDecoder::new(bytes.as_slice())
            .take(LARGEST_FILE + 1)
            .read_to_end(&mut unpacked)
            .map_err(|error| ModelError::format("gzip file", error.to_string()))?;
        bytes = unpacked;
    }
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(ModelError::format("model file", format!("it has more than {LARGEST_FILE} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn read(name: &str, bytes: &[u8]) -> Result<Model, ModelError> {
        let path = std::env::temp_dir().join(format!("privet-model-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let model = Model::read(&path);
        std::fs::remove_file(path).unwrap();
        model
    }

    #[test]
    fn packed_files_are_unpacked() {
        let text = br#"{"coef": [1.0, 2.0], "intercept": 0.0}"#;
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text).unwrap();
        let packed = packer.finish().unwrap();
        assert_eq!(read("a.json.gz", &packed), read("b.json", text));
        assert_eq!(read("c.JSON", text).unwrap().inputs(), 2);
        assert_eq!(read("d.json.gz", &packed[..packed.len() / 2]).unwrap_err().code(), "model-format");
    }

    #[test]
    fn other_names_and_missing_files_are_refused() {
        let unknown = read("e.pkl", b"").unwrap_err().to_string();
        assert!(
            unknown.contains(".onnx, .safetensors, .json or .csv") && unknown.contains("e.pkl"),
            "{unknown}"
        );
        assert_eq!(Model::read(Path::new("nowhere.json")).unwrap_err().code(), "model-file");
    }
}
