//! The server: its socket, its shared state, its workers, and its shutdown.
//!
//! A worker reads a connection through our stream, from which the HTTP library parses requests for an `App` of
//! actix-web. Around the app is the limiter, [`limit`]. Inside is one service, [`handle`], which calls the handlers of
//! the table of routes.
//! Invariants: clients may connect as soon as the server is bound. After a stop the server accepts no connection. It
//! finishes requests in flight within [`STOP_TIMEOUT_SECONDS`], and aborts the others.

use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Once};
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive};
use actix_service::{ServiceFactoryExt, map_config};
use actix_web::App;
use actix_web::dev::{AppConfig, fn_service};
use actix_web::http::header::HeaderName;
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use futures_util::future::select;
use parking_lot::RwLock;

use crate::app::UseCases;
use crate::clock::Clock;
use crate::config::{BaseUrl, ByteSize, Config, KeyUse, is_dotenv_hidden};
use crate::http::admission::Charges;
use crate::http::connection::{GuardedStream, HeadRejection, max_connections};
use crate::http::error::policies;
use crate::http::limiting::limit;
use crate::http::listener::{Listener, as_tcp, listen};
use crate::http::request::{Accounts, ClientResolver};
use crate::http::response::large_head_response;
use crate::http::routes::find::series;
use crate::http::routes::{Worker, handle};
use crate::http::signals::start_reloading;
use crate::http::state::AppState;
use crate::http::{budgets, storage, termbin};
use crate::limit::{Action, ClientKeyHasher, Limiter, SharedLimits, TableSizes};
use crate::log::Incident;
use crate::operate::{Histogram, History, RequestCounters};
use crate::overload::{ACCEPT_SLACK, ConnectionSlot, Overload};
use crate::page::{PageCache, Site};
use crate::paste::IdCodec;
use crate::store::Store;

/// The time that a client may continue to send after an error response, before its connection is closed. Some clients
/// read the response only when they have sent everything.
const LINGER: Duration = Duration::from_secs(5);

/// The server aborts requests in flight this long after a stop. Docker kills a container after ten seconds. By then the
/// database is closed too.
const STOP_TIMEOUT_SECONDS: u64 = 7;

/// The library sends the write buffer when it holds this many bytes. It may have added one chunk more by then. With a
/// response head, the total is less than 128 KiB. The library keeps a buffer of that size for the next response. A
/// larger buffer would be allocated and freed eight times for a response of 1 MiB. See [`crate::http::transfer`] for
/// chunks.
const WRITE_BUFFER: usize = 7 * crate::http::transfer::CHUNK;

/// A server that is bound to its socket and waits to be run.
pub struct Server {
    listener: Listener,
    /// The listener of termbin, if it is configured.
    tcp_listener: Option<std::net::TcpListener>,
    pub(crate) state: Arc<AppState>,
    /// The configured size of the store, which is logged when the server starts to run.
    max_store_size: usize,
    most_connections: usize,
    has_direct_local_peers: bool,
}

impl Server {
    /// Binds the configured address. Clients may connect from now on. They are answered once the server runs.
    ///
    /// # Errors
    /// If the store or the byte budget is too small for the largest paste, or if the address cannot be bound. Also if
    /// the operating system provides no thread or no random bytes.
    pub fn bind(config: Config, clock: Clock) -> io::Result<Self> {
        if is_dotenv_hidden() {
            tracing::warn!(
                "no .env was looked for: this user may not search the working directory"
            );
        }
        budgets::refuse_small(&config).map_err(io::Error::other)?;
        let proxy_header = HeaderName::try_from(&config.proxy_header).map_err(io::Error::other)?;
        let user_header = config.auth_header.as_ref().map(HeaderName::try_from);
        let user_header = user_header.transpose().map_err(io::Error::other)?;
        let listener = Listener::bind(&config.addr)?;
        let tcp_addr = listener.tcp_addr();
        let local = tcp_addr.map_or("localhost".to_owned(), |address| address.to_string());
        let tcp_listener = config
            .tcp_addr
            .map(|addr| listen(addr, ["--tcp-addr", "TIDEBIN_TCP_ADDR"]))
            .transpose()?;
        let secret = storage::prepare(&config)?;
        budgets::warn_of_large(&config);
        let pages = Arc::new(PageCache::new(config.max_page_cache));
        let cache = Arc::clone(&pages);
        let removal_hook = Box::new(move |id| cache.remove(id));
        let store = storage::open(&config, &secret, &clock, removal_hook)?;
        // Loads that wait for bytes of the budget hold no more than the budget itself.
        let max_loads = config.max_in_flight / config.pastes.max_paste_size;
        let store = Arc::new(store);
        let counters = store.counters();
        let shared_limits =
            counters.and_then(|counters| SharedLimits::new(&config.limits.save, counters));
        let state = AppState {
            shared_limits,
            limiter: Arc::new(Limiter::new(config.limits.clone(), TableSizes::default())),
            app: UseCases::new(store, IdCodec::new(&secret.id_key()), config.pastes),
            clock,
            site: Arc::new(Site {
                base_path: config
                    .base_url
                    .as_ref()
                    .map_or("", BaseUrl::path)
                    .to_owned(),
                forgets: config.data.is_none() && config.valkey.is_none(),
                ..config.site
            }),
            cors: config.cors,
            data: config.data,
            public: config.base_url,
            local,
            clients: ClientResolver {
                keys: ClientKeyHasher::new(secret.derive(KeyUse::Clients)),
                trusted: config.trusted_proxies,
                header: proxy_header,
                networks: RwLock::new(config.networks),
                networks_file: config.networks_file,
                warned: Once::new(),
                warned_of_url: Once::new(),
            },
            accounts: Accounts {
                access: config.access,
                operator: config.admin_token,
                keys: RwLock::new(config.keys),
                file: config.keys_file,
                users: RwLock::default(),
                user_header,
            },
            requests: RequestCounters::new(series(), cores()),
            save_policies: policies(Action::Save, config.limits.of(Action::Save), 1),
            limiting: Incident::default(),
            shedding: Incident::default(),
            history: History::default(),
            pages,
            renders: Histogram::default(),
            overload: Arc::new(Overload::new(config.max_in_flight, cores(), max_loads)),
            key_memories: Arc::default(),
        };
        Ok(Self {
            listener,
            tcp_listener,
            state: Arc::new(state),
            max_store_size: config.max_store_size,
            most_connections: usize::MAX,
            has_direct_local_peers: false,
        })
    }

