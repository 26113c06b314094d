//! The short way to a likelihood ratio gives the same number as the quotient of the two probabilities.

use privet_core::{Build, Channel, DomainSpec, Epsilon, Generator};
use privet_mechanisms::categorical::{
    CountMeanSketch, OptimizedUnaryEncoding, Rappor, SymmetricUnaryEncoding,
};

fn agrees<M: Channel<Domain = privet_core::Categories> + Build>() {
    let domain: DomainSpec = "categories:70".parse().unwrap();
    let mechanism = M::build(&domain, Epsilon::new(1.5).unwrap()).unwrap();
    let mut rng = Generator::from_insecure_seed(5);
    for inputs in [[0, 69], [69, 0], [7, 7], [3, 64]] {
        for _ in 0..8 {
            let report = mechanism.randomize(&inputs[0], &mut rng).unwrap();
            let above = mechanism.probability(&inputs[0], &report);
            let quotient = above.checked_div(&mechanism.probability(&inputs[1], &report));
            assert!(quotient.is_some());
            assert_eq!(mechanism.likelihood_ratio(&inputs, &report), quotient, "{} {inputs:?}", M::INFO.id);
        }
    }
}

#[test]
fn long_reports_take_the_short_way() {
    agrees::<SymmetricUnaryEncoding>();
    agrees::<OptimizedUnaryEncoding>();
    agrees::<Rappor>();
    agrees::<CountMeanSketch>();
}
