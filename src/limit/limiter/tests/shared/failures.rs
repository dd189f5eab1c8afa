//! These tests specify the limits while the engine fails, forgets its entries, or has entries of other nodes.

use super::*;

#[test]
fn a_node_limits_on_its_own_while_the_engine_fails_and_settles_later() {
    let nodes = Nodes::new(2, &limits("quota 10/1h", "quota 10/1h", "off"));
    let [first, second] = &nodes.limiters[..] else {
        panic!("two nodes");
    };
    let subject = client(1, 1);
    nodes.engine.fails.store(true, Relaxed);
    let saved = |limiter: &Limiter, now| {
        let saves = (0..20).map(|_| finish(limiter.admit_exact(now, subject, save(1))));
        saves.filter(Result::is_ok).count()
    };
    assert_eq!(saved(first, seconds(0)), 10);
    assert_eq!(nodes.engine.calls(), 1, "the engine rests after a failure");
    assert_eq!(admitted(first, 0, subject, READ, 4), 4);
    finish(first.settle(seconds(1), true));
    nodes.engine.fails.store(false, Relaxed);
    finish(first.settle(seconds(2), true));
    assert_eq!(saved(second, seconds(2)), 0, "the saves are known now");
    assert_eq!(admitted(second, 2, subject, READ, 1), 1);
    finish(second.settle(seconds(2), true));
    assert_eq!(admitted(second, 2, subject, READ, 20), 5);
}

#[test]
fn nodes_keep_their_limits_if_the_engine_forgets_its_entries() {
    let nodes = Nodes::new(2, &limits("quota 10/1h", "off", "off"));
    let subject = client(1, 1);
    for _ in 0..6 {
        let saved = nodes.limiters[0].admit_exact(seconds(0), subject, save(1));
        assert!(finish(saved).is_ok());
    }
    nodes.engine.entries.lock().clear();
    let saves =
        (0..10).map(|_| finish(nodes.limiters[0].admit_exact(seconds(0), subject, save(1))));
    assert_eq!(saves.filter(Result::is_ok).count(), 4);
    assert!(finish(nodes.limiters[1].admit_exact(seconds(0), subject, save(1))).is_err());
}

#[test]
fn nodes_with_other_rules_do_not_share_entries() {
    let engine = Arc::new(MapEngine::default());
    let [one, other] =
        ["quota 2/1h", "quota 3/1h"].map(|save| node(limits(save, "off", "off"), &engine));
    let subject = client(1, 1);
    let mut saved = Vec::new();
    for limiter in [&one, &other] {
        let saves = (0..5).map(|_| finish(limiter.admit_exact(seconds(0), subject, save(1))));
        saved.push(saves.filter(Result::is_ok).count());
    }
    assert_eq!(saved, [2, 3]);
}

#[test]
fn an_entry_that_cannot_be_read_counts_as_absent() {
    let nodes = Nodes::new(2, &limits("quota 2/1h", "off", "off"));
    let subject = client(1, 1);
    assert!(finish(nodes.limiters[0].admit_exact(seconds(0), subject, save(1))).is_ok());
    for (_, state) in nodes.engine.entries.lock().values_mut() {
        *state = b"of a later release".to_vec();
    }
    let saves = (0..5).map(|_| finish(nodes.limiters[1].admit_exact(seconds(0), subject, save(1))));
    assert_eq!(saves.filter(Result::is_ok).count(), 2);
    assert_eq!(nodes.limiters[1].unreadable_entries(), 2);
    assert!(finish(nodes.limiters[0].admit_exact(seconds(0), subject, save(1))).is_err());
}

#[test]
fn pending_charges_survive_the_eviction_of_their_client() {
    let rules = limits("off", "rate 1/h burst 100", "off");
    let engine = Arc::new(MapEngine::default());
    let sizes = TableSizes {
        clients: 8,
        networks: 8,
    };
    let small = Limiter::shared(
        rules.clone(),
        sizes,
        EPOCH,
        Arc::<MapEngine>::clone(&engine),
    );
    let subject = client(1, 1);
    assert_eq!(admitted(&small, 0, subject, READ, 5), 5);
    for other in 2..100 {
        assert_eq!(admitted(&small, 0, client(other, 1), READ, 6), 6);
    }
    assert!(!small.clients().contains(&subject.client.client));
    finish(small.settle(seconds(0), true));
    let other = node(rules, &engine);
    assert_eq!(admitted(&other, 0, subject, READ, 1), 1);
    finish(other.settle(seconds(0), true));
    let left = other.remaining_quotas(seconds(0), subject, Action::Read);
    assert_eq!(left[0].remaining, 94);
}

#[test]
fn a_flood_of_clients_is_tracked_in_bounded_memory_while_the_engine_fails() {
    let nodes = Nodes::new(1, &limits("off", "quota 5/1h", "off"));
    let limiter = &nodes.limiters[0];
    nodes.engine.fails.store(true, Relaxed);
    for n in 0..20_000 {
        let admitted = limiter.admit(seconds(0), client(n % 5000, n), READ);
        assert!(admitted.is_ok());
    }
    finish(limiter.settle(seconds(1), true));
    nodes.engine.fails.store(false, Relaxed);
    finish(limiter.settle(seconds(2), true));
    assert_eq!(nodes.engine.entries.lock().len(), 8192);
}
