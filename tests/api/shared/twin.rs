//! The functions of the engine, with one shard, and a naive twin take the same random steps. After each of them both
//! have the same pastes, answers and bytes, and the engine's counts are recounted.

mod model;

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tidebin::config::{KeyUse, Secret};
use tidebin::fairness::ClientKey;
use tidebin::paste::{
    Access, Change, Content, Draft, Expiry, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp,
    Token,
};
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{Opened, StandingClock, Store};
use tidebin::store::{ConsumeError, InsertError, NotFound, ReadError, Reason, Saver, UpdateError};

use self::model::{Kept, ROOM, Twin, owner_of};
use crate::engine::Engine;
use crate::server::block_on;

#[derive(Debug, Clone)]
enum Step {
    /// Client, id, bytes, seconds to live, reads.
    Insert(u8, u8, u16, Option<u8>, Option<u8>),
    Get(u8),
    Consume(u8),
    Remove(u8),
    /// Id, and the new bytes or the new seconds to live.
    Replace(u8, u16),
    Extend(u8, u8),
    Advance(u8),
    Sweep,
    /// The list of an owner.
    List(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let id = || 0_u8..24;
    let lifetime = prop::option::of(1_u8..60);
    let reads = prop::option::of(1_u8..4);
    prop_oneof![
        6 => (0_u8..6, id(), 1_u16..5000, lifetime, reads)
            .prop_map(|(client, id, bytes, life, reads)| Step::Insert(client, id, bytes, life, reads)),
        3 => id().prop_map(Step::Get),
        2 => id().prop_map(Step::Consume),
        1 => id().prop_map(Step::Remove),
        1 => (id(), 1_u16..5000).prop_map(|(id, bytes)| Step::Replace(id, bytes)),
        1 => (id(), 1_u8..60).prop_map(|(id, life)| Step::Extend(id, life)),
        2 => (1_u8..30).prop_map(Step::Advance),
        1 => Just(Step::Sweep),
        2 => (0_u8..6).prop_map(Step::List),
    ]
}

/// The engine and its twin.
struct Both {
    store: Store,
    twin: Twin,
    revisions: u64,
}

impl Both {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.twin.now)
    }

    fn take(&mut self, step: &Step) {
        // No two deadlines are equal.
        self.twin.now += 1;
        match *step {
            Step::Insert(client, id, bytes, life, reads) => {
                self.insert(client, id, bytes, life, reads)
            }
            Step::Get(id) => self.get(id),
            Step::Consume(id) => self.consume(id),
            Step::Remove(id) => self.remove(id),
            Step::Replace(id, bytes) => self.update(id, Some(bytes.into()), None),
            Step::Extend(id, life) => self.update(id, None, Some(life)),
            Step::Advance(seconds) => self.twin.now += u64::from(seconds) * 1000 + 1,
            Step::List(client) => self.list(client),
            Step::Sweep => {
                block_on(self.store.sweep(self.now()));
                let now = self.twin.now;
                let due = self
                    .twin
                    .pastes
                    .iter()
                    .filter(|it| it.deadline.is_some_and(|it| it <= now));
                for id in due.map(|it| it.id).collect::<Vec<_>>() {
                    self.twin.remove(id, Reason::Expired);
                }
            }
        }
        let occupancy = self.store.occupancy();
        assert_eq!(
            (occupancy.pastes, occupancy.bytes),
            (self.twin.pastes.len(), self.twin.bytes())
        );
        self.store.validate();
    }

    fn revision(&mut self) -> Revision {
        self.revisions += 1;
        Revision::from_random(self.revisions.to_be_bytes())
    }

    fn insert(&mut self, client: u8, id: u8, bytes: u16, life: Option<u8>, reads: Option<u8>) {
        let client = client_key(client);
        let access = reads
            .and_then(ReadsLeft::new)
            .map_or(Access::Open, Access::Burn);
        let draft = Draft {
            content: random(bytes.into()),
            title: None,
            language: None,
            expiry: life.map_or(Expiry::Never, lifetime),
            slug: None,
        };
        let token = Token::from_random([1; 16]).hash();
        let paste = StoredPaste::new(draft, access, self.revision(), self.now(), token);
        let saver = Saver {
            owner: owner_of(client),
            ..Saver::from(client)
        };
        let inserted = block_on(self.store.insert(self.now(), saver, pid(id), paste));
        let is_taken =
            self.twin.pastes.iter().any(|it| it.id == id) || self.twin.gone.contains_key(&id);
        if is_taken {
            assert_eq!(inserted, Err(InsertError::IdTaken));
            return;
        }
        assert_eq!(inserted, Ok(()));
        self.twin.make_room(client, bytes.into());
        let used = self.twin.next_use();
        let deadline = life.map(|life| self.twin.now + u64::from(life) * 1000);
        self.twin.pastes.push(Kept {
            id,
            client,
            bytes: bytes.into(),
            deadline,
            left: reads,
            reads: 0,
            used,
            saved: used,
        });
    }

    fn list(&mut self, client: u8) {
        let Some(owner) = owner_of(client_key(client)) else {
            return;
        };
        // Page by page
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let page = block_on(self.store.list(self.now(), &owner, before, 3));
            let page = page.expect("the engine answers");
            listed.extend(page.pastes.iter().map(|it| it.id));
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        let expected: Vec<_> = self.twin.list(&owner).into_iter().map(pid).collect();
        assert_eq!(listed, expected);
    }

    fn get(&mut self, id: u8) {
        let found = block_on(self.store.get(self.now(), pid(id)));
        let used = self.twin.next_use();
        match self.twin.find(id) {
            Err(error) => assert_eq!(found.unwrap_err(), ReadError::NotFound(error)),
            Ok(kept) => {
                // A read of an open paste counts and is a use of it, once it was reported.
                if kept.left.is_none() {
                    (kept.reads, kept.used) = (kept.reads + 1, used);
                }
                let found = found.unwrap();
                let bytes = found.plain().map(|content| content.len());
                assert_eq!((bytes, found.reads()), (Some(kept.bytes), kept.reads));
                block_on(self.store.report_reads(self.now()));
            }
        }
    }

    fn consume(&mut self, id: u8) {
        let now = self.now();
        let seen = block_on(self.store.peek(now, pid(id)));
        let kept = self.twin.find(id).map(|kept| kept.clone());
        let (seen, kept) = match (seen, kept) {
            (Ok(seen), Ok(kept)) => (seen, kept),
            (seen, kept) => {
                assert_eq!(seen.unwrap_err(), ReadError::NotFound(kept.unwrap_err()));
                return;
            }
        };
        let consumed = block_on(self.store.consume(now, pid(id), &seen)).unwrap();
        assert_eq!(consumed.left, kept.left.map(|left| left - 1));
        if kept.left == Some(1) {
            self.twin.remove(id, Reason::Burned);
            let again = block_on(self.store.consume(now, pid(id), &seen));
            let burned = NotFound::Gone(Reason::Burned);
            assert_eq!(again.unwrap_err(), ConsumeError::NotFound(burned));
        } else {
            let used = self.twin.next_use();
            let kept = self.twin.find(id).expect("it was found before");
            (kept.left, kept.reads) = (kept.left.map(|left| left - 1), kept.reads + 1);
            kept.used = used;
        }
    }

    fn remove(&mut self, id: u8) {
        let removed = block_on(self.store.remove(self.now(), pid(id), Reason::Deleted));
        match self.twin.find(id) {
            Err(error) => assert_eq!(removed, Err(ReadError::NotFound(error))),
            Ok(_) => {
                assert_eq!(removed, Ok(()));
                self.twin.remove(id, Reason::Deleted);
            }
        }
    }

    fn update(&mut self, id: u8, bytes: Option<usize>, life: Option<u8>) {
        let change = Change {
            content: bytes.map(random),
            expiry: life.map(lifetime),
            ..Change::default()
        };
        let revision = self.revision();
        let updated = block_on(self.store.update(self.now(), pid(id), &change, revision));
        let kept = match self.twin.find(id) {
            Err(error) => {
                assert_eq!(updated, Err(UpdateError::NotFound(error)));
                return;
            }
            Ok(kept) => kept.clone(),
        };
        assert_eq!(updated, Ok(()));
        let mut changed = kept.clone();
        self.twin.pastes.retain(|it| it.id != id);
        if let Some(bytes) = bytes {
            self.twin.make_room(kept.client, bytes);
            changed.bytes = bytes;
        }
        if let Some(life) = life {
            changed.deadline = Some(self.twin.now + u64::from(life) * 1000);
        }
        changed.used = self.twin.next_use();
        self.twin.pastes.push(changed);
    }
}

