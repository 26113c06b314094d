//! The distribution whose expected counts are nearest to the counts.

use super::operator::Operator;
use crate::Consistency;

const MAX_ROUNDS: usize = 5000;
/// Stops when all shares together move by less than this.
const LEAST_MOVE: f64 = 1e-7;

/// Minimises the squared distance between expected and observed densities of the groups over all distributions, by
/// projected gradients with momentum that starts anew whenever it points uphill.
pub(super) fn least_squares(operator: &Operator, observed: &[f64]) -> Vec<f64> {
    let columns = operator.columns();
    let scale = largest_eigenvalue(operator);
    let mut shares = vec![1.0 / columns as f64; columns];
    let mut ahead = shares.clone();
    let mut momentum = 1.0f64;
    let (mut density, mut slope) = (Vec::new(), Vec::new());
    for _ in 0..MAX_ROUNDS {
        operator.forward(&ahead, &mut density);
        density.iter_mut().zip(observed).for_each(|(value, observed)| *value -= observed);
        operator.backward(&mut density, &mut slope);
        let mut next: Vec<f64> =
            ahead.iter().zip(&slope).map(|(share, slope)| share - slope / scale).collect();
        Consistency::Simplex.project(&mut next);
        let uphill: f64 = (0..columns).map(|i| (ahead[i] - next[i]) * (next[i] - shares[i])).sum();
        let moved: f64 = next.iter().zip(&shares).map(|(new, old)| (new - old).abs()).sum();
        let following =
            if uphill > 0.0 { 1.0 } else { f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt()) };
        let push = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / following };
        ahead = next.iter().zip(&shares).map(|(new, old)| new + push * (new - old)).collect();
        shares = next;
        momentum = following;
        if moved < LEAST_MOVE {
            break;
        }
    }
    shares
}

/// An upper estimate of the largest eigenvalue of the operator times its transpose.
fn largest_eigenvalue(operator: &Operator) -> f64 {
    let mut vector = vec![1.0; operator.columns()];
    let (mut density, mut image) = (Vec::new(), Vec::new());
    let mut value = 1.0;
    for _ in 0..20 {
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        operator.forward(&vector, &mut density);
        operator.backward(&mut density, &mut image);
        value = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        std::mem::swap(&mut vector, &mut image);
    }
    value * 1.1
}
