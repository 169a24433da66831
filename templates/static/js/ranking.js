// The preview of staff's page about ranking follows what is typed: htmx asks for it. Here it is told when none comes,
// lest what is shown be taken for what is typed.
"use strict";
{
  const preview = document.getElementById("preview");
  const stale = document.getElementById("stale");

  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    preview.addEventListener(failure, () => (stale.hidden = false));
  }
  // Who is signed out meanwhile is led to the sign-in, which is no preview.
  preview.addEventListener("htmx:beforeSwap", (event) => {
    const { pathname } = new URL(event.detail.xhr.responseURL);
    if (!event.detail.shouldSwap || pathname !== preview.getAttribute("hx-get")) {
      event.detail.shouldSwap = false;
      stale.hidden = false;
    } else stale.hidden = true;
  });
}
