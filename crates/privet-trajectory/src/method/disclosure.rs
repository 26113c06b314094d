//! What a path reveals besides its places: how many there are, and when.

use crate::{Path, Place, TrajectoryError};
use privet_core::CryptoRng;
use privet_core::sampling::uniform_subset;

/// What is published of a path besides its reports. All of it is public and decided before the path is seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Disclosure {
    /// How many places there are, and their times where they are known.
    #[default]
    Everything,
    /// How many places there are, and their times rounded down to multiples of a step.
    Steps {
        /// The step.
        step: f64,
    },
    /// Nothing: every path has this many reports and no times. Of a longer path places are chosen at random, all choices
    /// equally likely, in their order; of a shorter one the last place is reported again, at its full price, until there
    /// are enough. An empty path reports the public start.
    Count {
        /// How many reports.
        places: u32,
    },
    /// Nothing: every path has a report for each of these times. It is that of the last place before or at this time; before
    /// the first place, that of the first. Places between two times are left out, and staying costs as much as moving. An
    /// empty path reports the public start.
    Slots {
        /// The first time.
        start: f64,
        /// From one time to the next.
        step: f64,
        /// How many times.
        places: u32,
    },
}

impl Disclosure {
    /// The largest number of reports that can be fixed.
    pub const MAX_PLACES: u32 = 1 << 20;

    /// How many reports every path has, where that is fixed.
    pub fn places(&self) -> Option<u32> {
        match self {
            Self::Everything | Self::Steps { .. } => None,
            Self::Count { places } | Self::Slots { places, .. } => Some(*places),
        }
    }

    /// Whether the times of a path stay hidden.
    pub fn hides_times(&self) -> bool {
        self.places().is_some()
    }

    /// What others see besides the reports, as half a sentence.
    pub fn statement(&self) -> String {
        match self {
            Self::Everything => "the number of places and their times are visible".into(),
            Self::Steps { step } => {
                format!("the number of places is visible, and their times in steps of {step}")
            }
            Self::Count { places } => {
                format!("the number of places and their times are hidden: every path has {places} reports")
            }
            Self::Slots { start, step, places } => format!(
                "the number of places and their times are hidden: every path has {places} reports, from {start} in \
                 steps of {step}"
            ),
        }
    }

    pub(super) fn check(&self) -> Result<(), TrajectoryError> {
        let (first, step, places) = match *self {
            Self::Everything => return Ok(()),
            Self::Steps { step } => (0.0, step, 1),
            Self::Count { places } => (0.0, 1.0, places),
            Self::Slots { start, step, places } => (start, step, places),
        };
        let most = Self::MAX_PLACES;
        if !(1..=most).contains(&places) {
            return Err(TrajectoryError::incompatible(format!(
                "a path can be published with between 1 and {most} reports: got {places}"
            )));
        }
        if step > 0.0 && first.is_finite() && (first + step * f64::from(places)).is_finite() {
            return Ok(());
        }
        Err(TrajectoryError::incompatible(format!(
            "times are published from a finite one on, in finite steps above 0: got {first} and {step}"
        )))
    }

    /// The path of which every place is to be reported. Its number of places and its times are what others see.
    pub(super) fn prepare(
        &self,
        path: &Path,
        start: Place,
        rng: &mut dyn CryptoRng,
    ) -> Result<Path, TrajectoryError> {
        path.check_times()?;
        let id = path.id.clone();
        // A path without places needs no times, and must not be told by its lack of them.
        let times = path.times.as_deref().or(path.places.is_empty().then_some(&[]));
        Ok(match *self {
            Self::Everything => path.clone(),
            Self::Steps { step } => {
                let times = times.ok_or(TrajectoryError::NoTimes)?;
                let rounded = times.iter().map(|time| time - time.rem_euclid(step)).collect();
                Path { id, places: path.places.clone(), times: Some(rounded) }
            }
            Self::Count { places } => Path::new(id, counted(&path.places, places, start, rng)?),
            Self::Slots { start: first, step, places } => {
                let times = times.ok_or(TrajectoryError::NoTimes)?;
                let slots: Vec<f64> = (0..places).map(|slot| first + f64::from(slot) * step).collect();
                let at = |slot: &f64| {
                    let seen = times.partition_point(|time| time <= slot);
                    path.places.get(seen.saturating_sub(1)).copied().unwrap_or(start)
                };
                Path { id, places: slots.iter().map(at).collect(), times: Some(slots) }
            }
        })
    }
}