    /// Limits the server to `most` connections. The operating system's limit of open files still applies.
    pub fn with_connections(self, most: usize) -> Self {
        Self {
            most_connections: most,
            ..self
        }
    }

    /// Treats peers in private networks and on this machine as clients that connect directly, not as proxies. So they
    /// wait after a refusal. For programs that embed the server and for tests.
    pub fn with_direct_local_peers(self) -> Self {
        Self {
            has_direct_local_peers: true,
            ..self
        }
    }

    /// Returns the address that the server listens on, or `None` if it is a Unix socket.
    pub fn addr(&self) -> Option<SocketAddr> {
        self.listener.tcp_addr()
    }

    /// Returns the address on which texts are saved without HTTP, if it is configured.
    pub fn tcp_addr(&self) -> Option<SocketAddr> {
        self.tcp_listener.as_ref()?.local_addr().ok()
    }

    /// Returns the store, for programs that embed the server and for tests.
    pub fn store(&self) -> Arc<Store> {
        Arc::clone(&self.state.app.store)
    }

    /// Returns a function that reads all counters of the server.
    pub fn counters(&self) -> impl Fn() -> crate::operate::Counters + Send + Sync + use<> {
        let state = Arc::clone(&self.state);
        move || state.counters()
    }

    /// Returns the cache of rendered pages, for programs that embed the server and for tests.
    pub fn pages(&self) -> Arc<PageCache> {
        Arc::clone(&self.state.pages)
    }

    /// Returns the load control, for programs that embed the server and for tests.
    pub fn overload(&self) -> Arc<Overload> {
        Arc::clone(&self.state.overload)
    }

    /// Returns the limiter, for programs that embed the server and for tests.
    pub fn limiter(&self) -> Arc<Limiter> {
        Arc::clone(&self.state.limiter)
    }

