//! This test specifies that no charge is lost or counted twice, whatever the nodes do at the same time.

use super::*;

/// The clients of each network.
const CLIENTS: u64 = 20;

/// The quota, which is never reached.
const QUOTA: u64 = 100_000;

type Task<'a> = Pin<Box<dyn Future<Output = Option<Charge>> + 'a>>;

/// What happened to one client.
#[derive(Default)]
struct Account {
    charges: Vec<(usize, Charge)>,
    used: u64,
}

/// Nodes with tables that are much smaller than the number of clients.
fn small_nodes(seed: u64) -> Nodes {
    let engine = Arc::new(MapEngine::default());
    engine.lags.store(true, Relaxed);
    *engine.random.lock() = Random(seed);
    let sizes = TableSizes {
        clients: 8,
        networks: 8,
    };
    let limiters = (0..3).map(|_| {
        let rules = limits("quota 100000/1d", "quota 100000/1d", "off");
        Limiter::shared(rules, sizes, EPOCH, Arc::<MapEngine>::clone(&engine))
    });
    Nodes {
        limiters: limiters.collect(),
        engine,
    }
}

/// Runs random steps that overlap. Returns how many requests of each client and action remain charged.
fn run(nodes: &Nodes, random: &mut Random) -> HashMap<(u64, Action), u64> {
    let mut accounts: HashMap<(u64, Action), Account> = HashMap::new();
    let mut tasks: Vec<(usize, u64, Task<'_>)> = Vec::new();
    for step in 0..1500 {
        let node = usize::try_from(random.below(3)).unwrap();
        let (limiter, number) = (&nodes.limiters[node], random.below(CLIENTS));
        let subject = client(number % 2, number);
        let is_over = step >= 1000;
        match random.below(if is_over { 1 } else { 8 }) {
            1 | 2 => {
                let grant = limiter.admit(TICK, subject, READ).expect("never limited");
                let account = accounts.entry((number, Action::Read)).or_default();
                account.used += 1;
                account.charges.push((node, grant.charge));
            }
            3 => tasks.push((
                node,
                number,
                Box::pin(async move {
                    let saved = limiter.admit_exact(TICK, subject, save(0)).await;
                    saved.ok().map(|grant| grant.charge)
                }),
            )),
            4 => {
                let is_tick = random.below(2) == 0;
                tasks.push((
                    node,
                    number,
                    Box::pin(async move {
                        limiter.settle(TICK, is_tick).await;
                        None
                    }),
                ));
            }
            5 => {
                let action =
                    [Action::Read, Action::Save][usize::try_from(random.below(2)).unwrap()];
                let account = accounts.entry((number, action)).or_default();
                if let Some((node, charge)) = account.charges.pop() {
                    account.used -= 1;
                    nodes.limiters[node].cancel(TICK, charge);
                }
            }
            _ => {}
        }
        let polls = if is_over { 50 } else { 3 };
        for _ in 0..polls.min(tasks.len()) {
            let next = usize::try_from(random.below(tasks.len().max(1) as u64)).unwrap();
            let Some((node, number, task)) = tasks.get_mut(next) else {
                break;
            };
            if let Poll::Ready(charge) = poll(task.as_mut()) {
                let account = accounts.entry((*number, Action::Save)).or_default();
                account.used += u64::from(charge.is_some());
                account.charges.extend(charge.map(|charge| (*node, charge)));
                drop(tasks.swap_remove(next));
            }
        }
    }
    assert!(tasks.is_empty());
    let used = accounts
        .into_iter()
        .map(|(key, account)| (key, account.used));
    used.collect()
}

#[test]
fn no_charge_is_lost_or_counted_twice_whatever_overlaps() {
    for seed in seeds() {
        let nodes = small_nodes(seed);
        let used = run(&nodes, &mut Random(seed + 1000));
        nodes.settle(TICK);
        let observer = node(
            limits("quota 100000/1d", "quota 100000/1d", "off"),
            &nodes.engine,
        );
        for number in 0..CLIENTS {
            let subject = client(number % 2, number);
            let _ = observer.admit(TICK, subject, READ);
            finish(observer.settle(TICK, true));
            for (action, own) in [(Action::Read, 1), (Action::Save, 0)] {
                let left = observer.remaining_quotas(TICK, subject, action)[0].remaining;
                let expected = used.get(&(number, action)).copied().unwrap_or(0);
                assert_eq!(
                    QUOTA - left - own,
                    expected,
                    "{number} {action:?}, seed {seed}"
                );
            }
        }
    }
}
