//! What is checked of an engine before a node uses it, and again after each failure.
//!
//! Invariant: the checks change nothing in the engine.

use redis::FromRedisValue;

use super::connection::Connection;
use super::open_error::OpenError;
use crate::store::TierUsage;

/// The oldest version of Redis that has all commands. Valkey is newer, and names this version too.
const OLDEST_MAJOR: u32 = 7;

/// Checks every server that keeps pastes. Refuses one that is too old or a replica, and one that would not make room
/// for new pastes as it should. Returns the memory that all use and may use.
pub(super) async fn check_engine(connection: &Connection) -> Result<TierUsage, OpenError> {
    let mut usage = TierUsage::default();
    for info in connection.ask_all(&redis::cmd("INFO")).await? {
        let info = String::from_redis_value(info).unwrap_or_default();
        let field = |name: &str| {
            let mut fields = info.lines().filter_map(|line| line.split_once(':'));
            let field = fields.find(|(key, _)| *key == name);
            field.map_or("", |(_, value)| value.trim_end())
        };
        let version = field("redis_version");
        let major = version.split('.').next().and_then(|it| it.parse().ok());
        if major.is_some_and(|major: u32| major < OLDEST_MAJOR) {
            return Err(OpenError::TooOld(version.to_owned()));
        }
        if field("role") == "slave" {
            return Err(OpenError::ReadOnly);
        }
        let [used, most] = ["used_memory", "maxmemory"].map(|it| field(it).parse().unwrap_or(0));
        let policy = field("maxmemory_policy");
        let makes_room = matches!(policy, "volatile-lru" | "volatile-lfu" | "volatile-ttl");
        if most == 0 || !makes_room {
            return Err(OpenError::Memory(most, policy.to_owned()));
        }
        usage.used.bytes = usage.used.bytes.saturating_add(used);
        usage.room = usage.room.saturating_add(most);
    }
    Ok(usage)
}

/// Refuses an engine with keys of another program, by a look at one of them. The servers of a Cluster are not asked.
pub(super) async fn refuse_foreign(connection: &Connection) -> Result<(), OpenError> {
    if connection.is_cluster {
        return Ok(());
    }
    let key: Option<Vec<u8>> = connection.ask([redis::cmd("RANDOMKEY")]).await?;
    // An engine that lost everything may have keys of running nodes before they write `tb:meta` again.
    match key.is_none_or(|key| key.starts_with(b"tb:")) {
        true => Ok(()),
        false => Err(OpenError::Foreign),
    }
}
