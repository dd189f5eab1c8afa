//! Pastes that burn or have a password: random saves, reads, changes and deletions at random times. The server's
//! responses are compared with those of a simple reference implementation, the twin.

use std::time::Duration;

use proptest::prelude::*;

use crate::rounds::rounds;
use crate::server::{Saved, TestServer};

/// A random step. The number selects a paste: the n-th saved one, modulo the number of saved pastes.
#[derive(Debug, Clone)]
enum Step {
    Save(Option<u8>, Option<&'static str>),
    Read(usize, Option<&'static str>),
    Look(usize, Option<&'static str>),
    /// `PUT` with the token, and with the password for encryption if there is one.
    Change(usize, Option<&'static str>),
    /// `POST` of a new lifetime in seconds.
    Keep(usize, u64),
    Delete(usize, bool),
    Advance(u64),
}

/// A paste in the reference implementation.
struct Twin {
    saved: Saved,
    content: String,
    password: Option<&'static str>,
    left: Option<u8>,
    expires: u64,
    /// The word of the 410 that names the reason.
    gone: Option<&'static str>,
}

/// A request and its expected response: a status and a part of the body.
type Answer = (u16, String);

struct World<'a> {
    server: &'a TestServer,
    twins: Vec<Twin>,
    now: u64,
    changes: usize,
}

/// The default lifetime, in seconds.
const LIFETIME: u64 = 60;

fn password() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        3 => Just(None),
        2 => Just(Some("right")),
        1 => Just(Some("other")),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..4usize;
    prop_oneof![
        4 => (proptest::option::of(1..4u8), password()).prop_map(|(n, p)| Step::Save(n, p)),
        6 => (which.clone(), password()).prop_map(|(it, p)| Step::Read(it, p)),
        3 => (which.clone(), password()).prop_map(|(it, p)| Step::Look(it, p)),
        2 => (which.clone(), password()).prop_map(|(it, p)| Step::Change(it, p)),
        1 => (which.clone(), 1..100u64).prop_map(|(it, s)| Step::Keep(it, s)),
        1 => (which, any::<bool>()).prop_map(|(it, may)| Step::Delete(it, may)),
        1 => (1..40u64).prop_map(Step::Advance),
    ]
}

impl Twin {
    /// The expected error if the paste was deleted or has expired by now.
    fn gone(&self, now: u64) -> Option<Answer> {
        let expired = (now >= self.expires).then_some("has expired");
        let why = self.gone.or(expired)?;
        Some((410, why.to_owned()))
    }

    fn read(&mut self, now: u64, password: Option<&str>) -> Answer {
        if let Some(gone) = self.gone(now) {
            return gone;
        }
        if let Some(refused) = self.refuses(password) {
            return refused;
        }
        if let Some(left) = &mut self.left {
            *left -= 1;
            if *left == 0 {
                self.gone = Some("after its last view");
            }
        }
        (200, self.content.clone())
    }

    fn look(&self, now: u64, password: Option<&str>) -> Answer {
        if let Some(gone) = self.gone(now) {
            return gone;
        }
        if self.left.is_some() {
            return (405, "burns after reading".to_owned());
        }
        let refused = self.refuses(password);
        refused.unwrap_or_else(|| (200, self.content.clone()))
    }

    fn refuses(&self, password: Option<&str>) -> Option<Answer> {
        match (self.password, password) {
            (None, _) => None,
            (Some(right), Some(given)) if right == given => None,
            (Some(_), Some(_)) => Some((401, "password is wrong".to_owned())),
            (Some(_), None) => Some((401, "This paste is password-protected".to_owned())),
        }
    }

    fn change(&mut self, now: u64, content: &str, password: Option<&'static str>) -> Answer {
        if let Some(gone) = self.gone(now) {
            return gone;
        }
        if self.password.is_some() != password.is_some() {
            return (400, "password".to_owned());
        }
        content.clone_into(&mut self.content);
        self.password = password;
        (200, self.saved.url.clone())
    }
}

impl<'a> World<'a> {
    fn new(server: &'a TestServer) -> Self {
        Self {
            server,
            twins: Vec::new(),
            now: 0,
            changes: 0,
        }
    }

    /// Sends the request of a step; returns the response and the expected one.
    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, Option<&str>)],
        body: &str,
    ) -> Answer {
        let mut request = self.server.request(method, path);
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let answer = request.body(body).send();
        (answer.status, answer.text().to_owned())
    }

    fn save(&mut self, reads: Option<u8>, password: Option<&'static str>) {
        self.changes += 1;
        let content = format!("content {}", self.changes);
        let burn = reads.map_or(String::new(), |reads| format!("&burn={reads}"));
        let path = format!("/?expires={LIFETIME}s{burn}");
        let mut request = self.server.request("POST", &path).body(&content);
        if let Some(password) = password {
            request = request.header("X-Password", password);
        }
        self.twins.push(Twin {
            saved: Saved::of(&request.send()),
            content,
            password,
            left: reads,
            expires: self.now + LIFETIME,
            gone: None,
        });
    }

    fn take(&mut self, step: &Step) -> Option<(Answer, Answer)> {
        let last = self.twins.len().checked_sub(1);
        let twin = |which: usize| last.map(|last| last - which % (last + 1));
        let now = self.now;
        match *step {
            Step::Save(reads, password) => {
                self.save(reads, password);
                None
            }
            Step::Advance(seconds) => {
                self.now += seconds;
                self.server.advance(Duration::from_secs(seconds));
                None
            }
            Step::Read(which, password) => {
                let at = twin(which)?;
                let path = self.twins[at].saved.path.clone();
                let came = self.send("POST", &path, &[("X-Password", password)], "");
                Some((came, self.twins[at].read(now, password)))
            }
            Step::Look(which, password) => {
                let at = twin(which)?;
                let path = self.twins[at].saved.raw();
                let came = self.send("GET", &path, &[("X-Password", password)], "");
                Some((came, self.twins[at].look(now, password)))
            }
            Step::Change(which, password) => {
                let at = twin(which)?;
                self.changes += 1;
                let content = format!("content {}", self.changes);
                let saved = self.twins[at].saved.clone();
                let headers = [("X-Token", Some(&*saved.token)), ("X-Password", password)];
                let came = self.send("PUT", &saved.path, &headers, &content);
                Some((came, self.twins[at].change(now, &content, password)))
            }
            Step::Keep(which, seconds) => self.keep(twin(which)?, seconds),
            Step::Delete(which, may) => self.delete(twin(which)?, may),
        }
    }

    fn keep(&mut self, at: usize, seconds: u64) -> Option<(Answer, Answer)> {
        let saved = self.twins[at].saved.clone();
        let body = format!("expires={seconds}s&token={}", saved.token);
        let form = [("Content-Type", Some("application/x-www-form-urlencoded"))];
        let came = self.send("POST", &saved.path, &form, &body);
        let gone = self.twins[at].gone(self.now);
        if gone.is_none() {
            self.twins[at].expires = self.now + seconds;
        }
        Some((came, gone.unwrap_or((200, saved.url))))
    }

    fn delete(&mut self, at: usize, may: bool) -> Option<(Answer, Answer)> {
        let twin = &mut self.twins[at];
        let gone = twin.gone(self.now);
        if may && gone.is_none() {
            twin.gone = Some("deleted by its owner");
        }
        let done = if may {
            (200, "Deleted.")
        } else {
            (403, "token")
        };
        let expected = gone.unwrap_or((done.0, done.1.to_owned()));
        let saved = twin.saved.clone();
        let token = if may { &*saved.token } else { "wrong" };
        let came = self.send("DELETE", &saved.path, &[("X-Token", Some(token))], "");
        Some((came, expected))
    }
}

#[test]
fn random_requests_in_any_order_answer_as_the_twin_does() {
    let server = TestServer::start();
    let steps = proptest::collection::vec(step(), 1..20);
    // Few by default: the keys of a case take most of the time.
    let config = ProptestConfig::with_cases(rounds(16));
    proptest!(config, |(steps in steps)| {
        let mut world = World::new(&server);
        for step in &steps {
            if let Some((came, expected)) = world.take(step) {
                prop_assert_eq!(came.0, expected.0, "{:?}: {:?}", step, came.1);
                let is_whole = came.0 != 200 || came.1.trim_end() == expected.1.trim_end();
                prop_assert!(is_whole && came.1.contains(&expected.1), "{:?}: {:?}", step, came);
            }
        }
        server.store.validate();
    });
}
