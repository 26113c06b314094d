//! What the papers claim, and the rule by which it is judged.

use crate::{Paper, ReproduceError};
use std::fmt;
use std::str::FromStr;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// What the paper prints comes out.
    Reproduced,
    /// It comes out only with the corrected formula, or with another setting than the text states.
    Corrected,
    /// It does not come out.
    NotReproduced,
    /// The data, the machine or the rival of the paper are not to be had.
    CannotBeChecked,
}

impl Verdict {
    /// All, in the order of the documentation.
    pub const ALL: [Self; 4] =
        [Self::Reproduced, Self::Corrected, Self::NotReproduced, Self::CannotBeChecked];

    /// How tables write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Corrected => "reproduced with the corrected formula",
            Self::NotReproduced => "not reproduced",
            Self::CannotBeChecked => "cannot be checked here",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|verdict| verdict.as_str() == text);
        found.ok_or_else(|| format!("{text:?} is no verdict"))
    }
}

/// One statement of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Paper, figure or theorem, quantity; never changes.
    pub id: String,
    /// The id of its figure, or `text` for theorems and text.
    pub figure: String,
    /// Where it stands.
    pub place: String,
    /// What it says, in our words.
    pub sentence: String,
    /// What is measured, where, in what unit.
    pub quantity: String,
    /// Where it is measured.
    pub x: String,
    /// What the paper prints, as it is written here.
    pub printed: String,
    /// The unit.
    pub unit: String,
    /// How far ours may be away.
    pub tolerance: f64,
    /// What the table says became of it.
    pub verdict: Verdict,
    /// Why.
    pub note: String,
    /// The number that is printed; cells of tables of words have none.
    pub number: Option<f64>,
    /// Whether only numbers of the paper are held against each other, so that nothing was measured anew.
    pub is_within_paper: bool,
}

/// The id under which theorems and sentences without a figure are listed.
pub(crate) const TEXT: &str = "text";

/// How the column `how` begins where only numbers of the paper are held against each other.
const WITHIN_PAPER: &str = "the printed table";

/// What was measured for a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The claim's id.
    pub id: String,
    /// What comes out with what the paper says: its formula, its setting, its metric.
    pub ours: f64,
    /// What comes out with the corrected formula, or with the setting of the published evaluation.
    pub corrected: Option<f64>,
}

impl Claim {
    /// The verdict by rule. What cannot be checked is decided by hand, and so are words.
    pub fn judge(&self, measured: &Measured) -> Verdict {
        let Some(printed) = self.number.filter(|_| self.verdict != Verdict::CannotBeChecked) else {
            return self.verdict;
        };
        let is_near = |ours: f64| (ours - printed).abs() <= self.tolerance;
        if is_near(measured.ours) {
            Verdict::Reproduced
        } else if measured.corrected.is_some_and(is_near) {
            Verdict::Corrected
        } else {
            Verdict::NotReproduced
        }
    }

    /// Whether a computation decides about it.
    pub fn is_computed(&self) -> bool {
        self.number.is_some() && self.verdict != Verdict::CannotBeChecked
    }
}

/// Reads a table of claims.
pub(crate) fn read(paper: Paper, table: &str) -> Result<Vec<Claim>, ReproduceError> {
    let failed = |problem: String| ReproduceError::Claims { paper: paper.as_str(), problem };
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().map_err(|error| failed(error.to_string()))?.clone();
    let mut claims = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| failed(error.to_string()))?;
        let cell = |name: &str| {
            let index = header.iter().position(|column| column == name);
            let text = index.and_then(|index| record.get(index));
            text.map(str::to_owned).ok_or_else(|| failed(format!("there is no column {name}")))
        };
        let id = cell("id")?;
        let wrong = |problem: &str| failed(format!("{id}: {problem}"));
        let (printed, unit, figure) = (cell("printed")?, cell("unit")?, cell("figure")?);
        let number = if unit == "word" {
            None
        } else {
            Some(printed.parse().map_err(|_| wrong("the printed number is none"))?)
        };
        let figure = figure.strip_prefix("figure ").unwrap_or(&figure);
        claims.push(Claim {
            figure: if figure.is_empty() { TEXT } else { figure }.to_owned(),
            place: cell("place")?,
            sentence: cell("sentence")?,
            quantity: cell("quantity")?,
            x: cell("x")?,
            tolerance: cell("tolerance")?.parse().map_err(|_| wrong("the tolerance is no number"))?,
            verdict: cell("verdict")?.parse().map_err(|error: String| wrong(&error))?,
            note: cell("note")?,
            is_within_paper: cell("how")?.starts_with(WITHIN_PAPER),
            printed,
            unit,
            number,
            id,
        });
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(printed: f64, tolerance: f64) -> Claim {
        let table = format!(
            "id,figure,place,sentence,quantity,x,printed,unit,tolerance,how,verdict,note\n\
             one,figure 5.9,p. 1,says,ratio,all,{printed},%,{tolerance},by hand,reproduced,\n"
        );
        read(Paper::Ogpm, &table).unwrap().remove(0)
    }

    fn measured(ours: f64, corrected: Option<f64>) -> Measured {
        Measured { id: "one".into(), ours, corrected }
    }

    #[test]
    fn the_rule_has_three_outcomes() {
        let claim = claim(89.9, 0.2);
        assert_eq!(claim.figure, "5.9");
        assert_eq!(claim.judge(&measured(89.93, None)), Verdict::Reproduced);
        assert_eq!(claim.judge(&measured(100.0, Some(89.93))), Verdict::Corrected);
        assert_eq!(claim.judge(&measured(100.0, Some(95.0))), Verdict::NotReproduced);
        assert_eq!(claim.judge(&measured(f64::NAN, None)), Verdict::NotReproduced);
    }

    #[test]
    fn arithmetic_on_the_printed_table_is_told_apart() {
        let table = "id,figure,place,sentence,quantity,x,printed,unit,tolerance,how,verdict,note\n\
                     one,,p. 1,says,ratio,all,2,1,.5,\"the printed table: 4 / 2\",reproduced,\n";
        assert!(read(Paper::Ogpm, table).unwrap()[0].is_within_paper);
        assert!(!claim(2.0, 0.5).is_within_paper);
    }

    #[test]
    fn another_printed_number_changes_the_verdict() {
        let ours = measured(89.93, None);
        assert_eq!(claim(90.5, 0.2).judge(&ours), Verdict::NotReproduced);
    }

    #[test]
    fn what_cannot_be_checked_is_decided_by_hand() {
        let mut claim = claim(89.9, 0.2);
        claim.verdict = Verdict::CannotBeChecked;
        assert_eq!(claim.judge(&measured(89.9, None)), Verdict::CannotBeChecked);
    }
}
