//! Floods: clients that go on asking although they were refused many times in a row.
//!
//! Invariants: only a client whose reads are all refused by its limit floods. A request with a body, credentials or the
//! header of a user is not part of a flood: other limits may apply to it. A client counts as flooding for [`SHORT`] after
//! a refusal, and only if it was refused [`MANY`] times before and served none in between. So it is refused at most that
//! much longer than its limits ask for.
//! Cost: one comparison per request until the first refusal, and one look-up after that. Each worker has its own
//! [`Floods`], so nothing is locked.

use std::cell::Cell;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, COOKIE, HeaderMap, HeaderName, TRANSFER_ENCODING,
};

use crate::fairness::ClientKey;
use crate::http::request::Method;

/// A client that is refused this often in a row floods.
const MANY: u32 = 16;

/// The time until the limiter decides again about a client that floods.
const SHORT: Duration = Duration::from_millis(10);

/// Refusals that lie further apart than this are not in a row.
const ROW_GAP: Duration = Duration::from_secs(1);

/// The clients that one worker refused last. Clients that share an entry displace each other.
#[derive(Debug, Default)]
pub(crate) struct Floods {
    streaks: [Cell<Option<Streak>>; 32],
    /// True once a client was refused. Until then, nothing is looked up.
    pub(crate) is_any: Cell<bool>,
}

/// The refusals in a row of one client.
#[derive(Debug, Clone, Copy)]
struct Streak {
    client: ClientKey,
    refusals: u32,
    last: Duration,
}

impl Floods {
    /// Returns whether the client is to be refused without a look at its limits.
    pub(crate) fn is_flooding(&self, now: Duration, client: ClientKey) -> bool {
        let streak = self.entry(client).get();
        streak.is_some_and(|streak| {
            streak.client == client && streak.refusals >= MANY && now < streak.last + SHORT
        })
    }

    /// Notes whether the limits have refused a request of the client.
    pub(crate) fn record(&self, now: Duration, client: ClientKey, is_refused: bool) {
        let entry = self.entry(client);
        let before = entry.get().filter(|streak| streak.client == client);
        if is_refused {
            let in_a_row = before.filter(|streak| now < streak.last + ROW_GAP);
            let refusals = in_a_row
                .map_or(0, |streak| streak.refusals)
                .saturating_add(1);
            self.is_any.set(true);
            entry.set(Some(Streak {
                client,
                refusals,
                last: now,
            }));
        } else if before.is_some() {
            entry.set(None);
        }
    }

    fn entry(&self, client: ClientKey) -> &Cell<Option<Streak>> {
        let index = client.client % self.streaks.len() as u64;
        &self.streaks[usize::try_from(index).expect("it is less than the length")]
    }
}

/// Returns whether a request may be refused because its client floods. `user` is the header in which a proxy names its
/// users.
pub(crate) fn may_flood(method: Method, headers: &HeaderMap, user: Option<&HeaderName>) -> bool {
    let names = [TRANSFER_ENCODING, CONTENT_LENGTH, AUTHORIZATION, COOKIE];
    let mut names = names.iter().chain(user);
    let is_plain = !names.any(|name| headers.contains_key(name));
    matches!(method, Method::Get | Method::Head) && is_plain
}

/// Returns whether the limit of reads has refused the request. Other limits do not refuse all reads.
pub(crate) fn is_refused_read(response: &HttpResponse) -> bool {
    let policy = response.headers().get("ratelimit-policy");
    policy.is_some_and(|policy| policy.as_bytes().starts_with(b"\"read-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: ClientKey = ClientKey {
        network: 1,
        client: 2,
    };

    /// Refuses the client this often, and returns whether it floods after this time.
    fn floods_after(floods: &Floods, refusals: u32, later: Duration) -> bool {
        let now = Duration::from_secs(1);
        for _ in 0..refusals {
            floods.record(now, CLIENT, true);
        }
        floods.is_flooding(now + later, CLIENT)
    }

    #[test]
    fn a_client_floods_for_a_short_time_after_many_refusals_in_a_row() {
        let floods = Floods::default();
        floods.record(Duration::ZERO, CLIENT, false);
        assert!(!floods.is_any.get());
        floods.record(Duration::ZERO, CLIENT, true);
        assert!(floods.is_any.get());
        floods.record(Duration::ZERO, CLIENT, false);
        assert!(!floods_after(&floods, MANY - 1, Duration::ZERO));
        assert!(floods_after(&floods, 1, SHORT - Duration::from_nanos(1)));
        assert!(!floods_after(&floods, 1, SHORT));
    }

    #[test]
    fn an_answer_a_gap_and_another_client_end_the_row() {
        let other = ClientKey {
            client: 2 + 32,
            ..CLIENT
        };
        for (later, client, is_refused) in [
            (Duration::ZERO, CLIENT, false),
            (ROW_GAP, CLIENT, true),
            (Duration::ZERO, other, true),
        ] {
            let floods = Floods::default();
            assert!(floods_after(&floods, MANY, Duration::ZERO));
            floods.record(Duration::from_secs(1) + later, client, is_refused);
            assert!(!floods_after(&floods, 1, Duration::ZERO), "{client:?}");
        }
    }
}
