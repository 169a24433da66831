// Menus one below the other: older ones come by scrolling, and Back returns to the same card.
"use strict";
{
  const AHEAD = "1500px"; // older menus are fetched before their place is in sight
  const MENUS = 20; // that come at once if nothing else is asked for
  const MOST_MENUS = 100;
  const EXPIRED = 410; // the order of which these are the next is no longer kept
  const FAILURES = ["htmx:responseError", "htmx:sendError", "htmx:timeout"];

  let returning = false; // to a place: who does that asks for all it takes, and the scroll trigger for nothing

  // Watched anew whenever cards came. A place that failed is tried again when one scrolls there again.
  const nearby = new IntersectionObserver(
    (places) => {
      for (const place of places) if (place.isIntersecting) htmx.trigger(place.target, "nearby");
    },
    { rootMargin: `${AHEAD} 0px` },
  );

  function watch() {
    nearby.disconnect();
    if (returning) return;
    const link = document.querySelector("#older a");
    if (link) nearby.observe(link);
  }
  document.addEventListener("DOMContentLoaded", watch); // htmx, which was first, knows the link by now
  document.addEventListener("htmx:afterSettle", watch);
  document.addEventListener("feed:go-on", watch);

  // The further one has scrolled the more come at once.
  document.addEventListener("htmx:configRequest", (event) => {
    const further = Math.floor(document.querySelectorAll(".feed article").length / 4);
    const asked = event.detail.path.includes("limit="); // by who comes back, below
    if (event.target.closest(".older") && !asked && further > MENUS) event.detail.parameters.limit = Math.min(further, MOST_MENUS);
  });

  // The scroll trigger may fire twice: no card comes twice, and an answer whose place is gone goes nowhere.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, serverResponse, xhr } = event.detail;
    if (!target.classList.contains("older")) return;
    if (xhr.status === EXPIRED) Object.assign(event.detail, { shouldSwap: true, isError: false }); // it says so itself
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

  // Older menus that did not come through: say so; the link is still there to press, and is pressed when the
  // connection is back.
  const wordsIn = (older) => older?.querySelector(".older-error");

  for (const failure of FAILURES) {
    document.addEventListener(failure, (event) => {
      const words = wordsIn(event.target.closest(".older"));
      if (words) words.hidden = false;
    });
  }
  document.addEventListener("htmx:beforeRequest", (event) => {
    const words = wordsIn(event.target.closest(".older"));
    if (words) words.hidden = true;
  });
  window.addEventListener("online", () => {
    const older = document.getElementById("older");
    if (wordsIn(older)?.hidden === false) older.querySelector("a").click();
  });

  // Back returns to the same card. Each entry of the history has a number, under which the place is kept: the card
  // that was on top, where it stood, and how many were above it. The page comes anew, so that nothing deleted is
  // shown again; then as many older menus as it takes to reach that card. A ranked order would be another by now:
  // its menus are fetched as they stood, while they are kept, and what is new is counted from then on.
  const MOST_PLACES = 30;
  const MOST_REQUESTS = 20; // of up to a hundred menus each
  const MENUS_BELOW = 10;
  const PLACES = "places";

  const feed = document.querySelector(".feed");
  const ranked = feed?.dataset.order === "ranked";
  const updates = document.getElementById("updates");
  const cards = () => [...document.querySelectorAll(".feed article")];
  const idOf = (id) => Number(id.slice("menu-".length));

  if (!history.state?.entry) history.replaceState({ ...history.state, entry: Date.now() }, "");
  const { entry } = history.state;

  function readPlaces() {
    try {
      return JSON.parse(sessionStorage.getItem(PLACES)) ?? [];
    } catch {
      return [];
    }
  }

  function keepPlace() {
    const shown = cards();
    const above = shown.findIndex((card) => card.getBoundingClientRect().bottom > 60);
    const others = readPlaces().filter(([of]) => of !== entry);
    const order = ranked ? [feed.dataset.top, updates?.dataset.since] : [];
    const place = above < 0 ? [] : [[entry, shown[above].id, shown[above].getBoundingClientRect().top, above, ...order]];
    try {
      sessionStorage.setItem(PLACES, JSON.stringify([...others, ...place].slice(-MOST_PLACES)));
    } catch {
      // no room, or not allowed: Back begins at the top
    }
  }

  async function loadMore(count) {
    const older = document.getElementById("older");
    const link = older.querySelector("a");
    const address = new URL(link.href);
    address.searchParams.set("limit", Math.min(Math.max(count, 1), MOST_MENUS));
    await htmx.ajax("GET", address.pathname + address.search, { source: link, target: older, swap: "outerHTML" });
    if (wordsIn(older)?.hidden === false) return false; // it did not come through, and says so
    if (older.isConnected) await new Promise((resolve) => setTimeout(resolve, 150)); // another request was first
    return true;
  }

  // The menus as they stood; false where that order is no longer kept.
  async function restoreOrder(address, since, above) {
    if (!address) return false;
    const limit = Math.min(above + MENUS_BELOW, MOST_MENUS);
    const answer = await fetch(`${address}&limit=${limit}`, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return false;
    feed.innerHTML = await answer.text();
    htmx.process(feed);
    feed.dataset.top = address;
    if (updates && since) updates.dataset.since = since;
    return true;
  }

  async function returnTo([, id, top, above, address, since]) {
    if (ranked && !(await restoreOrder(address, since, above))) return;
    const passed = (card) => (ranked ? cards().length > above : idOf(card.id) < idOf(id));
    for (let n = 0; n < MOST_REQUESTS && !document.getElementById(id); n++) {
      const last = cards().at(-1);
      if (!last || passed(last) || !document.getElementById("older")) break; // that menu is gone
      if (!(await loadMore(above + MENUS_BELOW - cards().length))) break;
    }
    const card = document.getElementById(id) ?? (ranked ? cards()[above] : cards().find(passed));
    if (!card) return;
    card.dispatchEvent(new Event("feed:reveal", { bubbles: true }));
    scrollBy({ top: card.getBoundingClientRect().top - top, behavior: "instant" });
  }

  async function comeBack(place) {
    try {
      await returnTo(place);
    } finally {
      returning = false;
      watch();
    }
  }

  window.addEventListener("pagehide", keepPlace);
  const cameBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward" || document.wasDiscarded;
  if (cameBack) {
    history.scrollRestoration = "manual";
    const place = readPlaces().find(([of]) => of === entry);
    returning = Boolean(place);
    if (place) window.addEventListener("load", () => comeBack(place));
  }
}
