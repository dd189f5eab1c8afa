//! The key `tb:meta`: the format of the keys, and the fingerprint of the secret that all nodes of one engine have.
//!
//! Invariants: both are fixed when the first node starts. Nodes that start at once agree, because each field is written
//! only if it is absent. Reading changes nothing. An engine that lost its data gets the fields from the nodes that run,
//! and a node that finds fields of others is refused.

use super::connection::{Connection, command};
use super::open_error::OpenError;
use crate::paste::Timestamp;
use crate::store::seal::Keys;

const META: &str = "tb:meta";

/// The version of the keys in the engine. Format 1 divided pastes into shards.
const FORMAT: &str = "2";

/// Reads the key. Returns whether a node has made the key space tidebin's, and the time of the engine. In a Cluster it
/// is that of the server with the key, the same for all nodes.
///
/// # Errors
/// Fails if the engine does not answer, or if its keys are of another version or secret, or of another program.
pub(super) async fn read(
    connection: &Connection,
    keys: &Keys,
) -> Result<(bool, Timestamp), OpenError> {
    let read = command("HMGET", (META, "format", "secret"));
    let read = connection.ask([read, redis::cmd("TIME")]);
    let (fields, (seconds, micros)): ((Option<String>, Option<String>), (u64, u64)) = read.await?;
    let millis = seconds.saturating_mul(1000) + micros / 1000;
    let time = Timestamp::from_millis(millis);
    match fields {
        (None, None) => Ok((false, time)),
        (Some(format), Some(known)) if format == FORMAT => match known == secret(keys) {
            true => Ok((true, time)),
            false => Err(OpenError::WrongSecret),
        },
        (format, _) => Err(match format.map(|format| format.parse()) {
            Some(Ok(..2)) => OpenError::OlderFormat,
            Some(Ok(newer)) => OpenError::NewerFormat(newer),
            _ => OpenError::Foreign,
        }),
    }
}

/// Makes the key space tidebin's, unless it is that of other nodes.
///
/// # Errors
/// Fails if the engine does not answer, or if nodes of another version or secret were faster.
pub(super) async fn claim(connection: &Connection, keys: &Keys) -> Result<(), OpenError> {
    let fields = [("secret", &secret(keys)[..]), ("format", FORMAT)];
    let claim = fields.map(|(field, value)| command("HSETNX", (META, field, value)));
    let _: (i64, i64) = connection.ask(claim).await?;
    read(connection, keys).await.map(|_| ())
}

fn secret(keys: &Keys) -> String {
    format!("{:032x}", u128::from_be_bytes(keys.fingerprint()))
}
