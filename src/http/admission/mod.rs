//! Admission: what a request is charged by the limiter, and what of it is given back.

pub(crate) mod context;
pub(crate) mod incident;
