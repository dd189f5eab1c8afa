//! HTTP: what clients send and are answered, around a core that does not know of it.

#[cfg_attr(not(test), expect(dead_code, reason = "no handler reads forms yet"))]
mod form;
