//! Whole paths, and many of them.

use super::stream::{References, Schedule, Stream};
use super::{Disclosure, LocationMethod};
use crate::{Path, TrajectoryError};
use privet_core::{CryptoRng, Generator, Guarantee};
use std::fmt;
use std::sync::Arc;

/// How whole paths are reported: by which methods, seen from where, and what is shown besides the reports.
#[derive(Debug, Clone, Copy)]
pub struct Release<'a> {
    schedule: Schedule<'a>,
    references: References,
    disclosure: Disclosure,
}

/// Paths that are reported with one generator. It is fixed, so that reports do not depend on the number of threads.
const BLOCK: usize = 256;

impl<'a> Release<'a> {
    /// Every place by the same method, the first one seen from the middle of the space; the number of places and their times
    /// are visible.
    pub fn new(method: &'a dyn LocationMethod) -> Self {
        let references = References::previous(method);
        Self { schedule: Schedule::Same(method), references, disclosure: Disclosure::Everything }
    }

    /// The first place by the first method, and so on, for a budget of the whole path: see [`super::PathBudget::methods`].
    ///
    /// # Errors
    /// When there is no method, or they have different spaces.
    pub fn with_methods(methods: &'a [Arc<dyn LocationMethod>]) -> Result<Self, TrajectoryError> {
        let schedule = Schedule::each(methods)?;
        let references = References::previous(schedule.method(0)?);
        Ok(Self { schedule, references, disclosure: Disclosure::Everything })
    }

    /// The same, seen from other references.
    ///
    /// # Errors
    /// When the first one lies outside the space.
    pub fn seen_from(self, references: References) -> Result<Self, TrajectoryError> {
        self.schedule.method(0)?.space().check(&references.first())?;
        Ok(Self { references, ..self })
    }

    /// The same with another rule for what is shown.
    ///
    /// # Errors
    /// When the rule is none, or it fixes more places than there are methods.
    pub fn disclosing(self, disclosure: Disclosure) -> Result<Self, TrajectoryError> {
        disclosure.check()?;
        if let Some(places) = disclosure.places() {
            self.schedule.method(u64::from(places) - 1)?;
        }
        Ok(Self { disclosure, ..self })
    }

    /// Reports a path. An empty path stays empty, unless a number of reports is fixed.
    ///
    /// # Errors
    /// When a place lies outside the space, or the times are not in order; the error names the position. When the disclosure
    /// needs times and there are none, or there are more places than the budget was divided for. Nothing is reported then.
    pub fn report(&self, path: &Path, rng: &mut dyn CryptoRng) -> Result<Path, TrajectoryError> {
        let space = self.schedule.method(0)?.space();
        for (position, place) in (1..).zip(&path.places) {
            space.check(place).map_err(|error| error.at(position))?;
        }
        let mut shown = self.disclosure.prepare(path, self.references.first(), rng)?;
        let mut stream = Stream::of(self.schedule, self.references)?;
        for place in &mut shown.places {
            *place = stream.report(place, rng)?;
        }
        Ok(shown)
    }

    /// Reports many paths on all processors, in their order. The reports are the same for any number of processors: every 256
    /// paths have a generator of their own.
    ///
    /// # Errors
    /// As for [`Release::report`], for the first path that cannot be reported.
    pub fn report_all(&self, paths: &[Path], rng: &mut Generator) -> Result<Vec<Path>, TrajectoryError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        self.report_on(paths, rng, threads)
    }

    fn report_on(
        &self,
        paths: &[Path],
        rng: &mut Generator,
        threads: usize,
    ) -> Result<Vec<Path>, TrajectoryError> {
        let mut blocks: Vec<(&[Path], Generator)> =
            paths.chunks(BLOCK).map(|block| (block, rng.split())).collect();
        let per_thread = blocks.len().div_ceil(threads).max(1);
        let report = |blocks: &mut [(&[Path], Generator)]| -> Result<Vec<Path>, TrajectoryError> {
            let paths =
                blocks.iter_mut().flat_map(|(block, rng)| block.iter().map(|path| self.report(path, rng)));
            paths.collect()
        };
        let parts = std::thread::scope(|scope| {
            let workers: Vec<_> =
                blocks.chunks_mut(per_thread).map(|part| scope.spawn(|| report(part))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().map(join).collect::<Result<Vec<Vec<Path>>, _>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// What the reports of a path with this many places promise, or of any path where their number is fixed.
    ///
    /// # Errors
    /// When the epsilons do not add up to a number, or there are more places than the budget was divided for.
    pub fn promise(&self, places: u64) -> Result<PathPromise, TrajectoryError> {
        let reports = self.disclosure.places().map_or(places, u64::from);
        let last = self.schedule.method(reports.saturating_sub(1))?;
        let is_private = match self.schedule {
            Schedule::Same(method) => method.guarantee().is_some(),
            Schedule::Each(methods) => methods.iter().all(|method| method.guarantee().is_some()),
        };
        let whole = if is_private { self.schedule.spent(reports)?.total() } else { None };
        let each = match self.schedule {
            Schedule::Same(_) => last.guarantee(),
            Schedule::Each(_) => None,
        };
        Ok(PathPromise { each, whole, reports, disclosure: self.disclosure })
    }
}

/// What the reports of one path promise together. Two paths are compared that others cannot tell apart by what is visible anyway.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPromise {
    /// About each place alone; `None` where places have different ones, or none.
    pub each: Option<Guarantee>,
    /// About all places together; `None` where there is nothing to promise.
    pub whole: Option<Guarantee>,
    /// How many reports there are.
    pub reports: u64,
    /// What else is visible.
    pub disclosure: Disclosure,
}

impl fmt::Display for PathPromise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(each) = self.each {
            write!(formatter, "each place: {each}; ")?;
        }
        let reports = self.reports;
        match self.whole {
            Some(whole) => write!(formatter, "the whole path of {reports} reports: {whole}; ")?,
            None if reports == 0 => formatter.write_str("nothing is reported; ")?,
            None => formatter.write_str("the whole path: no guarantee; ")?,
        }
        formatter.write_str(&self.disclosure.statement())
    }
}

