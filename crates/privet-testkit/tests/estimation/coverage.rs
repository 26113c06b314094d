//! How often intervals of shares and quantiles hold the truth. They include the bias that the channel allows, so they hold
//! at least as often as they say, and mostly more often.

use super::{Collection, two_kinds};
use privet_estimators::Request;
use privet_estimators::numeric::Distribution;
use privet_mechanisms::analysis::Space;

const REPETITIONS: u64 = 40;

#[derive(Default)]
struct Held {
    ranges: usize,
    quantiles: usize,
    bins: usize,
}

fn held(name: &str, epsilon: f64) -> Held {
    let collection = Collection::new(name, "interval:0,1", epsilon);
    let people = two_kinds(5000);
    let request = Request { bins: 10, ranges: vec![[0.2, 0.4], [0.5, 1.0]], ..Request::default() };
    let truth = |range: [f64; 2]| {
        people.iter().filter(|x| (range[0]..range[1]).contains(x)).count() as f64 / people.len() as f64
    };
    let exact = Distribution::of_values(Space::Line { low: 0.0, high: 1.0 }, &people, 5000);
    let inside = |interval: [f64; 2], truth: f64| usize::from((interval[0]..=interval[1]).contains(&truth));
    let mut held = Held::default();
    for seed in 0..REPETITIONS {
        let numbers = collection.answer(&people, seed, &request).into_numbers().unwrap();
        for range in &numbers.ranges {
            held.ranges += inside(range.share.interval, truth([range.from, range.to]));
        }
        for quantile in &numbers.quantiles {
            held.quantiles += inside(quantile.value.interval, exact.quantile(quantile.level));
        }
        for bin in &numbers.bins {
            held.bins += inside(bin.share.interval, truth([bin.from, bin.to]));
        }
    }
    held
}

#[test]
fn intervals_hold_at_least_as_often_as_they_say() {
    for (name, epsilon) in
        [("square-wave", 1.0), ("square-wave", 4.0), ("piecewise", 2.0), ("optimal-piecewise", 2.0)]
    {
        let Held { ranges, quantiles, bins } = held(name, epsilon);
        let share = |held: usize, of: u64| held as f64 / (of * REPETITIONS) as f64;
        let (ranges, quantiles, bins) = (share(ranges, 2), share(quantiles, 3), share(bins, 10));
        println!("{name} {epsilon}: ranges {ranges:.3}, quantiles {quantiles:.3}, bins {bins:.3}");
        assert!(
            ranges >= 0.9 && quantiles >= 0.9 && bins >= 0.9,
            "{name} {epsilon}: {ranges} {quantiles} {bins}"
        );
    }
}
