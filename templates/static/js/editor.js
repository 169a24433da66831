// The form of a menu. Without this script each button sends the form and gets it back.

// A photo goes up as soon as it is chosen, and the form's part about photos comes back with it in a row of its own.
const form = document.querySelector("form.editor");
const words = form.dataset; // the sentences said here, in the reader's language
const said = document.getElementById("said");
const onTheirWay = document.getElementById("on-their-way");
const waitingNote = document.getElementById("waits-for-photos");
const pictures = new Map(); // photo id -> what the browser drew of its file
const waiting = []; // rows of files that are still to be sent
let sending = null; // the row of the photo under way
let newest = ""; // the id of the photo that has come last
let publishing = null; // the button that was pressed while photos were on their way
let complaint = ""; // about a file; the answer for another one does not wipe it away

form.classList.add("scripted");

const photos = () => document.getElementById("photos");
const ids = () => [...document.querySelectorAll("#photos [data-photo]")].map((row) => row.dataset.photo);
const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// --- Photos on their way ---

document.addEventListener("change", (event) => {
  if (event.target.type !== "file" || !form.contains(event.target)) return;
  const chosen = [...event.target.files];
  event.target.value = "";
  complain("");
  for (const file of chosen) waiting.push(progressRow(file));
  sendNext();
});

// The row in which a photo waits: its picture, how much of it has gone up, and a way to stop it.
function progressRow(file) {
  const element = document.getElementById("photo-on-its-way").content.cloneNode(true).firstElementChild;
  const row = { file, element, request: null, cancelled: false };
  element.querySelector(".file-name").textContent = file.name;
  element.querySelector("progress").setAttribute("aria-label", filled(words.sendingPhoto, { name: file.name }));
  element.querySelector("button").addEventListener("click", () => {
    row.cancelled = true;
    if (row.request) return row.request.abort();
    if (waiting.includes(row)) waiting.splice(waiting.indexOf(row), 1);
    element.remove();
    say(words.cancelled);
  });
  row.lighter = lighter(file);
  row.drawn = drawing(file);
  row.drawn.then((canvas) => canvas && element.querySelector(".thumb").replaceChildren(canvas));
  onTheirWay.append(element);
  return row;
}

async function sendNext() {
  if (sending) return;
  if (!waiting.length) return allSent();
  const row = (sending = waiting.shift());
  const photo = await row.lighter;
  const tooLarge = photo.size > Number(words.mostBytes);
  if (tooLarge || row.cancelled) {
    sending = null;
    row.element.remove();
    if (!row.cancelled) complain(words.tooLarge);
    return sendNext();
  }
  const fields = new FormData(form);
  fields.delete("photo_alt");
  fields.set("photo", photo, row.file.name);
  fields.set("add-photo", "1");
  let told = 0;
  const request = (row.request = new XMLHttpRequest());
  request.open("POST", form.action);
  request.setRequestHeader("HX-Request", "true");
  request.timeout = Number(words.uploadSeconds) * 1000;
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    const percent = Math.floor((100 * event.loaded) / event.total);
    row.element.querySelector("progress").value = percent;
    row.element.querySelector(".figure").textContent = percent < 100 ? `${percent} %` : words.lookedAt;
    if (percent < told + 25) return;
    told = percent; // to screen readers each quarter, not each percent
    say(`${percent} %`);
  });
  request.addEventListener("loadend", () => arrived(row));
  say(filled(words.sendingPhoto, { name: row.file.name }));
  request.send(fields);
}

function arrived(row) {
  const { status, responseText } = row.request;
  const had = ids();
  const part = status && new DOMParser().parseFromString(responseText, "text/html").getElementById("photos");
  const signedOut = status && row.request.getResponseHeader("HX-Redirect");
  sending = null;
  row.element.remove();
  if (part) takeOver(part);
  else if (signedOut) complain(words.signedOut);
  else if (!row.cancelled) complain(status === 413 ? words.tooLarge : status ? words.notTaken : words.noAnswer);
  const id = ids().find((known) => !had.includes(known));
  if (id) {
    row.drawn.then((canvas) => canvas && keepDrawing(id, canvas));
    say(words.photoThere);
    newest = id;
  } else if (row.cancelled) say(words.cancelled);
  form.dispatchEvent(new Event("input", { bubbles: true })); // the draft names it too
  sendNext();
}

