// Choosing by tag, and folding several menus of one cook in a row into one. Both act on the cards that are loaded,
// hide and never remove, and look again when cards come or go.
"use strict";
{
  const LEAST_RUN = 3; // menus in a row that are worth folding
  const MOST_BARREN = 3; // fragments in a row that show nothing new; then older menus come by pressing only

  const bar = document.getElementById("sift");
  const feed = document.querySelector(".feed");
  const nothing = document.getElementById("nothing-fits");
  const plurals = new Intl.PluralRules(document.documentElement.lang);
  const wanted = new Set(history.state?.wanted);
  const opened = new Set(); // ids of cards whose fold was opened
  let [loaded, shown, fitting, barren] = [0, 0, 0, 0];

  function words(name, n) {
    const one = plurals.select(n) === "one" ? "One" : "Other";
    return bar.dataset[name + one].replace("%n", n);
  }

  function say(text) {
    document.getElementById("said").textContent = text;
  }

  const articles = () => [...feed.querySelectorAll("article")];
  const known = new WeakMap(); // of each card its dishes, as sets of tags
  function dishesOf(card) {
    if (!known.has(card)) known.set(card, card.dataset.offers.split("|").map((tags) => new Set(tags.split(" "))));
    return known.get(card);
  }

  // One dish has to have all that is wanted: what is vegan and what is gluten free may be two dishes.
  const fits = (card) => dishesOf(card).some((tags) => [...wanted].every((tag) => tags.has(tag)));

  // Which of a menu's dishes are meant.
  let marked = "";
  const wantedNow = () => [...wanted].join(" ");
  function pointOut(card) {
    for (const dish of card.querySelectorAll(".dish")) {
      const tags = (dish.dataset.tags ?? "").split(" ");
      const fit = [...wanted].every((tag) => tags.includes(tag));
      dish.classList.toggle("fit", wanted.size > 0 && fit);
      dish.classList.toggle("unfit", wanted.size > 0 && !fit);
    }
  }

  // Menus of one cook and day with nothing shown between them.
  function runsOf(cards) {
    const runs = [];
    for (const card of cards) {
      const last = runs.at(-1)?.[0].dataset;
      if (last?.cook === card.dataset.cook && last.day === card.dataset.day) runs.at(-1).push(card);
      else runs.push([card]);
    }
    return runs;
  }

  function lookAgain() {
    const cards = articles();
    for (const card of cards) {
      card.classList.toggle("sifted-out", wanted.size > 0 && !fits(card));
      if (marked !== wantedNow()) pointOut(card);
    }
    marked = wantedNow();
    const fit = cards.filter(({ classList }) => !classList.contains("sifted-out") && !classList.contains("put-aside"));
    const folds = new Set(runsOf(fit).map(fold));
    for (const button of feed.querySelectorAll(".fold")) if (!folds.has(button)) button.remove();
    headDays(fit);
    offerTags(cards);
    nothing.hidden = !(wanted.size > 0 && fit.length === 0);
    count(cards, fit);
    changes.takeRecords(); // what was done here is no news
  }

  // The button that stands for all but the first of a run; undefined where there is nothing to fold.
  function fold(run) {
    const open = run.some((card) => opened.has(card.id));
    const worth = run.length >= LEAST_RUN;
    run.forEach((card, n) => card.classList.toggle("folded", worth && !open && n > 0));
    if (!worth) return undefined;
    const after = run[0].nextElementSibling;
    const button = after?.matches(".fold") ? after : newFold();
    if (button !== after) run[0].after(button);
    const name = run[0].querySelector(".cook-name").textContent;
    button.textContent = open ? bar.dataset.less : words("more", run.length - 1).replace("%who", `\u2068${name}\u2069`);
    button.setAttribute("aria-expanded", open);
    button.onclick = () => {
      for (const card of run) open ? opened.delete(card.id) : opened.add(card.id);
      lookAgain();
    };
    return button;
  }

  function newFold() {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "fold" });
    return button;
  }

  function headDays(fit) {
    const days = new Set(fit.map((card) => card.dataset.day));
    for (const heading of feed.querySelectorAll(".day")) heading.classList.toggle("empty", !days.has(heading.dataset.day));
  }

  function offerTags(cards) {
    const there = new Set();
    for (const card of cards) for (const tags of dishesOf(card)) for (const tag of tags) there.add(tag);
    for (const chip of bar.querySelectorAll("[data-tag]")) {
      const { tag } = chip.dataset;
      chip.hidden = tag !== "" && !there.has(tag) && !wanted.has(tag);
      chip.setAttribute("aria-pressed", tag === "" ? wanted.size === 0 : wanted.has(tag));
    }
    bar.hidden = !bar.querySelector("[data-tag]:not([data-tag='']):not([hidden])");
  }

  function count(cards, fit) {
    const seen = fit.filter((card) => !card.classList.contains("folded")).length;
    if (seen > shown) barren = 0;
    else if (cards.length > loaded) barren += 1;
    if (wanted.size && fit.length !== fitting) say(words("shown", fit.length));
    [loaded, shown, fitting] = [cards.length, seen, fit.length];
  }

  function choose(tag) {
    if (tag === "") wanted.clear();
    else if (!wanted.delete(tag)) wanted.add(tag);
    history.replaceState({ ...history.state, wanted: [...wanted] }, "");
    goOn();
    fitting = -1;
    lookAgain();
    if (!wanted.size) say(bar.dataset.all);
  }

  // Scrolling may fetch older menus again.
  function goOn() {
    barren = 0;
    feed.dispatchEvent(new Event("feed:go-on", { bubbles: true }));
  }

  bar.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-tag]");
    if (chip) choose(chip.dataset.tag);
  });
  nothing.querySelector("button").addEventListener("click", () => {
    choose("");
    bar.querySelector("[data-tag='']").focus();
  });

  // Where nothing fits, the end of the page is always in sight: it would fetch the whole feed.
  feed.addEventListener("htmx:confirm", (event) => {
    const byScrolling = event.detail.triggeringEvent?.type === "nearby";
    if (byScrolling && barren >= MOST_BARREN) event.preventDefault();
    else if (event.detail.triggeringEvent?.type === "click") barren = 0;
  });

  // Coming back to a card that is folded away opens its fold.
  feed.addEventListener("feed:reveal", (event) => {
    if (event.target.classList.contains("folded")) opened.add(event.target.id);
    lookAgain();
  });
  feed.addEventListener("feed:changed", lookAgain);
  const changes = new MutationObserver(lookAgain);
  changes.observe(feed, { childList: true });
  lookAgain();
}
