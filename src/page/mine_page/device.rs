//! The pages that take an owner's list to another device: one shows the secret, the other asks for it. Both exist as
//! plain text for terminals too.

use askama::Template;

use crate::page::qr::qr_element;
use crate::page::site::Site;
use crate::page::template::Page;

/// A page of one of the two devices.
#[derive(Clone, Copy, Template)]
#[template(path = "device.html", config = "src/page/askama.toml")]
pub(crate) struct DevicePage<'a> {
    pub(crate) site: &'a Site,
    /// The URL of the list.
    pub(crate) url: &'a str,
    /// The step of this device.
    pub(crate) step: DeviceStep<'a>,
}

/// The part of a device in passing on the secret.
#[derive(Clone, Copy)]
pub(crate) enum DeviceStep<'a> {
    /// It shows the secret to its owner.
    Show { secret: &'a str },
    /// It asks for the secret.
    Enter {
        /// Whether the browser has a list already, which the other one would replace.
        has_list: bool,
        /// The secret that was typed before.
        secret: &'a str,
        /// One or two sentences that say why the last attempt failed.
        complaint: Option<&'a str>,
    },
    /// Its list belongs to a key or to a user of the proxy, which have no secret.
    LogIn,
    /// It cannot have a list, because browsers get none here without TLS.
    NeedsHttps,
}

const QR_ATTRIBUTES: &str = "class=\"code\" role=\"img\" aria-label=\"The secret as a QR code\"";

impl Page for DevicePage<'_> {
    /// Returns the secret, or one or two sentences.
    fn text(&self) -> String {
        let url = self.url;
        match self.step {
            DeviceStep::Show { secret: line }
            | DeviceStep::Enter {
                complaint: Some(line),
                ..
            } => format!("{line}\n"),
            DeviceStep::LogIn => format!("{LOG_IN}\n"),
            DeviceStep::Enter { .. } | DeviceStep::NeedsHttps => {
                format!(
                    "Send the secret with each request: curl -H 'Authorization: Bearer tbo_…' {url}\n"
                )
            }
        }
    }
}

/// What the holder of a key and a user of the proxy do instead.
pub(super) const LOG_IN: &str =
    "This list belongs to your key or user name. On another device, log in as you did here.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::site;
    use crate::page::to_html;

    fn page(step: DeviceStep<'_>) -> DevicePage<'_> {
        DevicePage {
            site: site("/bin"),
            url: "https://bin.example/bin/mine",
            step,
        }
    }

    fn enter(has_list: bool, complaint: Option<&str>) -> String {
        let secret = "tbo_4kx9";
        to_html(&page(DeviceStep::Enter {
            has_list,
            secret,
            complaint,
        }))
    }

    #[test]
    fn a_secret_is_shown_as_text_and_as_its_qr_code_with_the_place_to_enter_it() {
        let secret = "tbo_0123456789abcdefABCDEF";
        let shown = page(DeviceStep::Show { secret });
        let html = to_html(&shown);
        let code = qr_element(secret, QR_ATTRIBUTES).expect("short enough");
        for part in [
            secret,
            code.trim_end(),
            "href=\"/bin/mine/device\">https://bin.example/bin/mine/device</a>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(shown.text(), format!("{secret}\n"));
    }

    #[test]
    fn a_secret_is_entered_and_replaces_a_list_only_if_its_owner_says_so() {
        let html = enter(false, None);
        assert!(html.contains("action=\"/bin/mine/device\""));
        assert!(html.contains("value=\"tbo_4kx9\""));
        assert!(!html.contains("name=\"replace\"") && !html.contains("role=\"alert\""));
        let html = enter(true, None);
        assert!(html.contains("id=\"replace\" name=\"replace\" value=\"1\" required"));
        assert!(html.contains("href=\"/bin/mine\">Keep mine</a>"));
    }

    #[test]
    fn a_wrong_secret_is_announced_and_marks_the_field() {
        let html = enter(false, Some("This secret is wrong."));
        assert!(html.contains("role=\"alert\">This secret is wrong.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }

    #[test]
    fn a_browser_that_can_have_no_list_is_told_so_and_a_terminal_how_to_use_a_secret() {
        let without_tls = page(DeviceStep::NeedsHttps);
        assert!(to_html(&without_tls).contains("needs HTTPS"));
        let text = without_tls.text();
        assert!(text.ends_with("Bearer tbo_…' https://bin.example/bin/mine\n"));
        assert!(to_html(&page(DeviceStep::LogIn)).contains(LOG_IN));
    }
}
