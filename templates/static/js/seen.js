// Which menus were in sight for a moment, so that what was seen stands lower in the ranked order, and so that it is
// known how many of those who see a menu open it. Told now and then, and when one leaves.
"use strict";
{
  const MOMENT_MS = 1000;
  const EVERY_MS = 5000;
  const MOST_AT_ONCE = 100;

  const feed = document.querySelector(".feed[data-seen]");
  const told = new Set(); // ids, also those that wait to be told
  const waiting = [];
  const since = new Map(); // timers of the cards in sight
  let timer = 0;

  function tell() {
    clearTimeout(timer);
    timer = 0;
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
    if (!token) return;
    while (waiting.length) {
      const ids = waiting.splice(0, MOST_AT_ONCE).join(" ");
      // Nobody waits for the answer; what does not arrive is missed by nobody.
      fetch(feed.dataset.seen, { method: "POST", keepalive: true, headers: { "X-CSRFToken": token }, body: new URLSearchParams({ ids }) }).catch(() => {});
    }
  }

  function saw(card) {
    since.delete(card);
    const id = card.id.slice("menu-".length);
    if (told.has(id)) return;
    told.add(id);
    waiting.push(id);
    if (waiting.length >= MOST_AT_ONCE) tell();
    else timer ||= setTimeout(tell, EVERY_MS);
  }

  // Half of it, or, of one that is higher than the window, half a window of it.
  const inSight = ({ isIntersecting, intersectionRatio, intersectionRect, rootBounds }) =>
    isIntersecting && (intersectionRatio >= 0.5 || intersectionRect.height >= (rootBounds?.height ?? Infinity) / 2);

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        clearTimeout(since.get(entry.target));
        since.delete(entry.target);
        if (inSight(entry) && !document.hidden) since.set(entry.target, setTimeout(saw, MOMENT_MS, entry.target));
      }
    },
    { threshold: [0, 0.25, 0.5, 0.75, 1] },
  );

  const watched = new WeakSet();
  function watchAll() {
    for (const card of feed.querySelectorAll("article[id]")) {
      if (watched.has(card)) continue;
      watched.add(card);
      watcher.observe(card);
    }
  }

  new MutationObserver(watchAll).observe(feed, { childList: true });
  watchAll();
  window.addEventListener("pagehide", tell);
  document.addEventListener("visibilitychange", () => document.hidden && tell());
}
