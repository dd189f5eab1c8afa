//! An engine that fails while nodes use it.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use tidebin::clock::Clock;
use tidebin::store::valkey::Call;

use crate::client::{Request, Response, until, wait_for};
use crate::engine::Engine;
use crate::place::Place;
use crate::rounds::rounds;
use crate::server::{Saved, TestServer};

/// A log of all changes, so that nothing is lost when the process is killed.
const LOG: [&str; 4] = ["--appendonly", "yes", "--appendfsync", "no"];

fn start(engine: &Arc<Engine>) -> TestServer {
    TestServer::node(engine, &Clock::manual(), &[])
}

/// A node that waits this many milliseconds for an engine.
fn hasty(engine: &Arc<Engine>, deadline: u64) -> TestServer {
    let place = Place::Engine(Arc::clone(engine));
    TestServer::hasty(place, &Clock::manual(), Duration::from_millis(deadline))
}

fn save(server: &TestServer, content: &str) -> Response {
    server.request("POST", "/").body(content).send()
}

/// Asserts that an answer was refused for the moment.
#[track_caller]
fn is_refused(answer: &Response) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.text().contains("does not answer"), "{answer:?}");
}

/// Waits until a save succeeds again.
#[track_caller]
fn until_it_saves(server: &TestServer) {
    until_saved(&server.request("POST", "/").body("again"));
}

/// Sends a save until it succeeds.
#[track_caller]
fn until_saved(save: &Request) -> Saved {
    wait_for(|| match save.send() {
        answer if answer.status == 503 => Err(answer),
        answer => Ok(Saved::of(&answer)),
    })
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_is_killed_under_load_loses_no_acknowledged_paste() {
    let engine = Arc::new(Engine::empty(&LOG));
    let server = start(&engine);
    // Given savers, until the engine is killed
    let save_until_refused = || {
        let mut saved = Vec::new();
        loop {
            let answer = save(&server, "kept");
            match answer.status {
                201 => saved.push(Saved::of(&answer)),
                503 => return saved,
                _ => panic!("{answer:?}"),
            }
        }
    };
    let acknowledged: Vec<Saved> = thread::scope(|scope| {
        let savers: Vec<_> = (0..4).map(|_| scope.spawn(save_until_refused)).collect();
        until(|| engine.pastes() >= 100);
        engine.kill();
        let saved = savers.into_iter().map(|saver| saver.join().unwrap());
        saved.flatten().collect()
    });
    is_refused(&server.get(&acknowledged[0].raw()));
    // When it is started again
    engine.restart(&LOG);
    until_it_saves(&server);
    // Then every acknowledged paste is there, and the counts agree
    for saved in &acknowledged {
        assert_eq!(server.get(&saved.raw()).text(), "kept");
    }
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_save_that_the_list_of_its_owner_does_not_take_is_not_acknowledged() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let save = server.request("POST", "/").body("owned");
    let save = save.header("Authorization", "Bearer tbo_0123456789abcdefABCDEF");
    let extend = |saved: &Saved| {
        let extend = server.request("PATCH", &format!("/api/v1/pastes/{}", saved.id));
        let extend = extend.header("X-Token", &saved.token);
        extend.body(r#"{"expires":"9d"}"#).send().status
    };
    let saved = Saved::of(&save.send());
    assert_eq!(extend(&saved), 200);
    // When the engine has something else in the place of the list
    engine.ask("EVAL \"return redis.call('SET',redis.call('KEYS','tb:o*')[1],'x')\" 0");
    // Then no change that the list would lack succeeds
    assert_eq!(save.send().status, 503);
    until(|| server.get(&saved.raw()).status == 200);
    assert_eq!(extend(&saved), 503);
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_hangs_refuses_nothing_for_long_and_keeps_what_it_carried_out() {
    let engine = Arc::new(Engine::start());
    let server = hasty(&engine, 1000);
    let saved = server.save("before");
    engine.hang();
    is_refused(&save(&server, "meanwhile"));
    is_refused(&server.get(&saved.raw()));
    is_refused(&server.browse(&saved.path));
    engine.resume();
    until_it_saves(&server);
    assert_eq!(server.get(&saved.raw()).text(), "before");
    server.store.validate();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn many_requests_at_once_do_not_wait_for_each_other_while_the_engine_hangs() {
    let engine = Arc::new(Engine::start());
    let server = hasty(&engine, 1000);
    let saved = server.save("before");
    engine.hang();
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| is_refused(&save(&server, "meanwhile")));
        }
    });
    // Once the node has noticed, a request does not wait for its second, and none is refused for its client's other
    // ones
    let saved = saved.raw();
    until(|| {
        let start = Instant::now();
        is_refused(&server.get(&saved));
        start.elapsed() < Duration::from_millis(500)
    });
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| assert_eq!(server.get(&saved).status, 503));
        }
    });
    engine.resume();
    until_it_saves(&server);
}

