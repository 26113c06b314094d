//! Places in order.

use crate::TrajectoryError;

/// Two coordinates in the units of the space.
pub type Place = [f64; 2];

/// The places of one person, in the order of time. `Debug` shows how many there are, never where or when.
#[derive(Clone, PartialEq)]
pub struct Path {
    /// Which path it is; public.
    pub id: String,
    /// The places.
    pub places: Vec<Place>,
    /// When each place was visited, in any unit, where that is known: one for each place, and none before the one before it.
    pub times: Option<Vec<f64>>,
}

impl Path {
    /// Places in the order of time, without times.
    pub fn new(id: impl Into<String>, places: Vec<Place>) -> Self {
        Self { id: id.into(), places, times: None }
    }

    /// Other places at the same times.
    pub(crate) fn with_places(&self, places: Vec<Place>) -> Self {
        Self { id: self.id.clone(), places, times: self.times.clone() }
    }

    /// Places with their times, in any order. They are sorted by time; those with the same time stay in the given order.
    ///
    /// # Errors
    /// When a time is not a finite number; the error names its position.
    pub fn in_time(id: impl Into<String>, mut visits: Vec<(f64, Place)>) -> Result<Self, TrajectoryError> {
        if let Some(position) = visits.iter().position(|(time, _)| !time.is_finite()) {
            return Err(TrajectoryError::Times { position: position as u64 + 1, problem: "is not finite" });
        }
        visits.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let (times, places) = visits.into_iter().unzip();
        Ok(Self { id: id.into(), places, times: Some(times) })
    }

    /// Accepts a path without times, or with one finite time for each place that is not before the one before it. Times may
    /// repeat.
    ///
    /// # Errors
    /// When the times are others; the error names the position of the first that is wrong.
    pub fn check_times(&self) -> Result<(), TrajectoryError> {
        let Some(times) = &self.times else { return Ok(()) };
        let wrong = |index: usize, problem| TrajectoryError::Times { position: index as u64 + 1, problem };
        if times.len() != self.places.len() {
            return Err(wrong(times.len().min(self.places.len()), "has no place, or its place no time"));
        }
        if let Some(index) = times.iter().position(|time| !time.is_finite()) {
            return Err(wrong(index, "is not finite"));
        }
        match times.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(index) => Err(wrong(index + 1, "is before the one before it")),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for Path {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Path({} private places)", self.places.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_sorted_and_simultaneous_ones_keep_their_order() {
        let visits = vec![(3.0, [0.3, 0.0]), (1.0, [0.1, 0.0]), (3.0, [0.4, 0.0]), (-2.0, [0.0, 0.0])];
        let path = Path::in_time("a", visits).unwrap();
        assert_eq!(path.times.as_deref(), Some([-2.0, 1.0, 3.0, 3.0].as_slice()));
        assert_eq!(path.places, [[0.0, 0.0], [0.1, 0.0], [0.3, 0.0], [0.4, 0.0]]);
        path.check_times().unwrap();
        assert!(Path::in_time("a", vec![]).unwrap().places.is_empty());
        let bad = Path::in_time("a", vec![(0.0, [0.0, 0.0]), (f64::NAN, [0.0, 0.0])]).unwrap_err();
        assert_eq!(bad.to_string(), "time number 2 is not finite");
        assert_eq!(bad.code(), "trajectory-times");
    }

    #[test]
    fn wrong_times_are_named_by_their_position() {
        let path =
            |times: &[f64]| Path { times: Some(times.to_vec()), ..Path::new("a", vec![[0.0, 0.0]; 3]) };
        path(&[1.0, 1.0, 2.0]).check_times().unwrap();
        Path::new("a", vec![[0.0, 0.0]; 3]).check_times().unwrap();
        for (times, message) in [
            (&[1.0, 0.5, 2.0][..], "time number 2 is before the one before it"),
            (&[1.0, 2.0, f64::INFINITY], "time number 3 is not finite"),
            (&[1.0, 2.0], "time number 3 has no place, or its place no time"),
            (&[1.0, 2.0, 3.0, 4.0], "time number 4 has no place, or its place no time"),
        ] {
            assert_eq!(path(times).check_times().unwrap_err().to_string(), message);
        }
    }
}
