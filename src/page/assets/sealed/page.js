
// The page of an encrypted paste.

// As on other pages: more makes browsers slow.
const MOST_LINES = 20_000;
const MOST_CHARS = 1024 * 1024;
// A browser lays out a line of mixed directions in the square of its length.
const PIECE = /[^]{1,2048}/gu;

const UNSAFE = /(?![\t\n\u061c\u200c-\u200f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]/gu;
const visible = (text) => text.replace(UNSAFE, (char) => {
  const code = char.codePointAt(0);
  return code < 32 ? String.fromCodePoint(0x2400 + code) : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
});

const ends = (text) => {
  const ends = [];
  for (let end = 0; end < text.length && end < MOST_CHARS && ends.length < MOST_LINES;) {
    end = text.indexOf("\n", end) + 1 || text.length;
    ends.push(Math.min(end, MOST_CHARS));
  }
  return ends;
};

// Adds the lines a thousand at a time, so that the page reacts to its user.
const showLines = async (listing, text) => {
  const [code, block, line] = [listing.querySelector("code"), ...["block", ""].map((className) => Object.assign(document.createElement("span"), { className }))];
  const lines = ends(text);
  listing.classList.add(`w${`${lines.length}`.length}`);
  let start = 0;
  for (const [at, end] of lines.entries()) {
    const one = line.cloneNode();
    [one.id, one.dataset.n] = [`L${at + 1}`, at + 1];
    // Three clicks select a line with its line feed. A secret is often one line.
    const words = text.slice(start, end).replace(/\r?\n$/, lines.length > 1 ? "\n" : "");
    if (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(words)) one.dir = "auto";
    const pieces = visible(words).match(PIECE) ?? [""];
    one.append(...pieces.length === 1 ? pieces : pieces.map((piece) => Object.assign(document.createElement("div"), { textContent: piece })));
    if (at % 100 === 0) code.append(block.cloneNode());
    code.lastChild.append(one);
    hang([one]);
    start = end;
    if (at % 1000 === 999) await new Promise((next) => { setTimeout(next); });
  }
  return start === text.length;
};

// A link that saves bytes. Their type is one that no browser opens.
const saves = (link, name, bytes, tell) => {
  link.download = name;
  link.addEventListener("click", (event) => {
    try {
      link.href = URL.createObjectURL(new Blob([bytes()], { type: "application/octet-stream" }));
    } catch {
      event.preventDefault();
      tell("Not saved: the file is damaged.");
    }
  });
};

const show = async (content, tell) => {
  const { text, title, kind, files } = content;
  if (title) {
    const [heading, named] = [find(".title bdi"), visible(title)];
    document.title = document.title.replace(heading.textContent, () => named);
    heading.textContent = named;
  }
  if (kind) find(".name").append(Object.assign(document.createElement("span"), { textContent: visible(kind) }));
  for (const file of files) {
    const link = Object.assign(document.createElement("a"), { href: "", className: "quiet", textContent: visible(file.name) });
    saves(link, file.name, () => bytesOf(file), tell);
    find("#files").append(" ", link);
  }
  saves(find("#save"), title || `${location.pathname.split("/").pop()}.txt`, () => text, tell);
  copiesOnClick(find("#copy-text"), () => [text, !text.includes("\0")]);
  // The editor takes it from the state of its address, which a reload keeps.
  find("#clone").addEventListener("click", (event) => {
    event.preventDefault();
    try {
      history.pushState({ copy: content }, "", home);
      location.reload();
    } catch {
      tell("Not cloned: the paste is too large for this browser.");
    }
  });
  const isThere = { text, files: files.length, all: true };
  for (const part of document.querySelectorAll("[data-part]")) part.hidden = !isThere[part.dataset.part];
  const isWhole = await showLines(find(".listing"), text);
  if (!isWhole) tell("This is the first part of the text. Copy and Download take all of it.");
  // Marks the lines that the address names.
  dispatchEvent(new Event("hashchange"));
};

// The server would make the code of a link without its key.
const showsCode = (code) => {
  for (const button of document.querySelectorAll("[popovertarget=qr]")) button.hidden = false;
  code.addEventListener("beforetoggle", async () => {
    find("#menu").hidePopover();
    (await import(code.dataset.module)).draw(code);
  });
};

const start = ({ dataset: { source, method, after } }) => {
  const [state, form, field, password, button] =
    ["#state", "#unlock", "#unlock .field", "#password", "#unlock button"].map(find);
  const [, fragment] = /^#-?([^&]*)/.exec(location.hash) ?? [];
  const key = keyOf(location.hash);
  const tell = (sentence) => {
    state.textContent = sentence;
    state.hidden = !sentence;
  };
  let message;
  const load = async () => {
    const response = await fetch(source, { method, headers: { Accept: "application/json" } });
    if (response.ok) return response.text();
    const { detail } = await response.json();
    throw new Refusal(detail);
  };
  // Without a password first, because a message does not tell whether it has one. Once it is loaded, it stays here.
  const open = async () => {
    const isFirst = !message;
    try { message ??= await load(); } catch (error) {
      form.hidden = false;
      throw error instanceof Refusal ? error : new Refusal("The server cannot be reached. Try again in a moment.");
    }
    form.hidden = true;
    const content = await unseal(message, key, password.value);
    if (content) {
      tell(after);
      return show(content, tell);
    }
    [form.hidden, field.hidden] = [false, false];
    tell(isFirst ? "Enter the password of this paste. If it has none, its link is not the right one, or it was changed."
      : "The password is wrong.");
    password.ariaInvalid = String(!isFirst);
    password.select();
  };
  const tries = async (event) => {
    event?.preventDefault();
    button.disabled = true;
    if (!form.hidden && message) tell("Decrypting…");
    try { await open(); } catch (error) { tell(error instanceof Refusal ? error.message : "Not shown: the paste is damaged."); }
    button.disabled = false;
  };
  addEventListener("hashchange", () => {
    if (!message && !location.hash.startsWith(`#${fragment}`)) location.reload();
  });
  if (!globalThis.crypto?.subtle) return tell("Decrypting it needs HTTPS, which this page does not use. Or use a PrivateBin client.");
  if (!key) return tell("The link is incomplete or damaged: it has to end with # and the key of this paste. Ask its author for the whole link.");
  find("#copy-link").dataset.link += `#${fragment}`;
  if (find("#link")) find("#link").value += `#${fragment}`;
  for (const link of document.querySelectorAll(".paper, #qr p")) link.textContent += `#${fragment}`;
  showsCode(find("#qr"));
  form.addEventListener("submit", tries);
  // The author leaves the views to others.
  if (method === "POST") form.hidden = !!find(".saved");
  else tries();
};

const sealed = find("[data-source]");
if (sealed) start(sealed);
