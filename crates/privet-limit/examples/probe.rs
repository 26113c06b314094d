//! Probe.
use privet_core::*;
use privet_limit::*;
use privet_mechanisms::analysis::*;
fn main() {
    let unit = Interval::new(0.0, 1.0).unwrap();
    let args: Vec<String> = std::env::args().collect();
    let e: f64 = args[1].parse().unwrap();
    let loss: Loss = args[2].parse().unwrap();
    let (unbiased, average) = (args[3].contains('u'), args[3].contains('a'));
    let start = std::time::Instant::now();
    let p = LineProblem {
        domain: unit,
        loss,
        objective: if average { Objective::Average(Prior::uniform()) } else { Objective::Minimax },
        epsilon: Epsilon::new(e).unwrap(),
        unbiased: unbiased.then_some(Unbiased::default()),
    };
    match p.solve(&Stop::default(), |stage, s| {
        println!(
            "   stage {stage} {:.6} {:.6} gap {:.5} {:?}",
            s.achieved,
            s.lower_bound,
            s.gap(),
            start.elapsed()
        )
    }) {
        Ok(s) => println!(
            "{e} {loss:?} unbiased {unbiased} average {average}: {:.6} >= {:.6} gap {:.5} in {:?}",
            s.achieved,
            s.lower_bound,
            s.gap(),
            start.elapsed()
        ),
        Err(e) => println!("{e} {e:?}"),
    }
}
