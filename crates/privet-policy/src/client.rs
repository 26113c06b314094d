//! The device's half: values become a report, and nothing leaves before it is recorded.

use crate::attribute::{Answering, Attribute};
use crate::date::{Date, Period};
use crate::ledger::{Charge, Ledger, LedgerError, LedgerRecord, LedgerStore};
#[cfg(feature = "pairs")]
use crate::pairs::Helpers;
use crate::report::{Layout, ReportHead, ReportId};
use crate::resolved::ResolvedPolicy;
use crate::spending::{DecimalEpsilon, Spending};
use crate::terms::{Contribution, Repetition};
use privet_core::sampling::uniform_below;
use privet_core::{Generator, InputError, ReportBuffer, Values};
#[cfg(feature = "pairs")]
use privet_joint::two_party::RunLedger;
use privet_mechanisms::wrapper::{ClientSecret, MemoContext};
use rand_core::Rng;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use thiserror::Error;
use zeroize::Zeroizing;

/// A person's values, as people write them. `Debug` shows no values.
#[derive(Clone, Default)]
pub struct Answers {
    values: BTreeMap<String, String>,
    public: BTreeMap<String, String>,
}

impl Answers {
    /// No answers yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The private value of an attribute.
    #[must_use]
    pub fn value(mut self, attribute: &str, value: &str) -> Self {
        self.values.insert(attribute.to_owned(), value.to_owned());
        self
    }

    /// The value of a public field, which is sent as it is.
    #[must_use]
    pub fn public(mut self, field: &str, value: &str) -> Self {
        self.public.insert(field.to_owned(), value.to_owned());
        self
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Answers({} private values)", self.values.len())
    }
}

/// Answers that were checked against a policy.
struct Checked {
    values: Vec<Values>,
    public: Vec<u16>,
}

/// Why there is no report. Never contains a private value.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClientError {
    /// Today is not a day of the collection.
    #[error("the collection is open from {opens} to {closes}: today is {today}")]
    NotOpen {
        /// The first day.
        opens: Date,
        /// The last day.
        closes: Date,
        /// The day that was given.
        today: Date,
    },
    /// A question without an answer.
    #[error("the {what} {name:?} has no value")]
    Missing {
        /// `attribute` or `public field`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// An answer without a question.
    #[error("the policy has no {what} {name:?}")]
    Unknown {
        /// `attribute` or `public field`.
        what: &'static str,
        /// The name that was given.
        name: String,
    },
    /// A value that the question does not allow.
    #[error("the attribute {attribute:?}: {source}")]
    Input {
        /// The attribute.
        attribute: String,
        /// What is wrong, without the value.
        source: InputError,
    },
    /// A public field with a value that the policy does not know.
    #[error("the public field {field:?} must be one of the policy's values")]
    PublicValue {
        /// The field.
        field: String,
    },
    /// A collection that is answered once was answered before.
    #[error("this collection was answered before, and it is answered once")]
    AnsweredBefore,
    /// The policy's budget for the period does not suffice.
    #[error("with this report epsilon {needed} would be spent in one {}: the policy allows {allowed}", period.as_str())]
    PolicyBudget {
        /// The time over which the budget is counted.
        period: Period,
        /// The epsilon with this report.
        needed: f64,
        /// The epsilon of the budget.
        allowed: f64,
    },
    /// The person's own limit for the origin does not suffice.
    #[error("with this report epsilon {needed} would be spent on {origin}: your limit is {allowed}")]
    OriginLimit {
        /// Who asks.
        origin: String,
        /// The epsilon of all reports to the origin with this one.
        needed: f64,
        /// The limit.
        allowed: f64,
    },
    /// A question that is answered together with a partner.
    #[error("the attribute {attribute:?} is answered together with a partner")]
    NeedsPartner {
        /// The attribute.
        attribute: String,
    },
    /// There is no truthfulness to report with.
    #[cfg(feature = "pairs")]
    #[error(transparent)]
    Partner(#[from] privet_joint::collection::CollectionError),
    /// The record could not be stored, so nothing was handed out.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl ClientError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotOpen { .. } => "answer-not-open",
            Self::Missing { .. } => "answer-missing",
            Self::Unknown { .. } => "answer-unknown",
            Self::Input { source, .. } => source.code(),
            Self::PublicValue { .. } => "answer-public-value",
            Self::AnsweredBefore => "answer-before",
            Self::PolicyBudget { .. } => "answer-policy-budget",
            Self::OriginLimit { .. } => "answer-origin-limit",
            Self::NeedsPartner { .. } => "answer-needs-partner",
            #[cfg(feature = "pairs")]
            Self::Partner(_) => "answer-partner",
            Self::Ledger(error) => error.code(),
        }
    }
}

