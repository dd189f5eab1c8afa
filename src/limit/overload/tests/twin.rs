//! The naive twin: a list of transfers that sums everything up anew at every question.

use proptest::prelude::*;

use super::*;

/// One that was not cut and has not ended.
#[derive(Debug, Clone)]
struct Twin {
    number: u64,
    client: ClientKey,
    direction: Direction,
    began: u64,
    moved: u64,
    room: u64,
    has_place: bool,
    patient: bool,
}

#[derive(Debug, Clone)]
enum Step {
    Begin { who: u64, direction: Direction },
    Moved { which: usize, bytes: u64 },
    Hold { which: usize, bytes: u64 },
    BePatient { which: usize },
    MakeRoom { which: usize, place: bool },
    End { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..64usize;
    let direction = prop_oneof![Just(Direction::Receiving), Just(Direction::Sending)];
    prop_oneof![
        3 => (0..9u64, direction).prop_map(|(who, direction)| Step::Begin { who, direction }),
        1 => (which.clone(), 0..1_000_000u64).prop_map(|(which, bytes)| Step::Moved { which, bytes }),
        2 => (which.clone(), 0..300u64).prop_map(|(which, bytes)| Step::Hold { which, bytes }),
        1 => which.clone().prop_map(|which| Step::BePatient { which }),
        1 => (which.clone(), any::<bool>())
            .prop_map(|(which, place)| Step::MakeRoom { which, place }),
        1 => which.prop_map(|which| Step::End { which }),
    ]
}

/// Three clients in each of three networks.
fn who(who: u64) -> ClientKey {
    client(who / 3, who)
}

const BYTES_IN_ALL: usize = 1024;
const PLACES: usize = 16;
const PATIENT: usize = 128;

fn sum(twins: &[Twin], of: impl Fn(&Twin) -> bool, what: impl Fn(&Twin) -> u64) -> u64 {
    twins.iter().filter(|twin| of(twin)).map(what).sum()
}

/// Whether a transfer that has `own` gets more, by the sums.
fn is_allowed(
    twins: &[Twin],
    who: ClientKey,
    what: impl Fn(&Twin) -> u64 + Copy,
    own: u64,
    more: u64,
    most: [u64; 2],
) -> bool {
    let client = sum(twins, |twin| twin.client == who, what);
    let network = sum(twins, |twin| twin.client.network == who.network, what);
    [client, network]
        .into_iter()
        .zip(most)
        .all(|(held, most)| held == own || held + more <= most)
}

fn place(twin: &Twin) -> u64 {
    u64::from(twin.direction == Direction::Receiving)
}

fn cut_by(twins: &[Twin], cuts: &[(u64, Arc<AtomicBool>)]) -> Option<Twin> {
    let was_cut = |twin: &&Twin| {
        let flag = cuts.iter().find(|(number, _)| *number == twin.number);
        flag.is_some_and(|(_, cut)| cut.load(Ordering::Relaxed))
    };
    twins.iter().find(was_cut).cloned()
}

/// What has to be so of one that had to go for another, by what weighs and what would help.
fn is_fair(
    twins: &[Twin],
    now: u64,
    victim: &Twin,
    asker: &Twin,
    by: impl Fn(&Twin) -> u64 + Copy,
    helps: impl Fn(&Twin) -> bool,
) {
    let network = |network| sum(twins, |twin| twin.client.network == network, by);
    let client = |client| sum(twins, |twin| twin.client == client, by);
    assert!(helps(victim) && victim.number != asker.number);
    if victim.client.network != asker.client.network {
        assert!(network(victim.client.network) >= network(asker.client.network));
    } else if victim.client != asker.client {
        assert!(client(victim.client) >= client(asker.client));
    }
    let rate = |twin: &Twin| twin.moved * 1_000_000 / (1000 * (now - twin.began)).max(1);
    let others = twins
        .iter()
        .filter(|twin| twin.client == victim.client && helps(twin) && twin.number != asker.number);
    assert!(others.map(rate).all(|other| other >= rate(victim)));
}

proptest! {
    #[test]
    fn accounts_are_what_a_list_sums_up(steps in prop::collection::vec(step(), 1..200)) {
        let mut all = Transfers::new(BYTES_IN_ALL, PLACES, PATIENT);
        let mut twins: Vec<Twin> = Vec::new();
        let mut cuts: Vec<(u64, Arc<AtomicBool>)> = Vec::new();
        for (now, step) in steps.into_iter().enumerate() {
            let now = now as u64;
            let index = |which: usize, twins: &[Twin]| {
                (!twins.is_empty()).then(|| which % twins.len())
            };
            match step {
                Step::Begin { who: one, direction } => {
                    let receives = direction == Direction::Receiving;
                    let allowed = !receives
                        || is_allowed(&twins, who(one), place, 0, 1, [2, 8]);
                    let (cut, end) = flag();
                    let begun = all.begin(at(now), who(one), direction, Class::Save, end);
                    prop_assert_eq!(begun.is_ok(), allowed);
                    if let Ok(number) = begun {
                        cuts.push((number, cut));
                        let client = who(one);
                        // Some only wait for their place yet.
                        let has_place = receives && !now.is_multiple_of(3);
                        if has_place {
                            all.take_place(number);
                        }
                        twins.push(Twin {
                            number, client, direction, began: now, moved: 0, room: 0,
                            has_place, patient: false,
                        });
                    }
                }
                Step::Moved { which, bytes } => {
                    if let Some(index) = index(which, &twins) {
                        all.moved(at(now), twins[index].number, bytes);
                        twins[index].moved += bytes;
                    }
                }
                Step::Hold { which, bytes } => {
                    if let Some(index) = index(which, &twins) {
                        let twin = twins[index].clone();
                        let allowed = is_allowed(
                            &twins, twin.client, |twin| twin.room, twin.room, bytes, [256, 512],
                        );
                        prop_assert_eq!(all.want(twin.number, bytes).is_ok(), allowed);
                        if allowed {
                            all.hold(twin.number);
                            twins[index].room += bytes;
                        }
                    }
                }
                Step::BePatient { which } => {
                    if let Some(index) = index(which, &twins) {
                        let client = twins[index].client;
                        let patient = |twin: &Twin| u64::from(twin.patient);
                        let allowed = twins[index].patient
                            || is_allowed(&twins, client, patient, 0, 1, [4, 64]);
                        let number = twins[index].number;
                        prop_assert_eq!(all.be_patient(at(now), number).is_ok(), allowed);
                        twins[index].patient |= allowed;
                    }
                }
                Step::MakeRoom { which, place: for_place } => {
                    if let Some(index) = index(which, &twins) {
                        let asker = twins[index].clone();
                        let need = if for_place { Need::Place } else { BYTES };
                        let count = make_room(&mut all, at(now), asker.number, need, 1);
                        let victim = cut_by(&twins, &cuts);
                        prop_assert_eq!(count, usize::from(victim.is_some()));
                        if let Some(victim) = victim {
                            if for_place {
                                let helps = |twin: &Twin| twin.has_place && !twin.patient;
                                is_fair(&twins, now, &victim, &asker, place, helps);
                            } else {
                                let (by, helps) = (|twin: &Twin| twin.room, |twin: &Twin| twin.room > 0);
                                is_fair(&twins, now, &victim, &asker, by, helps);
                            }
                            twins.retain(|twin| twin.number != victim.number);
                        }
                    }
                }
                Step::End { which } => {
                    if let Some(index) = index(which, &twins) {
                        all.end(twins.remove(index).number);
                    }
                }
            }
            prop_assert_eq!(all.patient(), sum(&twins, |_| true, |twin| u64::from(twin.patient)));
        }
    }
}
