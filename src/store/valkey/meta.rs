//! The key `tb:meta`: what all nodes of one engine have in common.
//!
//! Invariants: the format, the number of shards and the fingerprint of the secret are fixed when the first node starts.
//! Nodes that start at once agree, because each of these fields is written only if it is absent. Reading changes
//! nothing. An engine that lost its data gets the fields from the nodes that run, and a node that finds fields of
//! others is refused.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use redis::RedisResult;

use super::charge::MOST_SHARDS;
use super::connection::Connection;
use super::open_error::OpenError;
use crate::byte_size::ByteSize;

const META: &str = "tb:meta";

/// The version of the keys in the engine.
const FORMAT: u64 = 1;

/// The time that a call may be given, in milliseconds.
const DEADLINES: RangeInclusive<u64> = 10..=60_000;

/// What the key tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meta {
    /// Whether a node has made the key space tidebin's. Otherwise an operator may have set the other fields.
    pub(super) is_claimed: bool,
    pub(super) shards: u16,
    /// Whether the number of shards is in the key.
    pub(super) has_shards: bool,
    /// The largest budget of a node.
    pub(super) budget: Option<usize>,
    /// How long a call may take, if the operator set it.
    pub(super) deadline: Option<Duration>,
}

impl Meta {
    /// Reads the key. A new key space gets the usual number of shards.
    ///
    /// # Errors
    /// Fails if the engine does not answer, or if the key is that of nodes of a newer version or with another secret.
    pub(super) async fn read(
        connection: &Connection,
        fingerprint: &str,
        usual_shards: u16,
    ) -> Result<Self, OpenError> {
        let mut read = redis::cmd("HGETALL");
        let fields = connection.ask(read.arg(META)).await;
        let fields = fields.map_err(|error| OpenError::of(error, "HGETALL"))?;
        Self::of(&fields, fingerprint, usual_shards)
    }

    fn of(
        fields: &HashMap<String, String>,
        fingerprint: &str,
        usual_shards: u16,
    ) -> Result<Self, OpenError> {
        let field = |name| fields.get(name).map(String::as_str);
        match field("format").map(str::parse) {
            None | Some(Ok(FORMAT)) => {}
            Some(Ok(newer)) if newer > FORMAT => return Err(OpenError::NewerFormat(newer)),
            Some(_) => return Err(OpenError::Foreign),
        }
        let is_claimed = field("format").is_some();
        match field("secret") {
            None if is_claimed => return Err(OpenError::Foreign),
            Some(other) if is_claimed && other != fingerprint => {
                return Err(OpenError::WrongSecret);
            }
            _ => {}
        }
        let shards = match field("shards").map(|text| (text, text.parse())) {
            None => usual_shards,
            Some((_, Ok(shards @ 1..=MOST_SHARDS))) => shards,
            Some((text, _)) => return Err(OpenError::Shards(text.to_owned())),
        };
        let deadline = match field("deadline").map(|text| (text, text.parse())) {
            None => None,
            Some((_, Ok(millis))) if DEADLINES.contains(&millis) => {
                Some(Duration::from_millis(millis))
            }
            Some((text, _)) => return Err(OpenError::Deadline(text.to_owned())),
        };
        Ok(Self {
            is_claimed,
            shards,
            has_shards: field("shards").is_some(),
            budget: field("budget").and_then(|text| text.parse().ok()),
            deadline,
        })
    }

    /// Refuses a budget that is smaller than that of the other nodes: this one would evict their pastes.
    pub(super) fn refuse_smaller(&self, budget: usize) -> Result<(), OpenError> {
        match self.budget {
            Some(known) if self.is_claimed && budget < known => Err(OpenError::SmallerBudget {
                budget: ByteSize(budget),
                known: ByteSize(known),
            }),
            _ => Ok(()),
        }
    }

    /// Writes each field that is absent.
    ///
    /// # Errors
    /// Fails if the engine does not answer. Then some fields may have been written.
    pub(super) async fn claim(
        &self,
        connection: &Connection,
        fingerprint: &str,
        budget: usize,
    ) -> RedisResult<()> {
        let deadline = self.deadline.map(|it| it.as_millis().to_string());
        for (field, value) in [
            ("secret", Some(fingerprint.to_owned())),
            ("shards", Some(self.shards.to_string())),
            ("budget", Some(budget.to_string())),
            ("deadline", deadline),
            // The last one: a node that finds it finds the others too.
            ("format", Some(FORMAT.to_string())),
        ] {
            let Some(value) = value else { continue };
            let mut set = redis::cmd("HSETNX");
            set.arg(META).arg(field).arg(value);
            connection.ask::<i64>(&set).await?;
        }
        Ok(())
    }

    /// Tells the other nodes a larger budget.
    pub(super) async fn raise_budget(connection: &Connection, budget: usize) -> RedisResult<()> {
        let mut set = redis::cmd("HSET");
        set.arg(META).arg("budget").arg(budget);
        connection.ask::<i64>(&set).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[(&str, &str)]) -> Result<Meta, String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let fields = fields.iter().map(owned).collect();
        Meta::of(&fields, "ours", 7).map_err(|error| error.to_string())
    }

    #[test]
    fn an_operator_sets_shards_and_the_deadline_before_the_first_node_starts() {
        let meta = read(&[("shards", "16"), ("deadline", "500")]).unwrap();
        assert!(!meta.is_claimed);
        assert_eq!(meta.shards, 16);
        assert_eq!(meta.deadline, Some(Duration::from_millis(500)));
        assert_eq!(read(&[]).unwrap().shards, 7);
    }

    #[test]
    fn fields_that_cannot_be_used_are_refused() {
        for (fields, says) in [
            (&[("format", "2"), ("secret", "ours")][..], "format 2"),
            (&[("format", "x")], "another program"),
            (&[("format", "1"), ("secret", "theirs")], "TIDEBIN_SECRET"),
            (&[("format", "1")], "another program"),
            (&[("shards", "65")], "shards of tb:meta in the engine is 65"),
            (&[("shards", "0")], "1 to 64"),
            (
                &[("deadline", "500ms")],
                "deadline of tb:meta in the engine is 500ms",
            ),
            (&[("deadline", "0")], "10 to 60000"),
        ] {
            let refused = read(fields).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
    }

    #[test]
    fn a_smaller_budget_is_refused_once_a_node_has_started() {
        let fields = [("format", "1"), ("secret", "ours"), ("budget", "10")];
        let meta = read(&fields).unwrap();
        assert!(meta.refuse_smaller(9).is_err());
        assert!(meta.refuse_smaller(10).is_ok());
        let unclaimed = read(&fields[2..]).unwrap();
        assert!(unclaimed.refuse_smaller(9).is_ok());
    }
}