/// A report that is recorded and may be sent, any number of times.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedReport {
    /// What is sent.
    pub bytes: Vec<u8>,
    /// Whether it was made before, so that nothing was drawn or spent.
    pub is_repeated: bool,
}

impl fmt::Debug for PreparedReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PreparedReport({} bytes, repeated: {})", self.bytes.len(), self.is_repeated)
    }
}

/// One person's device: the secret behind permanent answers, and the person's own limit.
pub struct Client {
    secret: Zeroizing<[u8; 32]>,
    origin_limit: Option<DecimalEpsilon>,
}

impl Client {
    /// A device with a secret of 256 bits from the operating system, which must be kept: with another one, permanent answers are
    /// drawn again and cost their epsilon again.
    pub fn new(secret: [u8; 32]) -> Self {
        Self { secret: Zeroizing::new(secret), origin_limit: None }
    }

    /// Never spends more than this on any one origin, over all its collections and all time. Reports with a delta are refused.
    #[must_use]
    pub fn with_origin_limit(self, limit: DecimalEpsilon) -> Self {
        Self { origin_limit: Some(limit), ..self }
    }

    /// A generator for another purpose than permanent answers: always the same words for the same purpose and name, and nobody without
    /// the secret can tell them from random ones.
    pub fn generator_for(&self, purpose: &'static str, name: &[u8]) -> Generator {
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        hasher.update(&*self.secret).update(name);
        Generator::from_entropy(*hasher.finalize().as_bytes())
    }

    /// Makes the report of an epoch: checks the values and the budgets, draws, records the draw, its cost and the bytes in one
    /// step, and only then hands the bytes out. If the epoch was answered before, those bytes are handed out again.
    ///
    /// Random words are taken in this order: 16 bytes for the report's id, the lot of a sampled attribute, then the words of each
    /// attribute's mechanism in the order of the policy. How many are taken does not depend on the values.
    ///
    /// # Errors
    /// When a value does not fit, the collection is not open, a budget would be exceeded, or the record cannot be stored.
    pub fn answer<S: LedgerStore>(
        &self,
        policy: &ResolvedPolicy,
        answers: &Answers,
        ledger: &mut Ledger<S>,
        rng: &mut Generator,
        today: Date,
    ) -> Result<PreparedReport, ClientError> {
        self.answer_with(policy, answers, ledger, rng, today, &mut |attribute, _, _| {
            Err(ClientError::NeedsPartner { attribute: attribute.terms().name.clone() })
        })
    }

    /// As [`Client::answer`], for policies with a question that two people answer together: the partner is found through the helpers,
    /// and both draw whether they report truthfully by a protocol between the two of them. The collector has no part in it.
    /// Whoever finds no partner draws alone, with the same probabilities.
    ///
    /// `runs` is the note that this person has had the run of this collection and epoch. A run that breaks off late is spent, and
    /// so is what it would have cost: there is no report then.
    ///
    /// # Errors
    /// As for [`Client::answer`], and when the person took part before or lost the partner too late.
    #[cfg(feature = "pairs")]
    pub fn answer_in_pair<S: LedgerStore>(
        &self,
        policy: &ResolvedPolicy,
        answers: &Answers,
        (helpers, runs): (&Helpers, &mut dyn RunLedger),
        ledger: &mut Ledger<S>,
        rng: &mut Generator,
        today: Date,
    ) -> Result<PreparedReport, ClientError> {
        self.answer_with(policy, answers, ledger, rng, today, &mut |attribute, epoch, rng| {
            let Answering::Pair(pair) = &attribute.answering else {
                return Err(ClientError::NeedsPartner { attribute: attribute.terms().name.clone() });
            };
            let drawn = helpers.truthfulness(policy.pair_run(epoch), pair.table(), runs, rng)?;
            Ok(drawn.is_truthful())
        })
    }

