// What is typed into a menu's form is kept in this browser, for this account, until it is published or thrown away.

// A draft: what it is of (data-draft), the form's key, when it was typed, and the fields as they would be sent.
const DRAFT = "draft:";
const KEEP_DAYS = 7;
const SAVE_AFTER_MS = 400;
const UNKEPT = ["csrfmiddlewaretoken", "next", "once", "seen", "photo"];

function draftAt(key) {
  try {
    const draft = JSON.parse(localStorage.getItem(key));
    if (draft && Date.now() - draft.at < KEEP_DAYS * 86_400_000) return draft;
    localStorage.removeItem(key);
  } catch {} // no storage, or damage: as if there were none
  return null;
}

function forget(key) {
  try {
    localStorage.removeItem(key);
  } catch {}
}

// The server says in a cookie which form it has saved last.
const done = /(?:^|; )menu_done=([^;]*)/.exec(document.cookie)?.[1];
try {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(DRAFT) && done && draftAt(key)?.done === done) forget(key);
  }
} catch {}

const saysSomething = ([name, value]) => value && !/^(day|currency|dishes-TOTAL_FORMS|.*-currency)$/.test(name);

const typedIn = document.querySelector("form[data-draft]");
if (typedIn) keepDraft(typedIn, DRAFT + typedIn.dataset.draft);

function keepDraft(form, key) {
  let timer = 0;
  const typed = () => [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !UNKEPT.includes(name));
  const valueOf = (name) => form.querySelector(`[name=${name}]`)?.value ?? "";
  const save = () => {
    clearTimeout(timer);
    timer = 0;
    if (form.dataset.draft === undefined) return; // thrown away
    const fields = typed();
    if (!fields.some(saysSomething)) return forget(key);
    const [seen, done] = [valueOf("seen"), `${form.dataset.done}.${valueOf("once") || valueOf("seen")}`];
    try {
      localStorage.setItem(key, JSON.stringify({ at: Date.now(), done, seen, fields }));
    } catch {} // full, or not allowed
  };
  const saveSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS);
  };
  const draft = draftAt(key);
  if (form.dataset.fresh === undefined) save(); // refused and shown again: with what was sent, and perhaps a new key
  else if (draft) offer(form, key, draft);
  form.addEventListener("draft:back", save);
  form.addEventListener("input", saveSoon);
  form.addEventListener("change", saveSoon);
  document.addEventListener("htmx:afterSettle", saveSoon); // a row more or less
  window.addEventListener("pagehide", () => timer && save());
  document.addEventListener("submit", (event) => {
    if (event.target.matches("form[action$='/sign-out']")) form.removeAttribute("data-draft");
  });
}

// A form begun from an earlier menu is filled in already: then the draft waits for a press.
function offer(form, key, draft) {
  const note = document.getElementById("draft");
  const time = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long", hour: "numeric", minute: "2-digit", hourCycle: "h23" });
  for (const place of note.querySelectorAll(".draft-time")) place.textContent = time.format(draft.at);
  const [back, afresh] = [note.querySelector(".bring-back"), note.querySelector(".throw-away")];
  afresh.addEventListener("click", () => {
    forget(key);
    form.removeAttribute("data-draft");
    location.assign(form.action);
  });
  back.addEventListener("click", () => bringBack(form, draft));
  note.hidden = false;
  if (form.dataset.fresh === "empty") bringBack(form, draft);
}

// The server draws the form as it was typed: rows, photos and all.
async function bringBack(form, draft) {
  const note = document.getElementById("draft");
  const fields = new FormData();
  for (const [name, value] of draft.fields) fields.append(name, value);
  for (const name of ["csrfmiddlewaretoken", "once"]) {
    const field = form.querySelector(`[name=${name}]`);
    if (field) fields.set(name, field.value);
  }
  // Of the menu as it was: if it was changed meanwhile, saving says so.
  const seen = form.querySelector("[name=seen]");
  if (seen) seen.value = draft.seen;
  fields.set("as-typed", "1");
  let drawn;
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(10_000) });
    drawn = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("form[data-draft]");
  } catch {}
  if (!drawn) return note.classList.add("failed"); // the button is there to press again
  for (const name of ["text", "day", "currency"]) {
    const [field, typed] = [form.querySelector(`[name=${name}]`), drawn.querySelector(`[name=${name}]`)];
    if (field && typed) field.value = typed.value;
  }
  for (const id of ["dishes", "photos"]) {
    const part = drawn.querySelector(`#${id}`);
    for (const field of part.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
    form.querySelector(`#${id}`).replaceWith(part);
    htmx.process(part);
  }
  note.classList.remove("failed");
  note.classList.add("is-back");
  form.dispatchEvent(new CustomEvent("draft:back", { bubbles: true }));
}
