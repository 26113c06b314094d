//! Reports of categories from a truthfulness bit: what a person in a pair sends.

use crate::accounting::guarantee_among;
use crate::crowd::Crowd;
use crate::error::JointError;
use crate::table::JointTable;
use crate::variance::SupportLaw;
use privet_core::sampling::uniform_below;
use privet_core::{
    Categories, Category, CryptoRng, Domain, ExposedEpsilon, Fingerprint, FingerprintBuilder, Fraction,
    Guarantee, InputError, ReportBuffer, ReportError,
};
use privet_mechanisms::categorical::{FrequencyOracle, Support};
use std::num::NonZeroU64;

/// A frequency oracle whose reports come in correlated pairs.
pub trait PairedOracle: FrequencyOracle {
    /// The joint law of the two people's truthfulness.
    fn table(&self) -> &JointTable;

    /// How support for one category varies and covaries.
    fn law(&self) -> SupportLaw;

    /// The loss of a person whose pair is exposed: the adversary knows the partner's truthfulness.
    fn exposed_epsilon(&self) -> ExposedEpsilon;

    /// Draws the reports of a pair (or of the first two of more people), or of one person who is alone, with a truthfulness
    /// from the table, and adds them to `reports`. For studies: real partners must not see each other's values.
    ///
    /// # Errors
    /// When a value is outside the categories.
    fn report_together<R: CryptoRng>(
        &self,
        people: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError>
    where
        Self: Sized;
}

/// Randomised response on two or more categories, from a truthfulness bit that is correlated with the partner's.
///
/// A truthful person reports their category, a lying one each other category with equal probability, by a draw of their own.
/// With more than two categories this is the table of section 4.5 of the dissertation: its parameter is
/// `(k - 1) rho`, where rho is the correlation of the truthfulness, and the two-party protocol is the same as for two
/// categories.
#[derive(Debug, Clone)]
pub struct JointResponse {
    categories: Categories,
    table: JointTable,
}

impl JointResponse {
    /// The response with this truthfulness table.
    ///
    /// # Errors
    /// When a truthful report is not likelier than each lie.
    pub fn new(categories: Categories, table: JointTable) -> Result<Self, JointError> {
        check_truthful(&table, categories.count())?;
        Ok(Self { categories, table })
    }

    /// What a report promises: the average over the pairing, and the loss of an exposed person. `None` if everybody else may
    /// collude and nothing is left.
    pub fn guarantee(&self, crowd: &Crowd) -> Option<Guarantee> {
        guarantee_among(&self.table, crowd, self.categories.count() - 1)
    }

    /// What a person reports who holds `value`. Takes the same random draws whether truthful or not.
    ///
    /// # Errors
    /// When the value is outside the categories.
    pub fn report<R: CryptoRng + ?Sized>(
        &self,
        value: &u32,
        is_truthful: bool,
        rng: &mut R,
    ) -> Result<Category, InputError> {
        self.categories.check(value)?;
        Ok(Category(told(*value, is_truthful, self.categories.count(), rng)))
    }
}

/// The value itself, or another one of `count`.
#[inline]
pub(crate) fn told<R: CryptoRng + ?Sized>(value: u32, is_truthful: bool, count: u32, rng: &mut R) -> u32 {
    let others = NonZeroU64::new(u64::from(count) - 1).unwrap_or(NonZeroU64::MIN);
    let rank = uniform_below(others, rng) as u32;
    if is_truthful { value } else { rank + u32::from(rank >= value) }
}

/// Refuses tables whose truthful reports are no likelier than each of `count - 1` lies.
pub(crate) fn check_truthful(table: &JointTable, count: u32) -> Result<(), JointError> {
    let lies = u128::from(count.max(2) - 1);
    if table.truth_weight() * lies > u128::from(table.lie_weight()) {
        return Ok(());
    }
    Err(JointError::Truthfulness { above: 1.0 / f64::from(count.max(2)), got: table.p() })
}

impl FrequencyOracle for JointResponse {
    fn categories(&self) -> &Categories {
        &self.categories
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new("joint-randomized-response");
        self.categories.identify(&mut builder);
        identify(&self.table, &mut builder);
        builder.finish()
    }

    fn oracle_report_bytes(&self) -> usize {
        Category::bits(self.categories.count()).div_ceil(8) as usize
    }

    fn support(&self) -> Support {
        let others = Fraction::whole(u128::from(self.categories.count()) - 1);
        let lie = Fraction::of_weight(self.table.lie_weight());
        Support { own: Fraction::of_complement(self.table.lie_weight()), other: &lie / &others }
    }

