//! Writing: files appear by rename when they are complete, or not at all.

use super::is_standard_stream;
use crate::failure::Failure;
use std::fs::File;
use std::io::{Stdout, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a table goes.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A temporary file beside the one that is to appear.
    Replaced { temporary: NamedTempFile, path: PathBuf },
    /// A device or a pipe: it takes what it is given and cannot be replaced.
    Direct { file: File, path: PathBuf },
    /// Standard output, where what was written stays written.
    Stdout(Stdout),
}

impl Destination {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if is_standard_stream(path) {
            return Ok(Self::Stdout(std::io::stdout()));
        }
        let failed = |source| Failure::File { action: "cannot write", path: path.to_owned(), source };
        match std::fs::metadata(path) {
            Ok(existing) if existing.is_dir() => Err(failed(std::io::ErrorKind::IsADirectory.into())),
            Ok(existing) if !existing.is_file() => {
                let file = File::options().write(true).open(path).map_err(failed)?;
                Ok(Self::Direct { file, path: path.to_owned() })
            }
            // A link stays a link, and the file that it leads to is replaced.
            Ok(_) => Self::beside(path.canonicalize().map_err(failed)?).map_err(failed),
            Err(_) => Self::beside(path.to_owned()).map_err(failed),
        }
    }

    /// A temporary file in the same folder: a rename is only a rename within one file system.
    fn beside(path: PathBuf) -> std::io::Result<Self> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // A missing folder would otherwise be reported under the name of the temporary file.
        std::fs::metadata(folder)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".privet-").suffix(".part");
        #[cfg(unix)]
        // As any new file, restricted by the user's mask: temporary files are for their owner only otherwise.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder)?;
        Ok(Self::Replaced { temporary, path })
    }

    /// Makes the file appear.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        self.flush().map_err(|source| self.failed(source))?;
        match self {
            Self::Stdout(_) | Self::Direct { .. } => Ok(()),
            Self::Replaced { temporary, path } => match temporary.persist(&path) {
                Ok(_) => Ok(()),
                Err(error) => Err(Failure::File { action: "cannot write", path, source: error.error }),
            },
        }
    }

    /// The failure of a write.
    pub(crate) fn failed(&self, source: std::io::Error) -> Failure {
        match self {
            Self::Replaced { path, .. } | Self::Direct { path, .. } => {
                Failure::File { action: "cannot write", path: path.clone(), source }
            }
            Self::Stdout(_) => Failure::Output(source),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Replaced { temporary, .. } => temporary.write(bytes),
            Self::Direct { file, .. } => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Replaced { temporary, .. } => temporary.flush(),
            Self::Direct { file, .. } => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// Writes a whole file at once, by rename.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut destination = Destination::create(path)?;
    destination.write_all(bytes).map_err(|source| destination.failed(source))?;
    destination.commit()
}

/// Refuses to write reports over the values that they come from.
pub(crate) fn check_other_file(input: &Path, out: &Path) -> Result<(), Failure> {
    let is_same =
        !is_standard_stream(out) && out.exists() && input.canonicalize().ok() == out.canonicalize().ok();
    if is_same {
        return Err(Failure::Usage {
            message: "the reports would replace the values: --in and --out are the same file".into(),
            hint: None,
        });
    }
    Ok(())
}
