//! Transfers: bodies being received and answers being sent, and which of them has to go when room runs short.
//!
//! What it must not know: sockets, permits, what ends a transfer: whoever begins one hands in what ends it.
//! Invariants: one client has no more than [`MOST_PER_CLIENT`] at once, and no more than [`MOST_PATIENT_PER_CLIENT`] that
//! pause; of the patient there are no more than the caller allows in all; whoever moves at [`FAST`] or is younger than
//! [`GRACE`] is never cut, nor who has nothing of what is short; who is cut is of the network that has the most such transfers, and the slowest of those.
//! Cost: a map entry a transfer; a cut looks at all of them.
//! Why the network counts: a thousand pipes of one flooder do not put out the one pipe of somebody else.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::limit::ClientKey;

/// Transfers of one client at once.
pub(super) const MOST_PER_CLIENT: usize = 512;

/// Bodies of one client that pause, at once.
pub(super) const MOST_PATIENT_PER_CLIENT: usize = 4;

/// Nobody is slow before.
const GRACE: Duration = Duration::from_secs(1);

/// Who has not moved for so long is slow, however much it moved before: the buffers of a connection take megabytes at
/// once.
const STALLED: Duration = Duration::from_secs(5);

/// Micro-bytes a second on the average, 64 KiB; who moves that many is never cut.
const FAST: u128 = 64 * 1024 * 1_000_000;

/// Ends a transfer from outside.
pub type Cut = Box<dyn FnOnce() + Send>;

/// Which way the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client.
    Receiving,
    /// To the client.
    Sending,
}

/// What is short, and so whose end would help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A place for one more body: any that is received and has not been allowed to pause.
    Place,
    /// Bytes: any transfer that has some of the room.
    Room,
    /// A place for one more that pauses: one that is allowed to.
    Patience,
}

/// Why a transfer may not begin, or not pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowded;

/// All that are under way.
#[derive(Default)]
pub(super) struct Transfers {
    /// By number, in the order of their beginning.
    under_way: BTreeMap<u64, Transfer>,
    /// How many of each client; no entry for none.
    by_client: HashMap<ClientKey, usize>,
    begun: u64,
    /// Bytes moved by all that ever were.
    bytes: u64,
}

struct Transfer {
    client: ClientKey,
    direction: Direction,
    patient: bool,
    has_room: bool,
    began: Duration,
    last_move: Duration,
    moved: u64,
    cut: Option<Cut>,
}

impl Transfers {
    /// Notes a transfer that begins now and says its number.
    ///
    /// # Errors
    /// If the client has too many already.
    pub(super) fn begin(
        &mut self,
        now: Duration,
        client: ClientKey,
        direction: Direction,
        cut: Cut,
    ) -> Result<u64, Crowded> {
        let count = self.by_client.entry(client).or_default();
        if *count >= MOST_PER_CLIENT {
            return Err(Crowded);
        }
        *count += 1;
        self.begun += 1;
        let transfer = Transfer {
            client,
            direction,
            patient: false,
            // An answer is noted when it has its room, a body before it needs any.
            has_room: direction == Direction::Sending,
            began: now,
            last_move: now,
            moved: 0,
            cut: Some(cut),
        };
        self.under_way.insert(self.begun, transfer);
        Ok(self.begun)
    }

