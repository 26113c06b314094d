//! An audit of a program that reads values and writes reports.

use super::event::{Tally, Test};
use crate::failure::Failure;
use crate::progress::Progress;
use privet::DomainSpec;
use privet::audit::Sampling;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Up to here every category is an input.
const ALL_CATEGORIES: u32 = 6;

/// A longer line is no report.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The event that tells most about the input.
pub(super) struct WorstEvent {
    pub(super) bound: f64,
    pub(super) event: String,
    pub(super) inputs: [String; 2],
    /// How many events were tested; the confidence is shared among them.
    pub(super) tests: usize,
}

/// Runs the program on several inputs, many times each, and tests what its lines tell.
///
/// For each ordered pair of inputs the first half of the lines chooses three events (a line, a length, a character), and the
/// second half tests them. All bounds hold together with the stated confidence: each is wrong with its share of alpha.
pub(super) fn worst_event(
    command: &str,
    domain: &DomainSpec,
    sampling: Sampling,
) -> Result<WorstEvent, Failure> {
    let inputs = inputs(domain)?;
    let tests = run(command, &inputs, sampling)?;
    let alpha = sampling.alpha() / tests.len().max(1) as f64;
    // Backwards, because the last of equal ones is taken and a whole line says more than one of its characters.
    let bounds = tests.iter().rev().map(|test| (test.bound(sampling, alpha), test));
    let worst = bounds.max_by(|one, other| one.0.total_cmp(&other.0));
    let (bound, test) = worst.ok_or_else(|| refuse("the program wrote nothing to compare".into()))?;
    Ok(WorstEvent {
        bound,
        event: test.event.in_words(),
        inputs: [inputs[test.pair.likelier].clone(), inputs[test.pair.other].clone()],
        tests: tests.len(),
    })
}

/// Inputs whose reports are compared: all categories if they are few, else the ends and their neighbours.
fn inputs(domain: &DomainSpec) -> Result<Vec<String>, Failure> {
    match domain {
        DomainSpec::Categories(categories) => {
            let count = categories.count();
            let indices =
                if count <= ALL_CATEGORIES { (0..count).collect() } else { vec![0, 1, count - 2, count - 1] };
            Ok(indices.into_iter().map(|index| categories.label(index)).collect())
        }
        DomainSpec::Words(words) => Ok(vec!["a".into(), "b".into(), "z".repeat(words.longest() as usize)]),
        DomainSpec::Interval(interval) => {
            let middle = interval.low().midpoint(interval.high());
            Ok([interval.low(), middle, interval.high()].map(|number| number.to_string()).into())
        }
        DomainSpec::Circle(circle) => {
            let period = circle.period();
            Ok([0.0, period / 4.0, period / 2.0].map(|number| number.to_string()).into())
        }
        DomainSpec::Rectangle(rectangle) => {
            let places = [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]].map(|shares| rectangle.point_at(shares));
            Ok(places.map(|[first, second]| format!("{first},{second}")).into())
        }
        DomainSpec::Vectors(vectors) => {
            let mut axis = vec!["0"; vectors.dimension().get()];
            let zero = axis.join(",");
            axis[0] = "1";
            let first = axis.join(",");
            Ok(vec![format!("-{first}"), zero, first])
        }
        other => Err(Failure::Usage { message: format!("no inputs are known for {other}"), hint: None }),
    }
}

fn refuse(message: String) -> Failure {
    Failure::Data {
        message,
        hint: Some("an audited program reads one value per line and writes one report per line, in order"),
    }
}

fn run(command: &str, inputs: &[String], sampling: Sampling) -> Result<Vec<Test>, Failure> {
    let mut program = Running::start(command)?;
    let total = sampling.samples * inputs.len() as u64;
    let stdin = program.child.stdin.take();
    let stdout = program.child.stdout.take();
    std::thread::scope(|scope| {
        // A program may answer before it has read everything, so writing must not wait for reading.
        scope.spawn(move || stdin.map(|stdin| feed(stdin, inputs, sampling.samples)));
        let outcome = stdout.ok_or_else(|| refuse("the program has no output".into())).and_then(|stdout| {
            let mut lines = Lines { stream: BufReader::with_capacity(1 << 16, stdout), line: Vec::new() };
            listen(&mut lines, inputs.len(), sampling)
        });
        match outcome {
            Ok(Heard::Everything(tests)) => program.finish(total, total).map(|()| tests),
            Ok(Heard::TooFew(lines)) => {
                program.finish(lines, total)?;
                Err(refuse(format!("the program answered {total} values with {lines} lines")))
            }
            // The scope waits for the feeding thread, which waits for the program.
            Err(failure) => {
                program.stop();
                Err(failure)
            }
        }
    })
}

