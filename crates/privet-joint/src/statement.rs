//! What a plan promises and what it does not, in plain words.

use crate::accounting::colluders_epsilon;
use crate::known_others::{KnownOthers, LEFT_OUT};
use crate::planner::Plan;
use privet_core::{ExposedEpsilon, Guarantee};
use std::fmt;

/// How far a loss must be above the average guarantee to be mentioned.
const WORTH_A_WORD: f64 = 1.001;

/// Who carries the messages between the two people of a pair, and so sees who is paired with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relay {
    /// A helper that does not collude with the collector.
    Helper,
    /// The collector itself.
    Collector,
}

/// The epsilon of an exposed pair as people read it: a number, or `infinite`.
pub fn exposed_in_words(exposed: ExposedEpsilon) -> String {
    match exposed {
        ExposedEpsilon::Bounded(epsilon) => format!("{:.4}", epsilon.get()),
        ExposedEpsilon::Unbounded => "infinite".to_owned(),
    }
}

/// What is promised and what is not, one sentence or two for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What holds, and under which conditions.
    pub promised: Vec<String>,
    /// What does not hold.
    pub not_promised: Vec<String>,
}

impl Statement {
    /// The statement of a plan.
    pub fn of(plan: &Plan, relay: Relay, known_others: Option<&KnownOthers>) -> Self {
        if !plan.is_joint() {
            return Self::independent(plan);
        }
        let mut statement = Self { promised: Vec::new(), not_promised: Vec::new() };
        match relay {
            Relay::Helper => statement.average(plan),
            Relay::Collector => statement.not_promised.push(
                "Any average guarantee: the collector carries the messages between partners, so it sees who is paired with \
                 whom, and an average over pairings that it knows is worth nothing."
                    .to_owned(),
            ),
        }
        statement.exposed(plan);
        // Whoever sees the pairing and knows all values faces exposed pairs only.
        if let Some(known_others) = known_others.filter(|_| relay == Relay::Helper) {
            statement.known_others(plan, known_others);
        }
        statement.not_promised.push(
            "Anything against people or helpers who deviate from the protocol in ways that it does not detect."
                .to_owned(),
        );
        statement
    }

    fn independent(plan: &Plan) -> Self {
        let epsilon = plan.guarantee.epsilon();
        Self {
            promised: vec![format!(
                "Each person perturbs on their own with a pure guarantee of epsilon = {epsilon:.4}, whoever colludes with \
                 whom. Nobody needs to be paired: {}.",
                plan.choice.reason()
            )],
            not_promised: Vec::new(),
        }
    }

    fn average(&mut self, plan: &Plan) {
        let crowd = plan.request.crowd;
        let (users, colluders) = (crowd.users(), crowd.colluders());
        self.promised.push(format!(
            "On average over the secret pairing, a report reveals at most epsilon = {:.4} to the collector, if at most \
             {colluders} of the {users} participants collude with it and the pairing stays secret.",
            plan.guarantee.epsilon().get()
        ));
        self.promised.push(
            "The pairing stays secret as long as the collector does not collude with the helper that runs the relay, and \
             fewer than half of the helpers collude with each other or with the collector (at most one of three)."
                .to_owned(),
        );
        let exact = colluders_epsilon(&plan.table, &crowd);
        if let Some(exact) = exact.filter(|exact| *exact > WORTH_A_WORD * plan.guarantee.epsilon().get()) {
            self.not_promised.push(format!(
                "That average against colluders who pool their own random bits, for whom it is at worst epsilon = {}: two \
                 colluders who both lied are hardly each other's partners.",
                in_words(exact)
            ));
        }
    }

    fn exposed(&mut self, plan: &Plan) {
        let crowd = plan.request.crowd;
        let who = format!(
            "a person whose partner colludes (probability {} for a given person, {} that it happens to anybody), or \
             against somebody who knows the pairing and the partner's value",
            percent(crowd.exposure()),
            percent(crowd.any_exposure())
        );
        match plan.table.exposed_epsilon() {
            ExposedEpsilon::Bounded(epsilon) => {
                self.promised.push(format!("At most epsilon = {:.4} for {who}.", epsilon.get()));
            }
            ExposedEpsilon::Unbounded => self.not_promised.push(format!(
                "Anything for {who}: epsilon is infinite there, because {}.",
                if plan.rho < 0.0 {
                    "a partner who lied knows that the other one did not"
                } else {
                    "partners lie together or not at all"
                }
            )),
        }
    }

