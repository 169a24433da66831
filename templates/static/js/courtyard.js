// What pages gain from JavaScript beside htmx. All of them work without it.

// A request of htmx that failed: say what happened and what to do, in sight and to screen readers.
const failed = document.getElementById("failed");

const sentence = (words) => (/[.?!]$/.test(words) ? words : `${words}.`); // headings have no full stop

function wordsFor(status, answer) {
  if (!status) return failed.dataset.noAnswer;
  if (status === 403) return failed.dataset.olderPage; // its token is of an earlier sign-in
  if (status >= 500) return failed.dataset.broken;
  const page = new DOMParser().parseFromString(answer || "", "text/html"); // a refusal says itself why
  const words = [...page.querySelectorAll("main .note > :is(h1, p:not(.actions))")].map((part) => sentence(part.textContent.trim()));
  return words.join(" ") || failed.dataset.refused;
}

function button(words, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "link", textContent: words, onclick: press });
  return made;
}

function sayFailure(words, reload) {
  const [toast, text] = [document.createElement("div"), document.createElement("p")];
  toast.className = "toast";
  text.textContent = words;
  toast.append(text);
  if (reload) toast.append(button(failed.dataset.reload, () => location.reload()));
  toast.append(button(failed.dataset.close, () => failed.replaceChildren()));
  failed.replaceChildren(toast);
}

for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    if (event.target.closest(".older, [data-quiet]")) return; // the one says it in its own place (feed.js), the other nobody asked for
    const { status, responseText } = event.detail.xhr;
    sayFailure(wordsFor(status, responseText), status === 403);
  });
}
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) failed.replaceChildren();
});

// A double click follows once. The answer may come between the two clicks and bring the opposite button,
// so clicks on the place of a button are ignored for a moment after a press and after a swap.
const PAUSE_MS = 700;
const pausedSince = new Map();

document.addEventListener("click", (event) => {
  const pressed = event.target.closest(".follow button, .like-form button");
  if (!pressed) return;
  if (event.timeStamp - (pausedSince.get(pressed.id) ?? -PAUSE_MS) < PAUSE_MS) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  pausedSince.set(pressed.id, event.timeStamp);
}, true);

document.addEventListener("htmx:beforeSwap", (event) => {
  const pressed = event.detail.target.matches(".follow, .like-form") && event.detail.target.querySelector("button");
  if (pressed) pausedSince.set(pressed.id, performance.now());
});

// A photo that does not load leaves its place to the words. Some failed before this script was there.
function withoutPhoto(image) {
  image.closest(".card")?.classList.replace("with-photo", "without-photo");
  image.closest(".photo").remove();
}
document.addEventListener("error", (event) => {
  if (event.target.matches?.(".photo img")) withoutPhoto(event.target);
}, true);
for (const image of document.querySelectorAll(".photo img")) {
  if (image.complete && image.naturalWidth === 0) withoutPhoto(image);
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

// Who signs out leaves nothing behind that was typed and not sent (drafts.js).
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[action$='/sign-out']")) return;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
  } catch {} // no storage
});

// Days begin at one's own midnight. Sign-up asks the browser where that is; in the settings one chooses oneself.
const zone = document.querySelector("input[type=hidden]#id_time_zone");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
