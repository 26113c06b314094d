//! Mechanisms at epsilons, one product for each.

use crate::arguments::{OptionArguments, parse_epsilons};
use crate::choice::{self, Choice, Choices};
use crate::command::settings::Settings;
use crate::failure::Failure;
use clap::Args;
use privet::classifier::{ProductChannel, ReportChannel, Sensitive};
use privet::{BuildOptions, Delta, DomainSpec, Epsilon, Interval, ParameterError};
use std::sync::Arc;

/// Which mechanisms at which epsilons.
#[derive(Debug, Args)]
pub(super) struct ChannelArguments {
    /// Mechanisms on numbers by id, synonym or file:PATH, or `all` for every one that need not be solved for
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', default_value = "all")]
    mechanism: Vec<String>,
    /// Epsilons of each sensitive feature: a number, a list such as 1,2,4 or a range such as 1:8:0.5; a mechanism from a
    /// file has its own
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: Option<String>,
    #[command(flatten)]
    options: OptionArguments,
    /// Send the whole record as it is with probability --delta, and randomise it otherwise: the papers' privacy indicator
    #[arg(long, requires = "delta")]
    indicator: bool,
}

/// One mechanism at one epsilon.
pub(super) struct Setting {
    pub(super) product: ProductChannel,
    /// What it was made with; `None` for a mechanism from a file.
    pub(super) options: Option<BuildOptions>,
}

impl ChannelArguments {
    /// The probability with which a record is sent as it is.
    pub(super) fn indicator(&self) -> Result<Option<Delta>, Failure> {
        if self.indicator { Ok(self.options.build_options()?.delta) } else { Ok(None) }
    }

    /// Every mechanism at every epsilon; those of one mechanism stand together.
    pub(super) fn build(&self, sensitive: &Sensitive) -> Result<Vec<Setting>, Failure> {
        self.build_at(self.epsilon.as_deref(), sensitive)
    }

    /// The same at other epsilons.
    pub(super) fn build_at(
        &self,
        epsilons: Option<&str>,
        sensitive: &Sensitive,
    ) -> Result<Vec<Setting>, Failure> {
        let choices = Choices::read(&self.mechanism)?;
        let domain = DomainSpec::Interval(Interval::new(0.0, 1.0)?);
        choice::domains(choices.as_slice(), &[domain.to_string()])?;
        let given = epsilons.map(parse_epsilons).transpose()?;
        let mut epsilons = choice::epsilons(choices.as_slice(), given)?;
        epsilons.sort_by(|one, two| one.get().total_cmp(&two.get()));
        epsilons.dedup();
        let mut options = self.options.build_options()?;
        if self.indicator {
            options.delta = None;
        }
        let mut settings = Settings::new(options, choices.as_slice().len() > 1);
        let mut built = Vec::new();
        for choice in choices.as_slice() {
            for epsilon in epsilons.iter().filter(|epsilon| choice.is_for(&domain, **epsilon)) {
                let made = settings.build(|options| setting(choice, *epsilon, options, sensitive));
                built.extend(choice.attempt(*epsilon, &options).made(choices.is_all, made)?);
            }
        }
        settings.check()?;
        Ok(built)
    }
}

fn setting(
    choice: &Choice,
    epsilon: Epsilon,
    options: &BuildOptions,
    sensitive: &Sensitive,
) -> Result<Setting, ParameterError> {
    if let Some(solved) = choice.solved() {
        options.refuse_unless(false, false)?;
        let channel = Arc::new(ReportChannel::solved(solved)?);
        let product = ProductChannel::new(vec![channel; sensitive.count()])?;
        return Ok(Setting { product, options: None });
    }
    let product = ProductChannel::named(choice.id(), epsilon, options, sensitive)?;
    Ok(Setting { product, options: Some(*options) })
}