    fn known_others(&mut self, plan: &Plan, found: &KnownOthers) {
        let epsilon = plan.guarantee.epsilon().get();
        let sentence = format!(
            "against somebody who knows the value of everybody else but not the pairing: the loss is {:.4} at the usual \
             number of lies, at worst {} (except with probability {LEFT_OUT:e}), and above {epsilon:.4} with probability {}",
            found.typical_odds.ln().abs(),
            in_words(found.worst_loss()),
            percent(found.beyond)
        );
        if found.worst_loss() <= epsilon {
            self.promised.push(format!("No more than that {sentence}."));
        } else {
            self.not_promised.push(format!("That average {sentence}."));
        }
    }
}

/// A loss, or `infinite`.
fn in_words(loss: f64) -> String {
    if loss.is_finite() { format!("{loss:.4}") } else { "infinite".to_owned() }
}

/// A probability as people read it.
fn percent(probability: f64) -> String {
    if probability == 0.0 || (1e-5..=1.0).contains(&probability) {
        format!("{:.3} %", 100.0 * probability)
    } else {
        format!("{:.1e} %", 100.0 * probability)
    }
}

/// The guarantee that may be shown: with the collector as the relay the average is withheld.
pub fn shown_average(plan: &Plan, relay: Relay) -> Option<f64> {
    match (plan.guarantee, relay) {
        (Guarantee::Average { .. }, Relay::Collector) => None,
        (guarantee, _) => Some(guarantee.epsilon().get()),
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("Promised", &self.promised), ("Not promised", &self.not_promised)];
        for (title, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            writeln!(formatter, "{title}")?;
            lines.iter().try_for_each(|line| writeln!(formatter, "- {line}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::Crowd;
    use crate::planner::Request;
    use privet_core::Epsilon;

    fn plan(cap: Option<f64>) -> Plan {
        let request = Request {
            crowd: Crowd::new(20_000, 5).unwrap(),
            epsilon: Epsilon::new(1.0).unwrap(),
            ones: Some(659),
            cap: cap.map(|cap| Epsilon::new(cap).unwrap()),
        };
        request.plan().unwrap()
    }

    #[test]
    fn the_exposed_pair_is_named() {
        let text = Statement::of(&plan(None), Relay::Helper, None).to_string();
        assert!(
            text.contains("On average over the secret pairing, a report reveals at most epsilon = 1.0000")
        );
        assert!(text.contains("epsilon is infinite there") && text.contains("0.025 %"), "{text}");
        let capped = Statement::of(&plan(Some(2.0)), Relay::Helper, None).to_string();
        assert!(capped.contains("At most epsilon = 2.0000 for a person whose partner colludes"), "{capped}");
        assert!(!capped.contains("infinite"));
    }

    #[test]
    fn the_average_is_withheld_from_a_collector_who_relays() {
        let plan = plan(Some(2.0));
        let statement = Statement::of(&plan, Relay::Collector, None);
        assert_eq!(statement.promised.len(), 1);
        assert!(statement.promised[0].starts_with("At most epsilon = 2.0000"));
        assert!(!statement.to_string().contains("On average"));
        assert_eq!(shown_average(&plan, Relay::Collector), None);
        assert!(shown_average(&plan, Relay::Helper).is_some());
    }

    #[test]
    fn independence_needs_no_pairing() {
        let plan = plan(Some(0.5));
        let statement = Statement::of(&plan, Relay::Collector, None);
        assert!(statement.not_promised.is_empty() && statement.promised[0].contains("pure guarantee"));
        assert!(shown_average(&plan, Relay::Collector).is_some());
    }

    #[test]
    fn knowing_the_others_breaks_the_average() {
        let plan = plan(None);
        let found = KnownOthers::new(&plan.table, 20_000, plan.guarantee.epsilon().get()).unwrap();
        let statement = Statement::of(&plan, Relay::Helper, Some(&found));
        assert!(
            statement
                .not_promised
                .iter()
                .any(|line| line.starts_with("That average against somebody who knows"))
        );
    }
}
