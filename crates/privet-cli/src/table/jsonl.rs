//! One JSON object on each line.

use super::kept::Keeper;
use super::lines::LineReader;
use super::source::{Batch, Place, Rest, RowReader, Selection, finish};
use super::{Cell, Column, Problem};
use crate::failure::Failure;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::io::Read;

pub(super) struct JsonlReader {
    lines: LineReader,
    column: String,
    keeper: Keeper,
    place: Place,
}

impl JsonlReader {
    pub(super) fn new(stream: Box<dyn Read + Send>, selection: &Selection<'_>, place: Place) -> Self {
        Self {
            lines: LineReader::new(stream),
            column: selection.column.to_owned(),
            keeper: Keeper::new(selection.keep, true),
            place,
        }
    }
}

impl RowReader for JsonlReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        while !batch.is_full() {
            let row = batch.next_row();
            let Some(line) = self.lines.next_line(&self.place, row)? else {
                finish(batch, &mut self.keeper);
                return Ok(Rest::Nothing);
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let mut object = Object {
                column: &self.column,
                sink: &mut batch.column,
                keeper: &mut self.keeper,
                problem: None,
            };
            match object.read(line) {
                Ok(()) => batch.rows += 1,
                Err(problem) => return Err(self.place.row(row, problem)),
            }
        }
        finish(batch, &mut self.keeper);
        Ok(Rest::More)
    }
}

/// Reads one object and passes over all but the columns of interest.
struct Object<'a, C> {
    column: &'a str,
    sink: &'a mut C,
    keeper: &'a mut Keeper,
    /// Why reading ended. The parser's own message is not passed on: it could hold a value.
    problem: Option<Problem>,
}

impl<C: Column> Object<'_, C> {
    fn read(&mut self, line: &[u8]) -> Result<(), Problem> {
        let mut parser = serde_json::Deserializer::from_slice(line);
        let parsed = parser.deserialize_map(&mut *self).and_then(|()| parser.end());
        match (parsed, self.problem.take()) {
            (Ok(()), None) => Ok(()),
            (_, Some(problem)) => Err(problem),
            (Err(_), None) => Err(Problem::NotAnObject),
        }
    }

    fn refuse<E: Error>(&mut self, problem: Problem) -> E {
        self.problem = Some(problem);
        E::custom("")
    }
}

impl<'de, C: Column> Visitor<'de> for &mut Object<'_, C> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut kept: Vec<Option<&'de RawValue>> = vec![None; self.keeper.names().len()];
        let mut is_found = false;
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let keep = self.keeper.names().iter().position(|name| *name == key.0);
            if key.0 == self.column {
                if std::mem::replace(&mut is_found, true) {
                    return Err(self.refuse(Problem::DuplicateColumn { column: self.column.to_owned() }));
                }
                let value = map.next_value_seed(Value { sink: self.sink })?;
                value.map_err(|problem| self.refuse(problem))?;
            } else if let Some(index) = keep {
                kept[index] = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if !is_found {
            let problem = Problem::MissingColumn { column: self.column.to_owned(), available: Vec::new() };
            return Err(self.refuse(problem));
        }
        for (index, cell) in kept.iter().enumerate() {
            self.keeper.push(index, cell.map(RawValue::get).filter(|text| *text != "null"));
        }
        Ok(())
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'de>(std::borrow::Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(text.into()))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(text.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// Gives the value to the column, of whatever kind it is.
struct Value<'a, C> {
    sink: &'a mut C,
}

impl<'de, C: Column> DeserializeSeed<'de> for Value<'_, C> {
    type Value = Result<(), Problem>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, C: Column> Visitor<'de> for Value<'_, C> {
    type Value = Result<(), Problem>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Text(text.as_bytes())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Whole(value.into())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Whole(value.into())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Number(value)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Boolean(value)))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(self.sink.push(Cell::Missing))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut vector = Some(Vec::new());
        // To its end, or the parser would complain about the rest instead.
        while let Some(element) = list.next_element::<serde_json::Value>()? {
            match (&mut vector, element.as_f64()) {
                (Some(vector), Some(number)) => vector.push(number),
                _ => vector = None,
            }
        }
        Ok(match vector {
            Some(vector) => self.sink.push(Cell::Vector(&vector)),
            None => Err(Problem::NestedValue),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(object)?;
        Ok(Err(Problem::NestedValue))
    }
}
