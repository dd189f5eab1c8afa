//! These tests compare the eviction from a full table with a reference implementation of one set.

use proptest::prelude::*;

use super::naive::NaiveLimiter;
use super::*;

/// A table of one set and its reference implementation.
struct Fixture {
    limiter: Limiter,
    twin: NaiveLimiter,
    /// The client of each entry in the reference implementation.
    held: [Option<u64>; 8],
}

impl Fixture {
    fn new(limits: RulesByAction) -> Self {
        let sizes = TableSizes {
            clients: 8,
            networks: 1024,
        };
        Self {
            limiter: Limiter::new(limits.clone(), sizes),
            twin: NaiveLimiter::new(limits),
            held: [None; 8],
        }
    }

    /// Returns the entry that this client has or would get. Returns `None` if the client must use a shared entry.
    fn place(&self, now: u64, client: u64) -> Option<usize> {
        let find = |wanted: Option<u64>| self.held.iter().position(|held| *held == wanted);
        let soonest = || {
            let full_in = |index: usize| self.twin.full_in(now, self.held[index]?);
            let room = (0..8).filter_map(|index| Some((full_in(index)?, index)));
            room.min().map(|(_, index)| index)
        };
        find(Some(client)).or_else(|| find(None)).or_else(soonest)
    }

    /// Returns the name under which the reference implementation knows the client. All clients of a shared entry count
    /// as one.
    fn identity(place: Option<usize>, subject: Subject) -> Subject {
        let shared = u64::MAX - (subject.network_key() >> 52);
        let client = if place.is_some() {
            subject.client.client
        } else {
            shared
        };
        let client = ClientKey {
            client,
            ..subject.client
        };
        Subject { client, ..subject }
    }

    fn settle(&mut self, place: Option<usize>, client: u64) {
        let Some(index) = place else { return };
        let before = self.held[index].replace(client);
        if let Some(before) = before.filter(|before| *before != client) {
            self.twin.forget(before);
        }
    }

    fn request(
        &mut self,
        now: u64,
        subject: Subject,
        request: LimitRequest,
    ) -> [Option<Duration>; 2] {
        let place = self.place(now, subject.client.client);
        let said = self
            .limiter
            .admit(Duration::from_nanos(now), subject, request);
        let expected = self
            .twin
            .admit(now, Self::identity(place, subject), &request);
        if expected.is_some() && !self.limiter.rules(request.action).as_slice().is_empty() {
            self.settle(place, subject.client.client);
        }
        [said.ok().map(|yes| yes.wait), expected]
    }

    fn miss(&mut self, now: u64, subject: Subject) {
        let place = self.place(now, subject.client.client);
        self.limiter.charge_miss(Duration::from_nanos(now), subject);
        self.twin.charge(
            now,
            Self::identity(place, subject),
            &LimitRequest::one(Action::Miss),
        );
        self.settle(place, subject.client.client);
    }
}

/// Fifteen clients, each in its own network. Clients whose numbers are equal modulo three use the same shared entry.
fn subjects() -> impl Strategy<Value = Subject> {
    (1u64..=15).prop_map(|number| Subject {
        client: ClientKey {
            network: (number % 3) << 52 | number,
            client: number,
        },
        multiplier: multiplier(if number % 3 == 2 { 3 } else { 1 }),
    })
}

fn asks() -> impl Strategy<Value = Option<LimitRequest>> {
    prop_oneof![
        2 => Just(Some(LimitRequest::one(Action::Read))),
        3 => (0u64..400).prop_map(|bytes| Some(LimitRequest::one(Action::Save).with_bytes(bytes))),
        1 => Just(Some(LimitRequest::one(Action::Password))),
        1 => Just(None),
    ]
}

fn rule_sets() -> impl Strategy<Value = RulesByAction> {
    let others = prop_oneof![
        Just(limits(
            "rate 1/s burst 3",
            "rate 5/s burst 9 wait 1s",
            "rate 1/s burst 2"
        )),
        Just(limits(
            "quota 5/1m, quota 1KiB/1h",
            "quota 9/1h",
            "quota 3/1m"
        )),
        Just(limits(
            "rate 1/s burst 3, quota 20/1h, quota 2KiB/1h",
            "rate 5/s burst 9",
            "rate 1/s burst 2"
        )),
    ];
    let passwords = prop::sample::select(vec!["rate 1/10s burst 3", "quota 4/1h", "off"]);
    (others, passwords).prop_map(|(others, password)| with_passwords(password, others))
}

proptest! {
    #[test]
    fn the_client_that_is_soonest_full_is_evicted_and_no_other(
        limits in rule_sets(),
        steps in prop::collection::vec((subjects(), asks(), 0u64..40), 1..300),
    ) {
        let mut fixture = Fixture::new(limits);
        let mut now = SECOND;
        for (subject, request, passing) in steps {
            now += passing * passing * passing * SECOND / 1000;
            match request {
                Some(request) => {
                    let [said, expected] = fixture.request(now, subject, request);
                    prop_assert_eq!(said, expected);
                }
                None => fixture.miss(now, subject),
            }
            let held: Vec<u64> = fixture.held.into_iter().flatten().collect();
            prop_assert_eq!(fixture.limiter.clients(), held);
        }
        fixture.limiter.validate();
    }
}
