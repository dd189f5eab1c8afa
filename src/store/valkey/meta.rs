//! The key `tb:meta`: the format of the keys, and the fingerprint of the secret that all nodes of one engine have.
//!
//! Invariants: it is fixed when the first node starts. Nodes that start at once agree, because it is written only if it
//! is absent. Reading changes nothing. An engine that lost its data gets it from the nodes that run, and a node that
//! finds that of others is refused.

use redis::Value;

use super::connection::{Connection, command};
use super::open_error::OpenError;
use crate::paste::Timestamp;
use crate::store::seal::Keys;

const META: &str = "tb:meta";

/// The version of the keys in the engine. Format 1 divided pastes into shards.
const FORMAT: &str = "2 ";

/// Reads the key. Returns whether a node has made the key space tidebin's, and the time of the engine. In a Cluster it
/// is that of the server with the first slot, the same for all nodes.
///
/// # Errors
/// Fails if the engine does not answer, or if its keys are of another version or secret, or of another program.
pub(super) async fn read(
    connection: &Connection,
    keys: &Keys,
) -> Result<(bool, Timestamp), OpenError> {
    // Not together: a full engine would refuse that.
    let found: Option<String> = connection.ask(command("GET", META)).await?;
    let (seconds, micros): (u64, u64) = connection.ask(redis::cmd("TIME")).await?;
    let time = Timestamp::from_millis(seconds.saturating_mul(1000) + micros / 1000);
    match found {
        None => Ok((false, time)),
        Some(found) if found == value(keys) => Ok((true, time)),
        Some(found) if found.starts_with(FORMAT) => Err(OpenError::WrongSecret),
        Some(_) => Err(OpenError::Foreign),
    }
}

/// Makes the key space tidebin's, unless it is that of other nodes.
///
/// # Errors
/// Fails if the engine does not answer, or if nodes of another version or secret were faster.
pub(super) async fn claim(connection: &Connection, keys: &Keys) -> Result<(), OpenError> {
    let claim = command("SET", (META, value(keys), "NX"));
    let _: Value = connection.ask(claim).await?;
    read(connection, keys).await.map(|_| ())
}

fn value(keys: &Keys) -> String {
    let secret = u128::from_be_bytes(keys.fingerprint());
    format!("{FORMAT}{secret:032x}")
}
