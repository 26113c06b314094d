use privet_core::{Categories, Epsilon, Generator, Mechanism};
use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
use privet_mechanisms::wrapper::Memoized;

fn main() {
    let layer = || {
        GeneralizedRandomizedResponse::new(Categories::new(4).unwrap(), Epsilon::new(1.0).unwrap()).unwrap()
    };
    let memoized = Memoized::new(layer(), layer()).unwrap();
    // Without a client's secret every report would draw the permanent answer anew.
    let _ = memoized.randomize(&1, &mut Generator::from_insecure_seed(1));
}
