// Muting from a card: the cook's cards on the page fold away, and one tap brings them back.
"use strict";
{
  const feed = document.querySelector(".feed");
  const cardsOf = (cook) => [...feed.querySelectorAll("article")].filter((card) => card.dataset.cook === cook);

  function putAside(cook, aside) {
    for (const card of cardsOf(cook)) {
      card.classList.toggle("put-aside", aside);
      card.querySelector(".card-menu")?.removeAttribute("open");
    }
    feed.dispatchEvent(new Event("feed:changed"));
  }

  // The server has put its words, with the button to undo it, before the card.
  feed.addEventListener("htmx:afterSwap", (event) => {
    const form = event.detail.requestConfig.elt;
    const card = form.matches(".mute-form") && form.closest(".card");
    if (!card) return;
    putAside(card.dataset.cook, true);
    card.previousElementSibling.querySelector("button").focus();
  });

  // The undone note is gone with its answer: the card behind it, which is looked up before that, has the focus.
  feed.addEventListener("htmx:beforeSwap", (event) => {
    const note = event.detail.target.closest(".muted-note");
    if (!note || !event.detail.shouldSwap) return;
    const card = note.nextElementSibling;
    putAside(note.dataset.cook, false);
    card.querySelector(".card-menu summary")?.focus();
  });

  // An open menu closes by Escape and by pressing elsewhere.
  function close(menu) {
    menu.removeAttribute("open");
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  }
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".card-menu[open]")) if (!menu.contains(event.target)) menu.removeAttribute("open");
  });
  // What it opens may lie behind the tabs at the bottom, or below them.
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.(".card-menu[open]")) event.target.querySelector(".card-choices").scrollIntoView({ block: "nearest" });
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.querySelectorAll(".card-menu[open]").forEach(close);
  });
}
