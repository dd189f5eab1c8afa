// Encrypts an answer for the person who asked. The format is in `docs/clients.md`.

const LABEL = new TextEncoder().encode("tidebin answer 1");
const GCM = { name: "AES-GCM", iv: new Uint8Array(12) }; // Each key encrypts one answer.
// Before the 32 bytes of a secret key, in the one format of these that browsers read.
const PKCS8 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32];

const toLink = (key) => btoa(String.fromCharCode(...key)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
const fromLink = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const pairOf = async (secret = crypto.getRandomValues(new Uint8Array(32))) => {
  const key = await crypto.subtle.importKey("pkcs8", Uint8Array.of(...PKCS8, ...secret), "X25519", true, ["deriveBits"]);
  return { secret, key, open: fromLink((await crypto.subtle.exportKey("jwk", key)).x) };
};

// Refuses what is no key, or one of low order, with which everyone knows what is shared.
const cipherOf = async (mine, theirs, asker, sender) => {
  const other = await crypto.subtle.importKey("raw", theirs, "X25519", false, []);
  const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: other }, mine, 256));
  if (shared.every((byte) => byte === 0)) throw new Error("low order");
  const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: Uint8Array.of(...asker, ...sender), info: LABEL };
  return crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
};
const sealFor = async (asker, bytes) => {
  const { key, open } = await pairOf();
  return new Blob([open, await crypto.subtle.encrypt(GCM, await cipherOf(key, asker, asker, open), bytes)]);
};
const unsealWith = async ({ key, open }, message) => {
  const sender = message.slice(0, 32);
  return crypto.subtle.decrypt(GCM, await cipherOf(key, sender, open, sender), message.slice(32));
};

// Its message is a sentence for the reader.
class Refusal extends Error {}

const tell = (sentence) => { [find("#state").textContent, find("#state").hidden] = [sentence, !sentence]; };
const show = (selector) => { find(selector).hidden = false; };
const sends = async (...request) => {
  const response = await fetch(...request).catch(() => { throw new Refusal("The server cannot be reached. Try again in a moment."); });
  if (!response.ok) throw new Refusal((await response.json()).detail);
  return response;
};
const tries = async (otherwise, work) => {
  try { await work(); } catch (error) {
    tell(error instanceof Refusal ? error.message : error.name === "NotSupportedError" ? "This needs a newer browser." : otherwise);
  }
};
const onSubmit = (form, otherwise, work) => form.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.disabled = true;
  await tries(otherwise, work);
  event.submitter.disabled = false;
});

const ask = async () => {
  const { secret } = await pairOf();
  const request = { method: "POST", body: new FormData(find("#ask")), headers: { Accept: "application/json" } };
  const path = (await sends(home, request)).headers.get("Location");
  memory.set(`ask:${path.slice(home.length).split("?")[0]}`, toLink(secret));
  location.assign(`${path}#key=${toLink(secret)}`);
};

const answer = async (id, asker) => {
  await sends(`${home}api/v1/pastes/${id}/answer`, { method: "POST", body: await sealFor(asker, new TextEncoder().encode(find("#text").value)) });
  find("#send").hidden = true;
  tell("Sent. Only the person who asked can read it.");
};

const read = async (pair, { source, method, after }) => {
  const content = new Uint8Array(await (await sends(source, { method, headers: { Accept: "application/json" } })).arrayBuffer());
  const text = new TextDecoder().decode(await unsealWith(pair, content.slice(content.indexOf(10) + 1)));
  find("#answer").textContent = text;
  copiesOnClick(find("#copy-text"), () => [text, !text.includes("\0")]);
  find("#read").hidden = true;
  show("#answered");
  tell(after);
};

const NOT_WHOLE = "This link is not whole, or was changed: it has to end with # and a key. Ask for it again.";
const open = async ({ id, ...answered }) => {
  const [, kind, key] = /^#(to|key)=([\w-]{43})$/.exec(location.hash) ?? [];
  const secret = kind === "key" ? key : memory.get(`ask:${id}`);
  if (!secret && answered.source) throw new Refusal("This question was answered already.");
  if (!secret) {
    // A key that cannot be used is noticed now.
    await sealFor(fromLink(key), new Uint8Array(1));
    onSubmit(find("#send"), NOT_WHOLE, () => answer(id, fromLink(key)));
    return show("#send");
  }
  const pair = await pairOf(fromLink(secret));
  if (!answered.source) {
    find("#link").value = `${location.origin}${location.pathname}#to=${toLink(pair.open)}`;
    find("#keep").href = `${location.origin}${location.pathname}#key=${secret}`;
    tell("Not answered yet.");
    return show("#asker");
  }
  const reads = ["This answer cannot be decrypted. The link is not the right one, or the answer was changed.", () => read(pair, answered)];
  onSubmit(find("#read"), ...reads);
  if (answered.method === "POST") return show("#read");
  return tries(...reads);
};

if (!globalThis.crypto?.subtle) tell("This needs HTTPS, which this page does not use.");
else if (find("#ask")) {
  onSubmit(find("#ask"), "Not asked.", ask);
  // `pb ask` leads here.
  find("#question").value ||= decodeURIComponent(location.hash.slice(1));
} else {
  addEventListener("hashchange", () => location.reload());
  tries(NOT_WHOLE, () => open(find("[data-id]").dataset));
}
