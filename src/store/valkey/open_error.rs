//! Why the engine of the shared tier was refused. Each reason names the way out. No message contains an address with a
//! password.

use redis::{ErrorKind, RedisError, ServerErrorKind};
use thiserror::Error;

use crate::byte_size::ByteSize;

/// Why the engine was refused. The server does not start.
#[derive(Debug, Error)]
pub enum OpenError {
    /// An address cannot be understood.
    #[error(
        "TIDEBIN_VALKEY is not an address of an engine ({0}). Write redis://USER:PASSWORD@HOST:6379, rediss:// for TLS, or unix:///PATH?user=USER&pass=PASSWORD."
    )]
    Address(RedisError),
    /// The engine was not reached, or failed.
    #[error(
        "the engine of TIDEBIN_VALKEY cannot be used ({0}). Start it, or correct the address: rediss:// if it speaks TLS, redis:// if not."
    )]
    Unreachable(RedisError),
    /// There are several addresses, and the servers are not those of a Cluster.
    #[error(
        "TIDEBIN_VALKEY has several addresses, and their servers are not a Cluster. Name one server, or the servers of one Cluster."
    )]
    NoCluster,
    /// A server of a Cluster was not reached.
    #[error(
        "a server of the Cluster of TIDEBIN_VALKEY was not reached ({0}). The Cluster names its servers, so set cluster-announce-ip to addresses that this machine reaches. With TLS, set cluster-announce-hostname to the name in the certificate, and cluster-preferred-endpoint-type to hostname."
    )]
    ClusterServer(RedisError),
    /// The certificate of the engine is not trusted, or the engine asks for one.
    #[error(
        "TLS to the engine of TIDEBIN_VALKEY failed ({0}). Address it by the name in its certificate, name the file of an authority of your own in SSL_CERT_FILE, and set tls-auth-clients to no in the engine."
    )]
    Certificate(RedisError),
    /// The engine refused the user or the password.
    #[error(
        "the engine refuses the user or the password of TIDEBIN_VALKEY. Correct them: redis://USER:PASSWORD@HOST:6379, or unix:///PATH?user=USER&pass=PASSWORD."
    )]
    Credentials,
    /// The user may not do something.
    #[error(
        "the engine does not let the user of TIDEBIN_VALKEY do everything that tidebin needs ({0}). Give the rights that docs/cluster.md names."
    )]
    Right(String),
    /// The engine is older than Redis 7.0. The value is its version.
    #[error("the engine has version {0}. tidebin needs Valkey, or Redis 7.0 or newer.")]
    TooOld(String),
    /// The engine is a copy that refuses changes.
    #[error("the engine of TIDEBIN_VALKEY is a replica and refuses changes. Name the primary.")]
    ReadOnly,
    /// The keys in the engine are of another program, or their format is that of another version.
    #[error(
        "the engine of TIDEBIN_VALKEY has keys of another program, or of a version of tidebin that is newer, or older than 0.2. Start that version, give tidebin an engine of its own, or remove all keys with FLUSHALL."
    )]
    Foreign,
    /// The secret is not that of the pastes.
    #[error(
        "TIDEBIN_SECRET is not the secret with which the pastes in the engine were saved. Set the same secret on all machines."
    )]
    WrongSecret,
    /// The memory of the engine has no limit, or it would not make room for pastes, or would drop keys of the operator.
    /// The values are its `maxmemory` and its `maxmemory-policy`.
    #[error(
        "the engine has maxmemory {0} and maxmemory-policy {1}, so it would fill its machine, refuse saves, or drop what must stay. Set both in its configuration, for example:\nmaxmemory 512mb\nmaxmemory-policy volatile-lru"
    )]
    Memory(usize, String),
    /// No engine takes a value as large as the largest paste. The value is the largest size that can be used.
    #[error("no engine takes a paste of TIDEBIN_MAX_PASTE_SIZE. Set it to {0} or less.")]
    ValueTooLarge(ByteSize),
    /// The operating system cannot start a runtime.
    #[error("the connection to the engine cannot be started ({0}).")]
    Runtime(std::io::Error),
}

impl OpenError {
    /// Returns whether the engine itself was refused, and not only unreachable.
    pub(super) fn is_of_engine(&self) -> bool {
        !matches!(self, Self::Unreachable(_) | Self::ClusterServer(_))
    }

    /// Returns the reason for which a command failed.
    pub(super) fn of(error: RedisError) -> Self {
        let text = error.to_string();
        let tells = |part| text.contains(part);
        match (error.kind(), error.code()) {
            (ErrorKind::InvalidClientConfig, _) => Self::Address(error),
            (ErrorKind::ClusterConnectionNotFound, _) => Self::ClusterServer(error),
            (ErrorKind::AuthenticationFailed, _) => Self::Credentials,
            (ErrorKind::Server(ServerErrorKind::NoPerm), _) => Self::Right(text),
            (ErrorKind::Server(ServerErrorKind::ReadOnly), _) => Self::ReadOnly,
            (_, Some("WRONGPASS" | "NOAUTH")) => Self::Credentials,
            (_, Some("WRONGTYPE")) => Self::Foreign,
            _ if tells("cluster support disabled") => Self::NoCluster,
            // The library of TLS gives the reason as text alone.
            _ if tells("ertificate") || tells("PEM") => Self::Certificate(error),
            _ => Self::Unreachable(error),
        }
    }
}
