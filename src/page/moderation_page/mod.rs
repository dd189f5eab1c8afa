//! The pages of reports and of the operator.

mod operate;
mod report;
mod security_txt;

pub use operate::{
    BlockLine, Done, OperateNow, OperatePage, ReportLine, ReportedPasteLine, operate, operate_text,
};
pub use report::{ReportPage, report, report_text};
pub use security_txt::security_txt;
