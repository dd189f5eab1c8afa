//! Transfers: request bodies, response bodies and CPU-bound work. All of them stay within the budgets of
//! [`crate::overload`].

mod encryption;
mod forms;
mod gzip;
mod request_body;
mod resource_wait;
mod response_body;

pub(crate) use encryption::{decrypt, encrypt};
pub(crate) use forms::{
    action_form, content_of, form_content, json_body, owner_form, reject_form, save_body,
    save_body_or_gzip, short_form, small_form,
};
pub(crate) use request_body::{collect, collect_from};
pub(crate) use resource_wait::{RenderPermit, wait};
pub(crate) use response_body::{
    AnswerBody, CHUNK, ResponseReservation, bytes_body, hold_request, made_body, paste_body,
    run_blocking,
};
