//! Functions that are applied to each value alone.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// A function that is applied to each value alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x times the standard normal distribution function at x.
    Gelu,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e^-x).
    Sigmoid,
}

impl Activation {
    /// The function with this name, as files write it.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "relu" => Some(Self::Relu),
            "gelu" => Some(Self::Gelu),
            "tanh" => Some(Self::Tanh),
            "sigmoid" => Some(Self::Sigmoid),
            _ => None,
        }
    }

    /// Its value at x.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Relu => x.max(0.0),
            Self::Gelu => x * normal_distribution(x),
            Self::Tanh => libm::tanh(x),
            Self::Sigmoid => sigmoid(x),
        }
    }

    /// Its derivative at x; that of ReLU at 0 is 0.
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Self::Relu => f64::from(x > 0.0),
            Self::Gelu => normal_distribution(x) + x * libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt(),
            // 1 - tanh^2 loses all digits where the tangent is near 1.
            Self::Tanh => 4.0 * sigmoid(2.0 * x) * sigmoid(-2.0 * x),
            Self::Sigmoid => sigmoid(x) * sigmoid(-x),
        }
    }
}

fn normal_distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Activation; 4] = [Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid];

    #[test]
    fn values_are_known_ones() {
        assert_eq!(Activation::Relu.value(-2.0), 0.0);
        assert!((Activation::Gelu.value(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert!((Activation::Gelu.value(-3.0) + 0.004_049_694_094_890_284).abs() < 1e-15);
        assert!((Activation::Tanh.value(0.5) - 0.462_117_157_260_009_76).abs() < 1e-15);
        assert!((Activation::Sigmoid.value(2.0) - 0.880_797_077_977_882_4).abs() < 1e-15);
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for activation in ALL {
            for x in [-3.0, -0.75, -0.1, 0.3, 1.4, 4.0] {
                let difference = (activation.value(x + 1e-5) - activation.value(x - 1e-5)) / 2e-5;
                assert!((activation.derivative(x) - difference).abs() < 1e-8, "{activation:?} at {x}");
            }
        }
    }
}