/// Three clients in each of two networks
fn client_key(client: u8) -> ClientKey {
    ClientKey {
        network: u64::from(client / 3),
        client: u64::from(client),
    }
}

fn pid(id: u8) -> PasteId {
    PasteId::from_random([id; 8])
}

fn lifetime(seconds: u8) -> Expiry {
    Expiry::Seconds(std::num::NonZeroU64::new(seconds.into()).expect("not zero"))
}

fn random(bytes: usize) -> Content {
    let mut content = vec![0; bytes];
    getrandom::fill(&mut content).expect("random bytes");
    Content::new(&content, 1 << 20).expect("a content")
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn the_engine_does_the_same_as_a_naive_twin_in_random_steps() {
    let engine = Arc::new(Engine::empty(&[]));
    let secret = Secret::new("the secret of all servers of the tests").expect("a secret");
    let mut runner = TestRunner::new(Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    });
    let steps = prop::collection::vec(step(), 1..80);
    let run = |steps: Vec<Step>| {
        engine.ask("FLUSHALL");
        engine.ask("HSET tb:meta shards 1 deadline 20000");
        let keys = Keys::new(&secret.derive(KeyUse::Storage));
        let opened = Opened::open(&[engine.url()], keys, ROOM, 5000).expect("an engine");
        // The upkeep does not sweep, because its clock stands still.
        let store =
            Store::start(opened, Box::new(|_| ()), StandingClock::default()).expect("a thread");
        let mut both = Both {
            store,
            twin: Twin {
                now: 1_800_000_000_000,
                ..Twin::default()
            },
            revisions: 0,
        };
        for step in &steps {
            both.take(step);
        }
        both.store.close();
        Ok(())
    };
    runner.run(&steps, run).expect("both do the same");
}
