//! Writing: files appear by rename when they are complete, or not at all.

use super::is_standard_stream;
use crate::failure::Failure;
use std::io::{Stdout, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a table goes.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A temporary file beside the one that is to appear.
    File { temporary: NamedTempFile, path: PathBuf },
    /// Standard output, where what was written stays written.
    Stdout(Stdout),
}

impl Destination {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if is_standard_stream(path) {
            return Ok(Self::Stdout(std::io::stdout()));
        }
        // The rename is only a rename within one folder.
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let failed = |source| Failure::File { action: "cannot write", path: path.to_owned(), source };
        if path.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".privet-").suffix(".part");
        #[cfg(unix)]
        // As any new file, restricted by the user's mask: temporary files are for their owner only otherwise.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder).map_err(failed)?;
        Ok(Self::File { temporary, path: path.to_owned() })
    }

    /// Makes the file appear.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        self.flush().map_err(|source| self.failed(source))?;
        match self {
            Self::Stdout(_) => Ok(()),
            Self::File { temporary, path } => match temporary.persist(&path) {
                Ok(_) => Ok(()),
                Err(error) => Err(Failure::File { action: "cannot write", path, source: error.error }),
            },
        }
    }

    /// The failure of a write.
    pub(crate) fn failed(&self, source: std::io::Error) -> Failure {
        match self {
            Self::File { path, .. } => Failure::File { action: "cannot write", path: path.clone(), source },
            Self::Stdout(_) => Failure::Output(source),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File { temporary, .. } => temporary.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File { temporary, .. } => temporary.flush(),
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
