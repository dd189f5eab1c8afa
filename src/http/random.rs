//! Random bytes for ids, tokens and salts, drawn from the operating system some hundred at a time.
//!
//! What it must not know: what they are for.
//! Invariants: every byte is given out once, and none is left behind in the pool when it was.
//! They are in memory before they are used: who has a copy of the running machine knows what it will give out next.
//! Cost: a question to the system for 256 bytes costs less than three for 24; of ten saves one asks it.

use std::cell::RefCell;

use crate::http::error::api_error::ApiError;

/// Bytes drawn at once: what the system gives without being interrupted is 256.
const POOL: usize = 256;

/// What was drawn and not given out.
struct Pool {
    bytes: [u8; POOL],
    /// So many of them, from the beginning on, are not given out yet.
    left: usize,
}

thread_local! {
    static DRAWN: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; POOL], left: 0 }) };
}

/// So many random bytes.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], ApiError> {
    const { assert!(N <= POOL, "more than is drawn at once") };
    DRAWN.with_borrow_mut(|pool| {
        if pool.left < N {
            pool.draw()?;
        }
        let rest = pool.left - N;
        let mut given = [0; N];
        given.swap_with_slice(&mut pool.bytes[rest..pool.left]);
        pool.left = rest;
        Ok(given)
    })
}

impl Pool {
    fn draw(&mut self) -> Result<(), ApiError> {
        // If that fails in the middle nothing of it is used.
        self.left = 0;
        getrandom::fill(&mut self.bytes).map_err(|error| {
            tracing::error!(%error, "the operating system gave no random bytes");
            ApiError::Busy
        })?;
        self.left = POOL;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_bytes_are_given_out_twice_nor_left_behind() {
        let given: HashSet<[u8; 24]> = (0..1000).map(|_| random().unwrap()).collect();
        assert_eq!(given.len(), 1000);
        DRAWN.with_borrow(|pool| {
            assert!(pool.bytes[pool.left..].iter().all(|byte| *byte == 0));
        });
    }
}
