//! A proxy in front of an engine, which can lose an answer together with its connection, and go silent.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// The proxy. It ends with the connections of the engine.
pub struct CuttingProxy {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    engine: SocketAddr,
    /// The word of a call whose next answer is lost.
    lost: Mutex<Option<&'static str>>,
    /// How often there was such a call since.
    calls: AtomicUsize,
    connections: AtomicUsize,
    /// This number of connections, the first ones, pass nothing on.
    silent: AtomicUsize,
    is_over: AtomicBool,
}

impl CuttingProxy {
    pub fn start(engine_port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(State {
            engine: (Ipv4Addr::LOCALHOST, engine_port).into(),
            lost: Mutex::new(None),
            calls: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            silent: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for node in listener.incoming() {
                if shared.is_over.load(SeqCst) {
                    return;
                }
                let state = Arc::clone(&shared);
                thread::spawn(move || state.connect(node.expect("a connection")));
            }
        });
        Self { port, state }
    }

    /// Loses the answer to the next call with this word. Then the connection is closed.
    pub fn lose_answer_of(&self, function: &'static str) {
        self.state.calls.store(0, SeqCst);
        *self.state.lost.lock().expect("no test panics with it") = Some(function);
    }

    /// Passes nothing on that comes over the present connections, but keeps them open. Returns their number.
    pub fn silence(&self) -> usize {
        let present = self.connections();
        self.state.silent.store(present, SeqCst);
        present
    }

    /// Returns how many connections there were.
    pub fn connections(&self) -> usize {
        self.state.connections.load(SeqCst)
    }

    /// Loses no answer any more, and returns how often there was such a call.
    pub fn stop_losing(&self) -> usize {
        *self.state.lost.lock().expect("no test panics with it") = None;
        self.state.calls.load(SeqCst)
    }
}

impl Drop for CuttingProxy {
    fn drop(&mut self) {
        self.state.is_over.store(true, SeqCst);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl State {
    fn connect(&self, node: TcpStream) {
        let Ok(engine) = TcpStream::connect(self.engine) else {
            return;
        };
        let number = self.connections.fetch_add(1, SeqCst) + 1;
        let is_silent = || number <= self.silent.load(SeqCst);
        let is_cut = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                forward(&node, &engine, is_silent, |bytes| {
                    if self.is_call_to_lose(bytes) {
                        is_cut.store(true, SeqCst);
                    }
                    true
                });
            });
            forward(&engine, &node, is_silent, |_| !is_cut.load(SeqCst));
        });
    }

    /// Counts calls with the word, and returns whether this is the first.
    fn is_call_to_lose(&self, bytes: &[u8]) -> bool {
        let lost = self.lost.lock().expect("no test panics with it");
        let is_call = |name: &str| bytes.windows(name.len()).any(|it| it == name.as_bytes());
        lost.is_some_and(is_call) && self.calls.fetch_add(1, SeqCst) == 0
    }
}

/// Copies bytes, or loses them while this is silent, until one end closes or they are not to be passed on. Then both
/// ends are closed.
fn forward(
    mut from: &TcpStream,
    mut to: &TcpStream,
    is_silent: impl Fn() -> bool,
    passes: impl Fn(&[u8]) -> bool,
) {
    let mut bytes = [0; 65536];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if is_silent() {
            continue;
        }
        if !passes(&bytes[..read]) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