    /// `with_partner` says whether a question that two people answer together is answered truthfully.
    fn answer_with<S: LedgerStore>(
        &self,
        policy: &ResolvedPolicy,
        answers: &Answers,
        ledger: &mut Ledger<S>,
        rng: &mut Generator,
        today: Date,
        with_partner: &mut WithPartner<'_>,
    ) -> Result<PreparedReport, ClientError> {
        let (opens, closes) = (policy.terms().opens, policy.terms().closes);
        let epoch = policy.epoch_of(today).ok_or(ClientError::NotOpen { opens, closes, today })?;
        if let Some(before) = ledger.answer(policy.id(), epoch) {
            return Ok(PreparedReport { bytes: before.report.clone(), is_repeated: true });
        }
        let checked = check(policy, answers)?;
        if policy.terms().answers == Repetition::Once && ledger.has_answered(policy.id()) {
            return Err(ClientError::AnsweredBefore);
        }
        let drawing = Drawing::begin(policy, rng);
        let charge = |index: &usize| {
            let attribute = &policy.attributes()[*index];
            Charge {
                attribute: attribute.terms().name.clone(),
                cost: attribute.cost(),
                permanence: attribute.permanence(),
            }
        };
        let mut record = LedgerRecord {
            collection: policy.id(),
            origin: policy.terms().origin.clone(),
            day: today,
            epoch,
            charges: drawing.answered.iter().map(charge).collect(),
            report: Vec::new(),
        };
        self.check_budgets(policy, ledger, &record)?;
        record.report = self.draw(policy, &checked, &drawing, epoch, rng, Some(with_partner))?;
        let bytes = record.report.clone();
        ledger.append(record)?;
        Ok(PreparedReport { bytes, is_repeated: false })
    }

    /// Makes a report without a ledger, for tables of values whose people are protected elsewhere, and for studies. Questions in pairs
    /// are answered as by a person without a partner.
    ///
    /// # Errors
    /// When a value does not fit.
    pub fn perturb(
        &self,
        policy: &ResolvedPolicy,
        answers: &Answers,
        epoch: u32,
        rng: &mut Generator,
    ) -> Result<Vec<u8>, ClientError> {
        let checked = check(policy, answers)?;
        let drawing = Drawing::begin(policy, rng);
        self.draw(policy, &checked, &drawing, epoch, rng, None)
    }

    fn check_budgets<S: LedgerStore>(
        &self,
        policy: &ResolvedPolicy,
        ledger: &Ledger<S>,
        record: &LedgerRecord,
    ) -> Result<(), ClientError> {
        let (needed, allowed) = (ledger.period_with(policy, record), policy.budget());
        if !needed.fits(allowed) {
            return Err(ClientError::PolicyBudget {
                period: policy.period(),
                needed: needed.epsilon(),
                allowed: allowed.epsilon(),
            });
        }
        let Some(limit) = self.origin_limit else { return Ok(()) };
        let needed = ledger.origin_with(record);
        if needed.fits(Spending::new(limit, 0.0)) {
            return Ok(());
        }
        let origin = record.origin.clone();
        Err(ClientError::OriginLimit { origin, needed: needed.epsilon(), allowed: limit.to_f64() })
    }

    fn draw(
        &self,
        policy: &ResolvedPolicy,
        checked: &Checked,
        drawing: &Drawing,
        epoch: u32,
        rng: &mut Generator,
        mut with_partner: Option<&mut WithPartner<'_>>,
    ) -> Result<Vec<u8>, ClientError> {
        let layout = Layout::of(policy);
        let insecure = rng.is_insecure();
        let head = ReportHead { id: drawing.id, epoch, insecure, public: &checked.public };
        let mut bytes = layout.start(policy.id(), &head);
        for index in &drawing.answered {
            let attribute = &policy.attributes()[*index];
            let values = &checked.values[*index];
            let wrong = |source| ClientError::Input { attribute: attribute.terms().name.clone(), source };
            let report = match with_partner.as_mut().filter(|_| attribute.is_in_pairs()) {
                Some(ask) => {
                    let is_truthful = ask(attribute, epoch, rng)?;
                    told(category_of(attribute, values).map_err(wrong)?, is_truthful)
                }
                None => self.report_of(policy, attribute, values, rng).map_err(wrong)?,
            };
            layout.write(&mut bytes, *index, &report);
        }
        Ok(bytes)
    }

