//! Tests that compare fair shares with a reference implementation: a plain list.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// The reference implementation: the weight and the rank of each client.
type Twin = HashMap<ClientKey, (u64, u64)>;

/// Applies the rule of [`FairShares::next_victim`] literally. It computes each sum from the list.
fn naive_next_to_give(twin: &Twin, saver: ClientKey, incoming: u64) -> Option<ClientKey> {
    let own = |is_own: bool| if is_own { incoming } else { 0 };
    let of_network = |network: u64| {
        let held = twin.iter().filter(|(key, _)| key.network == network);
        let held: u64 = held.map(|(_, (weight, _))| weight).sum();
        held + own(network == saver.network)
    };
    let of_client = |key: &ClientKey| (twin[key].0 + own(*key == saver), twin[key].1);
    let heaviest = |network: u64| {
        let clients = twin.keys().filter(|key| key.network == network);
        *clients.max_by_key(|key| of_client(key)).unwrap()
    };
    let victims = twin.keys().map(|key| heaviest(key.network));
    victims.max_by_key(|key| (of_network(key.network), twin[key].1))
}

fn client() -> impl Strategy<Value = ClientKey> {
    (0u64..4, 0u64..4).prop_map(|(network, client)| ClientKey { network, client })
}

fn steps() -> impl Strategy<Value = Vec<(ClientKey, u64, bool, ClientKey)>> {
    prop::collection::vec((client(), 0u64..4, any::<bool>(), client()), 1..200)
}

proptest! {
    #[test]
    fn the_victim_is_that_of_a_naive_list(steps in steps()) {
        let mut shares = FairShares::unlimited();
        let mut twin = Twin::new();
        for (step, (client, weight, is_added, saver)) in (0_u64..).zip(steps) {
            // When the weight of a client grows, or shrinks and it gets another rank, above or below those of others
            let rank = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if is_added {
                let more = weight + 1;
                twin.entry(client).or_insert((0, rank)).0 += more;
                prop_assert_eq!(shares.add_ranked(client, more, || (rank, client)), client);
            } else {
                let held = twin.get_mut(&client).map(|held| {
                    *held = (held.0.saturating_sub(weight), rank);
                    held.0
                });
                twin.retain(|_, (held, _)| *held > 0);
                let gone = (held == Some(0)).then_some(client);
                prop_assert_eq!(shares.sub_ranked(client, weight, rank), gone);
            }
            // Then all queries return the same as the reference implementation
            let mut all: Vec<_> = twin.iter().map(|(key, (weight, rank))| (*key, *weight, *rank, *key)).collect();
            all.sort_unstable();
            prop_assert_eq!(shares.all().collect::<Vec<_>>(), all);
            let given = shares.next_victim(saver, weight);
            let expected = naive_next_to_give(&twin, saver, weight);
            prop_assert_eq!(given, expected.map(|key| (twin[&key].1, key)));
        }
    }

    #[test]
    fn shares_are_those_of_a_naive_list(steps in steps()) {
        let mut shares = FairShares::new(u64::MAX, u64::MAX);
        let mut twin = HashMap::new();
        for (client, weight, is_added, _) in steps {
            // When the weight of a client grows or shrinks
            let held: &mut u64 = twin.entry(client).or_default();
            if is_added {
                *held += weight;
                shares.add(client, weight);
            } else {
                *held = held.saturating_sub(weight);
                shares.sub(client, weight);
            }
            twin.retain(|_, held| *held > 0);
            // Then all queries return the same as the reference implementation
            prop_assert_eq!(shares.total(), twin.values().sum::<u64>());
            let mut by_network: HashMap<u64, u64> = HashMap::new();
            for (key, weight) in &twin {
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
