//! The way to the engine: to one server, or to the servers of a Cluster.
//!
//! Invariant: nothing here repeats a call that may have run. The caller bounds the time of each call.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, FromRedisValue, RedisResult};

use super::cluster::Cluster;

/// How the engine is reached.
pub(super) enum Link {
    /// One server. After a failover behind its name it is resolved again, so the manager is replaced.
    Single(Box<Client>, Mutex<ConnectionManager>),
    /// The servers of a Cluster, by addresses of some. The library keeps a connection whose other end is silent, so
    /// the connections are replaced too.
    Cluster(Arc<[String]>, Arc<Mutex<Cluster>>),
}

impl Link {
    /// Connects to one server, or to a Cluster if there are several addresses or if the server is one of a Cluster. Each
    /// connection may take this long.
    ///
    /// # Errors
    /// Fails if an address is wrong, or if the engine cannot be reached.
    pub(super) async fn open(urls: &[String], timeout: Duration) -> RedisResult<Self> {
        #[cfg(feature = "tls")]
        if urls.iter().any(|url| url.starts_with("rediss://")) {
            // It fails only if a provider of cryptography is installed already, by an earlier store of this process.
            let _ = rustls_graviola::default_provider().install_default();
        }
        if let [url] = urls {
            let client = Client::open(&url[..])?;
            let manager = client.get_connection_manager_with_config(settings(timeout));
            let mut manager = manager.await?;
            let mut ask = redis::cmd("INFO");
            let info: String = ask.arg("cluster").query_async(&mut manager).await?;
            if !info.contains("cluster_enabled:1") {
                let manager = Mutex::new(manager);
                return Ok(Self::Single(Box::new(client), manager));
            }
        }
        let cluster = Cluster::open(urls, timeout).await?;
        Ok(Self::Cluster(urls.into(), Arc::new(Mutex::new(cluster))))
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(..))
    }

    /// Returns a future that makes new connections and replaces the present ones by them. Each may take this long.
    pub(super) fn replace(
        &self,
        timeout: Duration,
    ) -> impl Future<Output = RedisResult<()>> + Send + use<> {
        let fresh = match self {
            Self::Single(client, manager) => {
                // It connects with the first call.
                let fresh = client.get_connection_manager_lazy(settings(timeout));
                if let Ok(fresh) = fresh {
                    *manager.lock() = fresh;
                }
                None
            }
            Self::Cluster(urls, cluster) => Some((Arc::clone(urls), Arc::clone(cluster))),
        };
        async move {
            if let Some((urls, cluster)) = fresh {
                let fresh = Cluster::open(&urls, timeout).await?;
                *cluster.lock() = fresh;
            }
            Ok(())
        }
    }

    /// Sends a command to the server that has its key.
    pub(super) async fn send<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        match self {
            Self::Single(_, manager) => {
                let mut manager = manager.lock().clone();
                command.query_async(&mut manager).await
            }
            Self::Cluster(_, cluster) => {
                let cluster = cluster.lock().clone();
                let answer = cluster.send(command).await?;
                Ok(FromRedisValue::from_redis_value(answer)?)
            }
        }
    }

    /// Sends a command to every server that keeps pastes. Returns their numbers.
    pub(super) async fn send_to_all(&self, command: &Cmd) -> RedisResult<Vec<i64>> {
        let Self::Cluster(_, cluster) = self else {
            return Ok(vec![self.send(command).await?]);
        };
        let cluster = cluster.lock().clone();
        let answers = cluster.send_to_all(command).await?;
        let numbers = answers.into_iter().map(FromRedisValue::from_redis_value);
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    /// Sends a command that names no key to any server.
    pub(super) async fn send_to_any<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let Self::Cluster(_, cluster) = self else {
            return self.send(command).await;
        };
        let cluster = cluster.lock().clone();
        let answer = cluster.send_to_any(command).await?;
        Ok(FromRedisValue::from_redis_value(answer)?)
    }
}

fn settings(timeout: Duration) -> ConnectionManagerConfig {
    // A request is refused at once while there is no connection. The next one starts another attempt.
    ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(timeout))
        .set_response_timeout(None)
}
