//! The way to the engine: to one server, or to the servers of a Cluster.
//!
//! Invariants: nothing here repeats a call that may have run. A call is sent again only if the server of a Cluster that
//! got it redirected it, or if no connection took it. The library could send calls again by itself, but it does not ask
//! that. The caller bounds the time of each call.
//! Cost: one connection to each server, over which all calls are pipelined.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{
    MultipleNodeRoutingInfo, ResponsePolicy, Route, RoutingInfo, SingleNodeRoutingInfo, SlotAddr,
};
use redis::{
    Arg, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisResult,
    ServerErrorKind, Value,
};

use super::host_names::need_no_modules;

/// The most redirections of one call. More than one is needed only while slots move.
const MOST_REDIRECTIONS: u32 = 3;

/// How the engine is reached. Clones share the connections.
#[derive(Clone)]
pub(super) enum Link {
    Single(ConnectionManager),
    Cluster(ClusterConnection),
}

impl Link {
    /// Connects to one server, or to a Cluster if there are several addresses or if the server is one of a Cluster.
    /// Each connection may take this long.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(urls: &[String], timeout: Duration) -> RedisResult<Self> {
        #[cfg(feature = "tls")]
        if urls.iter().any(|url| url.starts_with("rediss://")) {
            // It fails only if a provider of cryptography is installed already, by an earlier connection.
            let _ = rustls_graviola::default_provider().install_default();
        }
        need_no_modules();
        if let [url] = urls {
            let address = url.as_str().into_connection_info()?;
            // The library would name itself to the engine, for which the user needs a right of its own.
            let settings = address.redis_settings().clone().set_skip_set_lib_name();
            let client = Client::open(address.set_redis_settings(settings))?;
            // A request is refused at once while there is no connection. The next one starts another attempt.
            let settings = ConnectionManagerConfig::new()
                .set_number_of_retries(0)
                .set_connection_timeout(Some(timeout))
                .set_response_timeout(None);
            let mut manager = client.get_connection_manager_with_config(settings).await?;
            let mut ask = redis::cmd("INFO");
            let info: String = ask.arg("cluster").query_async(&mut manager).await?;
            if !info.contains("cluster_enabled:1") {
                return Ok(Self::Single(manager));
            }
        }
        let client = ClusterClient::builder(urls.iter().map(String::as_str))
            .retries(0)
            .connection_timeout(timeout)
            .response_timeout(timeout)
            .build()?;
        client.get_async_connection().await.map(Self::Cluster)
    }

    /// Sends commands to the server that has their first key. Returns their answers, or the first error.
    pub(super) async fn send(self, commands: &Pipeline) -> RedisResult<Vec<Value>> {
        let answers = match self {
            Self::Single(mut manager) => {
                let sent = manager.send_packed_commands(commands, 0, commands.len());
                sent.await?
            }
            Self::Cluster(cluster) => send_to_slot(cluster, commands).await?,
        };
        answers.into_iter().map(Value::extract_error).collect()
    }

    /// Sends a command to every server that keeps pastes. Fails if one of them fails.
    pub(super) async fn send_to_all(self, command: &Cmd) -> RedisResult<Vec<Value>> {
        let answers = match self {
            Self::Single(mut manager) => vec![manager.send_packed_command(command).await?],
            Self::Cluster(mut cluster) => {
                let all = MultipleNodeRoutingInfo::AllMasters;
                let all = RoutingInfo::MultiNode((all, Some(ResponsePolicy::Special)));
                let answers = cluster.route_command(command.clone(), all).await?;
                let answers: Vec<(Value, Value)> = FromRedisValue::from_redis_value(answers)?;
                answers.into_iter().map(|(_, answer)| answer).collect()
            }
        };
        answers.into_iter().map(Value::extract_error).collect()
    }
}

async fn send_to_slot(
    mut cluster: ClusterConnection,
    commands: &Pipeline,
) -> RedisResult<Vec<Value>> {
    let args = commands.cmd_iter().flat_map(Cmd::args_iter);
    let mut keys = args.filter_map(|arg| match arg {
        Arg::Simple(arg) if arg.starts_with(b"tb:") => Some(arg),
        _ => None,
    });
    let route = Route::with_key(keys.next().unwrap_or_default(), SlotAddr::Master);
    let mut server = SingleNodeRoutingInfo::SpecificNode(route);
    let mut commands = commands.clone();
    for _ in 0..MOST_REDIRECTIONS {
        let sent = cluster.route_pipeline(commands.clone(), 0, commands.len(), server.clone());
        let error = match sent.await {
            Err(error) => error,
            answers => return answers,
        };
        let kind = error.kind();
        match kind {
            // There was no connection for the call. The library asks again which server has the slot.
            ErrorKind::ClusterConnectionNotFound => continue,
            ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask) => {}
            _ => return Err(error),
        }
        let address = error
            .redirect_node()
            .and_then(|(address, _)| address.rsplit_once(':'));
        let Some((host, Ok(port))) = address.map(|(host, port)| (host, port.parse())) else {
            return Err(error);
        };
        let host = host.to_owned();
        server = SingleNodeRoutingInfo::ByAddress { host, port };
        if kind == ErrorKind::Server(ServerErrorKind::Ask) {
            // The server gets the slot at the moment, and has to be told that this call is for it.
            let redirected = std::mem::replace(&mut commands, redis::pipe());
            commands.cmd("ASKING");
            for command in redirected.cmd_iter() {
                commands.add_command(command.clone());
            }
        }
    }
    let count = commands.len();
    cluster.route_pipeline(commands, 0, count, server).await
}