/// Four nodes, and what they answered to the readers of a paste that burns.
struct Burning {
    engine: Arc<Engine>,
    nodes: [TestServer; 4],
    shown: AtomicUsize,
    refused: AtomicUsize,
    /// The number of readers that found it burned.
    done: AtomicUsize,
}

/// Makes the engine fail for a while.
type Fault = fn(&Burning);

impl Burning {
    const CONTENT: &str = "Zpx7-content";

    /// What the readers on each node accept. Two of them read a page.
    const READERS: [&str; 4] = ["*/*", "*/*", "text/html", "text/html"];

    fn start() -> Self {
        let engine = Arc::new(Engine::empty(&LOG));
        let [shown, refused, done] = Default::default();
        Self {
            // Short, because readers wait this long for an engine that hangs.
            nodes: [(); 4].map(|()| hasty(&engine, 300)),
            engine,
            shown,
            refused,
            done,
        }
    }

    /// Reads a paste on all nodes until it has burned, while the engine fails. Returns how often the paste was shown,
    /// and how many reads were refused for the moment.
    fn run(&self, views: usize, fault: Fault) -> [usize; 2] {
        let counts = [&self.shown, &self.refused, &self.done];
        counts.iter().for_each(|count| count.store(0, SeqCst));
        let save = self.nodes[0].request("POST", &format!("/?burn={views}"));
        let path = until_saved(&save.body(Self::CONTENT)).path;
        // A node looks the paste up before it uses up a view, so after a look-up a view is in progress. There are more
        // look-ups than views.
        let views = u32::try_from(views).unwrap();
        let before = self.look_ups() + u64::from(getrandom::u32().unwrap() % views);
        thread::scope(|scope| {
            for node in &self.nodes {
                for accept in Self::READERS {
                    let read = node.request("POST", &path).header("Accept", accept);
                    scope.spawn(move || self.read_all(&read));
                }
            }
            until(|| self.look_ups() > before);
            fault(self);
        });
        [&self.shown, &self.refused].map(|count| count.load(SeqCst))
    }

    /// Returns how often the nodes have looked up a paste in the engine.
    fn look_ups(&self) -> u64 {
        let of_node = |node: &TestServer| {
            let engine = node.store.stats(node.clock.timestamp()).engine.unwrap();
            engine.calls[Call::Get as usize].calls
        };
        self.nodes.iter().map(of_node).sum()
    }

    /// Reads a paste until it has burned.
    fn read_all(&self, request: &Request) {
        loop {
            let answer = request.send();
            let text = answer.text();
            let is_shown = answer.status == 200;
            assert_eq!(text.contains(Self::CONTENT), is_shown, "{answer:?}");
            match answer.status {
                200 => self.shown.fetch_add(1, SeqCst),
                503 => self.refused.fetch_add(1, SeqCst),
                410 => {
                    assert!(text.contains("after its last view"), "{answer:?}");
                    self.done.fetch_add(1, SeqCst);
                    return;
                }
                _ => panic!("{answer:?}"),
            };
        }
    }

