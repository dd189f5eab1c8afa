//! Races for a paste that burns after a number of reads. Many readers race against each other, a deletion, a change,
//! the expiry or an eviction. Exactly the allowed number of reads succeeds.

use std::time::Duration;

use crate::client::Request;
use crate::keep_alive::KeepAlive;
use crate::rounds::rounds;
use crate::server::{Saved, TestServer, block_on};

const READERS: usize = 64;

/// The owner of the pastes, and a client of another network.
const AUTHOR: &str = "192.0.2.1";
const STRANGER: &str = "198.51.100.1";

/// One connection per reader, and one for the rival: the request that races against the readers.
struct Race {
    server: TestServer,
    readers: Vec<KeepAlive>,
    rival: KeepAlive,
}

/// The outcome of one round.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// The number of readers that got the content.
    reads: usize,
    /// The reason of the final 410.
    end: &'static str,
}

const BURNED: &str = "after its last view";
const REMOVED: &str = "by the operator";
const EXPIRED: &str = "has expired";
const EVICTED: &str = "to make room";

/// So many bytes that all readers, which are one client, may load a paste at once.
const ENOUGH: [&str; 2] = ["--max-in-flight", "512MiB"];

impl Race {
    fn start() -> Self {
        Self::on(TestServer::with(&ENOUGH))
    }

    fn on(server: TestServer) -> Self {
        Self {
            readers: (0..READERS).map(|_| KeepAlive::new(server.addr)).collect(),
            rival: KeepAlive::new(server.addr),
            server,
        }
    }

    /// Sends a request that races against no other. Returns its response.
    fn ask(&mut self, request: &Request) -> (u16, String) {
        self.rival.begin(&kept(request));
        answer(&mut self.rival)
    }

    /// Saves the content with these options; returns its path.
    fn save(&mut self, from: &str, options: &str, content: &str) -> String {
        let request = self.server.request("POST", &format!("/?{options}"));
        let (status, url) = self.ask(&request.from(from).body(content));
        assert_eq!(status, 201, "{url}");
        let id = url.trim_end().rsplit('/').next().unwrap();
        format!("/{id}")
    }

    /// Sends the reads of all readers at once, and the rival's request after the first `early` of them. Asserts that
    /// each response is one of these contents, or an error because the paste was deleted or changed. Returns the number
    /// of readers that got a content.
    fn run(
        &mut self,
        path: &str,
        contents: &[&str],
        early: usize,
        meanwhile: impl FnOnce(&TestServer, &mut KeepAlive),
    ) -> usize {
        let read = kept(&self.server.request("POST", path));
        let (first, last) = self.readers.split_at_mut(early);
        first.iter_mut().for_each(|reader| reader.begin(&read));
        // On a busy machine the readers might never come first by chance.
        let mut answers = Vec::with_capacity(READERS);
        if early % 4 == 3 {
            answers.push(answer(&mut first[0]));
        }
        meanwhile(&self.server, &mut self.rival);
        last.iter_mut().for_each(|reader| reader.begin(&read));
        answers.extend(self.readers.iter_mut().skip(answers.len()).map(answer));
        let mut reads = 0;
        for answer in answers {
            match answer {
                (200, body) => {
                    assert!(contents.contains(&&*body), "{body}");
                    reads += 1;
                }
                (409, sentence) => assert!(contents.len() > 1, "{sentence}"),
                (status, sentence) => {
                    assert_eq!(status, 410, "{sentence}");
                    let reasons = [BURNED, REMOVED, EXPIRED, EVICTED];
                    assert!(
                        reasons.iter().any(|why| sentence.contains(why)),
                        "{sentence}"
                    );
                }
            }
        }
        reads
    }

    fn outcome(&mut self, path: &str, reads: usize) -> Outcome {
        let (status, sentence) = self.ask(&self.server.request("GET", path));
        assert_eq!(status, 410, "{sentence}");
        let ends = [BURNED, REMOVED, EXPIRED, EVICTED];
        let end = ends.into_iter().find(|end| sentence.contains(end));
        let end = end.unwrap_or_else(|| panic!("no reason: {sentence}"));
        Outcome { reads, end }
    }

