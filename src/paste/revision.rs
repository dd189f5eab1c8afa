//! Revisions: which of the contents, titles and languages that a paste had one after another.

/// The name of one version of a paste: 64 random bits, new with every change of content, title or language.
///
/// Revisions are compared only under the same id. Two versions of one paste have the same revision with a probability
/// of 2⁻⁶⁴.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revision(u64);

impl Revision {
    /// The revision made of these random bytes.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(random))
    }
}
