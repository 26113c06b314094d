use privet_core::{Categories, Epsilon};
use privet_mechanisms::categorical::RandomizedResponse;

fn main() {
    let _ = RandomizedResponse::new(Categories::new(2).unwrap(), 1.0);
    let _: Epsilon = 1.0.into();
    let _ = Epsilon::default();
}
