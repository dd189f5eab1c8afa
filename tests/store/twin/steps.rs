//! The random steps. There are few keys, so that several steps meet the same paste.

use proptest::option::of;
use proptest::prelude::*;
use tidebin::fairness::ClientKey;
use tidebin::paste::{Access, ReadsLeft};

const MINUTE: u64 = 60;

#[derive(Debug, Clone)]
pub enum Step {
    Save(Save),
    List(u8),
    Get(u64),
    Peek(u64),
    Consume(u64),
    Change(u64, Changed),
    Remove(u64),
    /// Removes all pastes of the network with this number, or on an engine of the owner.
    RemoveAll(u8),
    /// The time that passes, in seconds: whole minutes, as are all lifetimes. So the time that a case takes ends no
    /// paste of an engine too early.
    Advance(u64),
    Sweep,
    Restart,
}

#[derive(Debug, Clone)]
pub struct Save {
    pub client: ClientKey,
    /// Zero for none.
    pub owner: u8,
    pub key: u64,
    pub size: usize,
    pub title: usize,
    /// Zero for never.
    pub seconds: u64,
    pub access: Access,
}

/// The new size, the new length of the title and the new expiry.
#[derive(Debug, Clone)]
pub struct Changed {
    pub size: Option<usize>,
    pub title: Option<usize>,
    pub seconds: Option<u64>,
}

/// A size of at most this many pages. It ends in the middle of a page of the disk, so that its cost there does not
/// depend on the bytes of the seal.
fn size(pages: usize) -> impl Strategy<Value = usize> {
    const PAGE: usize = 4092;
    let whole = prop_oneof![2 => Just(0), 1 => 1..4_usize, 2 => 4..pages];
    (whole, 100_usize..3000).prop_map(|(whole, rest)| whole * PAGE + rest)
}

fn access() -> impl Strategy<Value = Access> {
    let left = |reads| ReadsLeft::new(reads).expect("not zero");
    prop_oneof![
        4 => Just(Access::Open),
        1 => Just(Access::Link),
        3 => (1_u8..4).prop_map(move |reads| Access::Burn(left(reads))),
        2 => Just(Access::Locked(None)),
        1 => Just(Access::Locked(Some(left(2)))),
    ]
}

/// Steps with pastes of at most this many pages.
pub fn steps(pages: usize) -> impl Strategy<Value = Vec<Step>> {
    let key = || 0_u64..24;
    let title = || prop_oneof![3 => Just(0_usize), 1 => 1_usize..200];
    let seconds = || prop_oneof![1 => Just(0_u64), 3 => (1_u64..60).prop_map(|it| it * MINUTE)];
    // The same number of a client in two networks means two clients.
    let client = (0_u64..3, 0_u64..3).prop_map(|(network, client)| ClientKey { network, client });
    let save = (
        client,
        0_u8..3,
        key(),
        size(pages),
        title(),
        seconds(),
        access(),
    );
    let save = save.prop_map(|(client, owner, key, size, title, seconds, access)| {
        Step::Save(Save {
            client,
            owner,
            key,
            size,
            title,
            seconds,
            access,
        })
    });
    let changed = (of(size(pages)), of(title()), of(seconds()));
    let changed = changed.prop_map(|(size, title, seconds)| Changed {
        size,
        title,
        seconds,
    });
    let advance = (1_u64..20).prop_map(|it| it * MINUTE);
    let advance = prop_oneof![6 => advance, 1 => Just(3600), 1 => Just(86_400)];
    let step = prop_oneof![
        8 => save,
        3 => (1_u8..4).prop_map(Step::List),
        4 => key().prop_map(Step::Get),
        2 => key().prop_map(Step::Peek),
        3 => key().prop_map(Step::Consume),
        3 => (key(), changed).prop_map(|(key, changed)| Step::Change(key, changed)),
        1 => key().prop_map(Step::Remove),
        1 => (0_u8..3).prop_map(Step::RemoveAll),
        2 => advance.prop_map(Step::Advance),
        1 => Just(Step::Sweep),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..80)
}
