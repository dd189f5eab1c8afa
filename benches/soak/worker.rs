//! A worker: performs one action after the other on a persistent connection, and checks every response.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::action::Action;
use crate::load::{Answer, Client, request};
use crate::random::random;
use crate::recent::{Recent, Saved};
use crate::tally::Tally;

/// The length of the text in bytes. Contents are parts of this text.
const TEXT: usize = 1 << 18;
/// The smallest content in bytes. Sizes reach from 64 B to 64 KiB, evenly spread over the powers of two.
const LEAST: f64 = 64.0;
const SPREAD: f64 = 1024.0;
/// Pages of pastes up to this size are requested with highlighted code, which takes long to render for larger ones.
const COLOURED: usize = 1024;

const BOUNDARY: &str = "tide5e7f0a";

pub(crate) struct Worker<'a> {
    address: &'a str,
    client: Option<Client>,
    recent: &'a Recent,
    tally: &'a Tally,
    text: Vec<u8>,
    /// The number of random numbers drawn so far. Each worker starts at a number of its own.
    drawn: u64,
    /// The planned time of the next request. `None` means now.
    due: Option<Instant>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(nth: u32, address: &'a str, recent: &'a Recent, tally: &'a Tally) -> Self {
        let lines = (0_u32..).flat_map(|n| {
            format!("let wave_{n} = tide({n}, \"salt\"); // and foam\n").into_bytes()
        });
        Self {
            address,
            client: None,
            recent,
            tally,
            text: lines.take(TEXT).collect(),
            drawn: u64::from(nth + 1) << 40,
            due: None,
        }
    }

    /// Saves pastes until their sizes add up to 125 % of `store` bytes. Returns their number.
    pub(crate) fn fill(&mut self, store: usize) -> u32 {
        let (mut bytes, mut count) = (0, 0);
        while bytes < store / 4 * 5 {
            bytes += self.save().expect("a save");
            count += 1;
        }
        count
    }

    /// Performs an action at each step until `done` is true. A late action does not delay the next ones.
    pub(crate) fn work(&mut self, first: Instant, step: Duration, done: &AtomicBool) {
        let mut due = first;
        while !done.load(Ordering::Relaxed) {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            self.act(due);
            due += step;
        }
    }

    /// Performs a random action. Its latency counts from `due`, the planned start.
    fn act(&mut self, due: Instant) {
        self.due = Some(due);
        let done = match Action::at_random(self.next()) {
            Action::Read => self.read(),
            Action::Page => self.page(),
            Action::Save => self.save().map(|_| ()),
            Action::SaveForm => self.save_form(),
            Action::Miss => self.miss(),
            Action::Delete => self.delete(),
            Action::Burn => self.burn(),
            Action::BreakOff => self.leave(true),
            Action::LeaveUnread => self.leave(false),
        };
        if let Err(error) = done {
            self.client = None;
            self.tally.error(error);
        }
    }

    /// Estimates the number of saved pastes that are still stored. It requests a sample of them by HEAD, which does not
    /// count as a read.
    pub(crate) fn kept(&mut self) -> usize {
        const STEP: usize = 32;
        let (sample, all) = self.recent.sample(STEP);
        // The server has closed the connection since the last minute.
        self.client = None;
        let count = sample.len().max(1);
        let mut there = 0;
        for saved in &sample {
            let path = format!("/raw/{}", saved.id);
            match self.ask("HEAD", &path, "", b"", &[200, 404, 410]) {
                Ok(answer) => there += usize::from(answer.status == 200),
                Err(error) => self.tally.error(error),
            }
        }
        there * all / count
    }

    fn read(&mut self) -> Result<(), String> {
        let Some(saved) = self.recent.one(self.share()) else {
            return Ok(());
        };
        let answer = self.ask("GET", &format!("/raw/{}", saved.id), "", b"", &[200, 410])?;
        match answer.status {
            200 => self.is_content(&saved, &answer),
            _ => self.may_be_gone(&saved),
        }
    }

    fn page(&mut self) -> Result<(), String> {
        let Some(saved) = self.recent.one(self.share()) else {
            return Ok(());
        };
        let ending = if saved.size > COLOURED { "" } else { ".rs" };
        let path = format!("/{}{ending}", saved.id);
        let headers = "Accept: text/html\r\nAccept-Encoding: gzip\r\n";
        let answer = self.ask("GET", &path, headers, b"", &[200, 410])?;
        match answer.status {
            200 => Ok(()),
            _ => self.may_be_gone(&saved),
        }
    }

    /// Saves a paste. Returns its size.
    fn save(&mut self) -> Result<usize, String> {
        let (offset, size) = self.part();
        let content = self.text[offset..offset + size].to_vec();
        let answer = self.ask("POST", "/", "", &content, &[201])?;
        self.remember(&answer, offset, size);
        Ok(size)
    }

    fn save_form(&mut self) -> Result<(), String> {
        let (offset, size) = self.part();
        let body = [
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"tide.txt\"\r\n\r\n").as_bytes(),
            &self.text[offset..offset + size],
            format!("\r\n--{BOUNDARY}--\r\n").as_bytes(),
        ]
        .concat();
        let headers = format!("Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n");
        let answer = self.ask("POST", "/", &headers, &body, &[200])?;
        self.remember(&answer, offset, size);
        Ok(())
    }

    fn miss(&mut self) -> Result<(), String> {
        let path = format!("/raw/{:012x}", self.next() >> 16);
        self.ask("GET", &path, "", b"", &[404])?;
        Ok(())
    }

    fn delete(&mut self) -> Result<(), String> {
        let Some(saved) = self.recent.take(self.share()) else {
            return Ok(());
        };
        let token = format!("X-Token: {}\r\n", saved.token);
        let path = format!("/{}", saved.id);
        self.ask("DELETE", &path, &token, b"", &[200, 410])?;
        Ok(())
    }

    fn burn(&mut self) -> Result<(), String> {
        let (offset, size) = self.part();
        let content = self.text[offset..offset + size].to_vec();
        let saved = self.ask("POST", "/?burn=1", "", &content, &[201])?;
        let path = format!("/{}", saved.id());
        let read = self.ask("POST", &path, "", b"", &[200])?;
        if read.body != content {
            return Err("a paste that burns had the wrong content".to_owned());
        }
        self.ask("POST", &path, "", b"", &[410])?;
        Ok(())
    }

    /// Hangs up on a connection of its own: after half of a save, or before it reads a response.
    fn leave(&mut self, within_request: bool) -> Result<(), String> {
        let (offset, size) = self.part();
        let from = self.from();
        let save = request("POST", "/", &from, "", &self.text[offset..offset + size]);
        let sent = match (within_request, self.recent.one(self.share())) {
            (false, Some(saved)) => request("GET", &format!("/raw/{}", saved.id), &from, "", b""),
            _ => save[..save.len() - size / 2 - 1].to_vec(),
        };
        let mut client = Client::connect(self.address).map_err(|error| error.to_string())?;
        client.send(&sent).map_err(|error| error.to_string())?;
        self.tally.left();
        Ok(())
    }

    fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
        expected: &[u16],
    ) -> Result<Answer, String> {
        let request = request(method, path, &self.from(), headers, body);
        let start = self.due.take().unwrap_or_else(Instant::now);
        let client = match &mut self.client {
            Some(client) => client,
            none => none.insert(Client::connect(self.address).map_err(|error| error.to_string())?),
        };
        let answer = client
            .ask(&request)
            .map_err(|error| format!("{method} got no response: {error}"))?;
        if !expected.contains(&answer.status) {
            let form = answer.header("content-type").unwrap_or("nothing");
            return Err(format!("{method} got {} and {form}", answer.status));
        }
        self.tally.answered(start.elapsed(), answer.status);
        Ok(answer)
    }

    fn remember(&self, answer: &Answer, offset: usize, size: usize) {
        self.recent.push(Saved {
            id: answer.id(),
            token: answer.header("x-token").unwrap_or_default().to_owned(),
            offset,
            size,
        });
    }

    fn is_content(&self, saved: &Saved, answer: &Answer) -> Result<(), String> {
        match answer.body == self.text[saved.offset..saved.offset + saved.size] {
            true => Ok(()),
            false => Err("a paste had the wrong content".to_owned()),
        }
    }

    /// Returns an error if the paste should still be stored. Old pastes are evicted, and any paste may be deleted.
    fn may_be_gone(&self, saved: &Saved) -> Result<(), String> {
        match self.recent.is_certain(&saved.id) {
            true => Err("one of the newest pastes was evicted".to_owned()),
            false => Ok(()),
        }
    }

    /// Returns the address of one of 512 clients in 64 networks.
    fn from(&mut self) -> String {
        let client = self.next() % 512;
        format!("10.0.{}.{}", client / 8, 1 + client % 8)
    }

    /// Returns the start of a random content in the text, and its size.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 64 KiB"
    )]
    fn part(&mut self) -> (usize, usize) {
        let size = (LEAST * SPREAD.powf(self.share())) as usize;
        let offset = usize::try_from(self.next() % (1 << 17)).unwrap();
        (offset, size)
    }

    /// Returns a random number from 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX)
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        random(self.drawn)
    }
}
