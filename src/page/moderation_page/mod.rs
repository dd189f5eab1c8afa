//! The pages of reports and of the operator.

mod operate;
mod operator_view;
mod report;
mod security_txt;

pub(crate) use operate::{Done, OperatePage, operate, operate_text};
pub use operator_view::ByEvent;
pub(crate) use operator_view::{BlockedContent, NetworkReport, ReportedPaste, ServerStatus};
pub(crate) use report::{ReportPage, report_text};
pub(crate) use security_txt::security_txt;
