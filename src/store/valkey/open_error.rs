//! Why the engine of the shared tier was refused. Each reason names the way out. No message contains an address with a
//! password.

use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::byte_size::ByteSize;

/// Why the engine was refused. The server does not start.
#[derive(Debug)]
pub enum OpenError {
    /// An address cannot be understood.
    Address(RedisError),
    /// The engine was not reached, or failed.
    Unreachable(RedisError),
    /// There are several addresses, and the servers are not those of a Cluster.
    NoCluster,
    /// A server of a Cluster was not reached.
    ClusterServer(RedisError),
    /// The certificate of the engine is not trusted, or the engine asks for one.
    Certificate(RedisError),
    /// The engine refused the user or the password.
    Credentials,
    /// The user may not do this. The value names the command.
    Right(&'static str),
    /// The engine is older than Redis 7.0. The value is its version.
    TooOld(String),
    /// The engine is a copy that refuses changes.
    ReadOnly,
    /// The engine has the functions of a newer tidebin.
    NewerLibrary(i64),
    /// The engine has pastes of a newer tidebin.
    NewerFormat(u64),
    /// The key `tb:meta` is of another program, or there are keys of another program.
    Foreign,
    /// The number of shards cannot be used. The value is its text.
    Shards(String),
    /// The clocks of the node and of the engine differ by this number of seconds.
    Clock(u64),
    /// The time for a call that the operator set cannot be used. The value is its text.
    Deadline(String),
    /// The secret is not that of the pastes.
    WrongSecret,
    /// The engine would drop keys on its own. The value is its `maxmemory-policy`.
    Evicts(String),
    /// The engine has too little memory for the budget.
    TooSmall {
        /// The engine's `maxmemory`.
        memory: ByteSize,
        /// The budget of the pastes.
        budget: ByteSize,
        /// The `maxmemory` that is enough.
        least: ByteSize,
    },
    /// The budget is smaller than that of the other nodes, so this one would evict their pastes.
    SmallerBudget {
        /// The budget of this node.
        budget: ByteSize,
        /// The budget that the engine knows.
        known: ByteSize,
    },
    /// One paste of the largest size does not fit into a shard.
    PasteTooLarge {
        /// The budget of the pastes.
        budget: ByteSize,
        /// The largest size of a paste.
        paste: ByteSize,
        /// The least budget that is enough.
        least: ByteSize,
    },
    /// No engine takes a value as large as the largest paste. The value is the largest size that can be used.
    ValueTooLarge(ByteSize),
    /// The operating system cannot start a runtime.
    Runtime(std::io::Error),
}

impl OpenError {
    /// Returns whether a running node must not use the engine: it belongs to nodes with other settings or of another
    /// version, or has another time.
    pub(super) fn stops_requests(&self) -> bool {
        match self {
            Self::NewerFormat(_)
            | Self::Foreign
            | Self::Shards(_)
            | Self::WrongSecret
            | Self::Clock(_) => true,
            Self::Address(_)
            | Self::Unreachable(_)
            | Self::NoCluster
            | Self::ClusterServer(_)
            | Self::Certificate(_)
            | Self::Credentials
            | Self::Right(_)
            | Self::TooOld(_)
            | Self::ReadOnly
            | Self::NewerLibrary(_)
            | Self::Deadline(_)
            | Self::Evicts(_)
            | Self::TooSmall { .. }
            | Self::SmallerBudget { .. }
            | Self::PasteTooLarge { .. }
            | Self::ValueTooLarge(_)
            | Self::Runtime(_) => false,
        }
    }

