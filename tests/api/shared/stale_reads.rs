//! Counts stale reads. Each paste has one author, who saves it, changes it and deletes it, on one node after another.
//! The authors and other clients read it on all nodes meanwhile.
//!
//! A read is stale if it misses something that was acknowledged before it was sent: it shows an older content or a
//! deleted paste, or it finds no paste although one was saved.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::RwLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use crate::client::{Request, Response};
use crate::keep_alive::KeepAlive;

/// The number of pastes, and so of authors.
const PASTES: usize = 4;

/// The number of clients that only read.
const READERS: usize = 4;

/// The number of editions until an author deletes the paste and saves another one.
const EDITIONS: u64 = 16;

/// What a content starts with. Its number follows.
const EDITION: &str = "edition";

/// The name of the server in all requests. Pages contain it, so without it each node would have pages of its own.
const HOST: &str = "paste.example";

/// What happened.
#[derive(Debug, Default)]
pub struct Counts {
    pub reads: AtomicU64,
    /// Reads of a rendered page.
    pub pages: AtomicU64,
    /// Reads that were answered with 304.
    pub unchanged: AtomicU64,
    /// Reads that were answered with 410.
    pub gone: AtomicU64,
    pub changes: AtomicU64,
    pub deletions: AtomicU64,
    pub stale: AtomicU64,
}

/// What the author of a paste knows.
#[derive(Debug, Clone)]
struct Paste {
    id: String,
    token: String,
    /// The acknowledged edition. It also grows from one paste to the next.
    edition: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Saved,
    /// The deletion was sent.
    Ending,
    /// The deletion was acknowledged.
    Deleted,
}

/// The ways to read a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    Page,
    Json,
}

impl Form {
    const ALL: [Self; 3] = [Self::Bytes, Self::Page, Self::Json];
}

/// A client with a connection to each node.
struct Client<'a> {
    nodes: &'a [SocketAddr],
    connections: Vec<KeepAlive>,
    /// The last response of each form that has an `ETag`.
    known: [Option<Known>; Form::ALL.len()],
    counts: &'a Counts,
    /// The number of reads after which all clients stop.
    most: u64,
}

#[derive(Debug, Clone)]
struct Known {
    id: String,
    edition: u64,
    etag: String,
}

/// A read whose response is to come.
struct PendingRead {
    node: usize,
    form: Form,
    /// What was acknowledged before.
    paste: Paste,
    /// The edition that the client already has.
    known: Option<u64>,
}

/// Reads pastes on these nodes this many times while they change.
pub fn count(nodes: &[SocketAddr], reads: u64) -> Counts {
    let counts = Counts::default();
    let client = || Client {
        nodes,
        connections: nodes.iter().map(|node| KeepAlive::new(*node)).collect(),
        known: [const { None }; Form::ALL.len()],
        counts: &counts,
        most: reads,
    };
    let save = |nth: usize| RwLock::new(client().save(nth % nodes.len(), 0));
    let pastes: Vec<_> = (0..PASTES).map(save).collect();
    thread::scope(|scope| {
        for (first, paste) in pastes.iter().enumerate() {
            let mut author = client();
            scope.spawn(move || author.change(first, paste));
        }
        for _ in 0..READERS {
            let (mut reader, pastes) = (client(), &pastes);
            scope.spawn(move || {
                while reader.is_to_read() {
                    let node = random(nodes.len());
                    reader.read(&pastes[random(PASTES)], node..node + 1);
                }
            });
        }
    });
    counts
}

