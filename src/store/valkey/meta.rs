//! The key `tb:meta`: the format of the keys, and the fingerprint of the secret that all nodes of one engine have.
//!
//! Invariants: it is fixed when the first node starts. Nodes that start at once agree, because it is written only if it
//! is absent, or of format 2. Reading changes nothing. An engine that lost its data gets it from the nodes that run, and
//! a node that finds that of others is refused: so a node of 0.2.0 refuses requests from the first start of a newer one.

use redis::Value;

use super::connection::{Connection, command};
use super::open_error::OpenError;
use crate::paste::Timestamp;
use crate::store::seal::Keys;

const META: &str = "tb:meta";

/// The version of the keys in the engine. Format 1 divided pastes into shards.
const FORMAT: char = '3';

/// The version whose values this one reads too. Its summaries have no outlines.
const OLDER: char = '2';

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
        Some(found) if found == value(FORMAT, keys) => Ok((true, time)),
        Some(found) if found == value(OLDER, keys) => Ok((false, time)),
        Some(found) if found.starts_with([FORMAT, OLDER]) => Err(OpenError::WrongSecret),
        Some(_) => Err(OpenError::Foreign),
    }
}

/// Makes the key space tidebin's and of this format, unless it is that of other nodes.
///
/// # Errors
/// Fails if the engine does not answer, or if nodes of another version or secret were faster.
pub(super) async fn claim(connection: &Connection, keys: &Keys) -> Result<(), OpenError> {
    let claim = command("SET", (META, value(FORMAT, keys), "NX", "GET"));
    let found: Option<String> = connection.ask(claim).await?;
    if found == Some(value(OLDER, keys)) {
        let raise = command("SET", (META, value(FORMAT, keys)));
        let _: Value = connection.ask(raise).await?;
    }
    read(connection, keys).await.map(drop)
}

fn value(format: char, keys: &Keys) -> String {
    let secret = u128::from_be_bytes(keys.fingerprint());
    format!("{format} {secret:032x}")
}
