//! The look-up of host names in a program that the C library is part of.
//!
//! Invariants: such a program looks names up in `/etc/hosts` and by DNS alone. For the other sources of
//! `/etc/nsswitch.conf`, glibc would load modules, and with them the C library of the system: if that is of another
//! version, the process ends. This file and `allocator.rs` have the only `unsafe` code of the crate.

/// Ignores the sources of host names that need modules, if the C library is part of the program.
pub(super) fn need_no_modules() {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    {
        use std::ffi::{c_char, c_int};

        #[allow(unsafe_code, reason = "the standard library has no such call")]
        unsafe extern "C" {
            fn __nss_configure_lookup(database: *const c_char, sources: *const c_char) -> c_int;
        }
        // SAFETY: the function takes its own lock, and copies what it needs of two strings that end with a zero.
        #[allow(unsafe_code, reason = "the standard library has no such call")]
        unsafe {
            __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr());
        }
    }
}