impl Client<'_> {
    /// Changes a paste on one node after another, and reads it on all nodes after each change.
    fn change(&mut self, first: usize, paste: &RwLock<Paste>) {
        for (step, node) in (1..).zip((0..self.nodes.len()).cycle().skip(first)) {
            if !self.is_to_read() {
                return;
            }
            let mut known = paste.read().unwrap().clone();
            let path = format!("/{}", known.id);
            match step % EDITIONS {
                0 => {
                    paste.write().unwrap().state = State::Ending;
                    self.act(node, self.request(node, "DELETE", &path), &known);
                    known.state = State::Deleted;
                    add(&self.counts.deletions);
                }
                1 if known.state == State::Deleted => known = self.save(node, step),
                _ => {
                    let text = content(step);
                    let change = match step % 2 {
                        0 => self.request(node, "PUT", &path).body(text),
                        _ => {
                            let path = format!("/api/v1/pastes{path}");
                            let json = format!("{{\"content\":\"{text}\"}}");
                            self.request(node, "PATCH", &path).body(json)
                        }
                    };
                    self.act(node, change, &known);
                    known.edition = step;
                    add(&self.counts.changes);
                }
            }
            *paste.write().unwrap() = known;
            self.read(paste, 0..self.nodes.len());
        }
    }

    fn request(&self, node: usize, method: &str, path: &str) -> Request {
        Request::new(self.nodes[node], method, path)
            .header("Host", HOST)
            .header("Connection", "keep-alive")
    }

    fn send(&mut self, node: usize, request: &Request) -> Response {
        self.connections[node].begin(&request.bytes());
        self.connections[node].response()
    }

    fn save(&mut self, node: usize, edition: u64) -> Paste {
        let save = self.request(node, "POST", "/").body(content(edition));
        let saved = self.send(node, &save);
        assert_eq!(saved.status, 201, "{saved:?}");
        let id = saved.text().trim_end().rsplit('/').next().unwrap();
        Paste {
            id: id.to_owned(),
            token: saved.header("x-token").unwrap().to_owned(),
            edition,
            state: State::Saved,
        }
    }

    /// Changes or deletes a paste.
    fn act(&mut self, node: usize, request: Request, paste: &Paste) {
        let response = self.send(node, &request.header("X-Token", &paste.token));
        assert_eq!(response.status, 200, "{response:?}");
    }

    fn is_to_read(&self) -> bool {
        self.counts.reads.load(Relaxed) < self.most
    }

    /// Reads a paste on these nodes at once.
    fn read(&mut self, paste: &RwLock<Paste>, nodes: Range<usize>) {
        let (reads, most) = (&self.counts.reads, self.most);
        let next = |count| (count < most).then_some(count + 1);
        let pending: Vec<_> = nodes
            .take_while(|_| reads.fetch_update(Relaxed, Relaxed, next).is_ok())
            .map(|node| self.send_read(node, paste))
            .collect();
        for read in pending {
            let response = self.connections[read.node].response();
            self.check(&read, &response, paste);
        }
    }

    fn send_read(&mut self, node: usize, paste: &RwLock<Paste>) -> PendingRead {
        let form = Form::ALL[random(Form::ALL.len())];
        let paste = paste.read().unwrap().clone();
        let id = &paste.id;
        let get = |path: String| self.request(node, "GET", &path);
        let mut request = match form {
            Form::Bytes => get(format!("/raw/{id}")),
            Form::Page => get(format!("/{id}")).header("Accept", "text/html"),
            Form::Json => get(format!("/api/v1/pastes/{id}")),
        };
        let known = self.known[form as usize].as_ref();
        let known = known.filter(|known| known.id == *id && random(2) == 0);
        if let Some(known) = known {
            request = request.header("If-None-Match", &known.etag);
        }
        let known = known.map(|known| known.edition);
        self.connections[node].begin(&request.bytes());
        PendingRead {
            node,
            form,
            paste,
            known,
        }
    }

    fn check(&mut self, read: &PendingRead, response: &Response, paste: &RwLock<Paste>) {
        let before = &read.paste;
        if read.form == Form::Page {
            add(&self.counts.pages);
        }
        let seen = match response.status {
            200 => Some(edition_in(response.text())),
            304 => {
                add(&self.counts.unchanged);
                Some(read.known.expect("only a condition is answered so"))
            }
            410 => {
                add(&self.counts.gone);
                None
            }
            404 => None,
            _ => panic!("{response:?}"),
        };
        let is_stale = match seen {
            Some(edition) => edition < before.edition || before.state == State::Deleted,
            None => {
                let now = paste.read().unwrap();
                response.status == 404 || (now.id == before.id && now.state == State::Saved)
            }
        };
        if is_stale {
            add(&self.counts.stale);
        }
        let known = seen.zip(response.header("etag"));
        self.known[read.form as usize] = known.map(|(edition, etag)| Known {
            id: before.id.clone(),
            edition,
            etag: etag.to_owned(),
        });
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Relaxed);
}

fn random(below: usize) -> usize {
    let number = getrandom::u32().expect("the system has random bytes");
    usize::try_from(number).unwrap() % below
}

fn content(edition: u64) -> String {
    format!("{EDITION}{edition}")
}

/// The number of the content in a response.
fn edition_in(text: &str) -> u64 {
    let (_, rest) = text.split_once(EDITION).expect("a content");
    let end = rest.find(|it: char| !it.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().unwrap()
}
