//! A policy on a person's device.

use crate::error::Thrown;
use crate::generator;
use crate::question::Question;
use privet_policy::ledger::{Ledger, LedgerError, LedgerRecord, LedgerStore};
use privet_policy::{Answers, Client, Date, PolicyId, ReportCodec, ResolvedPolicy, Showing};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

/// A resolved policy with its mechanisms.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmPolicy {
    policy: Arc<ResolvedPolicy>,
    showing: Showing,
}

/// An answer that is about to be recorded.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmAnswer {
    report: Vec<u8>,
    record: Option<String>,
}

#[wasm_bindgen]
impl WasmAnswer {
    /// What is sent, after the record is stored.
    #[wasm_bindgen(getter)]
    pub fn report(&self) -> Vec<u8> {
        self.report.clone()
    }

    /// What must be stored first; nothing if the report was recorded before.
    #[wasm_bindgen(getter)]
    pub fn record(&self) -> Option<String> {
        self.record.clone()
    }
}

/// What is in a stored record, without its costs.
#[derive(Serialize)]
struct Recorded {
    id: String,
    day: String,
    epoch: u32,
    report: String,
}

#[wasm_bindgen]
impl WasmPolicy {
    /// Reads a resolved policy, which must be the one with this id.
    ///
    /// # Errors
    /// When it is another one, or one that this program does not understand.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, id: &str) -> Result<Self, wasm_bindgen::JsValue> {
        Ok(Self::read(text, id)?)
    }

    fn read(text: &str, id: &str) -> Result<Self, Thrown> {
        let expected: PolicyId = id.parse()?;
        let policy = Arc::new(ResolvedPolicy::from_json(text)?);
        if policy.id() != expected {
            let message = format!("this policy has the id {}: expected was {expected}", policy.id());
            return Err(Thrown::new("policy-other", message));
        }
        Ok(Self { showing: Showing::new(Arc::clone(&policy)), policy })
    }

    /// Everything that does not depend on an answer, as JSON: the policy's head, its questions and the statement.
    pub fn description(&self) -> String {
        let terms = self.policy.terms();
        let questions: Vec<Question<'_>> = self.policy.attributes().iter().map(Question::of).collect();
        serde_json::json!({
            "id": self.policy.id().to_string(),
            "name": terms.name,
            "purpose": terms.purpose,
            "origin": terms.origin,
            "opens": terms.opens,
            "closes": terms.closes,
            "epoch": terms.epoch,
            "answers": terms.answers,
            "contribution": terms.contribution.kind,
            "questions": questions,
            "public": terms.public,
            "statement": self.policy.statement(),
            "statementText": self.policy.statement_text(),
        })
        .to_string()
    }

    /// The epoch of a day, counted from the first one; nothing outside of the collection.
    ///
    /// # Errors
    /// When it is no day.
    #[wasm_bindgen(js_name = epochOf)]
    pub fn epoch_of(&self, day: &str) -> Result<Option<u32>, wasm_bindgen::JsValue> {
        Ok(self.policy.epoch_of(day.parse().map_err(Thrown::from)?))
    }

    /// What can become of an answer, as JSON. Nothing is drawn.
    ///
    /// # Errors
    /// When the answer does not fit the question.
    pub fn channel(&self, name: &str, value: &str) -> Result<String, wasm_bindgen::JsValue> {
        let shown = self.showing.channel(name, value).map_err(Thrown::from)?;
        Ok(serde_json::to_string(&shown).map_err(|_| Thrown::json("the channel"))?)
    }

    /// Checks, draws, and makes the record and the report in one step. Values and public fields are names, each followed by its value.
    ///
    /// # Errors
    /// When a value does not fit, the collection is not open, or a budget would be exceeded.
    pub fn answer(
        &self,
        values: Vec<String>,
        public: Vec<String>,
        records: Vec<String>,
        secret: &[u8],
        today: &str,
        insecure_seed: Option<u64>,
    ) -> Result<WasmAnswer, wasm_bindgen::JsValue> {
        let value = |answers: Answers, [name, value]: &[String; 2]| answers.value(name, value);
        let answers = values.as_chunks().0.iter().fold(Answers::new(), value);
        let public_value = |answers: Answers, [name, value]: &[String; 2]| answers.public(name, value);
        let answers = public.as_chunks().0.iter().fold(answers, public_value);
        Ok(self.answered(&answers, records, secret, today, insecure_seed)?)
    }

    fn answered(
        &self,
        answers: &Answers,
        records: Vec<String>,
        secret: &[u8],
        today: &str,
        insecure_seed: Option<u64>,
    ) -> Result<WasmAnswer, Thrown> {
        let secret: [u8; 32] =
            secret.try_into().map_err(|_| Thrown::new("ledger-damaged", "the secret has 32 bytes"))?;
        let secret = Zeroizing::new(secret);
        let store = Handed { records, appended: Rc::default() };
        let appended = Rc::clone(&store.appended);
        let mut ledger = Ledger::open(store)?;
        let today: Date = today.parse()?;
        let mut rng = generator(insecure_seed)?;
        let prepared = Client::new(*secret).answer(&self.policy, answers, &mut ledger, &mut rng, today)?;
        let record = appended.borrow_mut().take();
        Ok(WasmAnswer { report: prepared.bytes, record })
    }

    /// A report as its person reads it, as JSON.
    ///
    /// # Errors
    /// When it is not a report of this policy.
    #[wasm_bindgen(js_name = describeReport)]
    pub fn describe_report(&self, report: &[u8]) -> Result<String, wasm_bindgen::JsValue> {
        let shown = self.showing.report(report).map_err(Thrown::from)?;
        Ok(serde_json::to_string(&shown).map_err(|_| Thrown::json("the report"))?)
    }

    /// The stored answers to this policy, as JSON.
    ///
    /// # Errors
    /// When a record is damaged.
    pub fn recorded(&self, records: Vec<String>) -> Result<String, wasm_bindgen::JsValue> {
        let ledger = Ledger::open(Handed { records, appended: Rc::default() }).map_err(Thrown::from)?;
        let own = ledger.records().iter().filter(|record| record.collection == self.policy.id());
        let shown = own.map(|record| self.shown(record)).collect::<Result<Vec<_>, _>>()?;
        Ok(serde_json::to_string(&shown).map_err(|_| Thrown::json("the records"))?)
    }

    fn shown(&self, record: &LedgerRecord) -> Result<Recorded, Thrown> {
        let codec = ReportCodec::new(Arc::clone(&self.policy));
        let seeded = codec.clone().for_seeded_reports();
        let report = codec.decode(&record.report).or_else(|_| seeded.decode(&record.report))?;
        Ok(Recorded {
            id: report.id().to_string(),
            day: record.day.to_string(),
            epoch: record.epoch,
            report: record.report.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// The records that JavaScript loaded, and the one that it has to append.
#[derive(Debug)]
struct Handed {
    records: Vec<String>,
    appended: Rc<RefCell<Option<String>>>,
}

impl LedgerStore for Handed {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        self.records.iter().map(|text| LedgerRecord::from_bytes(text.as_bytes())).collect()
    }

    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError> {
        let text = String::from_utf8(record.to_bytes())
            .map_err(|_| LedgerError::Damaged { reason: "a record is no text" })?;
        self.appended.replace(Some(text));
        Ok(())
    }
}
