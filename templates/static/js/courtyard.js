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

// Back returns to the same card. The page comes anew, so that nothing deleted is shown again; then as many
// older menus as it takes to reach the card that was on top.
const MOST_FRAGMENTS = 25;
const placeKey = `place:${location.pathname}${location.search}`;

window.addEventListener("pagehide", () => {
  const onTop = [...document.querySelectorAll(".feed article")].find((card) => card.getBoundingClientRect().bottom > 60);
  if (onTop) sessionStorage.setItem(placeKey, JSON.stringify([onTop.id, onTop.getBoundingClientRect().top]));
});

async function returnToPlace() {
  const [id, top] = JSON.parse(sessionStorage.getItem(placeKey)) || [];
  if (!id) return;
  for (let n = 0; n < MOST_FRAGMENTS && !document.getElementById(id); n++) {
    const older = document.getElementById("older");
    if (!older) return; // that menu is gone, and the end is reached
    const link = older.querySelector("a");
    await htmx.ajax("GET", link.href, { source: link, target: older, swap: "outerHTML" });
    if (older.isConnected) await new Promise((resolve) => setTimeout(resolve, 150)); // another request was first
  }
  const card = document.getElementById(id);
  if (card) scrollBy(0, card.getBoundingClientRect().top - top);
}

if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") {
  history.scrollRestoration = "manual";
  window.addEventListener("load", returnToPlace);
}
