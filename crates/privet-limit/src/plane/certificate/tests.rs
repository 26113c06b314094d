use super::*;
use privet_core::Interval;
use proptest::prelude::*;

fn rectangle(first: f64, second: f64) -> Rectangle {
    Rectangle::new([Interval::new(0.0, first).unwrap(), Interval::new(0.0, second).unwrap()]).unwrap()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn in_units(radius: f64) -> u32 {
    (radius * f64::from(PlaneCertificate::RADIUS_UNIT)).floor() as u32
}

/// Two people in opposite corners of a square: the best that can be done is randomised response, whose loss is the diagonal
/// over 1 + e^epsilon. All other points have no weight.
#[test]
fn two_people_have_the_loss_of_randomised_response() {
    for value in [0.5f64, 2.0, 6.0] {
        let best = 2f64.sqrt() / (1.0 + value.exp());
        let certificate = |radius: f64| {
            let people = People::Points { grid: [2, 2], weights: vec![1, 0, 0, 1] };
            PlaneCertificate::new(rectangle(1.0, 1.0), epsilon(value), people, vec![in_units(radius); 4])
                .unwrap()
        };
        let proved = certificate(best).check();
        assert!(proved <= best && proved > best * (1.0 - 1e-6), "{value}: {proved} {best}");
        assert!(certificate(best * 1.01).check() < proved);
        assert!(certificate(best * 0.99).check() < proved);
        // In domain units.
        let people = People::Points { grid: [2, 2], weights: vec![1, 0, 0, 1] };
        let larger =
            PlaneCertificate::new(rectangle(50.0, 50.0), epsilon(value), people, vec![in_units(best); 4])
                .unwrap();
        assert!((larger.check() / proved / 50.0 - 1.0).abs() < 1e-9);
    }
}

/// The balance at one output, by summing over many small patches.
fn summed_balance(certificate: &PlaneCertificate, output: [f64; 2]) -> f64 {
    const PATCHES: u32 = 40;
    let (grid, widths) = (certificate.grid(), relative_widths(&certificate.rectangle));
    let factor = certificate.epsilon.get().exp();
    let is_spread = matches!(certificate.people, People::Prior { .. });
    let mut sum = 0.0;
    for site in certificate.sites() {
        let patches = if is_spread { PATCHES } else { 1 };
        for patch in 0..patches * patches {
            let offset = |axis: usize, number: u32| {
                let share = (f64::from(number) + 0.5) / f64::from(patches) - 0.5;
                if is_spread { share * widths[axis] / f64::from(grid[axis]) } else { 0.0 }
            };
            let place =
                [site.middle[0] + offset(0, patch / patches), site.middle[1] + offset(1, patch % patches)];
            let excess = (place[0] - output[0]).hypot(place[1] - output[1]) - site.radius;
            sum += site.probability / f64::from(patches * patches) * excess.min(factor * excess);
        }
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The bound over a box is below the balance at every output of it, and near it.
    #[test]
    fn the_balance_is_bounded_from_below(
        radii in prop::collection::vec(0.0f64..0.6, 12), weights in prop::collection::vec(0u32..9, 12),
        value in 0.2f64..5.0, is_spread in any::<bool>(), shares in prop::array::uniform2(0.0f64..1.0),
    ) {
        let grid = [4, 3];
        let weights: Vec<u32> = weights.iter().map(|weight| weight + 1).collect();
        let people = if is_spread {
            People::Prior { prior: PlanePrior::new(grid, weights).unwrap(), grid }
        } else {
            People::Points { grid, weights }
        };
        let radii: Vec<u32> = radii.into_iter().map(in_units).collect();
        let certificate = PlaneCertificate::new(rectangle(2.0, 1.5), epsilon(value), people, radii).unwrap();
        let sites = certificate.sites();
        let half_parts = if is_spread { [0.125, 0.125] } else { [0.0; 2] };
        let half_box = [0.003, 0.004];
        let middle = [0.01 + 0.98 * shares[0], 0.01 + 0.73 * shares[1]];
        let balance = Balance { sites: &sites, factor: value.exp(), half_parts, half_box, patches: 4 };
        let bound = balance.over_box(middle);
        // Patches are 1/160 wide; the mean of a convex function over one is above its value in the middle by less than this.
        let slack = 1e-3 * value.exp();
        for corner in CORNERS.iter().chain(&[[0.0, 0.0], [0.3, -0.6]]) {
            let output = [middle[0] + corner[0] * half_box[0], middle[1] + corner[1] * half_box[1]];
            let summed = summed_balance(&certificate, output);
            prop_assert!(bound <= summed + slack, "{} {}", bound, summed);
        }
        let here = summed_balance(&certificate, middle);
        prop_assert!(bound > here - 0.05 * value.exp(), "{} {}", bound, here);
    }

    /// No radii at all prove more than what a mechanism reaches: 0.2968 in the unit square at epsilon 2 on average.
    #[test]
    fn no_radii_prove_too_much(noise in prop::collection::vec(0.0f64..0.4, 16)) {
        let people = || People::Prior { prior: PlanePrior::uniform(), grid: [4, 4] };
        let radii = noise.iter().map(|noise| in_units(0.15 + noise)).collect();
        let certificate = PlaneCertificate::new(rectangle(1.0, 1.0), epsilon(2.0), people(), radii).unwrap();
        prop_assert!(certificate.check() < 0.2968);
    }
}

#[test]
fn symmetry_saves_work_and_changes_nothing() {
    let radii = |grid: usize| vec![in_units(0.3); grid * grid];
    let people = People::Prior { prior: PlanePrior::uniform(), grid: [8, 8] };
    let whole = PlaneCertificate::new(rectangle(1.0, 1.0), epsilon(1.0), people.clone(), radii(8)).unwrap();
    assert!(whole.is_kept_by_flip(0) && whole.is_kept_by_flip(1) && whole.is_kept_by_swap());
    // A radius that differs by one unit breaks all symmetries, and the bound moves by about that unit.
    let mut broken = radii(8);
    broken[1] += 1;
    let broken = PlaneCertificate::new(rectangle(1.0, 1.0), epsilon(1.0), people, broken).unwrap();
    assert!(!broken.is_kept_by_flip(0) && !broken.is_kept_by_flip(1) && !broken.is_kept_by_swap());
    assert!((whole.check() - broken.check()).abs() < 1e-8);
}

#[test]
fn numbers_that_do_not_fit_together_are_refused() {
    let make = |people: People, radii: usize| {
        PlaneCertificate::new(rectangle(1.0, 1.0), epsilon(1.0), people, vec![0; radii]).is_ok()
    };
    let prior = |shape| PlanePrior::new(shape, vec![1; (shape[0] * shape[1]) as usize]).unwrap();
    assert!(make(People::Prior { prior: prior([2, 3]), grid: [4, 6] }, 24));
    assert!(!make(People::Prior { prior: prior([2, 3]), grid: [4, 7] }, 28));
    assert!(!make(People::Prior { prior: prior([2, 3]), grid: [4, 6] }, 23));
    assert!(!make(People::Prior { prior: prior([2, 3]), grid: [0, 0] }, 0));
    assert!(make(People::Points { grid: [2, 2], weights: vec![1, 0, 0, 0] }, 4));
    assert!(!make(People::Points { grid: [2, 2], weights: vec![0; 4] }, 4));
    assert!(!make(People::Points { grid: [2, 2], weights: vec![1; 5] }, 4));
    assert!(!make(People::Points { grid: [1, 4], weights: vec![1; 4] }, 4));
    assert!(!make(People::Points { grid: [1000, 1000], weights: vec![1; 1_000_000] }, 1_000_000));
}
