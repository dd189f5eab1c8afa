//! The mouse, the keyboard and files.

use std::path::Path;

use serde_json::{Value, json};

use super::Visitor;
use super::seeing::{look, quoted};

pub const BACKSPACE: &str = "\u{e003}";
pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
/// This key and the next are held until the keys after it are pressed, or until they come again.
pub const SHIFT: &str = "\u{e008}";
pub const CONTROL: &str = "\u{e009}";
pub const ESCAPE: &str = "\u{e00c}";

/// Scrolls to an element. Returns the centre of its visible part, or a place at its left edge, or the reason why a click
/// would not reach it.
const PLACE: &str = "((css, isEdge) => {
    const it = document.querySelector(css);
    if (!it) return 'it is not there';
    // The browser is about to focus this, which would scroll back.
    const first = document.querySelector('[autofocus]');
    if (document.activeElement === document.body) first?.focus({ preventScroll: true });
    it.scrollIntoViewIfNeeded();
    const box = it.getClientRects()[0];
    if (!box) return 'it is hidden';
    const x = isEdge ? box.left + 9 : (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
    const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
    const hit = document.elementFromPoint(x, y);
    return it.contains(hit) ? [x, y] : `it is behind ${hit?.outerHTML.slice(0, 99)}`;
})";

/// Focuses a field and puts the caret at its end.
const FOCUS: &str = "(css => {
    const it = document.querySelector(css);
    it?.focus();
    if (!it || it !== document.activeElement) return false;
    if (it.selectionStart !== null) it.setSelectionRange(it.value.length, it.value.length);
    return true;
})";

/// Chooses the option of a field.
const CHOOSE: &str = "((css, value) => {
    const [it, option] = [css, `${css} option[value='${value}']`].map(css => document.querySelector(css));
    if (!option) return false;
    it.focus();
    it.value = value;
    for (const event of ['input', 'change']) it.dispatchEvent(new Event(event, { bubbles: true }));
    return true;
})";

impl Visitor {
    /// Waits until the element can be clicked, and clicks it.
    pub fn click(&self, css: &str) {
        self.click_times(css, 1);
    }

    /// Clicks the number of a line, which the style sheet draws at its left edge.
    pub fn click_number(&self, line: &str) {
        self.click_place(&format!("{PLACE}({}, true)", quoted(line)), line, 1);
    }

    /// Does the same as [`Visitor::click`], so many times in a row.
    pub fn click_times(&self, css: &str, times: u32) {
        self.click_place(&format!("{PLACE}({})", quoted(css)), css, times);
    }

    fn click_place(&self, place: &str, css: &str, times: u32) {
        let see = || self.evaluate(place);
        let place = look(self, css, "a place to click", see, Value::is_array);
        for count in 1..=times {
            for (kind, pressed) in [("mousePressed", 1), ("mouseReleased", 0)] {
                let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left",
                    "buttons": pressed, "clickCount": count });
                self.command("Input.dispatchMouseEvent", &event);
            }
        }
        self.hear_navigation();
    }

    /// Clicks an element that leads to another page and waits for that page, even if it looks like this one.
    pub fn follow(&self, css: &str) {
        let documents = self.session().documents();
        self.click(css);
        self.session().until_left(documents);
    }

    /// Waits until the element takes text, and types at its end.
    pub fn type_into(&self, css: &str, text: &str) {
        self.until(&format!("{FOCUS}({})", quoted(css)));
        let is_key = |key: char| ('\u{e000}'..'\u{f8ff}').contains(&key);
        let keys = text.find(is_key).unwrap_or(text.len());
        let (text, keys) = text.split_at(keys);
        if !text.is_empty() {
            self.command("Input.insertText", &json!({ "text": text }));
        }
        self.press(keys);
    }

    /// Empties a field.
    pub fn clear(&self, css: &str) {
        self.type_into(css, "");
        self.press(&format!("{CONTROL}a{CONTROL}{BACKSPACE}"));
    }

    /// Presses keys in the focused element.
    pub fn press(&self, keys: &str) {
        let mut modifiers = 0;
        for key in keys.chars() {
            let (name, code, number, text, modifier) = named(key);
            modifiers ^= modifier;
            let text = if modifiers == 0 { text } else { String::new() };
            let mut event = json!({ "type": "keyDown", "key": name, "code": code, "text": text,
                "windowsVirtualKeyCode": number, "modifiers": modifiers });
            if modifier == 0 || modifiers & modifier != 0 {
                self.command("Input.dispatchKeyEvent", &event);
            }
            if modifier == 0 || modifiers & modifier == 0 {
                event["type"] = json!("keyUp");
                self.command("Input.dispatchKeyEvent", &event);
            }
        }
        for (held, key) in [(2, "Control"), (8, "Shift")] {
            if modifiers & held != 0 {
                modifiers ^= held;
                let event = json!({ "type": "keyUp", "key": key, "modifiers": modifiers });
                self.command("Input.dispatchKeyEvent", &event);
            }
        }
        self.hear_navigation();
    }

    /// Waits until the field offers the value, and chooses it.
    pub fn choose(&self, css: &str, value: &str) {
        self.until(&format!("{CHOOSE}({}, {})", quoted(css), quoted(value)));
    }

    /// Chooses a file in a field.
    pub fn choose_file(&self, css: &str, file: &Path) {
        self.element(css);
        let field = json!({ "expression": format!("document.querySelector({})", quoted(css)) });
        let field = self.command("Runtime.evaluate", &field)["result"]["objectId"].take();
        let files = json!({ "objectId": field, "files": [file] });
        self.command("DOM.setFileInputFiles", &files);
    }

    /// Drops a file onto the text, as a desktop does.
    pub fn drop_file(&self, file: &Path) {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": [file], "dragOperationsMask": 1 });
            let event = json!({ "type": kind, "x": 300, "y": 200, "data": data });
            self.command("Input.dispatchDragEvent", &event);
        }
    }

    /// Waits for a reply of the page. If the input before it began a navigation, the browser has reported that then.
    fn hear_navigation(&self) {
        self.evaluate("0");
    }
}

/// The name, code, number, text and modifier of a key.
fn named(key: char) -> (String, String, u32, String, u32) {
    let special = |name: &str, number, text: &str, modifier| {
        let code = if modifier == 0 {
            name.to_owned()
        } else {
            format!("{name}Left")
        };
        (name.to_owned(), code, number, text.to_owned(), modifier)
    };
    match key.to_string().as_str() {
        BACKSPACE => special("Backspace", 8, "", 0),
        TAB => special("Tab", 9, "", 0),
        ENTER => special("Enter", 13, "\r", 0),
        SHIFT => special("Shift", 16, "", 8),
        CONTROL => special("Control", 17, "", 2),
        ESCAPE => special("Escape", 27, "", 0),
        text => {
            let capital = key.to_ascii_uppercase();
            let number = if key.is_ascii_alphanumeric() {
                capital.into()
            } else {
                0
            };
            (
                text.to_owned(),
                format!("Key{capital}"),
                number,
                text.to_owned(),
                0,
            )
        }
    }
}
