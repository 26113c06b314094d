//! What only vectors and pairs need.

#[cfg(any(feature = "vectors", feature = "pairs"))]
use super::Decided;
use super::Search;
#[cfg(any(feature = "vectors", feature = "pairs"))]
use crate::advisor::Goal;
use crate::error::PolicyProblem;
#[cfg(any(feature = "vectors", feature = "pairs"))]
use crate::spending::DecimalEpsilon;
#[cfg(any(feature = "vectors", feature = "pairs"))]
use crate::terms::AttributeTerms;
#[cfg(feature = "pairs")]
use crate::terms::PairTerms;
use crate::written::WrittenAttribute;
#[cfg(any(feature = "vectors", feature = "pairs"))]
use privet_core::BuildOptions;
use privet_core::DomainSpec;

impl Search<'_> {
    /// What every attribute's terms have in common.
    #[cfg(any(feature = "vectors", feature = "pairs"))]
    fn terms(&self, mechanism: &str, epsilon: DecimalEpsilon) -> AttributeTerms {
        AttributeTerms {
            name: self.attribute.name.clone(),
            question: self.attribute.question.clone(),
            domain: self.attribute.domain.to_string(),
            goal: self.attribute.goal,
            mechanism: mechanism.to_owned(),
            epsilon,
            epsilon_forever: self.attribute.epsilon_forever,
            delta: self.attribute.delta.map(|delta| delta.get()),
            bins: self.attribute.sizes.bins,
            places: None,
            radius: self.attribute.radius,
            pairs: None,
            solution: None,
        }
    }

    /// Keys that only some mechanisms take, and domains that only some are for.
    pub(super) fn refuse_special_keys(&self) -> Result<(), PolicyProblem> {
        let WrittenAttribute { pair, radius, .. } = self.attribute;
        let in_pairs =
            pair.users.is_some() || pair.colluders.is_some() || pair.cap.is_some() || pair.relay.is_some();
        let reason = if in_pairs {
            "users, colluders, cap and relay are for mechanism = \"joint-response\""
        } else if matches!(self.domain, DomainSpec::Vectors(_)) {
            "a question about vectors needs the name of a mechanism on vectors, because each clips to another set: privunit for \
             directions, laplace-vector for an L1 ball, and `privet mechanisms` lists all"
        } else if radius.is_some() {
            "a radius is about vectors"
        } else {
            return Ok(());
        };
        Err(PolicyProblem::Conflict { reason: reason.to_owned() })
    }

    #[cfg(feature = "vectors")]
    pub(super) fn on_vectors(&self, id: &str, epsilon: DecimalEpsilon) -> Result<Decided, PolicyProblem> {
        let WrittenAttribute { goal, delta, radius, sizes, .. } = self.attribute;
        if *goal != Goal::Mean {
            let (key, got) = ("goal", format!("{:?}", goal.as_str()));
            return Err(PolicyProblem::Value { key, allowed: "\"mean\" for vectors", got });
        }
        BuildOptions { delta: None, bins: sizes.bins }.refuse_unless(false, false)?;
        let vector = crate::vectors::VectorAnswering::new(id, &self.domain, epsilon, *delta, *radius)?;
        let error = radius.map_or(f64::NAN, |radius| vector.relative_error(radius)) / self.people.sqrt();
        Ok(Decided { terms: self.terms(id, epsilon), error: Ok(error) })
    }

    #[cfg(feature = "pairs")]
    pub(super) fn in_pairs(&self) -> Result<Decided, PolicyProblem> {
        let WrittenAttribute { goal, pair, epsilon, delta, sizes, .. } = self.attribute;
        if *goal != Goal::Frequency {
            let (key, got) = ("goal", format!("{:?}", goal.as_str()));
            return Err(PolicyProblem::Value { key, allowed: "\"frequency\" for pairs", got });
        }
        BuildOptions { delta: *delta, bins: sizes.bins }.refuse_unless(false, false)?;
        let missing = |key| PolicyProblem::MissingKey { of: "a question in pairs", key };
        let cap = pair.cap.ok_or_else(|| PolicyProblem::Conflict {
            reason: "a person whose partner works with the collector would have no protection at all: write cap = ..., the \
                     epsilon that even such a person keeps and that reports cost"
                .to_owned(),
        })?;
        let users = u64::from(pair.users.ok_or_else(|| missing("users"))?);
        let colluders = u64::from(pair.colluders.ok_or_else(|| missing("colluders"))?);
        let average = epsilon.ok_or_else(|| missing("epsilon"))?;
        let relay = pair.relay.clone().ok_or_else(|| missing("relay"))?;
        let plan = crate::pairs::plan(users, colluders, average, cap)?;
        let pairs =
            PairTerms { users, colluders, epsilon: average, relay, truthful: plan.p, correlation: plan.rho };
        let terms = AttributeTerms { pairs: Some(pairs), ..self.terms(crate::pairs::ID, cap) };
        let error = crate::pairs::standard_error_of_one(&plan) / self.people.sqrt();
        Ok(Decided { terms, error: Ok(error) })
    }
}