    /// Serves until `stop` completes. Then the server accepts no more connections and finishes the requests in flight.
    /// On SIGHUP it reads the network lists and the keys again.
    ///
    /// # Errors
    /// If the socket fails, or the handler for SIGHUP cannot be installed.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let store = self.store();
        let reloading = start_reloading(Arc::clone(&self.state))?;
        // The line is logged after the signal handler is installed. A supervisor that waits for the line may send a
        // signal at once.
        self.announce()?;
        let (state, has_direct_local_peers) = (self.state, self.has_direct_local_peers);
        let most = max_connections()?.min(self.most_connections);
        state.overload.limit_connections(most);
        let rejection = Arc::new(head_rejection(Arc::clone(&state)));
        let workers = cores();
        let builder = actix_web::dev::Server::build();
        let stopping = builder.graceful_shutdown_signal();
        let of_termbin = Arc::clone(&state);
        let stopped = Arc::clone(&state.overload);
        let service = move || {
            let state = Arc::clone(&state);
            let rejection = Arc::clone(&rejection);
            let stopping = stopping.clone();
            let worker = Worker::new(Arc::clone(&state));
            let handlers = Rc::clone(&worker);
            let app = App::new()
                .wrap(from_fn(move |http, next| {
                    limit(Rc::clone(&worker), http, next)
                }))
                .default_service(fn_service(move |http| handle(&handlers, http)));
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                // The library needs no timeouts here: the stream limits the time of every head, and that without one.
                .client_request_timeout(Duration::ZERO)
                .keep_alive(KeepAlive::Os)
                .client_disconnect_timeout(LINGER)
                .h1_write_buffer_size(WRITE_BUFFER)
                .on_connect_ext(|stream: &GuardedStream, data| {
                    _ = data.insert(Rc::clone(&stream.state))
                })
                .h1(map_config(app, |()| AppConfig::default()));
            fn_service(move |stream: TcpStream| {
                let (slot, peer) = acquire_slot(&state, &stream);
                let is_direct = state
                    .clients
                    .is_direct(peer.map(|peer| peer.ip()), has_direct_local_peers);
                // If this call fails, responses are sent a little later.
                let _ = stream.set_nodelay(true);
                let (clock, rejection) = (state.clock.clone(), Arc::clone(&rejection));
                let stream = GuardedStream::new(stream, slot, clock, rejection, is_direct);
                ready(Ok((stream, peer)))
            })
            .and_then(http)
        };
        let builder = builder
            .workers(workers)
            .max_concurrent_connections((most + ACCEPT_SLACK).div_ceil(workers))
            .shutdown_timeout(STOP_TIMEOUT_SECONDS)
            .disable_signals();
        let builder = match self.listener {
            Listener::Tcp(listener) => builder.listen("tidebin", listener, service)?,
            Listener::Unix(listener) => builder.listen_uds("tidebin", listener, move || {
                let as_tcp = |stream| ready(as_tcp(stream).map_err(DispatchError::Io));
                fn_service(as_tcp).and_then(service())
            })?,
        };
        let builder = match self.tcp_listener {
            Some(listener) => builder.listen("termbin", listener, move || {
                let state = Arc::clone(&of_termbin);
                fn_service(move |stream: TcpStream| {
                    let (slot, _) = acquire_slot(&state, &stream);
                    let state = Arc::clone(&state);
                    async move {
                        termbin::serve(&state, stream, slot).await;
                        Ok::<_, ()>(())
                    }
                })
            })?,
            None => builder,
        };
        let server = builder.run();
        let (handle, failing) = (server.handle(), Arc::clone(&store));
        // The library can wait for the signal itself, but then it ends 300 ms after its last connection.
        actix_web::rt::spawn(async move {
            select(pin!(stop), pin!(failing.failed())).await;
            stopped.stop();
            handle.stop(true).await;
        });
        let served = server.await;
        reloading.abort();
        store.close();
        match store.has_failed() {
            true => Err(io::Error::other(
                "The data directory failed, so the server stopped. Look at the log for the cause.",
            )),
            false => served,
        }
    }

    fn announce(&self) -> io::Result<()> {
        let limits = self.state.app.limits;
        let accounts = &self.state.accounts;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            address = self.listener.shown()?,
            max_paste_size = limits.max_size().to_string(),
            max_store_size = ByteSize(self.max_store_size).to_string(),
            default_expiry = %limits.expiry_policy.default,
            max_expiry = %limits.expiry_policy.longest,
            access = %accounts.access,
            keys = accounts.keys(),
            "listening"
        );
        if accounts.lets_no_one_in() {
            tracing::warn!(
                "there is no key yet, so no client can save: make one with `tidebin key new`, and reload"
            );
        }
        if let Some(address) = self.tcp_addr() {
            tracing::info!(%address, "listening for texts without HTTP");
        }
        Ok(())
    }
}

/// Acquires the slot of an accepted socket. Also returns the address of the peer, if the system knows it.
fn acquire_slot(state: &AppState, stream: &TcpStream) -> (ConnectionSlot, Option<SocketAddr>) {
    let peer = stream.peer_addr().ok();
    let client = state.clients.untrusted_peer(peer.map(|peer| peer.ip()));
    let (now, key) = (state.clock.elapsed(), client.map(|client| client.key));
    (state.overload.connect(now, key), peer)
}

/// Builds the [`HeadRejection`] of this server. The connection uses it later, when a head is too large. It charges a
/// read to the client then, unless the peer is a trusted proxy.
fn head_rejection(state: Arc<AppState>) -> HeadRejection {
    HeadRejection {
        answer: large_head_response(),
        charge: Box::new(move |address| {
            if let Some(client) = state.clients.untrusted_peer(address) {
                let state = Rc::new(Arc::clone(&state));
                Charges::new(state, client, Rc::default()).charge_read();
            }
        }),
    }
}

/// Returns the number of worker threads and of concurrent renders: one for each core. More would only wait for each
/// other.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