    /// Returns the reason for which a command failed that needs this right.
    pub(super) fn of(error: RedisError, right: &'static str) -> Self {
        match error.kind() {
            ErrorKind::InvalidClientConfig => Self::Address(error),
            ErrorKind::ClusterConnectionNotFound => Self::ClusterServer(error),
            ErrorKind::AuthenticationFailed => Self::Credentials,
            ErrorKind::Server(ServerErrorKind::NoPerm) => Self::Right(right),
            ErrorKind::Server(ServerErrorKind::ReadOnly) => Self::ReadOnly,
            _ => match error.code() {
                Some("WRONGPASS" | "NOAUTH") => Self::Credentials,
                Some("WRONGTYPE") => Self::Foreign,
                _ if error.to_string().contains("cluster support disabled") => Self::NoCluster,
                // The library of TLS gives the reason as text alone.
                _ if ["ertificate", "PEM"]
                    .iter()
                    .any(|it| error.to_string().contains(it)) =>
                {
                    Self::Certificate(error)
                }
                _ => Self::Unreachable(error),
            },
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(error) => write!(
                f,
                "TIDEBIN_VALKEY is not an address of an engine ({error}). Write redis://USER:PASSWORD@HOST:6379, rediss:// for TLS, or unix:///PATH?user=USER&pass=PASSWORD."
            ),
            Self::Unreachable(error) => write!(
                f,
                "the engine of TIDEBIN_VALKEY cannot be used ({error}). Start it, or correct the address: rediss:// if it speaks TLS, redis:// if not."
            ),
            Self::NoCluster => f.write_str(
                "TIDEBIN_VALKEY has several addresses, and their servers are not a Cluster. Name one server, or the servers of one Cluster.",
            ),
            Self::ClusterServer(error) => write!(
                f,
                "a server of the Cluster of TIDEBIN_VALKEY was not reached ({error}). The Cluster names its servers, so set cluster-announce-ip to addresses that this machine reaches. With TLS, set cluster-announce-hostname to the name in the certificate, and cluster-preferred-endpoint-type to hostname."
            ),
            Self::Certificate(error) => write!(
                f,
                "TLS to the engine of TIDEBIN_VALKEY failed ({error}). Address it by the name in its certificate, name the file of an authority of your own in SSL_CERT_FILE, and set tls-auth-clients to no in the engine."
            ),
            Self::Credentials => f.write_str(
                "the engine refuses the user or the password of TIDEBIN_VALKEY. Correct them: redis://USER:PASSWORD@HOST:6379, or unix:///PATH?user=USER&pass=PASSWORD.",
            ),
            Self::Right(command) => write!(
                f,
                "the engine does not let the user of TIDEBIN_VALKEY run {command}. Give the rights that docs/operations.md names, or load the functions as it says."
            ),
            Self::TooOld(version) => write!(
                f,
                "the engine has version {version}. tidebin needs Valkey, or Redis 7.0 or newer."
            ),
            Self::ReadOnly => f.write_str(
                "the engine of TIDEBIN_VALKEY is a replica and refuses changes. Name the primary.",
            ),
            Self::NewerLibrary(version) => write!(
                f,
                "the engine has functions of a newer tidebin (version {version}). Start that tidebin on this machine too."
            ),
            Self::NewerFormat(version) => write!(
                f,
                "the engine has pastes of a newer tidebin (format {version}). Start that tidebin on this machine too."
            ),
            Self::Foreign => f.write_str(
                "the engine of TIDEBIN_VALKEY has keys of another program. Give tidebin an engine or a database number of its own, such as redis://HOST:6379/1.",
            ),
            Self::Shards(text) => write!(
                f,
                "the field shards of tb:meta in the engine is {text}. Set it to the number of shards of the pastes, 1 to 64."
            ),
            Self::Clock(seconds) => write!(
                f,
                "the clock of this machine and that of the engine differ by {seconds} seconds, so pastes could expire too early. Set both clocks, for example by NTP, and restart this node."
            ),
            Self::Deadline(text) => write!(
                f,
                "the field deadline of tb:meta in the engine is {text}. Set it to milliseconds from 10 to 60000, or remove it: HDEL tb:meta deadline."
            ),
            Self::WrongSecret => f.write_str(
                "TIDEBIN_SECRET is not the secret with which the pastes in the engine were saved. Set the same secret on all machines.",
            ),
            Self::Evicts(policy) => write!(
                f,
                "the engine drops keys when its memory is full (maxmemory-policy {policy}). Set it to noeviction: tidebin chooses itself what is evicted."
            ),
            Self::TooSmall {
                memory,
                budget,
                least,
            } => write!(
                f,
                "the engine may use {memory} (maxmemory), and TIDEBIN_MAX_STORE_SIZE ({budget}) needs {least}. Raise maxmemory, or lower TIDEBIN_MAX_STORE_SIZE."
            ),
            Self::SmallerBudget { budget, known } => write!(
                f,
                "TIDEBIN_MAX_STORE_SIZE ({budget}) is smaller than that of the other machines ({known}), so this one would evict pastes. Set it to {known}, or to evict them, stop all machines and lower the field: HSET tb:meta budget {}.",
                budget.0
            ),
            Self::PasteTooLarge {
                budget,
                paste,
                least,
            } => write!(
                f,
                "TIDEBIN_MAX_STORE_SIZE ({budget}) is too small for one paste of TIDEBIN_MAX_PASTE_SIZE ({paste}), because it is divided among the shards. Set it to {least} or more."
            ),
            Self::ValueTooLarge(most) => write!(
                f,
                "no engine takes a paste of TIDEBIN_MAX_PASTE_SIZE. Set it to {most} or less."
            ),
            Self::Runtime(error) => write!(f, "the connection to the engine cannot be started ({error})."),
        }
    }
}

impl std::error::Error for OpenError {}
