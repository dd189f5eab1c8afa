//! The actions of clients, and their frequency.

/// An action of a client. Some actions are more than one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
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
const MIX: [(Action, u64); 9] = [
    (Action::Read, 59),
    (Action::Page, 12),
    (Action::Save, 12),
    (Action::SaveForm, 4),
    (Action::Miss, 4),
    (Action::Delete, 3),
    (Action::Burn, 2),
    (Action::BreakOff, 2),
    (Action::LeaveUnread, 2),
];

impl Action {
    pub(crate) fn at_random(random: u64) -> Self {
        let mut left = random % 100;
        for (action, share) in MIX {
            if left < share {
                return action;
            }
            left -= share;
        }
        unreachable!("the shares are a hundred")
    }
}
