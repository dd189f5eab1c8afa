//! Why pastes are removed, and how many were removed for each reason.

use crate::paste::{PasteId, StoredPaste, Timestamp, TokenHash};

/// Why a paste was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The paste expired.
    Expired,
    /// The last allowed read of the paste was used up.
    Burned,
    /// The owner deleted the paste.
    Deleted,
    /// The operator of the server removed the paste.
    RemovedByOperator,
    /// The store evicted the paste to free memory for another paste.
    Evicted,
}

impl Reason {
    /// All reasons. The place of each is the number that is stored.
    const ALL: [Self; 5] = [
        Self::Expired,
        Self::Burned,
        Self::Deleted,
        Self::RemovedByOperator,
        Self::Evicted,
    ];

    /// Returns the number that is stored.
    pub(super) fn code(self) -> u8 {
        self as u8
    }

    /// Returns the reason with this stored number.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// The end of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Why it ended.
    pub reason: Reason,
    /// Who is told when.
    pub receipt: Receipt,
}

impl End {
    /// Returns the end of a paste that ends now.
    pub fn of(paste: &StoredPaste, now: Timestamp, reason: Reason) -> Self {
        let receipt = Receipt::new(now, paste);
        Self { reason, receipt }
    }
}

/// An end whose time nobody is told.
impl From<Reason> for End {
    fn from(reason: Reason) -> Self {
        let receipt = Receipt::default();
        Self { reason, receipt }
    }
}

/// When a paste ended, in milliseconds since 1970, and the first bytes of the hashes of its owner and of its token, who
/// are told. All are zero if nobody is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Receipt(pub(super) [u64; 3]);

impl Receipt {
    /// Makes the receipt of a paste that ends now.
    pub(super) fn new(now: Timestamp, paste: &StoredPaste) -> Self {
        let owner = paste.owner().map_or(0, start_of);
        Self([now.as_millis(), owner, start_of(paste.token())])
    }

    /// Makes the receipt of a paste of this owner that ends now.
    pub fn of_owner(now: Timestamp, owner: &TokenHash) -> Self {
        Self([now.as_millis(), start_of(owner), 0])
    }

    /// Returns when the paste ended, if this is the hash of its owner or of its token.
    pub fn shown_to(self, hash: &TokenHash) -> Option<Timestamp> {
        let [at, known @ ..] = self.0;
        known
            .contains(&start_of(hash))
            .then_some(Timestamp::from_millis(at))
    }
}

fn start_of(hash: &TokenHash) -> u64 {
    let (start, _) = hash.bytes().split_first_chunk().expect("16 bytes");
    u64::from_le_bytes(*start)
}

/// The store calls this hook with the id of every removed or updated paste. The store's lock is not held during the
/// call.
/// The hook can drop data that was derived from the paste, such as a cached page.
pub type RemovalHook = Box<dyn Fn(PasteId) + Send + Sync>;

/// How many pastes were removed since the start, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovalCounts {
    /// Pastes that expired. The sweeper removed them, or a save did to free memory.
    pub expired: u64,
    /// Pastes whose last allowed read was used up.
    pub burned: u64,
    /// Pastes that their owners deleted.
    pub deleted: u64,
    /// Pastes that the operator removed.
    pub removed_by_operator: u64,
    /// Pastes that were evicted to free memory for others.
    pub evicted: u64,
}

impl RemovalCounts {
    /// Returns the number of the pastes that were removed for this reason.
    pub(super) fn of(&mut self, reason: Reason) -> &mut u64 {
        match reason {
            Reason::Expired => &mut self.expired,
            Reason::Burned => &mut self.burned,
            Reason::Deleted => &mut self.deleted,
            Reason::RemovedByOperator => &mut self.removed_by_operator,
            Reason::Evicted => &mut self.evicted,
        }
    }
}
