//! Ten thousand made-up people say how they get to work; the collector sees reports only.

use privet::categorical::GeneralizedRandomizedResponse;
use privet::{Categories, Epsilon, Estimator, Generator, HasEstimator, Mechanism, ReportBuffer, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Public: both sides know the question and what one report may reveal.
    let commute = Categories::with_labels(["walk", "bicycle", "bus", "train", "car"])?;
    let mechanism = GeneralizedRandomizedResponse::new(commute, Epsilon::new(1.0)?)?;

    // Private: each value is on its own device, and only a report leaves it.
    let holders = [1000, 2500, 2000, 1500, 3000];
    let people: Vec<u32> = (0..).zip(holders).flat_map(|(value, count)| vec![value; count]).collect();
    // INSECURE, so that the output can be tested. A real program takes `privet::generator()?`.
    let mut rng = Generator::from_insecure_seed(1);
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&people, &mut rng, &mut reports)?;

    // At the collector: reports to a summary, a summary to estimates.
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports)?;
    let frequencies = estimator.estimate(&summary)?;

    println!("LABEL    ESTIMATE    MARGIN         95 % INTERVAL  SIMULTANEOUS 95 % INTERVAL");
    for row in &frequencies.rows {
        let estimate = row.estimate;
        let interval = |[low, high]: [f64; 2]| format!("[{low:.6}, {high:.6}]");
        println!(
            "{:<7}  {:.6}  {:.6}  {}  {:>26}",
            row.label,
            estimate.value,
            estimate.margin(),
            interval(estimate.interval),
            interval(row.simultaneous_interval),
        );
    }
    println!("\n{} reports, {}", frequencies.n, frequencies.method);
    println!("Target: the truth {}", Target::default().describe());
    Ok(())
}
