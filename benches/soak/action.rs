//! The actions of clients, and their frequency.

/// An action of a client. Some actions are more than one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Reads the bytes.
    Read,
    /// Reads the page, as a browser does.
    Page,
    /// Saves raw bytes.
    Save,
    /// Saves a file in a form.
    SaveForm,
    /// Requests an id that has no paste.
    Miss,
    /// Deletes a paste with its token.
    Delete,
    /// Saves a paste that burns after one read, reads it, and tries to read it again.
    Burn,
    /// Hangs up in the middle of a save.
    BreakOff,
    /// Hangs up before the response.
    LeaveUnread,
}

/// The actions and their shares in percent.
const MIX: [(Deed, u64); 9] = [
    (Deed::Read, 59),
    (Deed::Page, 12),
    (Deed::Save, 12),
    (Deed::SaveForm, 4),
    (Deed::Miss, 4),
    (Deed::Delete, 3),
    (Deed::Burn, 2),
    (Deed::BreakOff, 2),
    (Deed::LeaveUnread, 2),
];

impl Deed {
    pub(crate) fn at_random(random: u64) -> Self {
        let mut left = random % 100;
        for (deed, share) in MIX {
            if left < share {
                return deed;
            }
            left -= share;
        }
        unreachable!("the shares are a hundred")
    }
}
