//! Calls to the servers of a Cluster.
//!
//! Invariants: a call is sent again only if it did not run: the server that got it redirected it, or no connection took
//! it. So a lost connection is left to the caller, who knows which calls may run twice. The library could send calls
//! again by itself, but it does not ask that.
//! Cost: one connection to each server, over which all calls are pipelined.

use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{
    MultipleNodeRoutingInfo, ResponsePolicy, RoutingInfo, SingleNodeRoutingInfo,
};
use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value};

/// The most redirections of one call. More than one is needed only while slots move.
const MOST_REDIRECTIONS: u32 = 3;

/// The servers of a Cluster. Clones share the connections.
#[derive(Clone)]
pub(super) struct Cluster(ClusterConnection);

/// The server to which a call was redirected.
enum Redirection {
    /// It serves the slot now.
    Moved(SingleNodeRoutingInfo),
    /// It gets the slot at the moment, and has to be told that this call is for it.
    Ask(SingleNodeRoutingInfo),
    /// There was no connection for the call. The library connects again and asks which server has the slot.
    Unsent,
}

impl Cluster {
    /// Connects to the servers, of which some addresses are known.
    pub(super) async fn open(urls: &[String], timeout: Duration) -> RedisResult<Self> {
        let client = ClusterClient::builder(urls.iter().map(String::as_str))
            .retries(0)
            .connection_timeout(timeout)
            .response_timeout(timeout)
            .build()?;
        client.get_async_connection().await.map(Self)
    }

    /// Sends a command to the server that has its key.
    pub(super) async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        let mut connection = self.0.clone();
        let mut answer = command.query_async(&mut connection).await;
        for _ in 0..MOST_REDIRECTIONS {
            let redirection = answer.as_ref().err().and_then(Redirection::of);
            answer = match redirection {
                None => break,
                Some(Redirection::Unsent) => command.query_async(&mut connection).await,
                Some(Redirection::Moved(server)) => {
                    let server = RoutingInfo::SingleNode(server);
                    connection.route_command(command.clone(), server).await
                }
                Some(Redirection::Ask(server)) => {
                    let mut both = redis::pipe();
                    both.cmd("ASKING").add_command(command.clone());
                    let answers = connection.route_pipeline(both, 0, 2, server).await;
                    let last = answers.map(|mut answers| answers.pop().unwrap_or(Value::Nil));
                    last.and_then(Value::extract_error)
                }
            };
        }
        answer
    }

    /// Sends a command to any server that keeps pastes.
    pub(super) async fn send_to_any(&self, command: &Cmd) -> RedisResult<Value> {
        let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::RandomPrimary);
        self.0.clone().route_command(command.clone(), any).await
    }

    /// Sends a command to every server that keeps pastes. Fails if one of them fails.
    pub(super) async fn send_to_all(&self, command: &Cmd) -> RedisResult<Vec<Value>> {
        let all = (
            MultipleNodeRoutingInfo::AllMasters,
            Some(ResponsePolicy::Special),
        );
        let all = RoutingInfo::MultiNode(all);
        let answers = self.0.clone().route_command(command.clone(), all).await?;
        let answers: Vec<(Value, Value)> = FromRedisValue::from_redis_value(answers)?;
        answers
            .into_iter()
            .map(|(_, answer)| answer.extract_error())
            .collect()
    }
}

impl Redirection {
    fn of(error: &RedisError) -> Option<Self> {
        let server = || {
            let (address, _slot) = error.redirect_node()?;
            let (host, port) = address.rsplit_once(':')?;
            Some(SingleNodeRoutingInfo::ByAddress {
                host: host.to_owned(),
                port: port.parse().ok()?,
            })
        };
        match error.kind() {
            ErrorKind::ClusterConnectionNotFound => Some(Self::Unsent),
            ErrorKind::Server(ServerErrorKind::Moved) => server().map(Self::Moved),
            ErrorKind::Server(ServerErrorKind::Ask) => server().map(Self::Ask),
            _ => None,
        }
    }
}
