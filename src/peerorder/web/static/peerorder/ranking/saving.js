// Save a ranking as it is made, and say so. What could not be saved stays on this device until it is.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root || !root.dataset.save) return;
  const { content, load, describe, format, announce } = root.ranking;
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

  const setState = (text, kind = "") => {
    if (state.textContent !== text) state.textContent = text;
    state.dataset.kind = kind;
  };
  const setNews = (text, explains = false) => {
    if (news.textContent !== text) news.textContent = text;
    news.hidden = !text;
    explained = explains;
  };
  // In short in the bar, and why at the top of the page; after an attempt to hand in, both say that this failed.
  const explain = (onTop) => {
    const offline = problem === "offline";
    if (tried) tried = offline ? "online" : "saved-now";
    setState(format(!tried ? problem : offline ? "tryfirst" : "unhanded"), "bad");
    if (onTop) setNews(!tried ? why : offline ? format("tryfirst-why") : format("unhanded-why", { why }), true);
  };
  // It pushes away no other news than why something failed before.
  const fail = (name, values) => {
    problem = name;
    why = format(`${name}-why`, values);
    explain(news.hidden || explained);
  };

  function storeOnDevice() {
    try {
      localStorage.setItem(key, JSON.stringify({ client, number: number + 1, revision, content: content() }));
    } catch {
      // The device has no room; saving goes on without.
    }
  }

  function schedule(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(send, milliseconds);
  }

  root.addEventListener("ranked", () => {
    if (over) return;
    dirty = true;
    storeOnDevice();
    if (navigator.onLine) setState(format("saving"));
    schedule(WAIT);
  });

  // One at a time; returns whether everything is saved.
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
    if (done && dirty) schedule(WAIT);
    return done && !dirty;
  }

  async function post(keepalive) {
    number += 1;
    const said = content();
    const { notes, ...ranked } = said;
    const body = JSON.stringify({ revision, client, number, content: ranked, notes });
    let response;
    let answer = {};
    try {
      response = await fetch(root.dataset.save, {
        method: "POST", body, keepalive,
        headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
      });
      if ((response.headers.get("Content-Type") || "").includes("json")) answer = await response.json();
    } catch {
      fail("offline");
      retry();
      return false;
    }
    if (response.ok) {
      revision = answer.revision;
      wait = 1000;
      problem = why = "";
      dirty = JSON.stringify(content()) !== JSON.stringify(said);
      if (dirty) {
        storeOnDevice();
      } else {
        localStorage.removeItem(key);
        setState(format("saved", { time: answer.saved }), "good");
      }
      if (answer.papers !== Number(root.dataset.slots)) setNews(format("new"));
      else setNews(root.dataset.handedIn && !answer.handed_in ? format("again") : "");
      if (tried) setNews(format(tried));
      // Nothing calls for handing in again where nothing is new.
      document.getElementById("hand-in").classList.toggle("second", answer.handed_in);
      document.getElementById("handed-in")?.classList.toggle("hidden", !answer.handed_in);
      if (undo) undo.hidden = answer.handed_in;
      return true;
    }
    if (response.status === 409 && answer.late) {
      over = true;
      dirty = false;
      localStorage.removeItem(key);
      tried = "";
      setNews("");
      fail("late", { why: answer.why });
      for (const each of root.querySelectorAll(".while-open")) each.hidden = true;
    } else if (response.status === 409 && answer.content) {
      askWhichToKeep(said, { ...answer.content, notes: answer.notes }, answer.revision, answer.saved);
    } else if (response.status === 400 && answer.error) {
      setNews("");
      fail("refused", { why: answer.error });
    } else if (response.status === 429) {
      fail("later");
      retry(1000 * Number(response.headers.get("Retry-After")));
    } else if (response.status === 403 && answer.error) {
      // Perhaps not for ever: a course that was archived may be brought back.
      fail("stopped", { why: answer.error });
      retry();
    } else {
      fail(response.status === 403 ? "out" : "failed");
      retry();
    }
    return false;
  }

  function retry(atLeast = 0) {
    clearTimeout(timer);
    timer = setTimeout(send, Math.max(wait, atLeast));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
  addEventListener("online", () => {
    if (dirty) send();
    else if (tried) setNews(format(tried));
  });
  addEventListener("offline", () => { if (dirty) fail("offline"); });

  // Another page saved in between: show both rankings, and ask which to keep.
  function askWhichToKeep(mine, theirs, current, time) {
    const list = (said) => {
      const made = document.createElement("ul");
      for (const text of describe(said)) {
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
      storeOnDevice();
      send();
    };
    document.getElementById("keep-theirs").onclick = () => {
      dialog.close();
      revision = current;
      load(theirs);
      dirty = false;
      localStorage.removeItem(key);
      setState(format("saved", { time }), "good");
    };
    if (!dialog.open) dialog.showModal();
  }
  dialog.addEventListener("cancel", (event) => event.preventDefault());

  // A tab that is closed or left sends what it has, once: it is hidden first, and then goes.
  async function sendBeforeLeaving() {
    const now = JSON.stringify(content());
    if (!dirty || over || now === leaving) return;
    leaving = now;
    clearTimeout(timer);
    if ((await post(true)) && dirty) schedule(WAIT);
    leaving = "";
  }
  addEventListener("pagehide", sendBeforeLeaving);
  document.addEventListener("visibilitychange", () => { if (document.hidden) sendBeforeLeaving(); });
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
      announce(format("recovered"));
      setNews(format("recovered"));
      dirty = true;
      storeOnDevice();
      schedule(0);
    } else {
      askWhichToKeep(left.content, now, revision, root.dataset.saved);
    }
  }
})();