    /// Waits until one more read was refused, or until there are no more reads.
    fn until_refused(&self) {
        let before = self.refused.load(SeqCst);
        let readers = self.nodes.len() * Self::READERS.len();
        until(|| self.refused.load(SeqCst) > before || self.done.load(SeqCst) == readers);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn no_paste_that_burns_is_shown_too_often_by_nodes_whose_engine_fails() {
    let burning = Burning::start();
    let hang: Fault = |it| {
        it.engine.hang();
        it.until_refused();
        it.engine.resume();
    };
    let cut: Fault = |it| drop(it.engine.ask("CLIENT KILL TYPE normal"));
    let kill: Fault = |it| {
        it.engine.kill();
        it.until_refused();
        it.engine.restart(&LOG);
    };
    for views in [1, 2, 7, 40].repeat(rounds(1) as usize) {
        for (name, fault) in [("hang", hang), ("cut", cut), ("kill", kill)] {
            let [shown, refused] = burning.run(views, fault);
            assert!(shown <= views, "{name}: {shown} of {views}");
            // A view that was used up and not shown was refused.
            assert!(
                shown + refused >= views,
                "{name}: {shown} of {views}, {refused} refused"
            );
        }
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn scripts_that_the_engine_lost_are_sent_again_without_an_error() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.request("POST", "/?burn=9").body("often").send();
    let path = Saved::of(&saved).path;
    for _ in 0..3 {
        engine.ask("SCRIPT FLUSH");
        assert_eq!(server.request("POST", &path).send().text(), "often");
    }
}

/// A number that the engine tells about itself.
fn number(engine: &Engine, section: &str, name: &str) -> u64 {
    let number = engine.ask(&format!(
        "EVAL \"return tonumber(string.match(redis.call('INFO','{section}'),'{name}(%d+)'))\" 0"
    ));
    number[1..].parse().expect("a number")
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_full_engine_makes_room_or_refuses_saves_alone() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.save("before");
    let mut content = [0; 100_000];
    getrandom::fill(&mut content).expect("random bytes");
    // When more is saved than fits
    let used = number(&engine, "memory", "used_memory:");
    engine.ask(&format!("CONFIG SET maxmemory {}", used + 2_000_000));
    for _ in 0..60 {
        server.save(content);
    }
    assert!(server.pastes() < 50, "some were evicted");
    // When nothing fits
    engine.ask("CONFIG SET maxmemory 1mb");
    let is_refused = || {
        let refused = save(&server, "more");
        assert_eq!(refused.status, 507, "{refused:?}");
        assert_eq!(server.get(&saved.raw()).status, 404);
    };
    is_refused();
    // Also after the node has looked at the engine
    let looks = || number(&engine, "commandstats", "cmdstat_time:calls=");
    let before = looks();
    until(|| looks() > before + 1);
    is_refused();
    engine.ask("CONFIG SET maxmemory 256mb");
    server.save("again");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn an_engine_that_became_a_replica_refuses_saves_until_it_is_a_primary() {
    let engine = Arc::new(Engine::start());
    let server = start(&engine);
    let saved = server.save("before");
    engine.ask("REPLICAOF 127.0.0.1 1");
    is_refused(&save(&server, "meanwhile"));
    engine.ask("REPLICAOF NO ONE");
    until_it_saves(&server);
    until(|| server.get(&saved.raw()).text() == "before");
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn metrics_tell_the_calls_to_the_engine_and_their_failures() {
    let engine = Arc::new(Engine::start());
    let flags = ["--admin-token", "correct-horse-battery"];
    let server = TestServer::node(&engine, &Clock::manual(), &flags);
    server.save("one");
    engine.ask("REPLICAOF 127.0.0.1 1");
    assert_eq!(save(&server, "two").status, 503);
    let metrics = server
        .request("GET", "/metrics")
        .header("Authorization", "Bearer correct-horse-battery")
        .send();
    for line in [
        "tidebin_engine_calls_total{call=\"save\"} 2",
        "tidebin_engine_failures_total{call=\"save\"} 1",
        "tidebin_store_budget_bytes{tier=\"engine\"} 268435456",
    ] {
        assert!(metrics.text().contains(line), "{line}");
    }
}
