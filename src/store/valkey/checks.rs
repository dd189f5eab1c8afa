//! What is checked of an engine before a node uses it, and again after each failure.
//!
//! Invariant: the checks change nothing in the engine.

use redis::{FromRedisValue, InfoDict};

use super::connection::{Connection, Script, command};
use super::open_error::OpenError;
use crate::store::TierUsage;

/// The oldest version of Redis that has all commands. Valkey is newer, and names this version too.
const OLDEST_MAJOR: u32 = 7;

/// The commands of a node. It runs those that are missing here to ask for these.
const COMMANDS: &str = "ping select time randomkey get getrange getdel mget set setrange incrby unlink pexpire pttl \
    hget hset hdel hgetall hincrby hkeys hlen zadd zrange zrem zremrangebyrank zremrangebyscore multi exec";

/// Checks every server that keeps pastes. Refuses one that is too old or a replica, and one that would not make room
/// for new pastes as it should. Returns the memory that all use and may use.
pub(super) async fn check_engine(connection: &Connection) -> Result<TierUsage, OpenError> {
    let mut usage = TierUsage::default();
    for info in connection.ask_all(&redis::cmd("INFO")).await? {
        let info = InfoDict::from_redis_value(info).unwrap_or_else(|_| InfoDict::new(""));
        let field = |name: &str| info.get::<String>(name).unwrap_or_default();
        let version = field("redis_version");
        let major = version.split('.').next().and_then(|it| it.parse().ok());
        if major.is_some_and(|major: u32| major < OLDEST_MAJOR) {
            return Err(OpenError::TooOld(version));
        }
        if field("role") == "slave" {
            return Err(OpenError::ReadOnly);
        }
        let [used, most] = ["used_memory", "maxmemory"].map(|it| info.get(it).unwrap_or(0));
        let policy = field("maxmemory_policy");
        let makes_room = ["volatile-lru", "volatile-lfu", "volatile-ttl"].contains(&&*policy);
        if most == 0 || !makes_room {
            return Err(OpenError::Memory(most, policy));
        }
        usage.used.bytes = usage.used.bytes.saturating_add(used);
        usage.room = usage.room.saturating_add(most);
    }
    Ok(usage)
}

/// Refuses a user who may not run every command of a node on every server that keeps pastes.
pub(super) async fn check_rights(connection: &Connection) -> Result<(), OpenError> {
    let source = Script::SOURCES[Script::Rights as usize];
    let load = command("SCRIPT", ("LOAD", source));
    connection.ask_all(&load).await?;
    let mut script = Script::Rights.on(&[]);
    script.arg(COMMANDS.split(' ').collect::<Vec<_>>());
    if connection.is_cluster {
        script.arg("asking");
    }
    let answers = connection.ask_all(&script).await?.into_iter();
    let mut missing = answers.filter_map(|answer| String::from_redis_value(answer).ok());
    match missing.next() {
        Some(right) => Err(OpenError::Right(format!("+{right}"))),
        None => Ok(()),
    }
}

/// Refuses an engine with keys of another program, by a look at one of them. The servers of a Cluster are not asked.
pub(super) async fn refuse_foreign(connection: &Connection) -> Result<(), OpenError> {
    if connection.is_cluster {
        return Ok(());
    }
    let key: Option<Vec<u8>> = connection.ask(redis::cmd("RANDOMKEY")).await?;
    // An engine that lost everything may have keys of running nodes before they write `tb:meta` again.
    match key.is_none_or(|key| key.starts_with(b"tb:")) {
        true => Ok(()),
        false => Err(OpenError::Foreign),
    }
}
