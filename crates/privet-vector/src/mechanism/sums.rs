//! Sums over coordinates, fast.

/// The sum of the products of both coordinates.
#[inline]
pub(crate) fn dot(one: &[f64], two: &[f64]) -> f64 {
    sum(one, two, |x, y| x * y)
}

/// The sum of a function of both coordinates, in eight parts that the machine can add at once.
#[inline]
pub(crate) fn sum(one: &[f64], two: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let ((chunks_one, rest_one), (chunks_two, rest_two)) = (one.as_chunks::<8>(), two.as_chunks::<8>());
    let mut parts = [0.0; 8];
    for (x, y) in chunks_one.iter().zip(chunks_two) {
        for (part, (x, y)) in parts.iter_mut().zip(x.iter().zip(y)) {
            *part += term(*x, *y);
        }
    }
    let rest: f64 = rest_one.iter().zip(rest_two).map(|(x, y)| term(*x, *y)).sum();
    parts.iter().sum::<f64>() + rest
}
