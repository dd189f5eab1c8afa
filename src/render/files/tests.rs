//! Specification of archives on a page.
