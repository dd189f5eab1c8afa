//! A real server on a free port, with a clock that only the test advances.
//!
//! Its pastes are in memory, or with `TIDEBIN_TEST_TIER=disk` in a directory of its own, which is removed when the test
//! ends, or with `TIDEBIN_TEST_TIER=engine` in an engine of its own, which ends with the test.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tidebin::clock::Clock;
use tidebin::config::{Config, Secret};
use tidebin::http::Server;
use tidebin::limit::Limiter;
use tidebin::operate::Counters;
use tidebin::overload::{Load, Overload};
use tidebin::page::PageCache;
use tidebin::paste::{IdCodec, PasteId};
use tidebin::store::Store;
use tokio::sync::oneshot;

use crate::client::{PATIENCE, Request, Response, pause, wait_for};
use crate::engine::Engine;
use crate::openapi;
use crate::place::config;
pub use crate::place::{Place, Tier};
pub use crate::saved::Saved;

/// A running server; stopped and joined when dropped.
pub struct TestServer {
    pub addr: SocketAddr,
    /// Where termbin listens, if a flag asks for it.
    pub tcp_addr: Option<SocketAddr>,
    pub clock: Clock,
    pub store: Arc<Store>,
    pub overload: Arc<Overload>,
    pub limiter: Arc<Limiter>,
    pub pages: Arc<PageCache>,
    counters: Box<dyn Fn() -> Counters + Send + Sync>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    flags: Vec<String>,
    place: Place,
}

/// Flags that switch off the rate limits. Most tests do not need them.
const UNLIMITED: [[&str; 2]; 4] = [
    ["--limit-save", "off"],
    ["--limit-read", "off"],
    ["--limit-miss", "off"],
    ["--limit-password", "off"],
];

/// Returns these flags, and those that switch off the limits that they do not set.
fn without_limits<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let is_free = |limit: &&[&str; 2]| !flags.contains(&limit[0]);
    let free = UNLIMITED.iter().filter(is_free).flatten();
    free.chain(flags).copied().collect()
}

impl TestServer {
    /// A server with the default settings and without limits.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// A server with these flags. Limits that the flags do not set are off.
    pub fn with(flags: &[&str]) -> Self {
        Self::run(&without_limits(flags))
    }

    /// A server with the default limits and these flags; [`Request::from`] names the client of a request.
    pub fn limited(flags: &[&str]) -> Self {
        Self::run(&[&["--trusted-proxies", "127.0.0.1"], flags].concat())
    }

    /// A server with the default limits that trusts no proxy.
    pub fn without_proxy() -> Self {
        Self::run(&[])
    }

    /// A server without limits and with these flags; [`Request::from`] names the client of a request.
    pub fn unlimited(flags: &[&str]) -> Self {
        Self::with(&[&["--trusted-proxies", "127.0.0.1"], flags].concat())
    }

    /// Does the same as [`TestServer::with`], with at most this many connections.
    pub fn with_connections(most: usize, flags: &[&str]) -> Self {
        let free = UNLIMITED.iter().flatten();
        let flags = free.chain(flags).copied().collect::<Vec<_>>();
        Self::serve(&flags, |server| server.with_connections(most))
    }

    /// Does the same as [`TestServer::with`]. Clients on this machine count as clients that connect directly.
    pub fn with_direct_peers(flags: &[&str]) -> Self {
        Self::serve(&without_limits(flags), Server::with_direct_local_peers)
    }

    fn run(flags: &[&str]) -> Self {
        Self::serve(flags, |server| server)
    }

    fn serve(flags: &[&str], change: impl FnOnce(Server) -> Server) -> Self {
        let flags = flags.iter().copied().map(str::to_owned).collect();
        Self::open(flags, Tier::chosen().place(), Clock::manual(), change)
    }

    fn open(
        flags: Vec<String>,
        place: Place,
        clock: Clock,
        change: impl FnOnce(Server) -> Server,
    ) -> Self {
        let config = config(&flags, &place);
        Self::configured(config, flags, place, clock, change)
    }