/// Exactly this many of some places.
fn counted(
    places: &[Place],
    count: u32,
    start: Place,
    rng: &mut dyn CryptoRng,
) -> Result<Vec<Place>, TrajectoryError> {
    let all = u32::try_from(places.len())
        .map_err(|_| TrajectoryError::incompatible("a path has at most 2^32 places"))?;
    if all > count {
        let chosen = uniform_subset(all, count, rng);
        return Ok((0..places.len()).filter(|index| chosen.get(*index)).map(|index| places[index]).collect());
    }
    let last = places.last().copied().unwrap_or(start);
    let again = std::iter::repeat_n(last, (count - all) as usize);
    Ok(places.iter().copied().chain(again).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;
    use std::collections::BTreeMap;

    fn prepared(disclosure: Disclosure, path: &Path) -> Result<Path, TrajectoryError> {
        disclosure.check()?;
        disclosure.prepare(path, [9.0, 9.0], &mut Generator::from_insecure_seed(1))
    }

    fn line(times: &[f64]) -> Path {
        let visits = times.iter().enumerate().map(|(index, time)| (*time, [index as f64, 0.0]));
        Path::in_time("p", visits.collect()).unwrap()
    }

    fn first_coordinates(path: &Path) -> Vec<f64> {
        path.places.iter().map(|place| place[0]).collect()
    }

    #[test]
    fn everything_and_steps_show_the_number() {
        let path = line(&[0.2, 1.9, 2.0, 7.5]);
        assert_eq!(prepared(Disclosure::Everything, &path).unwrap(), path);
        let stepped = prepared(Disclosure::Steps { step: 2.0 }, &path).unwrap();
        assert_eq!(stepped.times.as_deref(), Some([0.0, 0.0, 2.0, 6.0].as_slice()));
        assert_eq!(stepped.places, path.places);
        let before = prepared(Disclosure::Steps { step: 2.0 }, &line(&[-0.5])).unwrap();
        assert_eq!(before.times, Some(vec![-2.0]));
    }

    #[test]
    fn a_fixed_count_is_kept_by_all_paths() {
        let count = Disclosure::Count { places: 3 };
        let padded = prepared(count, &line(&[0.0, 5.0])).unwrap();
        assert_eq!((first_coordinates(&padded), &padded.times), (vec![0.0, 1.0, 1.0], &None));
        assert_eq!(prepared(count, &line(&[])).unwrap().places, [[9.0, 9.0]; 3]);
        assert_eq!(first_coordinates(&prepared(count, &line(&[1.0, 2.0, 3.0])).unwrap()), [0.0, 1.0, 2.0]);
    }

    /// Ten choices of three out of five; five standard deviations of a binomial(20 000, 1/10) are 213.
    #[test]
    fn longer_paths_are_sampled_evenly_and_in_order() {
        let mut rng = Generator::from_insecure_seed(3);
        let path = line(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        let mut counts: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        for _ in 0..20_000 {
            let chosen = Disclosure::Count { places: 3 }.prepare(&path, [0.0; 2], &mut rng).unwrap();
            let places = first_coordinates(&chosen);
            assert!(places.is_sorted());
            *counts.entry(places.iter().map(|place| place.to_bits()).collect()).or_default() += 1;
        }
        assert_eq!(counts.len(), 10);
        assert!(counts.values().all(|count| count.abs_diff(2000) < 213), "{counts:?}");
    }

    #[test]
    fn slots_hold_the_last_place_before_them() {
        let slots = Disclosure::Slots { start: 0.0, step: 1.0, places: 5 };
        let path = prepared(slots, &line(&[0.5, 2.0, 2.0, 2.9])).unwrap();
        // Before the first visit its place; of two visits at the same time the later one.
        assert_eq!(first_coordinates(&path), [0.0, 0.0, 2.0, 3.0, 3.0]);
        assert_eq!(path.times.as_deref(), Some([0.0, 1.0, 2.0, 3.0, 4.0].as_slice()));
        for empty in [line(&[]), Path::new("p", Vec::new())] {
            assert_eq!(prepared(slots, &empty).unwrap().places, [[9.0, 9.0]; 5]);
        }
    }

    #[test]
    fn what_cannot_be_published_is_refused() {
        let path = line(&[0.0]);
        for disclosure in [
            Disclosure::Count { places: 0 },
            Disclosure::Count { places: Disclosure::MAX_PLACES + 1 },
            Disclosure::Steps { step: 0.0 },
            Disclosure::Steps { step: f64::NAN },
            Disclosure::Slots { start: f64::NAN, step: 1.0, places: 2 },
            Disclosure::Slots { start: 0.0, step: f64::MAX, places: 2 },
        ] {
            assert!(prepared(disclosure, &path).is_err(), "{disclosure:?}");
        }
        let timeless = Path::new("p", vec![[0.0, 0.0]]);
        for disclosure in
            [Disclosure::Steps { step: 1.0 }, Disclosure::Slots { start: 0.0, step: 1.0, places: 2 }]
        {
            assert_eq!(prepared(disclosure, &timeless).unwrap_err(), TrajectoryError::NoTimes);
        }
        let unsorted = Path { times: Some(vec![1.0, 0.0]), ..Path::new("p", vec![[0.0, 0.0]; 2]) };
        assert!(matches!(
            prepared(Disclosure::Everything, &unsorted),
            Err(TrajectoryError::Times { position: 2, .. })
        ));
    }
}