    fn is_single(&self) -> bool {
        true
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        for slot in reports.iter() {
            let Category(category) = Category::read(slot, self.categories.count())?;
            if let Some(count) = counts.get_mut(category as usize) {
                *count += 1;
            }
        }
        Ok(())
    }
}

/// Makes the table part of a mechanism's identity.
pub(crate) fn identify(table: &JointTable, builder: &mut FingerprintBuilder) {
    let [both_lie, lie, _] = table.cuts();
    builder.number(lie).number(lie - both_lie);
}

impl PairedOracle for JointResponse {
    fn table(&self) -> &JointTable {
        &self.table
    }

    fn law(&self) -> SupportLaw {
        let support = self.support();
        SupportLaw {
            own: self.table.p(),
            other: support.other.to_f64(),
            difference: support.own.minus(&support.other).to_f64(),
            own_loading: 1.0,
            other_loading: -1.0 / f64::from(self.categories.count() - 1),
            covariance: self.table.covariance(),
        }
    }

    fn exposed_epsilon(&self) -> ExposedEpsilon {
        crate::accounting::exposed(&self.table.exposed_ratio(self.categories.count() - 1))
    }

    fn report_together<R: CryptoRng>(
        &self,
        people: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let truthful = self.table.read(rng.next_u64());
        for (value, is_truthful) in people.iter().zip(truthful) {
            let report = self.report(value, is_truthful, rng)?;
            reports.extend_slots(1).for_each(|slot| report.write(slot));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Generator, Probability};

    fn response(k: u32, p: f64, rho: f64) -> Result<JointResponse, JointError> {
        JointResponse::new(
            Categories::new(k)?,
            JointTable::among(k, Probability::new(p).map_err(JointError::from)?, rho)?,
        )
    }

    /// The printed table of section 4.5, with its parameter r = (k - 1) rho, from the truthfulness table.
    #[test]
    fn the_printed_table_for_more_categories() {
        for (k, p, rho) in [(3u32, 0.5, -0.3), (5, 0.4, 0.2), (8, 0.6, -0.6), (2, 0.7, -0.2)] {
            let table = *response(k, p, rho).unwrap().table();
            let lies = f64::from(k - 1);
            let (q, r) = ((1.0 - p) / lies, lies * rho);
            let printed = [
                p * p + r * p * q,
                p * q - r * p * q / lies,
                p * q - r * p * q / lies,
                q * q + r * p * q / (lies * lies),
            ];
            let [w11, w10, w01, w00] = table.weights().map(|weight| weight as f64 / 2f64.powi(64));
            let cells = [w11, w10 / lies, w01 / lies, w00 / (lies * lies)];
            for (ours, paper) in cells.into_iter().zip(printed) {
                assert!((ours - paper).abs() < 1e-15, "{k} {p} {rho}: {ours} {paper}");
            }
        }
    }

    #[test]
    fn lies_are_uniform_over_the_other_categories() {
        let response = response(4, 0.4, 0.1).unwrap();
        let mut rng = Generator::from_insecure_seed(7);
        let mut counts = [0u32; 4];
        for _ in 0..30_000 {
            counts[response.report(&2, false, &mut rng).unwrap().0 as usize] += 1;
        }
        assert_eq!(counts[2], 0);
        // Six standard deviations of a binomial(30 000, 1/3) are 490.
        assert!([0, 1, 3].iter().all(|index| counts[*index as usize].abs_diff(10_000) < 490), "{counts:?}");
        assert_eq!(response.report(&2, true, &mut rng).unwrap(), Category(2));
        assert!(response.report(&4, true, &mut rng).is_err());
    }

    /// Without colluders the guarantee is that of generalised randomised response, ln(p (k-1) / (1-p)); with them it is
    /// Theorem 3 with one of k - 1 lies.
    #[test]
    fn guarantees_count_one_lie_of_several() {
        let response = response(4, 0.5, -0.4).unwrap();
        let loss = |colluders: u64| {
            response.guarantee(&Crowd::new(100, colluders).unwrap()).unwrap().epsilon().get()
        };
        assert!((loss(0) - 3f64.ln()).abs() < 1e-14);
        let (exposure, truth, lie) = (10.0 / 99.0, 0.7, 0.3);
        let mixture = |given: f64| exposure * given + (1.0 - exposure) * 0.5;
        assert!((loss(10) - (3.0 * mixture(truth) / mixture(lie)).ln()).abs() < 1e-13);
        let ExposedEpsilon::Bounded(exposed) = response.exposed_epsilon() else { panic!("bounded") };
        assert!((exposed.get() - (3.0 * truth / lie).ln()).abs() < 1e-13);
    }

    #[test]
    fn tables_that_say_nothing_are_refused() {
        assert!(response(4, 0.25, 0.0).is_err() && response(4, 0.26, 0.0).is_ok());
        assert!(response(4, 0.4, -0.7).is_err() && response(4, 0.4, -0.66).is_ok());
    }
}
