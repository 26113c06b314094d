//! A small window that slides over an image: where convolutions and pools look.

use crate::ModelError;

/// The largest height, width or number of channels, and the largest kernel: beyond, a file is broken or hostile.
const LARGEST_SIDE: usize = 1 << 14;
/// The largest number of values that one layer may have.
pub(crate) const LARGEST_LAYER: usize = 1 << 24;

/// The size of an image. Its values are stored channel by channel, line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// How many channels.
    pub channels: usize,
    /// How many lines.
    pub height: usize,
    /// How many columns.
    pub width: usize,
}

impl Image {
    /// How many values it has.
    pub fn len(&self) -> usize {
        self.channels.saturating_mul(self.height).saturating_mul(self.width)
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A window that slides over an image, as ONNX describes it. Pairs are (vertical, horizontal).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sliding {
    /// How large the window is.
    pub kernel: (usize, usize),
    /// How far it moves.
    pub stride: (usize, usize),
    /// The distance between two values that it looks at.
    pub dilation: (usize, usize),
    /// How far it may reach over the image's upper and left edge.
    pub before: (usize, usize),
    /// How far it may reach over the image's lower and right edge.
    pub after: (usize, usize),
}

impl Sliding {
    /// A window that moves by one and stays inside.
    pub fn plain(kernel: (usize, usize)) -> Self {
        Self { kernel, stride: (1, 1), dilation: (1, 1), before: (0, 0), after: (0, 0) }
    }
}

/// A window over images of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    image: Image,
    sliding: Sliding,
    places: (usize, usize),
}

impl Window {
    /// A window over images of this size.
    ///
    /// # Errors
    ///
    /// When a size is zero or absurdly large, the window does not fit, or it can lie wholly outside of the image.
    pub fn new(image: Image, sliding: Sliding) -> Result<Self, ModelError> {
        let Sliding { kernel, stride, dilation, before, after } = sliding;
        let sides = [
            image.channels,
            image.height,
            image.width,
            kernel.0,
            kernel.1,
            stride.0,
            stride.1,
            dilation.0,
            dilation.1,
        ];
        if sides.iter().any(|side| !(1..=LARGEST_SIDE).contains(side)) {
            return Err(ModelError::structure(format!(
                "sizes of images and windows are 1 to {LARGEST_SIDE}"
            )));
        }
        let along =
            |side: usize, kernel: usize, stride: usize, dilation: usize, before: usize, after: usize| {
                let reach = (kernel - 1) * dilation + 1;
                if before >= reach || after >= reach || reach > side + before + after {
                    return Err(ModelError::structure(format!(
                        "a window of {reach} with padding {before} and {after} does not fit on {side}"
                    )));
                }
                Ok((side + before + after - reach) / stride + 1)
            };
        let places = (
            along(image.height, kernel.0, stride.0, dilation.0, before.0, after.0)?,
            along(image.width, kernel.1, stride.1, dilation.1, before.1, after.1)?,
        );
        Ok(Self { image, sliding, places })
    }

    /// The image that it slides over.
    pub fn image(&self) -> Image {
        self.image
    }

    /// How it slides.
    pub fn sliding(&self) -> Sliding {
        self.sliding
    }

    /// How often it stops, vertically and horizontally.
    pub fn places(&self) -> (usize, usize) {
        self.places
    }

    /// How many stops there are on one channel.
    pub(crate) fn stops(&self) -> usize {
        self.places.0 * self.places.1
    }

    /// How many values one channel of the image has.
    pub(crate) fn area(&self) -> usize {
        self.image.height * self.image.width
    }

    /// How many values it looks at.
    pub(crate) fn kernel_area(&self) -> usize {
        self.sliding.kernel.0 * self.sliding.kernel.1
    }

    /// Visits what the window sees at a stop: (index in the kernel, index in the channel). Padding is left out.
    #[inline]
    pub(crate) fn visit(&self, stop: usize, mut visit: impl FnMut(usize, usize)) {
        let Sliding { kernel, stride, dilation, before, .. } = self.sliding;
        let (top, left) = ((stop / self.places.1) * stride.0, (stop % self.places.1) * stride.1);
        for line in 0..kernel.0 {
            let Some(y) = (top + line * dilation.0).checked_sub(before.0) else { continue };
            if y >= self.image.height {
                break;
            }
            for column in 0..kernel.1 {
                let Some(x) = (left + column * dilation.1).checked_sub(before.1) else { continue };
                if x >= self.image.width {
                    break;
                }
                visit(line * kernel.1 + column, y * self.image.width + x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(window: &Window, stop: usize) -> Vec<(usize, usize)> {
        let mut seen = Vec::new();
        window.visit(stop, |kernel, place| seen.push((kernel, place)));
        seen
    }

    #[test]
    fn padding_is_left_out() {
        let image = Image { channels: 1, height: 3, width: 3 };
        let sliding = Sliding { before: (1, 1), after: (1, 1), stride: (2, 2), ..Sliding::plain((3, 3)) };
        let window = Window::new(image, sliding).unwrap();
        assert_eq!(window.places(), (2, 2));
        assert_eq!(seen(&window, 0), [(4, 0), (5, 1), (7, 3), (8, 4)]);
        assert_eq!(seen(&window, 3), [(0, 4), (1, 5), (3, 7), (4, 8)]);
    }

    #[test]
    fn dilation_spreads_the_window() {
        let image = Image { channels: 1, height: 3, width: 4 };
        let window = Window::new(image, Sliding { dilation: (2, 3), ..Sliding::plain((2, 2)) }).unwrap();
        assert_eq!(window.places(), (1, 1));
        assert_eq!(seen(&window, 0), [(0, 0), (1, 3), (2, 8), (3, 11)]);
    }

    #[test]
    fn windows_that_do_not_fit_are_refused() {
        let image = Image { channels: 1, height: 3, width: 3 };
        for sliding in [
            Sliding::plain((4, 1)),
            Sliding::plain((0, 1)),
            Sliding { stride: (0, 1), ..Sliding::plain((1, 1)) },
            Sliding { before: (1, 0), ..Sliding::plain((1, 1)) },
            Sliding::plain((usize::MAX, 1)),
        ] {
            assert_eq!(Window::new(image, sliding).unwrap_err().code(), "model-structure");
        }
    }
}
