//! Densities that are constant on each of a few pieces.

/// A piece of a density: constant between two outputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its height.
    pub density: f64,
}

/// Two heights are the same if their logarithms differ by at most this part of epsilon.
pub const HEIGHT_TOLERANCE: f64 = 1e-6;
/// A step is empty if it is at most this part of the outputs' width times e^(-epsilon/2) long.
pub const LENGTH_TOLERANCE: f64 = 1e-6;

/// A density of reports for one input: steps from the lowest output to the highest.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    steps: Vec<Step>,
    epsilon: f64,
}

impl Density {
    pub(super) fn new(steps: Vec<Step>, epsilon: f64) -> Self {
        Self { steps, epsilon }
    }

    /// All pieces, redundant ones too.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The pieces with neighbours of the same height ([`HEIGHT_TOLERANCE`]) made one, and then without empty ones
    /// ([`LENGTH_TOLERANCE`]). An empty piece's place goes to the piece before it, or after it if it is first.
    pub fn merged(&self) -> Vec<Step> {
        let (Some(first), Some(last)) = (self.steps.first(), self.steps.last()) else { return Vec::new() };
        let empty = LENGTH_TOLERANCE * (-self.epsilon / 2.0).exp() * (last.to - first.from);
        // Joined first: a short piece beside one of its own height is a part of it.
        let mut merged = self.joined(self.steps.clone());
        merged.retain(|step| step.to - step.from > empty);
        let mut merged = self.joined(merged);
        if let Some(begin) = merged.first_mut() {
            begin.from = first.from;
        }
        if let Some(end) = merged.last_mut() {
            end.to = last.to;
        }
        merged
    }

    /// One step for neighbours of the same height, each reaching to the next.
    fn joined(&self, steps: Vec<Step>) -> Vec<Step> {
        let mut joined: Vec<Step> = Vec::new();
        for step in steps {
            match joined.last_mut() {
                Some(previous) if self.is_same_height(previous, &step) => previous.to = step.to,
                Some(previous) => {
                    previous.to = step.from;
                    joined.push(step);
                }
                None => joined.push(step),
            }
        }
        joined
    }

    /// The largest height.
    pub fn peak(&self) -> f64 {
        self.steps.iter().map(|step| step.density).fold(0.0, f64::max)
    }

    /// The expected loss |y - x|^p.
    pub fn expected_loss(&self, x: f64, power: f64) -> f64 {
        let cumulative = |y: f64| (y - x) * (y - x).abs().powf(power) / (power + 1.0);
        self.steps.iter().map(|step| step.density * (cumulative(step.to) - cumulative(step.from))).sum()
    }

    fn is_same_height(&self, one: &Step, other: &Step) -> bool {
        (one.density / other.density).ln().abs() <= HEIGHT_TOLERANCE * self.epsilon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(from: f64, to: f64, density: f64) -> Step {
        Step { from, to, density }
    }

    #[test]
    fn redundant_steps_disappear_and_real_ones_stay() {
        let steps = vec![
            step(0.0, 1e-9, 3.0),
            step(1e-9, 0.2, 0.5),
            step(0.2, 0.3, 0.5 + 1e-8),
            step(0.3, 0.3 + 1e-8, 2.0),
            step(0.3 + 1e-8, 0.6, 1.5),
            step(0.6, 1.0, 0.5),
        ];
        let merged = Density::new(steps, 1.0).merged();
        let wanted = [step(0.0, 0.3 + 1e-8, 0.5), step(0.3 + 1e-8, 0.6, 1.5), step(0.6, 1.0, 0.5)];
        assert_eq!(merged, wanted);
    }

    #[test]
    fn a_short_step_belongs_to_the_neighbour_of_its_height() {
        let steps = vec![step(0.0, 0.3, 0.5), step(0.3, 0.3 + 3e-7, 1.5), step(0.3 + 3e-7, 1.0, 1.5)];
        let merged = Density::new(steps, 1.0).merged();
        assert_eq!(merged, [step(0.0, 0.3, 0.5), step(0.3, 1.0, 1.5)]);
    }

    #[test]
    fn heights_and_lengths_above_the_tolerance_are_kept() {
        let taller = 0.5 * (2.0 * HEIGHT_TOLERANCE).exp();
        let density = Density::new(vec![step(0.0, 0.5, 0.5), step(0.5, 1.0, taller)], 1.0);
        assert_eq!(density.merged().len(), 2);
        let short = Density::new(vec![step(0.0, 1e-5, 2.0), step(1e-5, 1.0, 1.0)], 1.0);
        assert_eq!(short.merged().len(), 2);
        assert!(Density::new(Vec::new(), 1.0).merged().is_empty());
    }

    #[test]
    fn the_expected_loss_of_a_uniform_density() {
        let uniform = Density::new(vec![step(0.0, 0.4, 1.0), step(0.4, 1.0, 1.0)], 1.0);
        assert!((uniform.expected_loss(0.0, 1.0) - 0.5).abs() < 1e-15);
        assert!((uniform.expected_loss(0.5, 2.0) - 1.0 / 12.0).abs() < 1e-15);
    }
}
