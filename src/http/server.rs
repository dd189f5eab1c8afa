//! The server: its socket, its shared state, its workers, and how it stops.
//!
//! Invariants: clients may connect as soon as it is bound; after a stop no connection is accepted, and requests in
//! progress are finished within [`STOP_TIMEOUT_SECONDS`].

use std::future::{Future, ready};
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use actix_http::HttpService;
use actix_service::ServiceFactoryExt;
use actix_web::dev::fn_service;
use actix_web::http::header::HeaderName;
use actix_web::rt::net::TcpStream;

use crate::app::{App, PasteLimits};
use crate::clock::Clock;
use crate::config::{ByteSize, Config, KeyUse, Secret};
use crate::http::admission::Charges;
use crate::http::application::application;
use crate::http::connection::{
    ACCEPT_SLACK, ConnectionSlots, GuardedStream, HeadRejection, max_connections,
};
use crate::http::error::policies;
use crate::http::reload::Reloader;
use crate::http::request::ClientResolver;
use crate::http::response::large_head_answer;
use crate::http::state::AppState;
use crate::limit::{Action, ClientKeyHasher, Limiter, TableSizes};
use crate::log::Incident;
use crate::overload::{MAX_PAUSE, Overload};
use crate::paste::IdCodec;
use crate::render::PageCache;
use crate::store::{Budget, Store, Sweeper};

/// So long a refused client may go on sending before it is cut off: it reads the refusal when it is done, or never.
const LINGER: Duration = Duration::from_secs(5);

/// A connection without a request is closed after so long.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Requests in flight may take so long after a stop.
const STOP_TIMEOUT_SECONDS: u64 = 10;

/// See [`crate::http::transfer`]: so much is written before it is sent, and a chunk more; with a head it is less than 128 KiB. The
/// library keeps a buffer of that size for the next answer; a larger one would be had from the system, and given back,
/// eight times for an answer of 1 MiB.
const WRITE_BUFFER: usize = 7 * crate::http::transfer::CHUNK;

/// A server that has its socket and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    pub(crate) state: Arc<AppState>,
    sweeper: Sweeper,
    /// As configured; to be said when it runs.
    max_store_size: usize,
    most_connections: usize,
}

impl Server {
    /// Listens where the configuration says. Clients may connect from now on; they are answered once it runs.
    ///
    /// # Errors
    /// If the store has no room for the largest paste, the address cannot be listened on, or the operating system
    /// gives no thread or random bytes.
    pub fn bind(config: Config, clock: Clock) -> io::Result<Self> {
        refuse_small_store(&config)?;
        refuse_small_room(&config)?;
        let proxy_header = HeaderName::try_from(&config.proxy_header).map_err(io::Error::other)?;
        let listener = listen(config.addr)?;
        let secret = match config.secret {
            Some(secret) => secret,
            None => random_secret()?,
        };
        let pages = Arc::new(PageCache::new(config.max_page_cache));
        let forgetful = Arc::clone(&pages);
        let store = Arc::new(Store::with_removal_hook(
            Budget::new(config.max_store_size),
            Box::new(move |id| forgetful.remove(id)),
        ));
        let sweeping = clock.clone();
        let sweeper = Sweeper::start(Arc::clone(&store), move || sweeping.timestamp())?;
        let limits = PasteLimits {
            max_paste_size: config.max_paste_size,
            expiry_policy: config.expiry_policy,
        };
        let state = AppState {
            app: App::new(store, IdCodec::new(secret.as_str()), limits),
            clock,
            redirect: config.redirect,
            public: config.base_url,
            local: listener.local_addr()?,
            clients: ClientResolver::new(
                ClientKeyHasher::new(secret.derive(KeyUse::Clients)),
                config.trusted_proxies,
                proxy_header,
                config.networks,
                config.networks_file,
            ),
            operator: config.admin_token,
            save_policies: policies(Action::Save, config.limits.of(Action::Save), 1),
            limiter: Arc::new(Limiter::new(config.limits, TableSizes::default())),
            limiting: Incident::default(),
            shedding: Incident::default(),
            pages,
            overload: Arc::new(Overload::new(config.max_in_flight, cores())),
            key_memories: Arc::default(),
        };
        Ok(Self {
            listener,
            state: Arc::new(state),
            sweeper,
            max_store_size: config.max_store_size,
            most_connections: usize::MAX,
        })
    }

