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

// After a part of the page was renewed, tell those who cannot see it.
document.addEventListener("htmx:responseError", (event) => {
  const messages = document.getElementById("messages");
  if (messages) messages.innerHTML = event.detail.xhr.responseText.includes("<html") ? "" : event.detail.xhr.responseText;
});

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