/// Gives the program its values in turn, so that no input has a place of its own. A program that stops reading is
/// noticed by what it does not write.
fn feed(stdin: ChildStdin, inputs: &[String], samples: u64) {
    let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
    for _ in 0..samples {
        for input in inputs {
            if writeln!(stdin, "{input}").is_err() {
                return;
            }
        }
    }
    let _ = stdin.flush();
}

enum Heard {
    Everything(Vec<Test>),
    TooFew(u64),
}

fn listen<R: Read>(lines: &mut Lines<R>, inputs: usize, sampling: Sampling) -> Result<Heard, Failure> {
    let mut tally = Tally::new(inputs);
    let mut progress = Progress::new("reports", Some(sampling.samples * inputs as u64));
    let choosing = sampling.choosing() * inputs as u64;
    for number in 0..choosing {
        let Some(line) = lines.next()? else { return Ok(Heard::TooFew(number)) };
        tally.add((number % inputs as u64) as usize, line);
        progress.add(1);
    }
    let mut tests = tally.tests(sampling);
    drop(tally);
    let total = sampling.samples * inputs as u64;
    for number in choosing..total {
        let Some(line) = lines.next()? else { return Ok(Heard::TooFew(number)) };
        let input = (number % inputs as u64) as usize;
        tests.iter_mut().for_each(|test| test.add(input, line));
        progress.add(1);
    }
    if lines.next()?.is_some() {
        return Err(refuse(format!("the program answered {total} values with more than {total} lines")));
    }
    Ok(Heard::Everything(tests))
}

struct Lines<R> {
    stream: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.line.clear();
        let mut limited = (&mut self.stream).take(MAX_LINE_BYTES);
        let length = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|error| refuse(format!("cannot read from the program: {error}")))?;
        if length as u64 == MAX_LINE_BYTES && self.line.last() != Some(&b'\n') {
            return Err(refuse(format!("the program wrote a line of more than {MAX_LINE_BYTES} bytes")));
        }
        Ok((length > 0).then(|| self.line.strip_suffix(b"\n").unwrap_or(&self.line)))
    }
}

/// The program while it runs; it does not outlive the audit.
struct Running {
    child: Child,
}

impl Running {
    fn start(command: &str) -> Result<Self, Failure> {
        let words = words(command)?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        match command.spawn() {
            Ok(child) => Ok(Self { child }),
            Err(source) => {
                Err(Failure::File { action: "cannot start", path: PathBuf::from(&words[0]), source })
            }
        }
    }

    /// Waits for the end, which must be a good one.
    fn finish(&mut self, lines: u64, total: u64) -> Result<(), Failure> {
        let status =
            self.child.wait().map_err(|error| refuse(format!("cannot wait for the program: {error}")))?;
        if status.success() {
            return Ok(());
        }
        Err(refuse(format!("the program ended with {status} after {lines} of {total} reports")))
    }

    fn stop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The words of a command, of which there must be one.
pub(in crate::command) fn words(command: &str) -> Result<Vec<String>, Failure> {
    split(command).filter(|words| !words.is_empty()).ok_or_else(|| Failure::Usage {
        message: "cannot read the command".into(),
        hint: Some("write the program and its arguments, with closed quotes around those with spaces"),
    })
}

/// The words of a command. Quotes keep spaces together; there are no other rules, and no shell.
fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        assert_eq!(split("awk '{ print $1 }' x").unwrap(), ["awk", "{ print $1 }", "x"]);
        assert_eq!(split("a  \"b c\"d ''").unwrap(), ["a", "b cd", ""]);
        assert_eq!(split("  ").unwrap(), Vec::<String>::new());
        assert_eq!(split("a 'b"), None);
    }

    #[test]
    fn few_categories_are_all_compared() {
        assert_eq!(inputs(&"categories:6".parse().unwrap()).unwrap().len(), 6);
        assert_eq!(inputs(&"categories:128".parse().unwrap()).unwrap(), ["0", "1", "126", "127"]);
        assert_eq!(inputs(&"words:3".parse().unwrap()).unwrap(), ["a", "b", "zzz"]);
    }
}