    /// Saves pastes as the author until the store is nearly full.
    fn fill(&mut self) {
        for size in [100 * 1024, 10 * 1024, 1024] {
            let filling = "x".repeat(size);
            let free = |race: &Self| {
                let store = &race.server.store;
                store.room() - store.occupancy().bytes
            };
            while free(self) > size + 1024 {
                self.save(AUTHOR, "expires=1s", &filling);
            }
        }
    }

    /// Waits until no request is in progress, and checks the store.
    fn end(self) {
        drop((self.readers, self.rival));
        self.server.until_all_have_ended();
        self.server.store.validate();
        assert_eq!(self.server.pages.used_bytes(), 0);
    }
}

/// The bytes of the request, with the header of a persistent connection.
fn kept(request: &Request) -> Vec<u8> {
    request.clone().header("Connection", "keep-alive").bytes()
}

fn answer(client: &mut KeepAlive) -> (u16, String) {
    let (status, body) = client.answer(false).expect("an answer");
    (status, String::from_utf8(body).expect("text"))
}

/// The numbers of this many rounds, and how many reads the paste of each has.
fn races(few: u32) -> impl Iterator<Item = (usize, usize)> {
    (0..rounds(few) as usize).zip([1, 3].into_iter().cycle())
}

/// The content of this round. Each round has another content, so that a wrong one is noticed.
fn content(round: usize) -> String {
    format!("the content of round {round}")
}

/// Asserts that each side won at least once: a race that always ends the same way tests nothing.
fn both_came_first(ends: &[&str], end: &str) {
    for end in [BURNED, end] {
        assert!(ends.contains(&end), "never {end}");
    }
}

#[test]
fn exactly_as_many_of_64_readers_at_once_get_a_paste_as_it_has_reads() {
    let mut race = Race::start();
    for (round, times) in races(200) {
        let content = content(round);
        let path = race.save(AUTHOR, &format!("burn={times}"), &content);
        let reads = race.run(&path, &[&content], READERS, |_, _| ());
        let outcome = race.outcome(&path, reads);
        let expected = Outcome {
            reads: times,
            end: BURNED,
        };
        assert_eq!(outcome, expected, "round {round}");
    }
    race.end();
}

#[test]
fn a_concurrent_delete_succeeds_only_while_reads_are_left() {
    let operator = "Bearer correct-horse-battery";
    let flags = [&ENOUGH[..], &["--admin-token", "correct-horse-battery"]].concat();
    let mut race = Race::on(TestServer::with(&flags));
    let mut ends = Vec::new();
    for (round, times) in races(100) {
        let content = content(round);
        let path = race.save(AUTHOR, &format!("burn={times}"), &content);
        let delete = race.server.request("DELETE", &path);
        let delete = kept(&delete.header("Authorization", operator));
        // The rival starts among the first readers, while reads are left. In some rounds it starts before all of them.
        let early = round / 2 % 6;
        let mut served = None;
        let reads = race.run(&path, &[&content], early, |_, rival| {
            rival.begin(&delete);
            served = (early == 0).then(|| answer(rival));
        });
        let (deleted, sentence) = served.unwrap_or_else(|| answer(&mut race.rival));
        let outcome = race.outcome(&path, reads);
        match deleted {
            200 => assert!(reads < times && outcome.end == REMOVED, "{outcome:?}"),
            410 => assert!(reads == times && outcome.end == BURNED, "{outcome:?}"),
            status => panic!("{status} {sentence}"),
        }
        ends.push(outcome.end);
    }
    both_came_first(&ends, REMOVED);
    race.end();
}

#[test]
fn a_concurrent_expiry_takes_only_reads_that_are_left() {
    let mut race = Race::start();
    let mut ends = Vec::new();
    for (round, times) in races(100) {
        let content = content(round);
        let path = race.save(AUTHOR, &format!("burn={times}&expires=1s"), &content);
        let early = round / 2 * 5 % READERS;
        let reads = race.run(&path, &[&content], early, |server, _| {
            server.advance(Duration::from_secs(1));
        });
        let outcome = race.outcome(&path, reads);
        assert!(reads <= times, "{outcome:?}");
        let end = if reads == times { BURNED } else { EXPIRED };
        assert_eq!(outcome.end, end, "{outcome:?}");
        ends.push(outcome.end);
    }
    both_came_first(&ends, EXPIRED);
    race.end();
}

