//! A bounded list that many clients fill. No client takes the room of the others.
//!
//! Invariants: a key is in the list at most once. The charges of all entries never exceed the room. To make room, the
//! heaviest client of the heaviest network loses its oldest entry; among equally heavy ones, the oldest of these
//! entries leaves. An entry that is used becomes a new one. So the entries of one network leave only for those of a
//! network that has less, however many others add.
//! Cost: an entry takes O(log n), and so does a use. A use changes no share: the search for an entry to remove first
//! brings the shares that it meets to their places.

use std::collections::BTreeMap;
use std::ops::RangeBounds;

use super::{ClientKey, FairShares};

/// The list, by key.
pub(crate) struct FairList<K, V> {
    room: u64,
    entries: BTreeMap<K, Entry<V>>,
    /// The keys of each client by the numbers of their entries.
    by_client: BTreeMap<(ClientKey, u64), K>,
    /// A client whose oldest entry has a smaller number has a greater rank.
    shares: FairShares<ClientKey>,
}

/// An entry of the list.
struct Entry<V> {
    /// Its number: that of its row, or of its latest use.
    seq: u64,
    client: ClientKey,
    charge: u64,
    value: V,
}

impl<K: Ord + Copy, V> FairList<K, V> {
    /// Makes an empty list whose entries may be charged this much together.
    pub(crate) fn within(room: u64) -> Self {
        Self {
            room,
            entries: BTreeMap::new(),
            by_client: BTreeMap::new(),
            shares: FairShares::unlimited(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the charges of all entries.
    pub(crate) fn charged(&self) -> u64 {
        self.shares.total()
    }

    /// Returns whether an entry of this charge needs room that others have.
    pub(crate) fn is_full(&self, charge: u64) -> bool {
        self.shares.total() + charge > self.room
    }

    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.entries.get(&key).map(|entry| &entry.value)
    }

    /// Gives an entry this number, which is greater than those of all entries.
    pub(crate) fn renew(&mut self, key: K, seq: u64) {
        if let Some(entry) = self.entries.get_mut(&key) {
            let former = std::mem::replace(&mut entry.seq, seq);
            self.by_client.remove(&(entry.client, former));
            self.by_client.insert((entry.client, seq), key);
        }
    }

    /// Adds an entry, unless there is one with its key or it is charged more than the room. Returns whether it was
    /// added, and the entries that made room, with their numbers.
    pub(crate) fn insert(
        &mut self,
        key: K,
        seq: u64,
        (client, charge): (ClientKey, u64),
        value: V,
    ) -> (bool, Vec<(u64, V)>) {
        let mut removed = Vec::new();
        if self.entries.contains_key(&key) || charge > self.room {
            return (false, removed);
        }
        while self.is_full(charge)
            && let Some((rank, victim)) = self.shares.next_victim(client, charge)
            && let Some((oldest, key)) = self.oldest_of(victim)
        {
            if rank == !oldest {
                removed.extend(self.remove(key));
            } else {
                // An entry was used since the client got its rank.
                self.shares.sub_ranked(victim, 0, !oldest);
            }
        }
        self.shares.add_ranked(client, charge, || (!seq, client));
        self.by_client.insert((client, seq), key);
        let entry = Entry {
            seq,
            client,
            charge,
            value,
        };
        self.entries.insert(key, entry);
        (true, removed)
    }

    /// Removes an entry. Returns its number and its value.
    pub(crate) fn remove(&mut self, key: K) -> Option<(u64, V)> {
        let entry = self.entries.remove(&key)?;
        self.by_client.remove(&(entry.client, entry.seq));
        let oldest = self.oldest_of(entry.client).map_or(0, |(seq, _)| seq);
        self.shares.sub_ranked(entry.client, entry.charge, !oldest);
        Some((entry.seq, entry.value))
    }

    /// Removes the entries of these keys that meet a condition. Returns their numbers and values.
    pub(crate) fn remove_where(
        &mut self,
        keys: impl RangeBounds<K>,
        is_meant: impl Fn(&V) -> bool,
    ) -> Vec<(u64, V)> {
        let entries = self.entries.range(keys);
        let meant = entries.filter(|(_, entry)| is_meant(&entry.value));
        let keys: Vec<K> = meant.map(|(key, _)| *key).collect();
        keys.into_iter()
            .filter_map(|key| self.remove(key))
            .collect()
    }

    /// Returns the entries with these keys: their keys, numbers and values.
    pub(crate) fn range(&self, keys: impl RangeBounds<K>) -> impl Iterator<Item = (K, u64, &V)> {
        let entries = self.entries.range(keys);
        entries.map(|(key, entry)| (*key, entry.seq, &entry.value))
    }

    pub(crate) fn latest_first(&self) -> Vec<V>
    where
        V: Clone,
    {
        let mut entries: Vec<_> = self.entries.values().collect();
        entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.seq));
        let values = entries.into_iter().map(|entry| entry.value.clone());
        values.collect()
    }

    /// Returns the number of the row of this client's oldest entry, and its key.
    fn oldest_of(&self, client: ClientKey) -> Option<(u64, K)> {
        let mut keys = self.by_client.range((client, 0)..=(client, u64::MAX));
        keys.next().map(|((_, seq), key)| (*seq, *key))
    }
}