// The answer was made from what the form said when the photo left. What was typed meanwhile stays.
function takeOver(part) {
  const typed = new Map([...photos().querySelectorAll("input[type=text]")].map((field) => [field.name, field.value]));
  for (const field of part.querySelectorAll("input[type=text]")) {
    if (typed.has(field.name)) field.value = typed.get(field.name);
  }
  for (const field of part.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
  photos().replaceWith(part);
  allowSeveral();
  for (const [id, canvas] of pictures) showDrawing(id, canvas);
  if (complaint) complain(complaint);
}

// --- Buttons of photos: in place ---

form.addEventListener("click", async (event) => {
  const button = event.target.closest("#photos button[name]");
  if (!button || button.name === "add-photo" || sending) return;
  event.preventDefault();
  const fields = new FormData(form);
  fields.delete("photo");
  fields.set(button.name, button.value);
  let part;
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(10_000) });
    part = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("photos");
  } catch {
    return complain(words.noAnswer);
  }
  if (!part) return complain(words.notTaken);
  takeOver(part);
  form.dispatchEvent(new Event("input", { bubbles: true }));
  const next = button.name === "first-photo" ? document.getElementById(`photo-${button.value}`) : photos().querySelector("input[type=file]");
  next?.focus({ preventScroll: true });
  say(button.name === "first-photo" ? words.photoFirst : words.photoRemoved);
});

// --- Publishing waits for photos ---

form.addEventListener("submit", (event) => {
  if (!sending || event.submitter?.name) return;
  event.preventDefault();
  publishing = event.submitter;
  waitingNote.hidden = false;
  say(waitingNote.textContent);
});

function allSent() {
  const [button, field] = [publishing, document.getElementById(`photo-${newest}`)];
  const wrong = photos().querySelector(".errorlist");
  [publishing, newest] = [null, ""];
  waitingNote.hidden = true;
  if (button && wrong) wrong.scrollIntoView({ block: "center" });
  else if (button) form.requestSubmit(button);
  else if (document.activeElement === document.body) field?.focus(); // nobody is typing elsewhere
}

// --- Words and pictures ---

function say(sentence) {
  said.textContent = sentence;
}

function complain(sentence) {
  complaint = sentence;
  const field = photos().querySelector(".field:has(input[type=file])") ?? photos();
  field.querySelector(".errorlist")?.remove();
  field.classList.toggle("has-error", Boolean(sentence));
  if (!sentence) return;
  const [list, line] = [document.createElement("ul"), document.createElement("li")];
  list.className = "errorlist";
  list.setAttribute("role", "alert");
  line.textContent = sentence;
  list.append(line);
  field.append(list);
}

// A photo of a telephone has several times the pixels that anybody is shown. Drawn smaller, it goes up in a few seconds
// where the network is slow, and without what the file says of place and time.
async function lighter(file) {
  if (file.size < Number(words.heavyBytes) || !/^image\/(jpeg|webp)$/.test(file.type)) return file;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, Number(words.widestPixels) / picture.width);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const drawn = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
    return drawn && drawn.size < file.size ? drawn : file;
  } catch {
    return file; // the server has a look at it
  }
}

// Drawn from the file itself, before anything of it has arrived; null where the browser cannot read it.
async function drawing(file) {
  try {
    const picture = await createImageBitmap(file);
    const canvas = document.createElement("canvas");
    const side = Math.min(picture.width, picture.height);
    canvas.width = canvas.height = 192;
    canvas.getContext("2d").drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side, 0, 0, 192, 192);
    picture.close();
    return canvas;
  } catch {
    return null;
  }
}

function keepDrawing(id, canvas) {
  pictures.set(id, canvas);
  showDrawing(id, canvas);
}

function showDrawing(id, canvas) {
  document.querySelector(`[data-photo="${id}"] .thumb`)?.replaceChildren(canvas);
}

function allowSeveral() {
  const field = photos().querySelector("input[type=file]");
  if (field) field.multiple = true;
}
allowSeveral();
form.addEventListener("draft:back", allowSeveral);

// --- Dishes ---

// Rows are out of reach while they are made anew, so that nothing typed into the old ones is lost.
document.addEventListener("htmx:beforeSend", (event) => {
  const rows = event.target.closest("#dishes");
  if (rows) rows.inert = true;
});
document.addEventListener("htmx:afterRequest", (event) => {
  const rows = document.getElementById("dishes");
  if (rows && !event.detail.successful) rows.inert = false;
});
