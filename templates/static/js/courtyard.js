// What pages gain from JavaScript beside htmx. All of them work without it.

// The scroll trigger may fire twice: no card comes twice, and an answer whose place is gone goes nowhere.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, serverResponse } = event.detail;
  if (!target.classList.contains("older")) return;
  if (!target.isConnected) {
    event.detail.shouldSwap = false;
    return;
  }
  const fragment = document.createElement("template");
  fragment.innerHTML = serverResponse;
  for (const card of fragment.content.querySelectorAll("article[id]")) {
    if (document.getElementById(card.id)) card.remove();
  }
  event.detail.serverResponse = fragment.innerHTML;
});

// Older menus that did not come through: say so; the link is still there to press.
for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    const words = event.target.closest(".older")?.querySelector(".older-error");
    if (words) words.hidden = false;
  });
}

// A form sent twice by a double click is sent once. The timer lets the pressed button's own value be sent.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-once]") || event.defaultPrevented) return;
  if (event.target.dataset.sent) {
    event.preventDefault();
    return;
  }
  event.target.dataset.sent = "yes";
  setTimeout(() => {
    for (const button of event.target.querySelectorAll("button[type=submit]")) button.disabled = true;
  });
});

// Coming back to a form by the Back button: it may be sent again.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = false;
  }
});

// Days begin at one's own midnight.
const zone = document.getElementById("id_time_zone");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
