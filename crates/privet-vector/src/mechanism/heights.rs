//! One coordinate of a report that is placed by its height along the truth.

use super::ClipSet;
use crate::special::HeightMoments;
use privet_estimators::CoordinateNoise;

/// How one coordinate varies, for points with these moments that are multiplied by `scale`.
///
/// For a truth with coordinate t the point has the coordinate t h + sqrt(1 - t^2) s, where h is its height along the truth and s a
/// coordinate at a right angle, with either sign alike.
pub(super) fn coordinate_noise(moments: &HeightMoments, clip: &ClipSet, scale: f64) -> CoordinateNoise {
    const PARTS: u32 = 256;
    let central = Central::of(moments);
    let truths = (0..=PARTS).map(|part| central.at((f64::from(part) / f64::from(PARTS)).powi(2)));
    let noise = CoordinateNoise::of_moments(truths, clip.range(0).map(|end| end / scale)).scaled(scale);
    // A zero vector has no direction, so its report varies by the whole length in all of them.
    let dimension = clip.dimension().as_f64();
    let aimless = (moments.along[1] + (dimension - 1.0) * moments.beside[0]) / dimension * scale * scale;
    let [least, largest] = noise.variances;
    CoordinateNoise { variances: [least, largest.max(aimless)], ..noise }
}

/// The moments around the mean height.
struct Central {
    /// Of h: second to fourth.
    along: [f64; 3],
    /// Of s^2, h s^2 and h^2 s^2.
    beside: [f64; 3],
    /// Of s^4.
    beside_squared: f64,
}

impl Central {
    fn of(moments: &HeightMoments) -> Self {
        let [mean, second, third, fourth] = moments.along;
        let [beside, first_beside, second_beside] = moments.beside;
        let square = mean * mean;
        Self {
            along: [
                second - square,
                third - 3.0 * mean * second + 2.0 * mean * square,
                fourth - 4.0 * mean * third + 6.0 * square * second - 3.0 * square * square,
            ],
            beside: [
                beside,
                first_beside - mean * beside,
                second_beside - 2.0 * mean * first_beside + square * beside,
            ],
            beside_squared: moments.beside_squared,
        }
    }

    /// The second, third and fourth central moment of a coordinate, for the square t^2 of the truth's.
    fn at(&self, square: f64) -> [f64; 3] {
        let rest = 1.0 - square;
        let second = square * self.along[0] + rest * self.beside[0];
        let third = square.sqrt() * (square * self.along[1] + 3.0 * rest * self.beside[1]);
        let fourth = square * square * self.along[2]
            + 6.0 * square * rest * self.beside[2]
            + rest * rest * self.beside_squared;
        [second, third, fourth]
    }
}
