// Small things that every page may use. All pages work without it.
"use strict";

// <form data-confirm="Delete it?">, or a button of it: asks in a dialog before something that cannot be undone. A form with
// data-logout asks only if something on this device is not saved yet.
const ours = () => Object.keys(localStorage).filter((key) => key.startsWith("peerorder."));
const unsaved = () => ours().some((key) => key.startsWith("peerorder.unsaved."));
const confirmed = new WeakSet();
document.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  const question = button?.dataset.confirm || form.dataset.confirm || (unsaved() && form.dataset.logout);
  if (!question || confirmed.delete(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const dialog = document.getElementById("confirm-template").content.querySelector("dialog").cloneNode(true);
  const act = dialog.querySelector("[value=yes]");
  const own = button ?? form.querySelector("button:not([type=button])");
  dialog.querySelector("h2").textContent = question;
  act.append(...own.cloneNode(true).childNodes);
  act.classList.toggle("danger", own.classList.contains("danger"));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue !== "yes") return;
    confirmed.add(form);
    form.requestSubmit(button);
  });
  document.body.append(dialog);
  dialog.showModal();
}, true);

// <form data-unsaved="Lose them?"> asks once something in another form with data-guarded was changed.
document.querySelector("form[data-guarded]")?.addEventListener("input", () => {
  for (const form of document.querySelectorAll("form[data-unsaved]")) form.dataset.confirm = form.dataset.unsaved;
});

// On a phone the tab of this page may be out of sight.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const list = tab.closest("ul");
  list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
}

// <button data-copy="#id">: copies the text of an element to the clipboard, and says so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  await navigator.clipboard.writeText(source.value || source.textContent.trim());
  button.textContent = button.dataset.copied;
});

// <details> with a .menu: one is open at a time, and Escape or a click elsewhere closes it.
const MENUS = "details.who[open], details.row-menu[open]";
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(MENUS)) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.activeElement?.closest(MENUS);
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// <button data-fill="#id" value="6">: writes its value into a field, as if it were typed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill]");
  const field = button && document.querySelector(button.dataset.fill);
  if (!field) return;
  field.value = button.value;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
});

// <form data-download>: fetches the file that it asks for, then reloads the page, which shows what is new.
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
    // The browser still needs the file for a moment.
    const again = setTimeout(() => { URL.revokeObjectURL(link.href); location.reload(); }, 500);
    // Do not hold back people who leave the page.
    addEventListener("beforeunload", () => clearTimeout(again));
  } else {
    location.reload();
  }
});

// When a background job is done the page reloads; its messages stay.
const MESSAGES = "peerorder.messages";
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const messages = document.getElementById("messages");
  if (messages?.children.length && event.detail.xhr.getResponseHeader("HX-Refresh")) {
    sessionStorage.setItem(MESSAGES, JSON.stringify({ page: location.href, lines: messages.innerHTML }));
  }
});
const kept = JSON.parse(sessionStorage.getItem(MESSAGES) || "null");
sessionStorage.removeItem(MESSAGES);
if (kept?.page === location.href) document.getElementById("messages").insertAdjacentHTML("afterbegin", kept.lines);

// If a part of the page could not be renewed, show why.
document.addEventListener("htmx:responseError", (event) => {
  const messages = document.getElementById("messages");
  if (messages) messages.innerHTML = event.detail.xhr.responseText.includes("<html") ? "" : event.detail.xhr.responseText;
});

// <form data-draft="7">: its text is kept on this device until a page with data-draft-done says that it was handed in.
const draftForm = document.querySelector("form[data-draft]");
const draftText = draftForm && draftForm.querySelector("textarea[name=text]");
if (draftText) {
  const key = `peerorder.draft.${draftForm.dataset.draft}`;
  const draft = localStorage.getItem(key);
  if (draft && draftText.value === "") draftText.value = draft;
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

// .drop-zone: says which file was chosen, and shows where one can be dropped.
const SIZES = ["byte", "kilobyte", "megabyte"];
function sizeOf(file) {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log2(file.size || 1) / 10));
  const how = { style: "unit", unit: SIZES[step], maximumFractionDigits: step && 1, unitDisplay: step ? "short" : "long" };
  return new Intl.NumberFormat(document.documentElement.lang, how).format(file.size / 1024 ** step);
}
document.addEventListener("change", (event) => {
  const zone = event.target.closest(".drop-zone");
  if (!zone) return;
  const files = [...event.target.files].map((file) => `${file.name} (${sizeOf(file)})`);
  zone.querySelector(".drop-chosen").textContent = files.join(", ");
  zone.classList.toggle("has-file", files.length > 0);
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => event.target.closest?.(".drop-zone")?.classList.toggle("over", kind === "dragover"));
}

// .writing: tabs to write a text and to preview it.
document.addEventListener("click", (event) => {
  const chosen = event.target.closest(".writing [role=tab]");
  for (const tab of chosen?.parentNode.children ?? []) {
    tab.setAttribute("aria-selected", tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
});
document.addEventListener("keydown", (event) => {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key) || !event.target.matches(".writing [role=tab]")) return;
  const other = event.target.nextElementSibling ?? event.target.previousElementSibling;
  other.focus();
  other.click();
});

// <input type="file" data-most="…">: a file that would be refused is not sent. Its first bytes say what it is.
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
  const zone = field.closest(".drop-zone");
  zone.parentNode.querySelectorAll(".errorlist").forEach((each) => each.remove());
  field.setAttribute("aria-invalid", Boolean(wrong));
  if (!wrong) return;
  const line = document.createElement("p");
  line.className = "errorlist";
  line.setAttribute("role", "alert");
  line.textContent = wrong;
  zone.before(line);
});
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[type=file][data-most]");
  // A hidden field is not handed in.
  if (!field || !wrongFiles.get(field) || !field.checkVisibility()) return;
  event.preventDefault();
  showWrongFile(field);
});

// <form data-guess-time-zone>: a new course is more likely in the browser's time zone than in the server's.
const zones = document.querySelector("form[data-guess-time-zone] select[name=time_zone]");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zones && here) {
  // Some browsers give a zone by an old name, which is not among the options.
  if (![...zones.options].some((option) => option.value === here)) zones.add(new Option(here.replaceAll("_", " "), here));
  zones.value = here;
}

// <form data-logout="…">: what a person left on this device goes with them.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.logout === undefined) return;
  for (const key of ours()) localStorage.removeItem(key);
});
