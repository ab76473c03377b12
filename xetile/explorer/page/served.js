// A served page: its first pane can be edited, what is typed is compiled by the server, and so is each change of the file.
(function (X) {
  "use strict";

  const PAUSE = 400;
  const LINE = 18;

  let root = null;
  let editor = null;
  let number = 0;
  let waiting = 0;
  let timer = null;

  const made = (name, host, properties) => {
    const node = Object.assign(document.createElement(name), properties);
    host.append(node);
    return node;
  };
  const here = (place) => new URL(place, location.href.split("#")[0]);
  const source = () => X.main.panes.kernel.levels[0];
  const isOpen = () => editor !== null && editor.box.isConnected;

  // ---- what the server tells ----

  function start(opened) {
    root = opened;
    const events = new EventSource(here("events"));
    events.addEventListener("begun", () => X.status("compiling"));
    events.addEventListener("made", (event) => arrived(JSON.parse(event.data)));
    events.addEventListener("refused", (event) => refused(JSON.parse(event.data)));
    events.onerror = () => {
      stale(true);
      X.status("the server is gone: this is what it showed last");
    };
    events.onopen = () => X.status("follows the file; e edits the source");
    const button = made("button", document.getElementById("head"), { id: "edit", textContent: "edit", title: "edit the source (e); it is compiled, and written nowhere" });
    button.addEventListener("click", edit);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
      event.preventDefault();
      edit();
    });
  }

  const stale = (is) => document.body.classList.toggle("stale", is);

  function arrived({ origin, number: of, explorations, remarks }) {
    if (origin === "page" && of < waiting) return;
    if (origin === "file" && isOpen() && editor.draft) return X.status("the file changed; Esc drops what you typed and shows it");
    root = { explorations };
    reopen();
    stale(false);
    X.status(remarks.length ? remarks.join("; ") : origin === "page" ? "compiled what you typed; the file is as it was" : "the file changed");
  }

  /** Shows the model in place; the editor, with what is typed and the caret, stays. */
  function reopen() {
    const kept = isOpen() ? editor : null;
    const active = kept && document.activeElement === kept.text;
    const scroll = kept ? [kept.text.scrollTop, kept.text.scrollLeft] : null;
    X.main.open(root);
    if (!kept) return;
    place(kept);
    wrong(null);
    [kept.text.scrollTop, kept.text.scrollLeft] = scroll;
    if (active) kept.text.focus({ preventScroll: true });
  }

  function refused({ origin, number: of, error }) {
    if (origin === "page" && of < waiting) return;
    stale(true);
    X.status(error.text.split("\n")[0]);
    if (origin === "file" && !isOpen()) return;
    wrong(error);
  }

  // ---- the editor ----

  function edit() {
    if (isOpen()) return close();
    const box = document.createElement("div");
    box.className = "editor";
    const text = made("textarea", box, { value: source().lines.join("\n"), spellcheck: false, wrap: "off" });
    text.setAttribute("aria-label", "source; Esc leaves it");
    const note = made("pre", box, { className: "editor-wrong", hidden: true });
    note.setAttribute("role", "alert");
    editor = { box, text, note, draft: false };
    text.addEventListener("input", typed);
    text.addEventListener("scroll", () => editor.error && mark(editor.error));
    text.addEventListener("keydown", key);
    place(editor);
    text.focus();
    text.setSelectionRange(0, 0);
  }

  /** Puts the editor over the lines of the first pane. */
  function place({ box }) {
    document.querySelector(".pane").append(box);
  }

  function key(event) {
    event.stopPropagation();
    if (event.key === "Escape") close();
    if (event.key !== "Tab" || event.shiftKey) return;
    event.preventDefault();
    event.target.setRangeText("  ", event.target.selectionStart, event.target.selectionEnd, "end");
    typed();
  }

  function close() {
    const dropped = editor.draft;
    editor.box.remove();
    clearTimeout(timer);
    if (dropped) location.reload();
  }

  function typed() {
    editor.draft = true;
    clearTimeout(timer);
    timer = setTimeout(send, PAUSE);
  }

  async function send() {
    waiting = ++number;
    try {
      const headers = { "Content-Type": "text/x-mlir" };
      const answer = await fetch(here(`source?${number}`), { method: "POST", headers, body: editor.text.value });
      if (!answer.ok) X.status("the server does not take this source: it is too large");
    } catch {
      X.status("the server is gone");
    }
  }

  function wrong(error) {
    if (!isOpen()) return;
    editor.error = error;
    editor.note.hidden = error === null;
    if (error) mark(error);
  }

  /** The caret below the column that is wrong, with what is wrong; without a place at the top. */
  function mark({ line, column, message }) {
    const { note, text } = editor;
    note.textContent = line ? `^ ${message}` : message;
    note.style.top = `${(line || 0) * LINE - text.scrollTop}px`;
    note.style.left = `calc(${(column || 1) - 1}ch + 4px - ${text.scrollLeft}px)`;
  }

  /** What the server tells of a layout that is typed: bases, a plan, or what is wrong. */
  async function layout(question) {
    try {
      const headers = { "Content-Type": "text/x-mlir" };
      const answer = await fetch(here("layout"), { method: "POST", headers, body: JSON.stringify(question) });
      return answer.ok ? await answer.json() : { error: "the server does not take this layout: it is too large" };
    } catch {
      return { error: "the server is gone" };
    }
  }

  X.served = { start, layout };
})((window.X = window.X || {}));
