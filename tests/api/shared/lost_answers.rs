//! Calls that the engine carried out, but whose answer was lost, and connections that went silent. On one server, and
//! on one of a Cluster.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tidebin::clock::Clock;

use super::cutting_proxy::CuttingProxy;
use crate::client::{until, wait_for};
use crate::engine::Engine;
use crate::free_port::free_address;
use crate::place::Place;
use crate::server::{Saved, TestServer};

/// A node that reaches its engine through a proxy. The fields are dropped in this order.
struct Proxied {
    node: TestServer,
    proxy: CuttingProxy,
    _engine: Arc<Engine>,
}

impl Proxied {
    fn start(is_cluster: bool) -> Self {
        Self::with_deadline(is_cluster, Duration::from_secs(20))
    }

    /// A node that waits this long for an answer.
    fn with_deadline(is_cluster: bool, deadline: Duration) -> Self {
        let port = free_address().port();
        let proxy = CuttingProxy::start(port);
        let [engine_port, proxy_port, bus] =
            [port, proxy.port, free_address().port()].map(|port| port.to_string());
        let mut options = vec!["--bind", "127.0.0.1", "--port", &engine_port];
        if is_cluster {
            options.extend(["--cluster-enabled", "yes", "--cluster-port", &bus]);
            options.extend(["--cluster-announce-ip", "127.0.0.1"]);
            options.extend(["--cluster-announce-port", &proxy_port]);
        }
        let engine = Arc::new(Engine::empty(&options));
        if is_cluster {
            engine.ask("CLUSTER ADDSLOTSRANGE 0 16383");
        }
        until(|| !engine.answer("GET x").starts_with('-'));
        let place = Place::Cluster(format!("redis://127.0.0.1:{proxy_port}"));
        Self {
            node: TestServer::hasty(place, &Clock::manual(), deadline),
            proxy,
            _engine: engine,
        }
    }

    /// Sends a request until the node has another connection.
    fn send_until_answered(&self, send: impl Fn() -> u16) -> u16 {
        wait_for(|| match send() {
            503 => Err("refused"),
            status => Ok(status),
        })
    }
}

/// Runs a test on one server, and on one of a Cluster at the same time.
fn on_both(test: impl Fn(bool) + Sync) {
    thread::scope(|scope| {
        for is_cluster in [false, true] {
            let test = &test;
            scope.spawn(move || test(is_cluster));
        }
    });
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_view_whose_answer_was_lost_is_used_up_once() {
    on_both(|is_cluster| {
        let it = Proxied::start(is_cluster);
        let save = it.node.request("POST", "/?burn=4").body("often");
        let path = Saved::of(&save.send()).path;
        let read = || it.node.request("POST", &path).send().status;
        assert_eq!(read(), 200, "and the engine knows the script");
        // When the answer to a view is lost
        // The seconds of a tombstone are only in calls that use up a view.
        it.proxy.lose_answer_of("86400");
        assert_eq!(read(), 503);
        // Then it was sent once, and two views are left
        assert_eq!(it.proxy.stop_losing(), 1, "Cluster: {is_cluster}");
        let views = [(); 3].map(|()| it.send_until_answered(read));
        assert_eq!(views, [200, 200, 410], "Cluster: {is_cluster}");
    });
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_save_whose_answer_was_lost_is_sent_again_and_stored_once() {
    on_both(|is_cluster| {
        let it = Proxied::start(is_cluster);
        it.proxy.lose_answer_of("PX");
        let save = || it.node.request("POST", "/").body("once").send().status;
        // A new connection may be refused before the second attempt, and then the first one counts.
        let status = save();
        assert!(matches!(status, 201 | 503), "{status}");
        it.proxy.stop_losing();
        assert_eq!(it.send_until_answered(save), 201);
        it.node.store.validate();
    });
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_leaves_silent_connections_however_often_they_go_silent() {
    on_both(|is_cluster| {
        let it = Proxied::with_deadline(is_cluster, Duration::from_secs(1));
        let saved = it.node.save("kept");
        // When the connection goes silent, and the next ones too
        for _ in 0..3 {
            let silent = it.proxy.silence();
            until(|| it.proxy.connections() > silent);
        }
        // Then the node has another one soon
        let read = || it.node.get(&saved.raw()).status;
        assert_eq!(it.send_until_answered(read), 200, "Cluster: {is_cluster}");
    });
}