#[test]
fn a_concurrent_change_takes_no_read_away() {
    let mut race = Race::start();
    for (round, _) in races(50) {
        let (before, after) = (content(round), format!("changed in round {round}"));
        let save = race.server.request("POST", "/?burn=3").body(&before);
        let saved = Saved::of(&save.send());
        let change = race.server.request("PUT", &saved.path);
        let change = kept(&change.header("X-Token", &saved.token).body(&after));
        let contents = [before.as_str(), after.as_str()];
        let mut reads = race.run(&saved.path, &contents, round % 6, |_, rival| {
            rival.begin(&change);
        });
        let (changed, sentence) = answer(&mut race.rival);
        assert!([200, 410].contains(&changed), "{changed} {sentence}");
        // After an error without reading the body, the server closes the connection.
        race.rival = KeepAlive::new(race.server.addr);
        // A reader that got an error because of the change did not use up a read.
        let again = race.server.request("POST", &saved.path);
        while race.ask(&again) == (200, after.clone()) {
            reads += 1;
        }
        let outcome = race.outcome(&saved.path, reads);
        assert_eq!((outcome.reads, outcome.end), (3, BURNED), "round {round}");
    }
    race.end();
}

#[test]
fn exactly_three_of_many_right_passwords_at_once_get_the_three_reads() {
    let mut race = Race::on(TestServer::unlimited(&ENOUGH));
    race.readers.truncate(12);
    for (round, _) in races(2) {
        let content = content(round);
        let path = race.save(AUTHOR, "burn=3&password=right", &content);
        let mut statuses = Vec::new();
        // Every third password is wrong. Each reader is another client, because password checks of one client would
        // wait for each other.
        for (number, reader) in race.readers.iter_mut().enumerate() {
            let read = race.server.request("POST", &path);
            let read = read.from(&format!("10.0.{number}.1"));
            let password = if number % 3 == 0 { "wrong" } else { "right" };
            reader.begin(&kept(&read.header("X-Password", password)));
        }
        for reader in &mut race.readers {
            let (status, body) = answer(reader);
            assert!(status != 200 || body == content, "{body}");
            statuses.push(status);
        }
        let count = |status| statuses.iter().filter(|it| **it == status).count();
        // A wrong password gets a 401, or a 410 if the paste was deleted before.
        assert!(count(200) == 3 && count(401) <= 4, "{statuses:?}");
        assert_eq!(count(200) + count(401) + count(410), 12, "{statuses:?}");
        assert_eq!(race.outcome(&path, 3).end, BURNED);
    }
    race.end();
}

#[test]
fn a_concurrent_eviction_takes_only_reads_that_are_left() {
    let flags = ["--max-store-size", "1MiB", "--max-paste-size", "128KiB"];
    let mut race = Race::on(TestServer::unlimited(&flags));
    let mut ends = Vec::new();
    for (round, times) in races(24) {
        let content = content(round);
        let path = race.save(AUTHOR, &format!("burn={times}&expires=1s"), &content);
        race.fill();
        let save = race.server.request("POST", "/").from(STRANGER);
        let save = kept(&save.body("x".repeat(4096)));
        let early = round / 2 % 4;
        let mut served = None;
        let reads = race.run(&path, &[&content], early, |_, rival| {
            rival.begin(&save);
            // In some rounds the rival starts before all readers. Otherwise it might never win.
            served = (early == 0 && round % 4 == 0).then(|| answer(rival));
        });
        let (saved, _) = served.unwrap_or_else(|| answer(&mut race.rival));
        assert_eq!(saved, 201);
        let outcome = race.outcome(&path, reads);
        let end = if reads == times { BURNED } else { EVICTED };
        assert!(reads <= times && outcome.end == end, "{outcome:?}");
        ends.push(outcome.end);
        race.server.advance(Duration::from_secs(1));
        let now = race.server.clock.timestamp();
        block_on(race.server.store.sweep(now));
    }
    both_came_first(&ends, EVICTED);
    race.end();
}
