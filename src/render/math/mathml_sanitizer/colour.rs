//! Colours of a formula: each becomes the class of the nearest colour that is legible on a light and on a dark page.

/// Returns the class for a style such as `color: rgb(255 0 0)`, or `Some(None)` for black, which is the colour of text.
/// Returns `None` for any other style, and for white, which would hide the formula.
pub(super) fn class(style: &str) -> Option<Option<&'static str>> {
    let rgb = style.strip_prefix("color: rgb(")?.strip_suffix(')')?;
    let mut parts = rgb.split(' ').map(|part| part.parse::<u8>().ok());
    let [red, green, blue] = [(); 3].map(|()| parts.next().flatten().map(i32::from));
    let (red, green, blue) = (red?, green?, blue?);
    let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
    let range = most - least;
    if range < 40 {
        return match most {
            0..64 => Some(None),
            64..192 => Some(Some("t7")),
            _ => None,
        };
    }
    // The hue, in degrees from red through green and blue.
    let hue = if most == red {
        60 * (green - blue) / range
    } else if most == green {
        120 + 60 * (blue - red) / range
    } else {
        240 + 60 * (red - green) / range
    };
    Some(Some(match hue.rem_euclid(360) {
        20..70 => "t3",
        70..160 => "t2",
        160..200 => "t6",
        200..260 => "t4",
        260..335 => "t5",
        _ => "t1",
    }))
}
