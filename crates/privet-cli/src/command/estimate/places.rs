//! Reports of places to the shares of equal cells.

use super::{Counter, Estimate, misfit};
use crate::arguments::Chosen;
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use privet::document;
use privet::plane::PlaneReports;
use privet::{Consistency, Envelope, Frequencies, Frequency, PlaneEstimator, Rectangle};
use serde_json::{Value, json};
use std::sync::Arc;

impl Estimate {
    pub(super) fn of_places(
        &self,
        chosen: &Chosen,
        rectangle: Rectangle,
        output: Output,
    ) -> Result<(), Failure> {
        self.refuse_other_flags(chosen)?;
        self.refuse_seeded_summary()?;
        let mechanism = chosen.mechanism()?;
        let side = self.numbers.distribution_bins.unwrap_or(PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE);
        let reports: Arc<dyn PlaneReports> = Arc::from(chosen.plane_errors()? as Box<dyn PlaneReports>);
        let estimator = PlaneEstimator::new(reports, side)?;
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let counter = Counter { estimator: &estimator, envelope, report_bytes: mechanism.report_bytes() };
        let summary = self.summary(&counter)?;
        let found = counter.estimator.estimate(&summary, Consistency::None)?;
        self.store(&summary)?;
        let cells = Cells { rectangle, side, found };
        let document = json!({
            "attribute": self.column,
            "n": cells.found.n,
            "method": cells.found.method,
            "guarantee": document::guarantee(&mechanism.guarantee()),
            "estimates": cells.rows().map(|(place, row)| row_json(place, row)).collect::<Vec<_>>(),
        });
        output.print(&document, || cells.page())
    }

    fn refuse_other_flags(&self, chosen: &Chosen) -> Result<(), Failure> {
        let given = [
            ("--consistency", self.consistency != "none"),
            ("--method", self.numbers.method.is_some()),
            ("--quantiles", self.numbers.quantiles.is_some()),
            ("--range", !self.numbers.range.is_empty()),
            ("--top", self.top.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(misfit(
                format!("{flag} is not about places: got {}", chosen.domain),
                "places have shares of --distribution-bins cells on each side",
            )),
            None => Ok(()),
        }
    }
}

/// The shares of the cells of a rectangle.
struct Cells {
    rectangle: Rectangle,
    side: u32,
    found: Frequencies,
}

impl Cells {
    /// The middle and the share of each cell, along the second coordinate first.
    fn rows(&self) -> impl Iterator<Item = ([f64; 2], &Frequency)> {
        let side = self.side;
        (0..side * side).filter_map(move |index| {
            let cell = [index / side, index % side];
            let middle = cell.map(|cell| (f64::from(cell) + 0.5) / f64::from(side));
            let row = self.found.rows.get((cell[1] * side + cell[0]) as usize)?;
            Some((self.rectangle.point_at(middle), row))
        })
    }

    fn page(&self) -> String {
        let header = ["FIRST COORDINATE", "SECOND COORDINATE", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL"];
        let mut table = table_of_numbers(&header, 0);
        for (place, Frequency { estimate, .. }) in self.rows() {
            let numbers = [place[0], place[1], estimate.value, estimate.standard_error].map(number);
            table.add_row(numbers.into_iter().chain([interval(estimate.interval)]));
        }
        let Frequencies { n, method, .. } = &self.found;
        format!(
            "{}\n\n{n} reports, {method}; coordinates are those of the middle of a cell",
            table.trim_fmt()
        )
    }
}

fn row_json(place: [f64; 2], Frequency { estimate, .. }: &Frequency) -> Value {
    json!({
        "place": place,
        "value": estimate.value,
        "standard_error": estimate.standard_error,
        "interval": estimate.interval,
        "n": estimate.n,
        "method": estimate.method,
    })
}
