//! The scripts of the engine. A script is named by the hash of its text, so nodes of two versions run beside each
//! other.

use std::sync::LazyLock;

use redis::Cmd;

use super::command;

/// A script. Its file tells its keys, its arguments and its answer.
#[derive(Debug, Clone, Copy)]
pub(in crate::store::valkey) enum Script {
    Take,
    Change,
    Count,
    Moderate,
    Limit,
    Rights,
}

static SCRIPTS: LazyLock<[redis::Script; Script::SOURCES.len()]> =
    LazyLock::new(|| Script::SOURCES.map(redis::Script::new));

impl Script {
    /// The texts, in the order of the declaration.
    pub(in crate::store::valkey) const SOURCES: [&str; 6] = [
        include_str!("../scripts/take.lua"),
        include_str!("../scripts/change.lua"),
        include_str!("../scripts/count.lua"),
        include_str!("../scripts/moderate.lua"),
        include_str!("../scripts/limit.lua"),
        include_str!("../scripts/rights.lua"),
    ];

    /// Returns a command that runs the script on these keys. The caller appends the arguments.
    pub(in crate::store::valkey) fn on(self, keys: &[String]) -> Cmd {
        let hash = SCRIPTS[self as usize].get_hash();
        command("EVALSHA", (hash, keys.len(), keys))
    }
}
