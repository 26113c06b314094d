//! Joint randomised response: two people perturb together. Each report on its own is ordinary randomised response, but the
//! two are correlated, and the collector's estimate has less variance.

pub mod pairing;
pub mod two_party;
pub mod wire;
