// Save a ranking as it is made, and say so. What could not be saved stays on this device until it is.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root || !root.dataset.save) return;
  const { content, load, lines, fill, tell } = root.ranking;
  const form = document.getElementById("ranking");
  const state = document.getElementById("save-state");
  const news = document.getElementById("news");
  const dialog = document.getElementById("conflict");
  const undo = document.getElementById("undo");
  const client = root.dataset.client;
  const key = `peerorder.unsaved.${root.dataset.person}.${root.dataset.assignment}`;
  const WAIT = 800;
  const LONGEST_WAIT = 30000;

  let revision = Number(form.elements.revision.value);
  let number = 0;
  let dirty = false;
  let over = false;
  let timer = 0;
  let wait = 1000;
  let sending = null;
  let leaving = "";
  let problem = "";
  let why = "";
  let explained = false;
  let tried = "";

  const say = (text, kind = "") => {
    if (state.textContent !== text) state.textContent = text;
    state.dataset.kind = kind;
  };
  const hint = (text, explains = false) => {
    if (news.textContent !== text) news.textContent = text;
    news.hidden = !text;
    explained = explains;
  };
  // In short in the bar, and why on top of the page; who tried to hand in is told of that as well.
  const explain = (onTop) => {
    const offline = problem === "offline";
    if (tried) tried = offline ? "online" : "saved-now";
    say(fill(!tried ? problem : offline ? "tryfirst" : "unhanded"), "bad");
    if (onTop) hint(!tried ? why : offline ? fill("tryfirst-why") : fill("unhanded-why", { why }), true);
  };
  // It pushes away no other news than why something failed before.
  const fail = (name, values) => {
    problem = name;
    why = fill(`${name}-why`, values);
    explain(news.hidden || explained);
  };

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify({ client, number: number + 1, revision, content: content() }));
    } catch {
      // The device has no room; saving goes on without.
    }
  }

  function later(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(send, milliseconds);
  }

  root.addEventListener("ranked", () => {
    if (over) return;
    dirty = true;
    keep();
    if (navigator.onLine) say(fill("saving"));
    later(WAIT);
  });

  // One at a time; gives whether everything is saved.
  async function send() {
    clearTimeout(timer);
    if (sending) {
      await sending;
      return dirty && !over ? send() : !dirty;
    }
    if (!dirty || over) return !dirty;
    sending = post(false);
    const done = await sending;
    sending = null;
    if (done && dirty) later(WAIT);
    return done && !dirty;
  }

  async function post(keepalive) {
    number += 1;
    const said = content();
    const body = JSON.stringify({ revision, client, number, content: said });
    let answer;
    let found = {};
    try {
      answer = await fetch(root.dataset.save, {
        method: "POST", body, keepalive,
        headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
      });
      if ((answer.headers.get("Content-Type") || "").includes("json")) found = await answer.json();
    } catch {
      fail("offline");
      again();
      return false;
    }
    if (answer.ok) {
      revision = found.revision;
      wait = 1000;
      problem = why = "";
      dirty = JSON.stringify(content()) !== JSON.stringify(said);
      if (dirty) {
        keep();
      } else {
        localStorage.removeItem(key);
        say(fill("saved", { time: found.saved }), "good");
      }
      if (found.papers !== Number(root.dataset.slots)) hint(fill("new"));
      else hint(root.dataset.handedIn && !found.handed_in ? fill("again") : "");
      if (tried) hint(fill(tried));
      // Nothing calls for handing in again where nothing is new.
      document.getElementById("hand-in").classList.toggle("second", found.handed_in);
      document.getElementById("handed-in")?.classList.toggle("hidden", !found.handed_in);
      if (undo) undo.hidden = found.handed_in;
      return true;
    }
    if (answer.status === 409 && found.late) {
      over = true;
      dirty = false;
      localStorage.removeItem(key);
      tried = "";
      hint("");
      fail("late", { why: found.why });
      for (const each of root.querySelectorAll(".while-open")) each.hidden = true;
    } else if (answer.status === 409 && found.content) {
      choose(said, found.content, found.revision, found.saved);
    } else if (answer.status === 400 && found.error) {
      hint("");
      fail("refused", { why: found.error });
    } else if (answer.status === 429) {
      fail("later");
      again(1000 * Number(answer.headers.get("Retry-After")));
    } else if (answer.status === 403 && found.error) {
      // Perhaps not for ever: a course that was archived may be brought back.
      fail("stopped", { why: found.error });
      again();
    } else {
      fail(answer.status === 403 ? "out" : "failed");
      again();
    }
    return false;
  }

  function again(atLeast = 0) {
    clearTimeout(timer);
    timer = setTimeout(send, Math.max(wait, atLeast));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
  addEventListener("online", () => {
    if (dirty) send();
    else if (tried) hint(fill(tried));
  });
  addEventListener("offline", () => { if (dirty) fail("offline"); });

  // Two pages: show both, and ask.
  function choose(mine, theirs, current, time) {
    const list = (said) => {
      const made = document.createElement("ul");
      for (const text of lines(said)) {
        const line = document.createElement("li");
        line.textContent = text;
        made.append(line);
      }
      return made;
    };
    clearTimeout(timer);
    document.getElementById("conflict-mine").replaceChildren(list(mine));
    document.getElementById("conflict-theirs").replaceChildren(list(theirs));
    document.getElementById("keep-mine").onclick = () => {
      dialog.close();
      revision = current;
      load(mine);
      dirty = true;
      keep();
      send();
    };
    document.getElementById("keep-theirs").onclick = () => {
      dialog.close();
      revision = current;
      load(theirs);
      dirty = false;
      localStorage.removeItem(key);
      say(fill("saved", { time }), "good");
    };
    if (!dialog.open) dialog.showModal();
  }
  dialog.addEventListener("cancel", (event) => event.preventDefault());

  // A tab that is closed or left sends what it has, once: it is hidden first, and then goes.
  async function leave() {
    const now = JSON.stringify(content());
    if (!dirty || over || now === leaving) return;
    leaving = now;
    clearTimeout(timer);
    if ((await post(true)) && dirty) later(WAIT);
    leaving = "";
  }
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => { if (document.hidden) leave(); });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // Handing in is a plain form; first everything is saved, so that nothing is sent into the void.
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = document.getElementById("hand-in");
    if (button.disabled) return;
    button.disabled = true;
    if (!navigator.onLine || (dirty && !(await send()))) {
      button.disabled = false;
      if (!dialog.open && !over) {
        if (!navigator.onLine) problem = "offline";
        tried = "online";
        explain(true);
        news.focus();
      }
      return;
    }
    if (sending) await sending;
    form.elements.revision.value = revision;
    form.elements.number.value = number + 1;
    form.submit();
  });

  // What is to be undone is not sent any more.
  undo?.addEventListener("submit", () => {
    clearTimeout(timer);
    dirty = false;
    over = true;
    localStorage.removeItem(key);
  });

  // What an earlier page could not save.
  const left = JSON.parse(localStorage.getItem(key) || "null");
  if (left) {
    const now = content();
    const same = JSON.stringify(left.content) === JSON.stringify(now);
    const ours = left.client === root.dataset.lastClient;
    if (same || (ours && left.number <= Number(root.dataset.lastNumber))) {
      localStorage.removeItem(key);
    } else if (ours || left.revision === revision) {
      load(left.content);
      tell(fill("recovered"));
      hint(fill("recovered"));
      dirty = true;
      keep();
      later(0);
    } else {
      choose(left.content, now, revision, root.dataset.saved);
    }
  }
})();
