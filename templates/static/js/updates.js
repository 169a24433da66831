// "3 new menus": asks now and then how many there are, and puts them on top when it is pressed.
"use strict";
{
  const EVERY_S = 30;
  const LONGEST_S = 600; // between two questions, unless the answer says longer
  const LEAST_S = 5; // also for who comes back to the page every second
  const PATIENCE_MS = 10_000;
  const ENDED = [400, 401, 403, 404]; // signed out, or a page of long ago: only opening it anew helps

  const place = document.getElementById("updates");
  const pill = place.querySelector("a");
  const plurals = new Intl.PluralRules(document.documentElement.lang);
  let wait = EVERY_S;
  let askedAt = Date.now();
  let timer = 0;
  let asking = false;
  let fetching = false;
  let ended = false;

  // data-new-one and data-new-other hold the words for one and for more.
  function words(name, n) {
    const one = plurals.select(n) === "one" ? "One" : "Other";
    return place.dataset[name + one].replace("%n", n);
  }

  function say(text) {
    document.getElementById("said").textContent = text;
  }

  function askIn(seconds) {
    clearTimeout(timer);
    if (!ended && !document.hidden) timer = setTimeout(ask, Math.max(0, seconds) * 1000);
  }

  async function ask() {
    if (asking) return;
    asking = true;
    askedAt = Date.now();
    const asked = place.dataset.since; // another once what was new is on top, or an earlier order is back
    try {
      const address = `${place.dataset.address}?since=${encodeURIComponent(asked)}`;
      const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.ok) {
        wait = EVERY_S;
        const found = await answer.json();
        if (asked === place.dataset.since) show(found);
      } else {
        ended = ENDED.includes(answer.status);
        wait = Math.max(Math.min(2 * wait, LONGEST_S), Number(answer.headers.get("Retry-After")) || 0);
      }
    } catch {
      wait = Math.min(2 * wait, LONGEST_S);
    }
    asking = false;
    askIn(wait * (0.9 + 0.2 * Math.random())); // not all phones of a town in the same second
  }

  function show({ count, capped }) {
    const appears = pill.hidden && count > 0;
    pill.hidden = count === 0;
    if (count) pill.textContent = capped ? place.dataset.most : words("new", count);
    if (appears) say(pill.textContent);
  }

  // A hidden page does not ask. Who comes back finds out at once, unless the last answer was to wait.
  function comeBack() {
    const silent = (Date.now() - askedAt) / 1000;
    askIn((wait > EVERY_S ? wait : LEAST_S) - silent);
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : comeBack()));
  window.addEventListener("pageshow", (event) => event.persisted && comeBack());
  window.addEventListener("online", comeBack);
  askIn(EVERY_S);

  pill.addEventListener("click", (event) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (elsewhere || !document.querySelector(".feed article")) return; // the link does it
    event.preventDefault();
    if (fetching) return;
    fetching = true;
    const address = new URL(pill.href);
    address.searchParams.set("since", place.dataset.since);
    htmx.ajax("GET", address.pathname + address.search, { source: pill, target: pill, swap: "none" });
  });

  pill.addEventListener("htmx:afterRequest", (event) => {
    fetching = false;
    if (!event.detail.successful) return; // courtyard.js says so, and the pill is still there to press
    const fragment = document.createElement("template");
    fragment.innerHTML = event.detail.xhr.responseText;
    const fresh = fragment.content.querySelector(".fresh");
    if (!fresh) return; // signed out: htmx goes where that leads
    if (fresh.dataset.more || fresh.dataset.today !== place.dataset.today) {
      location.assign(pill.href); // too many to put on top, or "Today" has become another day
      return;
    }
    place.dataset.since = fresh.dataset.since;
    pill.hidden = true;
    putOnTop(document.querySelector(".feed"), fresh);
  });

  async function putOnTop(feed, fresh) {
    const added = [...fresh.querySelectorAll("article")].filter((card) => !document.getElementById(card.id));
    const headings = new Map([...feed.querySelectorAll(".day"), ...fresh.querySelectorAll(".day")].map((day) => [day.dataset.day, day]));
    if (feed.dataset.order === "ranked") feed.prepend(...added);
    else {
      for (const card of added) placeOf(feed, card).before(card);
      headDays(feed, headings);
    }
    for (const card of added) htmx.process(card);
    const near = scrollY < 3 * innerHeight && matchMedia("(prefers-reduced-motion: no-preference)").matches;
    scrollTo({ top: 0, behavior: near ? "smooth" : "instant" });
    await null; // cards that are not wanted have been hidden by then (sift.js)
    const first = [...feed.querySelectorAll("article")].find((card) => card.getClientRects().length);
    first?.querySelector(".card-link").focus({ preventScroll: true });
    say(words("done", added.length));
  }

  // Ids rise with time. A menu that took a moment to be published may belong below one that is shown already.
  function placeOf(feed, card) {
    const id = (of) => Number(of.id.slice("menu-".length));
    const below = [...feed.querySelectorAll("article")].find((other) => id(other) < id(card));
    return below ?? feed.querySelector(".older, .end") ?? feed.appendChild(new Text());
  }

  function headDays(feed, headings) {
    for (const heading of headings.values()) heading.remove();
    for (const heading of feed.querySelectorAll(".day")) heading.remove(); // the same day twice
    let day = null;
    for (const card of feed.querySelectorAll("article")) {
      if (card.dataset.day !== day) card.before(headings.get(card.dataset.day));
      day = card.dataset.day;
    }
  }
}