    /// So many bytes more have moved.
    pub(super) fn moved(&mut self, now: Duration, number: u64, bytes: u64) {
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.last_move = now;
            transfer.moved = transfer.moved.saturating_add(bytes);
            self.bytes = self.bytes.wrapping_add(bytes);
        }
    }

    /// It has some of the room from now on.
    pub(super) fn take_room(&mut self, number: u64) {
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.has_room = true;
        }
    }

    /// Lets a transfer pause; of all that may, this leaves at most `most`: what to call to end the one that has to go
    /// for it, if one has to.
    ///
    /// # Errors
    /// If its client has too many that pause already.
    pub(super) fn be_patient(
        &mut self,
        now: Duration,
        number: u64,
        most: usize,
    ) -> Result<Option<Cut>, Crowded> {
        let Some(client) = self.under_way.get(&number).map(|transfer| transfer.client) else {
            return Ok(None);
        };
        let patient = || self.under_way.values().filter(|transfer| transfer.patient);
        if patient()
            .filter(|transfer| transfer.client == client)
            .count()
            >= MOST_PATIENT_PER_CLIENT
        {
            return Err(Crowded);
        }
        let is_full = patient().count() >= most;
        let cut = is_full
            .then(|| self.cut_slowest(now, Need::Patience))
            .flatten();
        if let Some(transfer) = self.under_way.get_mut(&number) {
            transfer.patient = true;
        }
        Ok(cut)
    }

    /// Chooses who has to go; none if nobody is slow. To be called without a lock: it may give back what is locked.
    /// The transfer stays noted until it ends, but is not chosen twice.
    pub(super) fn cut_slowest(&mut self, now: Duration, need: Need) -> Option<Cut> {
        let mut by_network: HashMap<u64, usize> = HashMap::new();
        let candidates = || {
            let helps = |(_, transfer): &(&u64, &Transfer)| transfer.would_help(now, need);
            self.under_way.iter().filter(helps)
        };
        for (_, transfer) in candidates() {
            *by_network.entry(transfer.client.network).or_default() += 1;
        }
        let chosen = candidates().min_by(|(_, one), (_, other)| {
            let crowd = |transfer: &Transfer| by_network.get(&transfer.client.network).copied();
            let by_crowd = crowd(other).cmp(&crowd(one));
            by_crowd.then_with(|| one.rate(now).cmp(&other.rate(now)))
        });
        let number = *chosen?.0;
        let transfer = self.under_way.get_mut(&number)?;
        // It is on its way out and takes up no patience any more.
        transfer.patient = false;
        transfer.cut.take()
    }

    /// Forgets a transfer that has ended.
    pub(super) fn end(&mut self, number: u64) {
        let Some(transfer) = self.under_way.remove(&number) else {
            return;
        };
        if let Some(count) = self.by_client.get_mut(&transfer.client) {
            *count -= 1;
            if *count == 0 {
                self.by_client.remove(&transfer.client);
            }
        }
    }

    /// How many may pause.
    #[must_use]
    pub(super) fn patient(&self) -> usize {
        let patient = |transfer: &&Transfer| transfer.patient;
        self.under_way.values().filter(patient).count()
    }

    /// Bytes moved by all that ever were.
    #[must_use]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many are under way.
    #[must_use]
    pub(super) fn count(&self) -> usize {
        self.under_way.len()
    }
}

impl Transfer {
    fn would_help(&self, now: Duration, need: Need) -> bool {
        let helps = match need {
            Need::Place => self.direction == Direction::Receiving && !self.patient,
            Need::Room => self.has_room,
            Need::Patience => return self.patient && self.cut.is_some(),
        };
        helps && self.cut.is_some() && self.is_slow(now)
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.began)
    }

    fn is_slow(&self, now: Duration) -> bool {
        let stalled = now.saturating_sub(self.last_move) >= STALLED;
        self.age(now) >= GRACE && (stalled || self.rate(now) < FAST)
    }

    /// Micro-bytes a second since it began: two that move a few bytes a minute are to be told apart.
    fn rate(&self, now: Duration) -> u128 {
        let millis = self.age(now).as_millis().max(1);
        u128::from(self.moved) * 1_000_000_000 / millis
    }
}