    fn report_of(
        &self,
        policy: &ResolvedPolicy,
        attribute: &Attribute,
        values: &Values,
        rng: &mut Generator,
    ) -> Result<Vec<u8>, InputError> {
        match &attribute.answering {
            Answering::Fresh { mechanism, .. } => {
                let mut reports = ReportBuffer::new(mechanism.report_bytes());
                mechanism.randomize_batch(values, rng, &mut reports)?;
                Ok(reports.as_bytes().to_vec())
            }
            #[cfg(feature = "vectors")]
            Answering::Vector(vector) => vector.randomize(values, rng),
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => Ok(told(category_of(attribute, values)?, pair.alone(rng).is_truthful())),
            Answering::Permanent(layers) => {
                let value = category_of(attribute, values)?;
                let terms = policy.terms();
                let context = MemoContext { origin: &terms.origin, attribute: &attribute.terms().name };
                layers.randomize(ClientSecret::from_entropy(*self.secret), context, value, rng)
            }
        }
    }
}

/// Whether a question that two people answer together is answered truthfully: of an attribute, in an epoch.
type WithPartner<'a> = dyn FnMut(&Attribute, u32, &mut Generator) -> Result<bool, ClientError> + 'a;

/// The report of a binary value, by a person who is truthful or not.
fn told(value: u32, is_truthful: bool) -> Vec<u8> {
    vec![u8::from((value == 1) == is_truthful)]
}

fn category_of(attribute: &Attribute, values: &Values) -> Result<u32, InputError> {
    let wrong_kind = || InputError::WrongKind { domain: attribute.terms().domain.clone() };
    let Values::Categories(indices) = values else { return Err(wrong_kind()) };
    indices.first().copied().ok_or_else(wrong_kind)
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("origin_limit", &self.origin_limit).finish_non_exhaustive()
    }
}

/// What is drawn before any value is looked at.
struct Drawing {
    id: ReportId,
    /// The attributes that the report answers.
    answered: Vec<usize>,
}

impl Drawing {
    fn begin(policy: &ResolvedPolicy, rng: &mut Generator) -> Self {
        let mut id = [0; ReportId::BYTES];
        rng.fill_bytes(&mut id);
        let count = policy.attributes().len();
        let answered = match (policy.terms().contribution.kind, NonZeroU64::new(count as u64)) {
            (Contribution::Sample, Some(bound)) => vec![uniform_below(bound, rng) as usize],
            _ => (0..count).collect(),
        };
        Self { id: ReportId::from_bytes(id), answered }
    }
}

/// Every value of the policy's questions, all of them checked before anything is drawn.
fn check(policy: &ResolvedPolicy, answers: &Answers) -> Result<Checked, ClientError> {
    let terms = policy.terms();
    let unknown = |what: &'static str, given: &BTreeMap<String, String>, is_known: &dyn Fn(&str) -> bool| {
        let stray = given.keys().find(|name| !is_known(name));
        stray.map_or(Ok(()), |name| Err(ClientError::Unknown { what, name: name.clone() }))
    };
    unknown("attribute", &answers.values, &|name| terms.attributes.iter().any(|one| one.name == name))?;
    unknown("public field", &answers.public, &|name| terms.public.iter().any(|one| one.name == name))?;
    let value = |attribute: &Attribute| {
        let name = attribute.terms().name.clone();
        let Some(text) = answers.values.get(&name) else {
            return Err(ClientError::Missing { what: "attribute", name });
        };
        attribute.kind().parse(text).map_err(|source| ClientError::Input { attribute: name, source })
    };
    let public = |field: &crate::terms::PublicField| {
        let Some(text) = answers.public.get(&field.name) else {
            return Err(ClientError::Missing { what: "public field", name: field.name.clone() });
        };
        let index = field.values.iter().position(|value| value == text);
        index.map(|index| index as u16).ok_or_else(|| ClientError::PublicValue { field: field.name.clone() })
    };
    Ok(Checked {
        values: policy.attributes().iter().map(value).collect::<Result<_, _>>()?,
        public: terms.public.iter().map(public).collect::<Result<_, _>>()?,
    })
}