/// Reports a whole path by one method, starting from the middle of the space: [`Release::new`] in one call.
///
/// # Errors
/// As for [`Release::report`].
pub fn perturb_path(
    method: &dyn LocationMethod,
    path: &Path,
    rng: &mut dyn CryptoRng,
) -> Result<Path, TrajectoryError> {
    Release::new(method).report(path, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{PathBudget, TracsC, TracsD};
    use crate::space::Space;
    use privet_core::{Epsilon, Interval, Rectangle};

    fn square() -> Space {
        let side = Interval::new(0.0, 1.0).unwrap();
        Space::rectangle(Rectangle::new([side, side]).unwrap())
    }

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    fn paths(count: u32) -> Vec<Path> {
        let place = |index: u32| [f64::from(index % 7) / 7.0, f64::from(index % 11) / 11.0];
        let path = |id: u32| Path::new(id.to_string(), (0..id % 5).map(|step| place(id + step)).collect());
        (0..count).map(path).collect()
    }

    #[test]
    fn reports_do_not_depend_on_the_number_of_threads() {
        let method = TracsD::new(square(), epsilon(2.0)).unwrap();
        let release = Release::new(&method);
        let paths = paths(1500);
        let on = |threads| release.report_on(&paths, &mut Generator::from_insecure_seed(1), threads).unwrap();
        let one = on(1);
        assert!(one == on(2) && one == on(7) && one == on(100));
        assert!(one == release.report_all(&paths, &mut Generator::from_insecure_seed(1)).unwrap());
        assert!(
            one.iter()
                .zip(&paths)
                .all(|(report, path)| report.id == path.id && report.places.len() == path.places.len())
        );
        // The first block is what a single generator gives, one path after the other; the second has another one.
        let mut parent = Generator::from_insecure_seed(1);
        let (mut first, mut second) = (parent.split(), parent.split());
        assert_eq!(release.report(&paths[0], &mut first).unwrap(), one[0]);
        assert_eq!(release.report(&paths[1], &mut first).unwrap(), one[1]);
        assert_eq!(release.report(&paths[256], &mut second).unwrap(), one[256]);
        assert!(release.report_all(&[], &mut Generator::from_insecure_seed(1)).unwrap().is_empty());
    }

    #[test]
    fn one_bad_path_stops_all() {
        let method = TracsC::new(square(), epsilon(2.0)).unwrap();
        let mut paths = paths(600);
        paths[400].places = vec![[0.5, 0.5], [1.5, 0.5]];
        let error =
            Release::new(&method).report_all(&paths, &mut Generator::from_insecure_seed(1)).unwrap_err();
        assert_eq!(error.to_string(), "value number 2 lies outside the domain rectangle:0,1,0,1");
    }

    #[test]
    fn promises_say_what_is_visible() {
        let method = TracsC::new(square(), epsilon(2.0)).unwrap();
        let release = Release::new(&method);
        let open = release.promise(10).unwrap();
        let each = method.guarantee().unwrap();
        assert_eq!(open.each, Some(each));
        let whole = open.whole.unwrap().epsilon().get();
        assert!(whole >= 10.0 * each.epsilon().get() && whole < 20.0);
        assert!(open.to_string().ends_with("; the number of places and their times are visible"), "{open}");
        let fixed = release.disclosing(Disclosure::Count { places: 4 }).unwrap();
        assert_eq!(fixed.promise(10).unwrap(), fixed.promise(0).unwrap());
        let said = fixed.promise(10).unwrap().to_string();
        assert!(said.contains("the whole path of 4 reports: epsilon = "), "{said}");
        assert!(said.ends_with("are hidden: every path has 4 reports"), "{said}");
        assert!(release.promise(0).unwrap().to_string().contains("nothing is reported"));
    }

    /// Every path has as many reports as the rule says, whatever it is.
    #[test]
    fn a_fixed_number_of_reports_is_all_that_others_see() {
        let methods = PathBudget::PerPath { epsilon: epsilon(4.0), places: 3 }
            .methods(|part| Ok(Box::new(TracsC::new(square(), part)?)))
            .unwrap();
        let release = Release::with_methods(&methods).unwrap();
        let fixed = release.disclosing(Disclosure::Count { places: 3 }).unwrap();
        let mut rng = Generator::from_insecure_seed(2);
        for path in paths(10) {
            let report = fixed.report(&path, &mut rng).unwrap();
            assert_eq!((report.places.len(), report.times), (3, None));
        }
        let promise = fixed.promise(0).unwrap();
        assert!(promise.whole.unwrap().epsilon() <= epsilon(4.0) && promise.each.is_none());
        let too_many = release.disclosing(Disclosure::Count { places: 4 }).unwrap_err();
        assert_eq!(too_many, TrajectoryError::PathTooLong { planned: 3 });
        assert!(release.report(&paths(5)[4], &mut rng).is_err(), "four places, and a budget for three");
    }
}