    /// The same, with so many connections at most, where the system allows as many.
    #[must_use]
    pub fn with_connections(self, most: usize) -> Self {
        Self {
            most_connections: most,
            ..self
        }
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the operating system does not tell.
    pub fn addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The store, for who embeds the server or tests it.
    #[must_use]
    pub fn store(&self) -> Arc<Store> {
        Arc::clone(self.state.app.store())
    }

    /// What tells, at any time, everything that is counted.
    pub fn counters(&self) -> impl Fn() -> crate::http::Counters + Send + Sync + use<> {
        let state = Arc::clone(&self.state);
        move || state.counters()
    }

    /// What was rendered lately, for who embeds the server or tests it.
    #[must_use]
    pub fn pages(&self) -> Arc<PageCache> {
        Arc::clone(&self.state.pages)
    }

    /// What is under way, for who embeds the server or tests it.
    #[must_use]
    pub fn overload(&self) -> Arc<Overload> {
        Arc::clone(&self.state.overload)
    }

    /// The limiter, for who embeds the server or tests it.
    #[must_use]
    pub fn limiter(&self) -> Arc<Limiter> {
        Arc::clone(&self.state.limiter)
    }

    /// Serves until `stop` is done, then accepts nobody new and finishes what is in flight. Meanwhile SIGHUP makes it
    /// read its networks again.
    ///
    /// # Errors
    /// If the socket fails, or SIGHUP cannot be listened to.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let reloader = Reloader::start(Arc::clone(&self.state))?;
        // Not before signals are listened to: who waits for this line may send one at once.
        self.announce()?;
        let Self {
            listener,
            state,
            sweeper,
            most_connections,
            ..
        } = self;
        let most = max_connections()?.min(most_connections);
        // Aside, so that nobody waits for it, neither the start nor a visitor.
        std::thread::spawn(crate::http::handler::asset::prepare);
        let connections = ConnectionSlots::new(state.clock.clone(), most);
        let rejection = Arc::new(head_rejection(Arc::clone(&state)));
        let workers = cores();
        let address = listener.local_addr()?;
        let builder = actix_web::dev::Server::build();
        let stopping = builder.graceful_shutdown_signal();
        let wired = move || {
            let (connections, state) = (connections.clone(), Arc::clone(&state));
            let rejection = Arc::clone(&rejection);
            let stopping = stopping.clone();
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                // Of heads the stream takes care, of all of them.
                .client_request_timeout(Duration::ZERO)
                .client_disconnect_timeout(LINGER)
                .keep_alive(KEEP_ALIVE)
                .h1_write_buffer_size(WRITE_BUFFER)
                .local_addr(address)
                .on_connect_ext(|stream: &GuardedStream, data| _ = data.insert(stream.state()))
                .h1(application(Arc::clone(&state)));
            fn_service(move |stream: TcpStream| {
                ready(Ok(guard(&state, &connections, &rejection, stream)))
            })
            .and_then(http)
        };
        let served = builder
            .workers(workers)
            .max_concurrent_connections((most + ACCEPT_SLACK).div_ceil(workers))
            .shutdown_timeout(STOP_TIMEOUT_SECONDS)
            .shutdown_signal(stop)
            .listen("tidebin", listener, wired)?
            .run()
            .await;
        drop((reloader, sweeper));
        served
    }

    fn announce(&self) -> io::Result<()> {
        let PasteLimits {
            max_paste_size,
            expiry_policy,
        } = self.state.app.limits();
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            address = %format_args!("http://{}", self.addr()?),
            max_paste_size = %ByteSize(max_paste_size),
            max_store_size = %ByteSize(self.max_store_size),
            default_expiry = %expiry_policy.default_expiry(),
            max_expiry = %expiry_policy.longest(),
            "listening"
        );
        Ok(())
    }
}

/// Wraps an accepted socket for the HTTP library.
fn guard(
    state: &AppState,
    connections: &ConnectionSlots,
    rejection: &Arc<HeadRejection>,
    stream: TcpStream,
) -> (GuardedStream, Option<SocketAddr>) {
    // If it fails, answers are sent a little later.
    let _ = stream.set_nodelay(true);
    let peer = stream.peer_addr().ok();
    let client = state.clients.untrusted_peer(peer.map(|peer| peer.ip()));
    let slot = connections.acquire(client.map(|client| client.key));
    let (clock, rejection) = (state.clock.clone(), Arc::clone(rejection));
    (GuardedStream::new(stream, slot, clock, rejection), peer)
}

/// Charges a read for a head that is too large, unless a trusted proxy sent it.
fn head_rejection(state: Arc<AppState>) -> HeadRejection {
    HeadRejection {
        answer: large_head_answer(),
        charge: Box::new(move |address| {
            if let Some(client) = state.clients.untrusted_peer(address) {
                Charges::new(&state, client).charge_read();
            }
        }),
    }
}

/// A store that cannot hold the largest paste would take it, and refuse it when it came.
fn refuse_small_store(config: &Config) -> io::Result<()> {
    let (store, paste) = (config.max_store_size, config.max_paste_size);
    let least = Budget::for_largest(paste).bytes().next_multiple_of(1 << 20);
    if store >= Budget::for_largest(paste).bytes() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "TIDEBIN_MAX_STORE_SIZE ({}) has no room for one paste of TIDEBIN_MAX_PASTE_SIZE ({}): set it to {} or more",
        ByteSize(store),
        ByteSize(paste),
        ByteSize(least)
    )))
}

/// A server that cannot take in the largest paste at all would refuse it as overload.
fn refuse_small_room(config: &Config) -> io::Result<()> {
    let (room, paste) = (config.max_in_flight, config.max_paste_size);
    let least = paste.saturating_mul(2).max(1 << 20);
    if room >= least {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "TIDEBIN_MAX_IN_FLIGHT ({}) has no room for a paste of TIDEBIN_MAX_PASTE_SIZE ({}) on its way in and out: set it to {} or more",
        ByteSize(room),
        ByteSize(paste),
        ByteSize(least)
    )))
}

fn listen(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot listen on {address}: {error}; set TIDEBIN_ADDR to another"),
        )
    })?;
    // Every connection has it from its listener: the system ends one whose peer takes nothing for so long.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(&listener).set_tcp_user_timeout(Some(MAX_PAUSE))?;
    Ok(listener)
}

/// As many threads answer requests, and as many pages are rendered at once: more would only wait for each other.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn random_secret() -> io::Result<Secret> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Secret::new(&text).expect("64 characters are neither none nor too many"))
}
