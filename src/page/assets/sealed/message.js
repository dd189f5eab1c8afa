"use strict";

// Messages of PrivateBin's format 2, which its programs read too. A text is encrypted before it is sent. The key is in
// the fragment of the paste's address, which browsers do not send.

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const ITERATIONS = 600_000;
const MOST_ITERATIONS = 10_000_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_STRUCTURE = 10_000;
// A few bytes can inflate to a thousand times as many at once, and the page reacts to its user only between two slices.
const SLICE = 16 * 1024;

// Its message is a sentence for the reader.
class Refusal extends Error {}

const toBytes = (text) => new TextEncoder().encode(text);

const fromBase64 = (base64) => {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
};

const toDataUrl = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result));
  reader.addEventListener("error", () => reject(new Refusal("The file cannot be read.")));
  reader.readAsDataURL(blob);
});

const toBase64 = async (bytes) => (await toDataUrl(new Blob([bytes]))).split(",")[1];

const toBase58 = (bytes) => {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number; number /= 58n) text = ALPHABET[number % 58n] + text;
  return text;
};

// Returns the key that a fragment starts with, or null if it is not a whole one. Some programs write `-` before the key
// of a paste that burns.
const keyOf = (fragment) => {
  const [, text] = /^#?-?([1-9A-HJ-NP-Za-km-z]{32,44})(?:&|$)/.exec(fragment) ?? [];
  if (!text) return null;
  const number = [...text].reduce((sum, char) => sum * 58n + BigInt(ALPHABET.indexOf(char)), 0n);
  const zeros = "00".repeat(/^1*/.exec(text)[0].length);
  const hex = number.toString(16);
  const bytes = (zeros + hex.padStart(hex.length + hex.length % 2, "0")).match(/../g);
  return bytes.length === 32 ? Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)) : null;
};

const cipherOf = async (key, password, adata) => {
  const [[iv, salt, iterations, , tagLength]] = adata;
  if (!(iterations <= MOST_ITERATIONS)) throw new Refusal("Not shown: decrypting it would take too long.");
  const secret = await crypto.subtle.importKey("raw", new Uint8Array([...key, ...toBytes(password)]), "PBKDF2", false, ["deriveKey"]);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt: fromBase64(salt), iterations };
  const derived = await crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return [{ name: "AES-GCM", iv: fromBase64(iv), additionalData: toBytes(JSON.stringify(adata)), tagLength }, derived];
};

// Returns the message and its key. No key starts with a zero byte, which some programs would drop.
const seal = async (plain, password, burns) => {
  const [key, iv, salt] = [32, 16, 8].map((length) => crypto.getRandomValues(new Uint8Array(length)));
  key[0] ||= 1;
  const spec = [await toBase64(iv), await toBase64(salt), ITERATIONS, 256, 128, "aes", "gcm", "zlib"];
  const adata = [spec, "plaintext", 0, burns ? 1 : 0];
  const deflated = new Blob([JSON.stringify(plain)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = await new Response(deflated).arrayBuffer();
  const ct = await toBase64(await crypto.subtle.encrypt(...await cipherOf(key, password, adata), bytes));
  return [`{"v":2,"adata":${JSON.stringify(adata)},"ct":"${ct}"}`, toBase58(key)];
};

const inflate = async (bytes) => {
  const slices = new ReadableStream({
    at: 0,
    pull(controller) {
      controller.enqueue(bytes.subarray(this.at, this.at += SLICE));
      if (this.at >= bytes.length) controller.close();
    },
  });
  const reader = slices.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (let part; !(part = await reader.read()).done; parts.push(part.value)) {
    size += part.value.length;
    if (size <= MOST_BYTES) continue;
    reader.cancel();
    throw new Refusal("Not shown: its content is larger than 64 MiB.");
  }
  return new Blob(parts);
};

// The characters between the strings of a JSON text. Parsing many lists or objects would block the page.
const structureOf = (json) => {
  let count = 0;
  for (let at = 0, end; ; at = end + 1) {
    const start = json.indexOf("\"", at);
    if (start < 0) return count + json.length - at;
    count += start - at;
    for (end = start + 1; json[end] !== "\"" && end < json.length; end += 1) if (json[end] === "\\") end += 1;
  }
};

// Parts other than the text are short.
const listOf = (value) => [value ?? []].flat().filter((item) => typeof item === "string").slice(0, 20);
const label = (value) => (typeof value === "string" ? value.slice(0, 250) : "");

// Returns the decrypted content, or null if the key or the password is wrong.
const unseal = async (message, key, password) => {
  const { adata, ct } = JSON.parse(message);
  const cipher = await cipherOf(key, password, adata);
  let bytes;
  try { bytes = await crypto.subtle.decrypt(...cipher, fromBase64(ct)); } catch { return null; }
  try {
    const plain = adata[0][7] === "zlib" ? await inflate(new Uint8Array(bytes)) : new Blob([bytes]);
    const json = await plain.text();
    if (!json.startsWith("{") || structureOf(json) > MOST_STRUCTURE) throw new SyntaxError();
    const { paste, title, lang, kind, attachment, attachment_name: names } = JSON.parse(json);
    const files = listOf(attachment).map((url, at) => ({ name: label(listOf(names)[at]) || "attachment", url }));
    return { text: typeof paste === "string" ? paste : "", title: label(title), lang: label(lang), kind: label(kind ?? lang), files };
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal("Not shown: the decrypted content is damaged.");
  }
};

const bytesOf = ({ url }) => fromBase64(url.split(",")[1]);

// Replaces the fields of a form by their encrypted message, and returns the key.
export const sealForm = async ({ elements: { content, ends, title, lang, file, password, burn } }, data) => {
  const plain = { paste: content.disabled ? "" : textIn({ content, ends }) };
  // Programs ignore these.
  if (title.value) plain.title = title.value;
  if (lang.value) [plain.lang, plain.kind] = [lang.value, lang.selectedOptions[0].text];
  const chosen = file.files[0];
  if (chosen) [plain.attachment, plain.attachment_name] = [await toDataUrl(chosen), chosen.name];
  const [message, key] = await seal(plain, password.value, burn.value !== "");
  for (const name of ["file", "title", "lang", "password", "ends", "readers"]) data.delete(name);
  data.set("content", new Blob([message]), "");
  return key;
};

// Fills a form with a copy of a decrypted paste.
export const fillForm = (form, copy) => {
  const { content, title, lang, file } = form.elements;
  const isWindows = copy.text.includes("\r") && !/\r(?!\n)|(?<!\r)\n/.test(copy.text);
  if (isWindows) form.append(make("input", { type: "hidden", name: "ends", value: "crlf" }));
  [content.value, title.value, lang.value] = [copy.text, copy.title, copy.lang];
  const transfer = new DataTransfer();
  for (const one of copy.files.slice(0, 1)) transfer.items.add(new File([bytesOf(one)], one.name));
  file.files = transfer.files;
};
