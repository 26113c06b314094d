//! One mechanism, for many values at once.

use crate::error::Thrown;
use crate::generator;
use privet_core::{
    BuildOptions, Delta, DomainSpec, Envelope, Epsilon, InputError, ParameterError, ReportBuffer, Values,
};
use privet_limit::Solution;
use privet_mechanisms::registry::AnyMechanism;
use privet_policy::registry;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A mechanism with all its parameters.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmMechanism {
    mechanism: Box<dyn AnyMechanism>,
    domain: DomainSpec,
}

#[wasm_bindgen]
impl WasmMechanism {
    /// Builds a mechanism by its name, on a written domain.
    ///
    /// # Errors
    /// When there is none, the parameters do not fit, or it has to be solved for.
    #[wasm_bindgen(constructor)]
    pub fn new(
        name: &str,
        domain: &str,
        epsilon: f64,
        delta: Option<f64>,
        bins: Option<u32>,
    ) -> Result<Self, JsValue> {
        Ok(Self::named(name, domain, epsilon, delta, bins).map_err(Thrown::from)?)
    }

    fn named(
        name: &str,
        domain: &str,
        epsilon: f64,
        delta: Option<f64>,
        bins: Option<u32>,
    ) -> Result<Self, ParameterError> {
        let domain: DomainSpec = domain.parse()?;
        let options = BuildOptions { delta: delta.map(Delta::new).transpose()?, bins };
        let row = registry::find_mechanism(name)?;
        Ok(Self { mechanism: row.build_with(&domain, Epsilon::new(epsilon)?, &options)?, domain })
    }

    /// A mechanism that was solved for, from its file.
    ///
    /// # Errors
    /// When the file is damaged.
    #[wasm_bindgen(js_name = fromFile)]
    pub fn from_file(text: &str) -> Result<Self, JsValue> {
        let damaged = |error: String| Thrown::new("mechanism-file", error);
        let solution = Solution::from_json(text).map_err(|error| damaged(error.to_string()))?;
        let mechanism = solution.channel.mechanism().map_err(Thrown::from)?;
        Ok(Self { mechanism, domain: solution.channel.domain() })
    }

    /// How many bytes each report has, its header included.
    #[wasm_bindgen(getter, js_name = reportBytes)]
    pub fn report_bytes(&self) -> usize {
        Envelope::HEADER_BYTES + self.mechanism.report_bytes()
    }

    /// The epsilon that one report keeps, computed from the weights that are drawn with, rounded up.
    #[wasm_bindgen(getter)]
    pub fn epsilon(&self) -> f64 {
        self.mechanism.guarantee().epsilon().get()
    }

    /// The delta that one report keeps.
    #[wasm_bindgen(getter)]
    pub fn delta(&self) -> f64 {
        self.mechanism.guarantee().delta()
    }

    /// Draws a report for each category, given by its index.
    ///
    /// # Errors
    /// When a value lies outside of the domain; nothing is drawn then.
    #[wasm_bindgen(js_name = randomizeIndices)]
    pub fn randomize_indices(
        &self,
        values: Vec<u32>,
        insecure_seed: Option<u64>,
    ) -> Result<Vec<u8>, JsValue> {
        Ok(self.randomize(&Values::Categories(values), insecure_seed)?)
    }

    /// Draws a report for each number or angle; for places, for each pair of numbers.
    ///
    /// # Errors
    /// As for the others.
    #[wasm_bindgen(js_name = randomizeNumbers)]
    pub fn randomize_numbers(
        &self,
        values: Vec<f64>,
        insecure_seed: Option<u64>,
    ) -> Result<Vec<u8>, JsValue> {
        let values = match &self.domain {
            DomainSpec::Rectangle(_) => {
                let (pairs, rest) = values.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(Thrown::new("argument", "places are pairs of numbers").into());
                }
                Values::Points(pairs.to_vec())
            }
            _ => Values::Numbers(values),
        };
        Ok(self.randomize(&values, insecure_seed)?)
    }

    /// Draws a report for each written value.
    ///
    /// # Errors
    /// As for the others.
    #[wasm_bindgen(js_name = randomizeTexts)]
    pub fn randomize_texts(
        &self,
        texts: Vec<String>,
        insecure_seed: Option<u64>,
    ) -> Result<Vec<u8>, JsValue> {
        Ok(self
            .read(&texts)
            .map_err(Thrown::from)
            .and_then(|values| self.randomize(&values, insecure_seed))?)
    }

    fn read(&self, texts: &[String]) -> Result<Values, InputError> {
        let mut values = self.domain.empty_values();
        texts.iter().try_for_each(|text| self.domain.push_text(text, &mut values))?;
        Ok(values)
    }

    fn randomize(&self, values: &Values, insecure_seed: Option<u64>) -> Result<Vec<u8>, Thrown> {
        let mut rng = generator(insecure_seed)?;
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        self.mechanism.randomize_batch(values, &mut rng, &mut reports)?;
        let header =
            Envelope { fingerprint: self.mechanism.fingerprint(), insecure: rng.is_insecure() }.header();
        let mut bytes = Vec::with_capacity(reports.len() * self.report_bytes());
        for report in reports.iter() {
            bytes.extend_from_slice(&header);
            bytes.extend_from_slice(report);
        }
        Ok(bytes)
    }
}
