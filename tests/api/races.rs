//! Races for a paste that burns after a number of reads, over HTTP. Many readers race against each other and a
//! deletion. Exactly the allowed number of reads succeeds.

use crate::client::Request;
use crate::keep_alive::KeepAlive;
use crate::rounds::rounds;
use crate::server::TestServer;

const READERS: usize = 64;

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
    fn save(&mut self, options: &str, content: &str) -> String {
        let request = self.server.request("POST", &format!("/?{options}"));
        let (status, url) = self.ask(&request.body(content));
        assert_eq!(status, 201, "{url}");
        let id = url.trim_end().rsplit('/').next().unwrap();
        format!("/{id}")
    }

    /// Sends the reads of all readers at once, and the rival's request after the first `early` of them. Asserts that
    /// each response is the content, or an error because the paste was deleted. Returns the number of readers that got
    /// the content.
    fn run(
        &mut self,
        path: &str,
        content: &str,
        early: usize,
        meanwhile: impl FnOnce(&mut KeepAlive),
    ) -> usize {
        let read = kept(&self.server.request("POST", path));
        let (first, last) = self.readers.split_at_mut(early);
        first.iter_mut().for_each(|reader| reader.begin(&read));
        // On a busy machine the readers might never come first by chance.
        let mut answers = Vec::with_capacity(READERS);
        if early % 4 == 3 {
            answers.push(answer(&mut first[0]));
        }
        meanwhile(&mut self.rival);
        last.iter_mut().for_each(|reader| reader.begin(&read));
        answers.extend(self.readers.iter_mut().skip(answers.len()).map(answer));
        let mut reads = 0;
        for (status, body) in answers {
            if status == 200 {
                assert_eq!(body, content);
                reads += 1;
            } else {
                assert_eq!(status, 410, "{body}");
            }
        }
        reads
    }

    fn outcome(&mut self, path: &str, reads: usize) -> Outcome {
        let (status, sentence) = self.ask(&self.server.request("GET", path));
        assert_eq!(status, 410, "{sentence}");
        let ends = [BURNED, REMOVED];
        let end = ends.into_iter().find(|end| sentence.contains(end));
        let end = end.unwrap_or_else(|| panic!("no reason: {sentence}"));
        Outcome { reads, end }
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

#[test]
fn exactly_as_many_of_64_readers_at_once_get_a_paste_as_it_has_reads() {
    let mut race = Race::start();
    for (round, times) in races(200) {
        let content = content(round);
        let path = race.save(&format!("burn={times}"), &content);
        let reads = race.run(&path, &content, READERS, |_| ());
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
        let path = race.save(&format!("burn={times}"), &content);
        let delete = race.server.request("DELETE", &path);
        let delete = kept(&delete.header("Authorization", operator));
        // The rival starts among the first readers, while reads are left. In some rounds it starts before all of them.
        let early = round / 2 % 6;
        let mut served = None;
        let reads = race.run(&path, &content, early, |rival| {
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
    // A race that always ends the same way tests nothing.
    assert!([BURNED, REMOVED].iter().all(|end| ends.contains(end)));
    race.end();
}

#[test]
fn exactly_three_of_many_right_passwords_at_once_get_the_three_reads() {
    let mut race = Race::on(TestServer::unlimited(&ENOUGH));
    race.readers.truncate(12);
    for (round, _) in races(2) {
        let content = content(round);
        let path = race.save("burn=3&password=right", &content);
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
