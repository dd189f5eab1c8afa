
// The editor.

whenRead(() => {
  const form = find(".editor");
  if (!form) return;
  const { content, title, file, password, lang, expires } = form.elements;
  const [notice, refusal, size, kept, progress, encrypt, save] =
    ["#notice", "#refusal", "#size", "#kept", "#progress", "#encrypt", "#save"].map(find);
  const cancel = find("#cancel");
  const most = Number(form.dataset.most);
  const limit = size.textContent;
  const label = save.textContent;

  const inWords = (bytes) => {
    const [unit, name] = bytes < 1024 ? [1, bytes === 1 ? "byte" : "bytes"] : bytes < 1048576 ? [1024, "KiB"] : [1048576, "MiB"];
    return `${Math.ceil(bytes / unit * 10) / 10} ${name}`;
  };

  // Shows a notice above the text, with one action.
  const say = (sentence, label, action) => {
    notice.textContent = sentence;
    if (!label) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => { say(""); action(); content.focus(); });
    notice.append(" ", button);
  };

  if (password) showsTyped(password);
  // The files to be uploaded, and the name of the one whose text is in the form.
  let [held, added] = [[], ""];
  const showLanguage = searchesLanguages(lang);
  const showReaders = choosesReaders(form);
  const showOptions = showsOptions(form);
  const [showLifetime, offerLifetime] = takesAnyLifetime(expires);

  // A text that is one URL can be shortened instead.
  const { url } = find(".shorten form")?.elements ?? {};
  let isOffered = false;
  const offerLink = () => {
    const text = content.value.trim();
    const isUrl = !!url && !content.disabled && /^\S+$/.test(text) && URL.canParse(text) && !!new URL(text).host;
    if (isUrl === isOffered) return;
    isOffered = isUrl;
    find("#shorten-it").hidden = !isUrl;
  };
  find("#shorten-it")?.addEventListener("click", () => {
    url.value = content.value.trim();
    isSaved = true;
    forgetDraft();
    url.form.requestSubmit();
  });

  const measure = () => {
    // Each of several files has a head, and is filled up to a multiple of 512 bytes.
    const sizes = held.map((one) => 512 + Math.ceil(one.size / 512) * 512);
    const bytes = held.length > 1 ? sizes.reduce((sum, one) => sum + one, 1024)
      : file.files[0]?.size ?? new Blob([textIn(form.elements)]).size;
    const isTooLarge = bytes > most;
    size.textContent = bytes ? `${inWords(bytes)} of ${inWords(most)}.` : limit;
    size.classList.toggle("over", isTooLarge);
    const input = content.disabled ? file : content;
    input.setCustomValidity(isTooLarge ? `This is too large: ${inWords(bytes)}. The limit is ${inWords(most)}.` : "");
    if (bytes) loadReview();
    showLanguage();
    showLifetime();
    showReaders();
    showOptions();
  };

  // The module that looks for secrets before a save is loaded as soon as there is a text. If it fails, or takes too
  // long to load, the text is saved without it.
  let review;
  const loadReview = () => review ??= import(form.dataset.secrets).catch(() => { review = undefined; });
  const isAgreed = async () => {
    try {
      const late = new Promise((resolve) => { setTimeout(resolve, 5000); });
      const it = await Promise.race([loadReview(), late]);
      return !it || await it.review(form, () => showBusy(true, label));
    } catch {
      return true;
    }
  };

  // A draft is stored until it is saved. A copy of a paste and a change of one have drafts of their own.
  // A tab never overwrites the draft of another tab. A password is not stored.
  const action = form.getAttribute("action");
  const query = new URLSearchParams(location.search);
  const origin = action === home ? query.get("from") : action;
  const usualPlace = origin ? `draft:${origin}` : "draft";
  const names = ["content", "title", "lang", "expires", "readers", "burn"].filter((name) => form.elements[name]);
  let place = usualPlace;
  let known = null;
  let isSaved = false;
  const isChanged = () => [content, title].some((field) => field.value !== field.defaultValue);
  const draft = () => JSON.stringify(Object.fromEntries(names.map((name) => [name, form.elements[name].value])));
  const forgetDraft = () => {
    if (memory.get(place) === known) memory.forget(place);
    known = null;
  };
  // What only a change needs is a module of its own.
  const change = action === home ? undefined : import(form.dataset.change).catch(() => undefined);
  // A text that will be encrypted again is not stored as a draft.
  const keepsNone = action !== home && password;
  const keepDraft = () => {
    if (isSaved || keepsNone || encrypt?.checked) return;
    kept.textContent = "";
    if (!isChanged()) return forgetDraft();
    if (![null, known].includes(memory.get(place))) place = `${usualPlace} ${Date.now()}`;
    known = draft();
    if (memory.set(place, known)) return;
    // Otherwise an older draft would come back as if it were this text.
    memory.forget(place);
    known = null;
    kept.textContent = "Save before you leave: this browser has no space to store a draft.";
  };
  const fieldsOf = (text) => {
    try { return Object.entries(JSON.parse(text) ?? {}).filter(([name]) => names.includes(name)); } catch { return []; }
  };
  const restoreDraft = () => {
    const places = memory.names().filter((name) => name === usualPlace || name.startsWith(`${usualPlace} `)).sort();
    // A browser may have filled in the form already.
    const mine = isChanged() ? places.find((name) => memory.get(name) === draft()) : places.pop();
    if (!mine) return;
    [place, known] = [mine, memory.get(mine)];
    if (isChanged()) return;
    for (const [name, value] of fieldsOf(known)) {
      // A link that sets a field means it.
      if (query.has(name)) continue;
      if (name === "expires") offerLifetime(value);
      form.elements[name].value = value;
    }
    if (!isChanged()) return;
    say("Draft restored.", "Discard", () => {
      form.reset();
      forgetDraft();
      measure();
    });
  };
  let isTouched = false;
  let keeping;
  form.addEventListener("input", () => {
    isTouched = true;
    measure();
    offerLink();
    clearTimeout(keeping);
    keeping = setTimeout(keepDraft, 300);
  });
  addEventListener("pagehide", () => { if (isTouched) keepDraft(); });

  // Files: a text goes into the form. Binary data, and a text that the form would change, is uploaded unchanged instead.
  const textOf = async (chosen) => {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
      return /[\0\r\ufeff]/.test(text) ? null : text;
    } catch {
      return null;
    }
  };
  // Only a server that shows images has the element. An address of a blob would keep its file in memory.
  const thumbnail = find("#thumbnail");
  const showThumbnail = (chosen) => {
    if (!thumbnail) return;
    URL.revokeObjectURL(thumbnail.src);
    thumbnail.hidden = true;
    thumbnail.removeAttribute("src");
    if (/^image\/(png|jpeg|gif|webp|avif)$/.test(chosen?.type)) thumbnail.src = URL.createObjectURL(chosen);
  };
  thumbnail?.addEventListener("load", () => { thumbnail.hidden = false; });
  const leaveFile = () => {
    [held, added] = [[], ""];
    showThumbnail();
    file.value = "";
    file.setCustomValidity("");
    content.disabled = false;
    content.required = true;
    for (const one of document.querySelectorAll(".tabs")) one.remove();
    content.hidden = false;
    measure();
  };
  const put = (files) => {
    held = files;
    const all = new DataTransfer();
    held.forEach((one) => all.items.add(one));
    file.files = all.files;
    measure();
  };
  // Several files have tabs, by a module of their own.
  const openFiles = async (more) => {
    refuse(encrypt?.checked ? "An encrypted paste has one file." : "");
    if (encrypt?.checked) return leaveFile();
    const { open } = await import(form.dataset.files);
    open(form, more, { held, added, put, textOf, say, leaveFile });
  };
  const take = async (files) => {
    const chosen = files[0];
    if (held.length || files.length > 1 || (added && content.value)) return openFiles(files);
    leaveFile();
    if (chosen.size > most) return refuse(`${chosen.name} is too large: ${inWords(chosen.size)}. The limit is ${inWords(most)}.`);
    refuse("");
    const read = await textOf(chosen);
    if (read === null) {
      put([chosen]);
      // An encrypted paste can have both.
      content.disabled = !encrypt?.checked;
      content.required = content.disabled;
      showThumbnail(chosen);
      const isUnseen = !thumbnail && !encrypt?.checked && chosen.type.startsWith("image/") ? " This server shows no images: readers download it." : "";
      say(`${chosen.name} will be ${encrypt?.checked ? "encrypted" : "uploaded unchanged"}.${isUnseen}`, "Remove", leaveFile);
    } else {
      content.setRangeText(read, content.selectionEnd, content.selectionEnd, "end");
      if (content.value === read) added = chosen.name;
      title.value ||= chosen.name;
      say(`${chosen.name} was added to the text.`);
    }
    measure();
    keepDraft();
  };
  find("#add").addEventListener("click", () => openFiles());
  const carriesFiles = (data) => data?.types.includes("Files");
  file.addEventListener("change", () => { if (file.files.length) take([...file.files]); else leaveFile(); });
  content.addEventListener("paste", (event) => {
    if (!carriesFiles(event.clipboardData) || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    take([...event.clipboardData.files]);
  });
  for (const type of ["dragover", "drop", "dragleave"]) {
    addEventListener(type, (event) => {
      if (!carriesFiles(event.dataTransfer)) return;
      event.preventDefault();
      form.classList.toggle("drop", type === "dragover");
      if (type === "drop" && event.dataTransfer.files.length) take([...event.dataTransfer.files]);
    });
  }

  // Tab indents all selected lines. After Escape it moves the focus, for users of a keyboard.
  const indent = () => {
    const { value, selectionStart, selectionEnd } = content;
    const step = /^\t/m.test(value) ? "\t" : "    ";
    // Setting the value could not be undone.
    const insert = (text) => document.execCommand("insertText", false, text);
    if (!value.slice(selectionStart, selectionEnd).includes("\n")) return insert(step);
    const start = value.slice(0, selectionStart).lastIndexOf("\n") + 1;
    content.setSelectionRange(start, selectionEnd);
    insert(value.slice(start, selectionEnd).replace(/^(?=.)/gm, step));
    content.setSelectionRange(start, content.selectionEnd);
  };
  content.setAttribute("aria-describedby", "limits tab");
  let leaves = false;
  content.addEventListener("keydown", (event) => {
    const isTab = event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (isTab && !leaves) {
      event.preventDefault();
      indent();
      // Who wanted to leave the field reads how.
      if (!notice.textContent) say(find("#tab").textContent);
    }
    leaves = event.key === "Escape";
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (!["enter", "s"].includes(event.key.toLowerCase())) return;
    if (event.target.closest?.(".shorten")) return;
    event.preventDefault();
    if (!save.disabled) form.requestSubmit(save);
  });

  // Saves without leaving the page before it is done.
  const refuse = (sentence) => { refusal.textContent = sentence; };
  const showBusy = (busy, name = "Saving…") => {
    save.disabled = busy;
    save.textContent = busy ? name : label;
    progress.hidden = cancel.hidden = true;
  };
  const problemOf = (request) => {
    try { return JSON.parse(request.responseText); } catch { return { detail: `The server responded with status ${request.status}.` }; }
  };
  // Programs know a field by its name.
  const labelled = (sentence) => sentence.replace(/`(.*?)`/g, (_, name) => form.elements[name]?.labels?.[0]?.firstChild.data.trim() ?? name);
  // A login in another tab leaves the text here.
  const askForKey = () => {
    const link = document.createElement("a");
    [link.href, link.target, link.textContent] = [`${home}login`, "_blank", "Log in"];
    refuse("Not saved: a key is needed. ");
    refusal.append(link, " in a new tab, then save again.");
  };
  const send = async () => {
    const data = new FormData(form);
    // Text that was typed and not sent, because there is a file or it came later, stays a draft.
    const sent = content.disabled ? content.defaultValue : content.value;
    // As a file, because a browser changes the line ends of a field.
    if (!content.disabled) data.set("content", new Blob([textIn(form.elements)]), "");
    let fragment = "";
    if (encrypt?.checked) {
      try {
        fragment = `#${await (await loadSealing()).sealForm(form, data)}`;
      } catch {
        showBusy(false);
        return refuse("Not saved: this browser could not encrypt it. Reload the page, or try another browser.");
      }
      const { size: bytes } = data.get("content");
      if (bytes > most) {
        showBusy(false);
        return refuse(`Not saved: it has ${inWords(bytes)} once encrypted. The limit is ${inWords(most)}.`);
      }
    }
    // Empty fields are not sent: the server rejects them, because in other programs they are a mistake.
    for (const name of ["burn", "password"]) if (!data.get(name)) data.delete(name);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    // Only what takes longer than a second shows how far it is.
    const late = performance.now() + 1000;
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.hidden = cancel.hidden = performance.now() < late;
      progress.value = loaded / total;
    });
    cancel.onclick = () => request.abort();
    request.addEventListener("abort", () => {
      showBusy(false);
      refuse("Not saved: you cancelled it.");
      save.focus();
    });
    request.addEventListener("load", async () => {
      if (request.status === 200) {
        isSaved = content.value === sent;
        if (isSaved) forgetDraft();
        (await change)?.keepForUndo(form, request.getResponseHeader("ETag"));
        if (!fragment || form.elements.burn?.value) recent.note(form, request);
        location.assign(request.getResponseHeader("Location") + fragment);
      } else {
        showBusy(false);
        const { type, detail } = problemOf(request);
        if (/#(key-required|wrong-key)$/.test(type)) askForKey();
        else refuse(`Not saved. ${labelled(detail)}`);
      }
    });
    request.addEventListener("error", () => {
      showBusy(false);
      refuse("Not saved: the server cannot be reached. Try again in a moment.");
    });
    request.send(data);
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    refuse("");
    if (event.submitter?.hasAttribute("formaction")) return change.then(({ compare }) => compare(form, event.submitter)).catch(() => refuse("Not compared. Try again in a moment."));
    showBusy(true);
    keepDraft();
    if (!await isAgreed()) {
      showBusy(false);
      // The button loses the focus when it is disabled.
      if (document.activeElement === document.body) save.focus();
      return;
    }
    showBusy(true);
    send();
  });
  // A page that the browser restores from its history must be usable again.
  addEventListener("pageshow", () => {
    isSaved = isTouched = false;
    measure();
    showBusy(false);
  });

  // Encrypts in this browser. Such a text is not stored as a draft, and its link is in no list.
  let sealing;
  const loadSealing = () => sealing ??= import(form.dataset.sealing).catch((error) => { sealing = undefined; throw error; });
  if (encrypt) find(".readers").addEventListener("change", () => {
    if (held.length > 1 && encrypt.checked) {
      form.elements.readers.value = "link";
      return refuse("An encrypted paste has one file.");
    }
    if (file.files.length) content.disabled = !encrypt.checked;
    content.required = !file.files.length;
    if (!encrypt.checked) return;
    forgetDraft();
    loadSealing().catch(() => {});
  });
  // Until here, a save would send the text as it is, so the page offers no encryption.
  if (encrypt && crypto.subtle) {
    encrypt.disabled = false;
    encrypt.checked ||= "always" in encrypt.dataset;
  } else if (encrypt) {
    encrypt.checked = false;
    encrypt.parentElement.textContent = `Encrypting in this browser needs HTTPS.${"always" in encrypt.dataset ? " This will be saved unencrypted." : ""}`;
  }

  content.required = true;
  const { copy } = history.state ?? {};
  if (copy) history.replaceState(null, "");
  if (copy && encrypt && !encrypt.disabled) {
    encrypt.checked = true;
    loadSealing().then(({ fillForm }) => { fillForm(form, copy); content.required = !file.files.length; measure(); });
  } else {
    restoreDraft();
  }
  if (find("template")) openFiles(null);
  measure();
});
