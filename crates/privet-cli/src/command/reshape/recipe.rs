//! The maps that are compared.

use crate::failure::Failure;
use clap::ValueEnum;
use privet::CryptoRng;
use privet::model::Model;
use privet::vector::reshape::{
    Ablation, Fit, MechanismChoice, Reaction, Reading, Reshape, Rows, TaskSpace, fit,
};

/// How vectors are mapped before and after the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Recipe {
    /// Not at all
    Plain,
    /// The public mean is taken off: what reshaping is compared with
    Centred,
    /// As printed in the paper, with the directions seen at public points
    Printed,
    /// As printed, with all directions to which the model can react
    PrintedSafe,
    /// Fitted, as `reshape fit` does it
    Balanced,
    /// Fitted, but only turned and not stretched
    NoReshaping,
    /// Fitted, without the map before the noise
    NoPre,
    /// Fitted, without the map after the noise
    NoPost,
    /// Fitted radius only: centred and clipped
    ClipOnly,
}

impl Recipe {
    /// What it is called in tables.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Centred => "centred",
            Self::Printed => "printed",
            Self::PrintedSafe => "printed-safe",
            Self::Balanced => "balanced",
            Self::NoReshaping => Ablation::NoReshaping.as_str(),
            Self::NoPre => Ablation::NoPre.as_str(),
            Self::NoPost => Ablation::NoPost.as_str(),
            Self::ClipOnly => Ablation::ClipOnly.as_str(),
        }
    }

    /// Whether the noise has another shape than without a map.
    pub(super) fn is_reshaped(self) -> bool {
        !matches!(self, Self::Plain | Self::Centred | Self::NoReshaping | Self::ClipOnly)
    }
}

/// A public model with public vectors.
pub(super) struct Setting {
    pub(super) model: Model,
    pub(super) reading: Reading,
    pub(super) public: Rows,
    pub(super) people: usize,
}

/// The maps for one mechanism; what was fitted once is used again.
pub(super) struct Maps<'a> {
    setting: &'a Setting,
    choice: &'a MechanismChoice,
    reaction: Option<Reaction>,
    fitted: Option<Fit>,
}

impl<'a> Maps<'a> {
    pub(super) fn new(setting: &'a Setting, choice: &'a MechanismChoice) -> Self {
        Self { setting, choice, reaction: None, fitted: None }
    }

    pub(super) fn make(&mut self, recipe: Recipe, rng: &mut dyn CryptoRng) -> Result<Reshape, Failure> {
        let (public, row) = (&self.setting.public, self.choice.row);
        Ok(match recipe {
            Recipe::Plain => Reshape::plain(public, row)?,
            Recipe::Centred => Reshape::centred(public, row)?,
            Recipe::Printed => Reshape::printed(self.reaction(rng)?, public, TaskSpace::Seen, row)?,
            Recipe::PrintedSafe => Reshape::printed(self.reaction(rng)?, public, TaskSpace::Anywhere, row)?,
            Recipe::Balanced => self.fitted(rng)?.reshape.clone(),
            Recipe::NoReshaping => self.without(Ablation::NoReshaping, rng)?,
            Recipe::NoPre => self.without(Ablation::NoPre, rng)?,
            Recipe::NoPost => self.without(Ablation::NoPost, rng)?,
            Recipe::ClipOnly => self.without(Ablation::ClipOnly, rng)?,
        })
    }

    fn without(&mut self, ablation: Ablation, rng: &mut dyn CryptoRng) -> Result<Reshape, Failure> {
        let (public, row) = (&self.setting.public, self.choice.row);
        let fitted = self.fitted(rng)?;
        Ok(fitted.reshape.ablated(ablation, public, row, fitted.share)?)
    }

    fn reaction(&mut self, rng: &mut dyn CryptoRng) -> Result<&Reaction, Failure> {
        let Setting { model, reading, public, .. } = self.setting;
        match &mut self.reaction {
            Some(reaction) => Ok(reaction),
            empty => Ok(empty.insert(Reaction::of_model(model, public, *reading, rng)?)),
        }
    }

    fn fitted(&mut self, rng: &mut dyn CryptoRng) -> Result<&Fit, Failure> {
        let Setting { model, reading, public, people } = self.setting;
        match &mut self.fitted {
            Some(fitted) => Ok(fitted),
            empty => Ok(empty.insert(fit(model, *reading, public, *people, self.choice, rng)?)),
        }
    }
}
