//! Tests that compare fair shares with a reference implementation: a plain list.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// The reference implementation: the weight of each client, and the value stored with it.
type Twin = HashMap<ClientKey, (u64, usize)>;

/// Applies the rule of [`FairShares::next_victim`] literally. It computes each sum from the list.
fn naive_next_to_give(twin: &Twin, saver: ClientKey, incoming: u64) -> Option<ClientKey> {
    let own = |is_own: bool| if is_own { incoming } else { 0 };
    let of_network = |network: u64| {
        let held = twin.iter().filter(|(key, _)| key.network == network);
        let held: u64 = held.map(|(_, (weight, _))| weight).sum();
        (held + own(network == saver.network), network)
    };
    let of_client = |key: &ClientKey| (twin[key].0 + own(*key == saver), key.client);
    let networks = twin.keys().map(|key| key.network);
    let network = networks.max_by_key(|network| of_network(*network))?;
    let clients = twin.keys().filter(|key| key.network == network);
    clients.max_by_key(|key| of_client(key)).copied()
}

fn client() -> impl Strategy<Value = ClientKey> {
    (0u64..4, 0u64..4).prop_map(|(network, client)| ClientKey { network, client })
}

proptest! {
    #[test]
    fn shares_are_those_of_a_naive_list(steps in prop::collection::vec((client(), 0u64..4, any::<bool>(), client()), 1..200)) {
        let mut shares = FairShares::unlimited();
        let mut twin = Twin::new();
        for (step, (client, weight, is_added, saver)) in steps.into_iter().enumerate() {
            // When the weight of a client grows or shrinks
            if is_added {
                let more = weight + 1;
                let held = twin.entry(client).or_insert((0, step));
                held.0 += more;
                prop_assert_eq!(shares.add_with(client, more, || step), held.1);
            } else {
                if let Some((held, _)) = twin.get_mut(&client) {
                    *held = held.saturating_sub(weight);
                }
                let gone = twin.get(&client).filter(|(held, _)| *held == 0).map(|(_, step)| *step);
                twin.retain(|_, (held, _)| *held > 0);
                prop_assert_eq!(shares.sub(client, weight), gone);
            }
            // Then all queries return the same as the reference implementation
            let mut all: Vec<_> = twin.iter().map(|(key, (weight, step))| (*key, *weight, *step)).collect();
            all.sort_unstable();
            prop_assert_eq!(shares.all().collect::<Vec<_>>(), all);
            prop_assert_eq!(shares.total(), twin.values().map(|(weight, _)| weight).sum::<u64>());
            let given = shares.next_victim(saver, weight).map(|(key, _)| key);
            prop_assert_eq!(given, naive_next_to_give(&twin, saver, weight));
            let mut by_network: HashMap<u64, u64> = HashMap::new();
            for (key, (weight, _)) in &twin {
                *by_network.entry(key.network).or_default() += weight;
                prop_assert_eq!(shares.of_client(*key), *weight);
            }
            let mut networks: Vec<_> = by_network.into_iter().collect();
            networks.sort_unstable_by_key(|(network, weight)| std::cmp::Reverse((*weight, *network)));
            prop_assert_eq!(shares.networks().collect::<Vec<_>>(), networks);
            for (network, weight) in shares.networks() {
                prop_assert_eq!(shares.of_network(network), weight);
                prop_assert_eq!(shares.clients(network).map(|(_, weight)| weight).sum::<u64>(), weight);
                prop_assert!(shares.clients(network).map(|(client, weight)| std::cmp::Reverse((weight, client))).is_sorted());
            }
            prop_assert_eq!(shares.client_count(), twin.len());
        }
    }
}
