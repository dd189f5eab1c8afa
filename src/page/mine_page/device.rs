//! The pages that give an owner's list to another device: one shows a code, the other takes it. Both exist as plain
//! text for terminals too.

use std::fmt;

use askama::Template;

use crate::page::template;

/// A page of one of the two devices.
#[derive(Debug, Clone, Copy)]
pub struct DevicePage<'a> {
    /// The path before every link: empty, or such as `/paste`.
    pub base_path: &'a str,
    /// The URL of the page that takes the code.
    pub url: &'a str,
    /// The step of this device.
    pub step: DeviceStep<'a>,
}

/// The part of a device in passing on the code.
#[derive(Clone, Copy)]
pub enum DeviceStep<'a> {
    /// It shows the code to its owner.
    Show {
        /// The code.
        code: &'a str,
    },
    /// It asks for the code.
    Enter {
        /// Whether the browser has a list already, which the other one would replace.
        has_list: bool,
        /// The code that was typed before.
        code: &'a str,
        /// One or two sentences that say why the last attempt failed.
        complaint: Option<&'a str>,
    },
    /// It cannot take a code, because browsers get no list here without TLS.
    NeedsHttps,
}

/// Omits the code, because everyone with the code gets the list.
impl fmt::Debug for DeviceStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceStep(secret)")
    }
}

#[derive(Template)]
#[template(path = "device.html", config = "src/page/askama.toml")]
struct DeviceTemplate<'a> {
    page: &'a DevicePage<'a>,
}

/// Returns the page as HTML.
#[must_use]
pub fn device(page: &DevicePage<'_>) -> String {
    template::write(&DeviceTemplate { page }, 0)
}

/// Returns the code in the first line, or how to use one.
#[must_use]
pub fn device_text(page: &DevicePage<'_>) -> String {
    let url = page.url;
    match page.step {
        DeviceStep::Show { code } => format!(
            "{code}\n\
             Valid once, for ten minutes. On the other device, enter it at {url}\n\
             or get your secret with: curl -d code={code} {url}\n"
        ),
        DeviceStep::Enter { .. } | DeviceStep::NeedsHttps => {
            format!("Get your secret with the code of another device: curl -d code=CODE {url}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(step: DeviceStep<'_>) -> DevicePage<'_> {
        DevicePage {
            base_path: "/bin",
            url: "https://bin.example/bin/mine/device",
            step,
        }
    }

    fn enter(has_list: bool, complaint: Option<&str>) -> String {
        let code = "4kx9";
        device(&page(DeviceStep::Enter {
            has_list,
            code,
            complaint,
        }))
    }

    #[test]
    fn a_code_is_shown_with_the_place_to_enter_it() {
        let shown = page(DeviceStep::Show {
            code: "4KX9-02TB-M7QZ",
        });
        let html = device(&shown);
        for part in ["4KX9-02TB-M7QZ", "href=\"/bin/mine/device\"", "ten minutes"] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert_eq!(
            device_text(&shown),
            "4KX9-02TB-M7QZ\n\
             Valid once, for ten minutes. On the other device, enter it at https://bin.example/bin/mine/device\n\
             or get your secret with: curl -d code=4KX9-02TB-M7QZ https://bin.example/bin/mine/device\n"
        );
        assert_eq!(format!("{:?}", shown.step), "DeviceStep(secret)");
    }

    #[test]
    fn a_code_is_entered_and_replaces_a_list_only_if_its_owner_says_so() {
        let html = enter(false, None);
        assert!(html.contains("action=\"/bin/mine/device\"") && html.contains("value=\"4kx9\""));
        assert!(!html.contains("name=\"replace\"") && !html.contains("role=\"alert\""));
        let html = enter(true, None);
        assert!(html.contains("id=\"replace\" name=\"replace\" value=\"1\" required"));
        assert!(html.contains("href=\"/bin/mine\">Keep mine</a>"));
    }

    #[test]
    fn a_wrong_code_is_announced_and_marks_the_field() {
        let html = enter(false, Some("This code is wrong."));
        assert!(html.contains("role=\"alert\">This code is wrong.</p>"));
        assert!(html.contains("aria-invalid=\"true\" aria-describedby=\"complaint\""));
    }

    #[test]
    fn a_browser_without_tls_is_told_so_and_a_terminal_how_to_use_a_code() {
        let page = page(DeviceStep::NeedsHttps);
        assert!(device(&page).contains("needs HTTPS"));
        assert!(
            device_text(&page).ends_with("curl -d code=CODE https://bin.example/bin/mine/device\n")
        );
    }
}