    fn configured(
        config: Config,
        flags: Vec<String>,
        place: Place,
        clock: Clock,
        change: impl FnOnce(Server) -> Server,
    ) -> Self {
        let server = Server::bind(config, clock.clone()).expect("the server starts");
        let server = change(server);
        let (addr, store) = (server.addr().expect("it listens"), server.store());
        let tcp_addr = server.tcp_addr();
        let (overload, limiter) = (server.overload(), server.limiter());
        let pages = server.pages();
        let counters = Box::new(server.counters());
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            let stopped = async move { _ = stopped.await };
            actix_web::rt::System::new().block_on(server.run(stopped))
        };
        Self {
            addr,
            tcp_addr,
            clock,
            store,
            overload,
            limiter,
            pages,
            counters,
            stop: Some(stop),
            thread: Some(std::thread::spawn(serve)),
            flags,
            place,
        }
    }

    /// A server without limits and with these flags, whose pastes are in this tier.
    pub fn of(tier: Tier, flags: &[&str]) -> Self {
        let flags = UNLIMITED.iter().flatten().chain(flags);
        let flags = flags.copied().map(str::to_owned).collect();
        Self::open(flags, tier.place(), Clock::manual(), |server| server)
    }

    /// A node without limits and with these flags, whose pastes are in this engine. Nodes of one engine have one clock.
    pub fn node(engine: &Arc<Engine>, clock: &Clock, flags: &[&str]) -> Self {
        Self::at(Place::Engine(Arc::clone(engine)), clock, flags)
    }

    /// A server without limits and with these flags, whose pastes are at this place.
    pub fn at(place: Place, clock: &Clock, flags: &[&str]) -> Self {
        let flags = without_limits(flags);
        let flags = flags.into_iter().map(str::to_owned).collect();
        Self::open(flags, place, clock.clone(), |server| server)
    }

    /// A server without limits whose pastes are in an engine at this place, for which it waits this long.
    pub fn hasty(place: Place, clock: &Clock, deadline: Duration) -> Self {
        Self::hasty_with(place, clock, deadline, &without_limits(&[]))
    }

    /// The same with these flags.
    pub fn hasty_with(place: Place, clock: &Clock, deadline: Duration, flags: &[&str]) -> Self {
        let flags: Vec<_> = flags.iter().copied().map(str::to_owned).collect();
        let config = Config {
            engine_deadline: Some(deadline),
            ..config(&flags, &place)
        };
        Self::configured(config, flags, place, clock.clone(), |server| server)
    }

    /// Why a server with these flags does not start on this engine.
    pub fn refusal(engine: &Arc<Engine>, flags: &[&str]) -> String {
        Self::refusal_at(&Place::Engine(Arc::clone(engine)), flags)
    }

    /// Why a server with these flags does not start with its pastes at this place.
    pub fn refusal_at(place: &Place, flags: &[&str]) -> String {
        let flags: Vec<_> = flags.iter().copied().map(str::to_owned).collect();
        let config = config(&flags, place);
        let refused = Server::bind(config, Clock::system());
        refused.err().expect("it is refused").to_string()
    }

    /// The database of a server with a data directory.
    pub fn database(&self) -> PathBuf {
        match &self.place {
            Place::Directory(data) => data.path().join("tidebin.db"),
            other => panic!("its pastes are not on disk: {other:?}"),
        }
    }

    /// Stops the server, and starts another with the same flags, data directory and time.
    pub fn restart(self) -> Self {
        let flags = self.flags.clone();
        self.restart_as(flags)
    }

    /// Stops the server, and starts another without limits and with these flags, on the same data directory and time.
    pub fn restart_with(self, flags: &[&str]) -> Self {
        let flags = UNLIMITED.iter().flatten().chain(flags);
        let flags = flags.copied().map(str::to_owned).collect();
        self.restart_as(flags)
    }

    fn restart_as(mut self, flags: Vec<String>) -> Self {
        let place = std::mem::replace(&mut self.place, Place::Memory);
        let clock = self.clock.clone();
        drop(self);
        Self::open(flags, place, clock, |server| server)
    }

    /// Returns the number of pages that were rendered.
    pub fn renders(&self) -> u64 {
        (self.counters)().renders.counts.iter().sum()
    }

    pub fn connections(&self) -> u64 {
        (self.counters)().connections.open
    }

    /// Advances the server's clock, and that of its engine.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
        if let Place::Engine(engine) = &self.place {
            engine.pass(by);
        }
    }

    /// The status of a paste that has expired. An engine forgets it.
    pub fn expired(&self) -> u16 {
        match self.place {
            Place::Engine(_) | Place::Cluster(_) => 404,
            Place::Memory | Place::Directory(_) => 410,
        }
    }

    /// Returns the number of stored pastes.
    pub fn pastes(&self) -> usize {
        match &self.place {
            Place::Engine(engine) => engine.pastes(),
            _ => self.store.occupancy().pastes,
        }
    }

    /// Waits until the condition holds for the server's load. The clock stands still meanwhile.
    #[track_caller]
    pub fn until(&self, what: &str, is_so: impl Fn(Load) -> bool) {
        wait_for(|| match self.overload.load() {
            load if is_so(load) => Ok(()),
            load => Err(format!("not {what}: {load:?}")),
        });
    }

    /// Waits until all connections have ended, and with them all that their requests did.
    #[track_caller]
    pub fn until_no_connection_is_open(&self) {
        wait_for(|| match (self.counters)().connections.open {
            0 => Ok(()),
            open => Err(format!("{open} connections are open")),
        });
    }

    /// Waits until no body is being received, while the clock advances second by second.
    #[track_caller]
    pub fn until_all_have_ended(&self) {
        self.until("idle", |load| {
            self.advance(Duration::from_secs(1));
            load.transfers == 0 && load.receiving == 0 && load.bytes == 0
        });
    }

    /// Advances the clock by steps of this length until the condition holds. The clock does not run away from the
    /// server: after each step, every worker answers a request. Connections go to the workers in turn.
    #[track_caller]
    pub fn advance_until(&self, step: Duration, mut is_so: impl FnMut() -> bool) {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < PATIENCE, "it is never so");
            self.advance(step);
            for _ in 0..workers {
                assert_eq!(self.get("/healthz").status, 200);
            }
        }
    }

    /// Waits for the response while the clock advances in small steps. With large steps, the five seconds for a head
    /// could end before the server has read it.
    pub fn patiently(&self, request: &Request) -> Response {
        std::thread::scope(|scope| {
            let answer = scope.spawn(|| request.send());
            self.advance_until(Duration::from_millis(10), || answer.is_finished());
            answer.join().unwrap()
        })
    }

    /// Waits a moment for connections that the test has closed: a stop takes a second if there is one.
    fn let_connections_end(&self) {
        for _ in 0..20 {
            if self.stop.is_none() || self.connections() == 0 {
                return;
            }
            pause();
        }
    }

    /// Tells the server to stop, without waiting for it.
    pub fn begin_stop(&mut self) {
        drop(self.stop.take());
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.addr, method, path).checked_by(openapi::check)
    }

    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// Requests the page at this path as a browser does.
    pub fn browse(&self, path: &str) -> Response {
        self.request("GET", path)
            .header("Accept", "text/html,*/*;q=0.8")
            .send()
    }

    /// Saves pastes of this size until one is evicted. A store on disk cannot make them smaller.
    pub fn fill(&self, size: usize) {
        let mut content = vec![0; size];
        while self.store.removal_counts().evicted == 0 {
            getrandom::fill(&mut content).expect("the system has random bytes");
            self.save(&content);
        }
    }

    /// Saves these bytes and asserts success.
    pub fn save(&self, body: impl AsRef<[u8]>) -> Saved {
        let answer = self.request("POST", "/").body(body).send();
        assert_eq!(answer.status, 201, "{answer:?}");
        Saved::of(&answer)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.let_connections_end();
        self.begin_stop();
        let served = self.thread.take().expect("joined once").join();
        if !std::thread::panicking() {
            served
                .expect("the server did not panic")
                .expect("the server did not fail");
        }
    }
}

/// Waits for an operation of the store, on a runtime of its own.
pub(crate) fn block_on<T>(operation: impl Future<Output = T>) -> T {
    actix_web::rt::System::new().block_on(operation)
}

/// Returns the id of a paste that a server with this secret saved.
pub(crate) fn id_of(secret: &str, text: &str) -> PasteId {
    let secret = Secret::new(secret).unwrap();
    IdCodec::new(&secret.id_key()).decode(text).unwrap()
}
