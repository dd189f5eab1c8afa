//! The naive twin: a list of pastes that is searched from end to end.

use tidebin::fairness::ClientKey;
use tidebin::paste::OwnerId;
use tidebin::store::{NotFound, Reason};

/// The budget: about twelve small pastes.
pub const ROOM: usize = 40_000;

/// The bytes of the entry in the list of an owner, and of the hash of the owner in the content.
const OWNED: usize = 49 + 61 + 16;

/// The bytes that a paste of this client with this number of bytes is charged. They are too few or too random to compress.
/// The allocator has four sizes from each power of two to the next.
fn cost(client: ClientKey, content: usize) -> usize {
    let owned = if owner_of(client).is_some() { OWNED } else { 0 };
    let value = 72 + owned + 41 + 28 + content;
    let sizes = (0..20).flat_map(|power| [4, 5, 6, 7].map(|quarters| quarters << power));
    1152 + sizes.filter(|size| *size >= value).min().expect("a size")
}

/// Every other client is an owner.
pub fn owner_of(client: ClientKey) -> Option<OwnerId> {
    let secret = format!("tbo_of-the-client-with-number-{}", client.client);
    (client.client % 2 == 1).then(|| OwnerId::of_secret(&secret))
}

/// A paste of the twin.
#[derive(Debug, Clone)]
pub struct Kept {
    pub id: u8,
    pub client: ClientKey,
    pub bytes: usize,
    pub deadline: Option<u64>,
    pub left: Option<u8>,
    pub reads: u32,
    pub used: u64,
    /// The number of the save. The latest one is first in the list of its owner.
    pub saved: u64,
}

impl Kept {
    fn cost(&self) -> usize {
        cost(self.client, self.bytes)
    }
}

/// The twin: a list that is searched from end to end.
#[derive(Debug, Default)]
pub struct Twin {
    pub pastes: Vec<Kept>,
    pub gone: std::collections::BTreeMap<u8, Reason>,
    pub now: u64,
    pub uses: u64,
}

impl Twin {
    pub fn bytes(&self) -> usize {
        self.pastes.iter().map(Kept::cost).sum()
    }

    pub fn find(&mut self, id: u8) -> Result<&mut Kept, NotFound> {
        let now = self.now;
        match self.pastes.iter_mut().find(|it| it.id == id) {
            Some(kept) if kept.deadline.is_some_and(|it| it <= now) => {
                Err(NotFound::Gone(Reason::Expired))
            }
            Some(kept) => Ok(kept),
            None => Err(self
                .gone
                .get(&id)
                .map_or(NotFound::Unknown, |it| NotFound::Gone(*it))),
        }
    }

    pub fn remove(&mut self, id: u8, reason: Reason) {
        self.pastes.retain(|it| it.id != id);
        self.gone.insert(id, reason);
    }

    /// Returns the pastes in the list of this owner, the latest first.
    pub fn list(&self, owner: &OwnerId) -> Vec<u8> {
        let is_listed = |it: &&Kept| {
            let is_own = owner_of(it.client).is_some_and(|it| it.hash() == owner.hash());
            is_own && it.deadline.is_none_or(|it| it > self.now)
        };
        let mut listed: Vec<_> = self.pastes.iter().filter(is_listed).collect();
        listed.sort_unstable_by_key(|it| std::cmp::Reverse(it.saved));
        listed.into_iter().map(|it| it.id).collect()
    }

    pub fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Removes pastes until so many bytes more of this client fit.
    pub fn make_room(&mut self, client: ClientKey, bytes: usize) {
        while self.bytes() + cost(client, bytes) > ROOM {
            let due = self
                .pastes
                .iter()
                .filter(|it| it.deadline.is_some_and(|it| it <= self.now));
            if let Some(id) = due.min_by_key(|it| it.deadline).map(|it| it.id) {
                self.remove(id, Reason::Expired);
                continue;
            }
            let weight = |is_in: &dyn Fn(&Kept) -> bool, is_own: bool| {
                let held: usize = self
                    .pastes
                    .iter()
                    .filter(|it| is_in(it))
                    .map(Kept::cost)
                    .sum();
                held + if is_own { cost(client, bytes) } else { 0 }
            };
            let network = |it: &&Kept| {
                let network = it.client.network;
                let own = network == client.network;
                (
                    weight(&|other| other.client.network == network, own),
                    network,
                )
            };
            let network = self
                .pastes
                .iter()
                .max_by_key(network)
                .expect("a paste")
                .client
                .network;
            let of_network = || self.pastes.iter().filter(|it| it.client.network == network);
            let heaviest = |it: &&Kept| {
                let key = it.client;
                (
                    weight(&|other| other.client == key, key == client),
                    key.client,
                )
            };
            let victim = of_network().max_by_key(heaviest).expect("a paste").client;
            let of_client = of_network().filter(|it| it.client == victim);
            let id = of_client.min_by_key(|it| it.used).expect("a paste").id;
            self.remove(id, Reason::Evicted);
        }
    }
}
