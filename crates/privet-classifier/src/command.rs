//! A classifier that is a program of its own.

use crate::{Classifier, ClassifierError};
use std::fmt::Write as _;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::{Command, Output, Stdio};
use std::thread;

/// A program that reads rows of numbers with commas between them, one row per line, and writes one label per line: a
/// whole number from 0. It is started once for each batch.
#[derive(Debug)]
pub struct CommandClassifier {
    inputs: usize,
    program: String,
    arguments: Vec<String>,
}

impl CommandClassifier {
    /// A program with its arguments.
    pub fn new(inputs: NonZeroUsize, program: impl Into<String>, arguments: Vec<String>) -> Self {
        Self { inputs: inputs.get(), program: program.into(), arguments }
    }

    fn failure(&self, reason: impl Into<String>) -> ClassifierError {
        ClassifierError::Command { command: self.program.clone(), reason: reason.into() }
    }

    fn run(&self, text: &str) -> std::io::Result<Output> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        // Writing and reading at the same time: a program may answer each line at once, and pipes are short.
        thread::scope(|scope| {
            scope.spawn(move || {
                // A program that stops reading says too little, or its status says why.
                let _ = input.map(|mut pipe| pipe.write_all(text.as_bytes()));
            });
            child.wait_with_output()
        })
    }
}

impl Classifier for CommandClassifier {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        let mut text = String::new();
        for row in rows.chunks(self.inputs) {
            for (position, value) in row.iter().enumerate() {
                let comma = if position == 0 { "" } else { "," };
                // Writing into a string does not fail.
                let _ = write!(text, "{comma}{value}");
            }
            text.push('\n');
        }
        let output = self.run(&text).map_err(|error| self.failure(format!("cannot be run: {error}")))?;
        if !output.status.success() {
            return Err(self.failure(format!("ended with {}", output.status)));
        }
        let answer =
            String::from_utf8(output.stdout).map_err(|_| self.failure("wrote something that is no text"))?;
        let label = |line: &str| {
            let parsed = line.trim().parse();
            parsed.map_err(|_| self.failure("wrote a line that is no label (a whole number from 0)"))
        };
        let labels: Vec<usize> = answer.lines().map(label).collect::<Result<_, _>>()?;
        let expected = rows.len() / self.inputs;
        if labels.len() != expected {
            return Err(ClassifierError::LabelCount { expected, got: labels.len() });
        }
        Ok(labels)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    fn shell(script: &str) -> CommandClassifier {
        CommandClassifier::new(TWO, "sh", vec!["-c".to_owned(), script.to_owned()])
    }

    #[test]
    fn rows_go_in_and_labels_come_out() {
        let classifier = shell("awk -F, '{ print ($1 > $2) ? 1 : 0 }'");
        let rows: Vec<f64> = (0..20_000).flat_map(|row| [f64::from(row % 3), 1.0]).collect();
        let labels = classifier.labels(&rows).unwrap();
        assert_eq!(labels[..4], [0, 0, 1, 0]);
        assert_eq!(labels.len(), 20_000);
    }

    #[test]
    fn wrong_counts_garbage_and_failures_are_errors() {
        let code = |script: &str| shell(script).labels(&[0.0; 4]).unwrap_err().code();
        assert_eq!(code("cat > /dev/null; echo 1"), "classifier-label-count");
        assert_eq!(code("cat > /dev/null; echo 1; echo one"), "classifier-command");
        assert_eq!(code("cat > /dev/null; echo 1; echo 1; exit 3"), "classifier-command");
        assert_eq!(code("cat > /dev/null; printf '\\377\\n'"), "classifier-command");
        let missing = CommandClassifier::new(NonZeroUsize::MIN, "no-such-program-here", vec![]);
        assert_eq!(missing.labels(&[0.0]).unwrap_err().code(), "classifier-command");
    }
}
