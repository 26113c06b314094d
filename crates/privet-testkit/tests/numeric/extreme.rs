//! Intervals and epsilons at the ends of what a number can be: a clear error, or private all the same.

use super::{epsilon, turn};
use privet_core::{BuildOptions, Circle, Delta, DomainSpec, Generator, Interval, ReportBuffer, Values};
use privet_mechanisms::registry::{ROWS, Row, WorstInput};

fn numeric_rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| ["interval", "circle"].contains(&row.info.domain))
}

fn options(row: &Row) -> BuildOptions {
    let delta = (row.info.guarantee != "pure").then(|| Delta::new(1e-3).unwrap());
    BuildOptions { delta, bins: None }
}

fn domains(row: &Row) -> Vec<DomainSpec> {
    if row.info.domain == "circle" {
        return [1e-300, 360.0, 1e300]
            .map(|period| DomainSpec::Circle(Circle::new(period).unwrap()))
            .to_vec();
    }
    let ends = [
        (0.0, 1e-300),
        (0.0, 1.0),
        (-5.0, 20.0),
        (0.0, 1e300),
        (-1e300, 1e300),
        (1e15, 1e15 + 1.0),
        (0.0, 5e-324),
    ];
    ends.map(|(low, high)| DomainSpec::Interval(Interval::new(low, high).unwrap())).to_vec()
}

#[test]
fn everything_is_refused_or_private() {
    for row in numeric_rows() {
        for domain in domains(row) {
            for value in [1e-300, 1e-12, 1e-6, 0.01, 1.0, 20.0, 50.0, 1e300] {
                match row.build_with(&domain, epsilon(value), &options(row)) {
                    Ok(mechanism) => {
                        let stated = mechanism.guarantee().epsilon().get();
                        assert!(stated <= value, "{} {domain} {value}: {stated}", row.info.id);
                        if row.info.guarantee == "pure" {
                            assert_eq!(mechanism.exact_epsilon(), stated);
                        }
                        let mut reports = ReportBuffer::new(mechanism.report_bytes());
                        let mut rng = Generator::from_insecure_seed(1);
                        mechanism
                            .randomize_worst_input(WorstInput::Second, 3, &mut rng, &mut reports)
                            .unwrap();
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}

#[test]
fn practical_epsilons_are_accepted_everywhere() {
    for row in numeric_rows() {
        for domain in domains(row).iter().filter(|domain| !domain.to_string().contains("0000000000")) {
            for value in [0.01, 0.1, 1.0, 8.0, 16.0] {
                let built = row.build_with(domain, epsilon(value), &options(row));
                assert!(built.is_ok(), "{} {domain} {value}: {built:?}", row.info.id);
            }
        }
    }
}

#[test]
fn values_outside_are_refused_and_never_shown() {
    for row in numeric_rows() {
        let domain: DomainSpec = match row.info.domain {
            "circle" => DomainSpec::Circle(turn()),
            _ => "interval:-5,20".parse().unwrap(),
        };
        let mechanism = row.build_with(&domain, epsilon(1.0), &options(row)).unwrap();
        for bad in [f64::NAN, f64::INFINITY, -5.000001, 20.000001] {
            let mut reports = ReportBuffer::new(mechanism.report_bytes());
            let mut rng = Generator::from_insecure_seed(1);
            let error = mechanism
                .randomize_batch(&Values::Numbers(vec![1.0, bad]), &mut rng, &mut reports)
                .unwrap_err();
            assert!(
                !error.to_string().contains("000001") && error.to_string().contains("number 2"),
                "{error}"
            );
            assert!(reports.is_empty());
        }
        assert!(mechanism.pieces(Some("1")).is_ok_and(|pieces| !pieces.is_empty()));
        assert!(mechanism.pieces(Some("abc")).is_err());
    }
}

#[test]
fn parameters_that_a_mechanism_does_not_take_are_refused() {
    let delta = BuildOptions { delta: Some(Delta::new(0.1).unwrap()), bins: None };
    let bins = BuildOptions { delta: None, bins: Some(12) };
    for row in ROWS {
        let domain: DomainSpec = match row.info.domain {
            "circle" => "circle:24",
            "interval" => "interval:0,1",
            "words" => "words:4",
            "binary" => "binary",
            "rectangle" => "rectangle:0,1,0,1",
            _ => "categories:4",
        }
        .parse()
        .unwrap();
        let takes_delta = ["gaussian", "gaussian-probabilistic"].contains(&row.info.id);
        let takes_bins = ["grid-randomized-response", "grid-exponential", "sector-randomized-response"];
        assert_eq!(row.build_with(&domain, epsilon(1.0), &delta).is_ok(), takes_delta, "{}", row.info.id);
        let built = row.build_with(&domain, epsilon(1.0), &bins);
        assert_eq!(built.is_ok(), takes_bins.contains(&row.info.id), "{}", row.info.id);
        assert_eq!(row.build(&domain, epsilon(1.0)).is_ok(), !takes_delta, "{}", row.info.id);
    }
}
