//! Encrypted messages that another program made to harm the browser of a reader.

use super::{KEY, LINES, MESSAGE};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit};

/// Saves these parts as another program does, and returns the URL.
const FOREIGN: &str = "(async () => {
    const [key, iv, salt] = [32, 16, 8].map(length => new Uint8Array(length).fill(1));
    const base64 = bytes => btoa(Array.from(new Uint8Array(bytes), byte => String.fromCharCode(byte)).join(''));
    const adata = [[base64(iv), base64(salt), 10000, 256, 128, 'aes', 'gcm', 'zlib'], 'plaintext', 0, 0];
    const secret = await crypto.subtle.importKey('raw', key, 'PBKDF2', false, ['deriveKey']);
    const derived = await crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 10000 },
        secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt']);
    const deflated = new Blob(PARTS).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const additionalData = new TextEncoder().encode(JSON.stringify(adata));
    const ct = base64(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, derived,
        await new Response(deflated).arrayBuffer()));
    const saved = await fetch('/', { method: 'PUT', body: JSON.stringify({ v: 2, adata, ct }) });
    return (await saved.text()).trim();
})()";

/// Opens a paste of [`FOREIGN`].
fn open_foreign(visitor: &Visitor, parts: &str) {
    visitor.open("/help");
    let url = visitor.awaited(&FOREIGN.replace("PARTS", parts));
    visitor.open_url(&format!("{}#{KEY}", url.as_str().unwrap()));
}

#[test]
#[ignore = "needs chromium"]
fn a_hostile_message_is_shown_as_text_or_refused_with_a_sentence() {
    visit(On, |visitor| {
        open_foreign(
            visitor,
            "[JSON.stringify({ paste: '</code><script>alert(1)</script>\\u202e', title: '<img src=x onerror=alert(1)>', \
             lang: '<b>', attachment: ['data:text/html,%3Cscript%3Ealert(1)', 7, 'data:text/html;base64,PGI+'], \
             attachment_name: ['../../mine<br>', '/\\n'], discussion: {} })]",
        );
        visitor.finds(LINES, "</code><script>alert(1)</script>[U+202E]");
        visitor.shows(".title", "<img src=x onerror=alert(1)>");
        visitor.finds(
            "document.querySelectorAll('main :is(script, img, b, br)').length",
            0,
        );
        visitor.shows("#files a", "../../mine<br>");
        visitor.click("#files a");
        visitor.tells("#state", "Not saved: the file is damaged.");
        for (parts, sentence) in [
            (
                "Array(65).fill(new Uint8Array(1048576))",
                "larger than 64 MiB",
            ),
            ("['{\"paste\"']", "the decrypted content is damaged"),
            ("['[1]']", "the decrypted content is damaged"),
            (
                "[JSON.stringify({ paste: 'x', attachment: Array(100000).fill('') })]",
                "the decrypted content is damaged",
            ),
            (
                "['{\"z\":', '['.repeat(1e7)]",
                "the decrypted content is damaged",
            ),
            ("['null']", "the decrypted content is damaged"),
        ] {
            open_foreign(visitor, parts);
            visitor.tells("#state", sentence);
        }
        // Long parts are cut, and a line of mixed directions is laid out in pieces
        open_foreign(
            visitor,
            "[JSON.stringify({ title: '\\u202e'.repeat(1e6), paste: 'a \\u05d0 '.repeat(1e5) })]",
        );
        visitor.finds("document.querySelectorAll('#L1 div').length", 196);
        visitor.finds("document.querySelector('.title').textContent.length", 2000);
        // A key that is whole, and not the right one
        let path = visitor.server.save(MESSAGE).path;
        visitor.open(&format!("{path}#{KEY}"));
        visitor.tells("#state", "If it has none, its link is not the right one");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_large_text_is_shown_in_part_and_copied_whole() {
    visit(On, |visitor| {
        open_foreign(visitor, "[JSON.stringify({ paste: 'x '.repeat(524288) })]");
        visitor.finds(
            "document.querySelector('.listing code').textContent.length",
            1_048_576,
        );
        open_foreign(
            visitor,
            "[JSON.stringify({ paste: 'y\\n'.repeat(3000000) })]",
        );
        visitor.tells("#state", "This is the first part of the text.");
        visitor.finds("document.querySelectorAll('.listing [id]').length", 20_000);
        visitor.click("#copy-text");
        visitor.shows("#copy-text", "Copied");
        let copied = visitor.awaited("navigator.clipboard.readText().then(text => text.length)");
        assert_eq!(copied, 6_000_000);
    });
}
