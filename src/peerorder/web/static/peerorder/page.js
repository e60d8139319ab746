// Small things that every page may use. All pages work without.
"use strict";

// <form data-confirm="Really?">: asks before something that cannot be taken back.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  const question = (button && button.dataset.confirm) || event.target.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);

// <button data-copy="#id">: puts the text of an element on the clipboard, and says so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  await navigator.clipboard.writeText(source.value || source.textContent.trim());
  button.textContent = button.dataset.copied;
});

// <button data-fill="#id" value="6">: writes its value into a field, as if it were typed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill]");
  const field = button && document.querySelector(button.dataset.fill);
  if (!field) return;
  field.value = button.value;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
});

// <form data-download>: fetches the file that it asks for, then loads the page again, which tells what is new.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.dataset.download === undefined || event.defaultPrevented) return;
  event.preventDefault();
  const sent = new FormData(form, event.submitter);
  const answer = await fetch(form.action, { method: "POST", body: sent }).catch(() => null);
  const name = /filename="([^"]+)"/.exec(answer?.headers.get("Content-Disposition") || "");
  if (answer?.ok && name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name[1];
    document.body.append(link);
    link.click();
    link.remove();
    // The browser needs the file a moment longer.
    const again = setTimeout(() => { URL.revokeObjectURL(link.href); location.reload(); }, 500);
    // Whoever goes elsewhere meanwhile is not held back.
    addEventListener("beforeunload", () => clearTimeout(again));
  } else {
    location.reload();
  }
});

// Where work in the background is done the page loads itself again; what it told stays to be read.
const TOLD = "peerorder.told";
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const told = document.getElementById("messages");
  if (told?.children.length && event.detail.xhr.getResponseHeader("HX-Refresh")) {
    sessionStorage.setItem(TOLD, JSON.stringify({ page: location.href, lines: told.innerHTML }));
  }
});
const told = JSON.parse(sessionStorage.getItem(TOLD) || "null");
sessionStorage.removeItem(TOLD);
if (told?.page === location.href) document.getElementById("messages").insertAdjacentHTML("afterbegin", told.lines);

// After a part of the page was renewed, tell those who cannot see it.
document.addEventListener("htmx:responseError", (event) => {
  const messages = document.getElementById("messages");
  if (messages) messages.innerHTML = event.detail.xhr.responseText.includes("<html") ? "" : event.detail.xhr.responseText;
});

// <form data-draft="7">: what is typed in its text stays on this device until it was sent and the page with data-draft-done
// says that it was handed in.
const draftForm = document.querySelector("form[data-draft]");
const draftText = draftForm && draftForm.querySelector("textarea[name=text]");
if (draftText) {
  const key = `peerorder.draft.${draftForm.dataset.draft}`;
  const kept = localStorage.getItem(key);
  if (kept && draftText.value === "") draftText.value = kept;
  draftText.addEventListener("input", () => {
    if (draftText.value) localStorage.setItem(key, draftText.value);
    else localStorage.removeItem(key);
  });
  draftForm.addEventListener("submit", () => sessionStorage.setItem("peerorder.sent", key));
}
const sentDraft = document.querySelector("[data-draft-done]") && sessionStorage.getItem("peerorder.sent");
if (sentDraft) {
  localStorage.removeItem(sentDraft);
  sessionStorage.removeItem("peerorder.sent");
}

// <input type="file" data-most="…">: a file that cannot be accepted is not sent at all. The first bytes tell what it is.
const BEGINNINGS = {
  "application/pdf": /^(\xef\xbb\xbf)?\s*%PDF-/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/png": /^\x89PNG\r\n\x1a\n/,
  "image/webp": /^RIFF[^]{4}WEBP/,
};
const wrongFiles = new WeakMap();
async function whatIsWrong(field) {
  const [file] = field.files;
  if (!file) return "";
  if (!file.size) return field.dataset.empty;
  if (file.size > Number(field.dataset.most)) return field.dataset.tooLarge;
  const beginning = String.fromCharCode(...new Uint8Array(await file.slice(0, 1024).arrayBuffer()));
  return field.accept.split(",").some((type) => BEGINNINGS[type].test(beginning)) ? "" : field.dataset.otherType;
}
function showWrongFile(field) {
  const summary = document.getElementById("problems")
    ?? document.getElementById("problems-template").content.cloneNode(true).firstElementChild;
  const line = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${field.id}`;
  link.textContent = wrongFiles.get(field);
  line.append(link);
  summary.querySelector("ul").replaceChildren(line);
  document.querySelector("main h1").after(summary);
  summary.focus();
}
document.addEventListener("change", async (event) => {
  const field = event.target;
  if (!field.matches("input[type=file][data-most]")) return;
  const wrong = await whatIsWrong(field).catch(() => "");
  wrongFiles.set(field, wrong);
  field.parentNode.querySelectorAll(".errorlist").forEach((each) => each.remove());
  field.setAttribute("aria-invalid", Boolean(wrong));
  if (!wrong) return;
  const line = document.createElement("p");
  line.className = "errorlist";
  line.setAttribute("role", "alert");
  line.textContent = wrong;
  field.before(line);
});
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[type=file][data-most]");
  // One that is hidden is not what is handed in.
  if (!field || !wrongFiles.get(field) || !field.checkVisibility()) return;
  event.preventDefault();
  showWrongFile(field);
});

// <form data-guess-time-zone>: a new course is rather where its maker is than where the server is.
const zones = document.querySelector("form[data-guess-time-zone] select[name=time_zone]");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zones && here) {
  // Browsers know some zones by an old name, which is not among those to choose from.
  if (![...zones.options].some((option) => option.value === here)) zones.add(new Option(here.replaceAll("_", " "), here));
  zones.value = here;
}

// <form data-logout="…">: what a person left on this device goes with them; asks first if some of it is not saved yet.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.logout;
  if (question === undefined) return;
  const ours = Object.keys(localStorage).filter((key) => key.startsWith("peerorder."));
  if (ours.some((key) => key.startsWith("peerorder.unsaved.")) && !window.confirm(question)) {
    event.preventDefault();
    return;
  }
  for (const key of ours) localStorage.removeItem(key);
});
