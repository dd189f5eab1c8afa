//! The errors of the store that a failed call becomes.

use super::connection::Failure;
use crate::store::{ConsumeError, InsertError, ModerationError, ReadError, UpdateError};

impl From<Failure> for ReadError {
    fn from(_: Failure) -> Self {
        Self::Unavailable
    }
}

impl From<Failure> for ConsumeError {
    fn from(_: Failure) -> Self {
        Self::Unavailable
    }
}

impl From<Failure> for InsertError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::OutOfMemory => Self::DiskFull,
            Failure::Unavailable => Self::Unavailable,
        }
    }
}

impl From<Failure> for UpdateError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::OutOfMemory => Self::DiskFull,
            Failure::Unavailable => Self::Unavailable,
        }
    }
}

impl From<Failure> for ModerationError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::OutOfMemory => Self::DiskFull,
            Failure::Unavailable => Self::Unavailable,
        }
    }
}