impl std::fmt::Debug for Transfers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfers")
            .field("under_way", &self.count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn client(network: u64, client: u64) -> ClientKey {
        ClientKey { network, client }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A transfer with a flag that tells whether it was cut.
    struct Watched {
        number: u64,
        cut: Arc<AtomicBool>,
    }

    impl Watched {
        fn begin(transfers: &mut Transfers, client: ClientKey, direction: Direction) -> Self {
            let cut = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&cut);
            let end = Box::new(move || flag.store(true, Ordering::Relaxed));
            let number = transfers.begin(at(0), client, direction, end);
            Self {
                number: number.expect("not crowded"),
                cut,
            }
        }

        fn was_cut(&self) -> bool {
            self.cut.load(Ordering::Relaxed)
        }
    }

    fn receive(transfers: &mut Transfers, who: ClientKey) -> Watched {
        Watched::begin(transfers, who, Direction::Receiving)
    }

    fn cut(transfers: &mut Transfers, now: Duration, need: Need) -> bool {
        transfers.cut_slowest(now, need).map(|cut| cut()).is_some()
    }

    #[test]
    fn the_slowest_of_the_network_with_the_most_transfers_is_cut() {
        let mut transfers = Transfers::default();
        let alone = receive(&mut transfers, client(1, 1));
        let [slow, slower] = [2, 3].map(|other| receive(&mut transfers, client(2, other)));
        transfers.moved(at(1), slow.number, 2000);
        transfers.moved(at(1), slower.number, 1000);
        assert!(cut(&mut transfers, at(2), Need::Place));
        assert!(slower.was_cut() && !slow.was_cut() && !alone.was_cut());
    }

    #[test]
    fn nobody_is_cut_who_is_fast_or_young_and_nobody_twice() {
        let mut transfers = Transfers::default();
        let one = receive(&mut transfers, client(1, 1));
        transfers.take_room(one.number);
        assert!(!cut(&mut transfers, Duration::from_millis(999), Need::Room));
        transfers.moved(at(1), one.number, 1 << 30);
        assert!(!cut(&mut transfers, at(5), Need::Room));
        assert!(cut(&mut transfers, at(6), Need::Room) && one.was_cut());
        assert!(!cut(&mut transfers, at(6), Need::Room));
        transfers.end(one.number);
        assert_eq!(transfers.count(), 0);
    }

    #[test]
    fn who_may_pause_is_cut_for_bytes_if_it_has_any_but_not_for_a_place() {
        let mut transfers = Transfers::default();
        let pipe = receive(&mut transfers, client(1, 1));
        assert!(matches!(
            transfers.be_patient(at(15), pipe.number, 8),
            Ok(None)
        ));
        assert!(!cut(&mut transfers, at(20), Need::Place));
        assert!(!cut(&mut transfers, at(20), Need::Room));
        transfers.take_room(pipe.number);
        assert!(cut(&mut transfers, at(20), Need::Room));
    }

    #[test]
    fn an_answer_that_is_read_slowly_is_cut_for_bytes_alone() {
        let mut transfers = Transfers::default();
        let reader = Watched::begin(&mut transfers, client(1, 1), Direction::Sending);
        assert!(!cut(&mut transfers, at(20), Need::Place));
        assert!(cut(&mut transfers, at(20), Need::Room) && reader.was_cut());
    }

    #[test]
    fn a_client_has_four_that_pause_and_the_slowest_of_all_goes_for_one_too_many() {
        let mut transfers = Transfers::default();
        let pipes: Vec<Watched> = (0..5)
            .map(|_| receive(&mut transfers, client(1, 1)))
            .collect();
        let other = receive(&mut transfers, client(2, 2));
        for pipe in &pipes[..4] {
            assert!(matches!(
                transfers.be_patient(at(15), pipe.number, 4),
                Ok(None)
            ));
        }
        assert!(matches!(
            transfers.be_patient(at(15), pipes[4].number, 4),
            Err(Crowded)
        ));
        transfers.moved(at(15), pipes[0].number, 10);
        transfers.moved(at(15), pipes[1].number, 5);
        let cut = transfers.be_patient(at(15), other.number, 4);
        cut.expect("it has none yet").expect("one has to go")();
        assert_eq!(pipes.iter().filter(|pipe| pipe.was_cut()).count(), 1);
        assert!(!pipes[0].was_cut() && !pipes[1].was_cut() && !other.was_cut());
    }

    #[test]
    fn a_client_has_so_many_transfers_and_no_more_and_none_is_forgotten() {
        let mut transfers = Transfers::default();
        let mut begin = |who| transfers.begin(at(0), who, Direction::Sending, Box::new(|| ()));
        for _ in 0..MOST_PER_CLIENT {
            assert!(begin(client(1, 1)).is_ok());
        }
        assert_eq!(begin(client(1, 1)), Err(Crowded));
        let last = begin(client(1, 2)).expect("another client");
        for number in 1..=last {
            transfers.end(number);
        }
        assert!(transfers.count() == 0 && transfers.by_client.is_empty());
    }
}
