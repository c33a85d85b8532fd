// Links that open something on the same page: what changes is put in its place, nothing jumps, the address is kept.

import { follow } from "./follow.js";
import { putNodes } from "./part.js";

// stop: ends the stream that the page follows.
export function openInPlace(root, stop) {
  const part = root.querySelector("[data-inplace]");
  if (!part) return;
  let last = stop;

  async function show(address) {
    const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
    if (!answer?.ok) return location.assign(address);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    last();
    putNodes(part, fresh.getElementById(part.id));
    Object.assign(document.body.dataset, { ...fresh.body.dataset });
    last = follow(document.body);
  }
  root.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a.opens");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    show(link.href);
  });
  root.addEventListener("change", (event) => {
    const form = event.target instanceof Element && event.target.closest("form.filter");
    if (form) form.requestSubmit();
  });
  addEventListener("popstate", () => show(location.href));
}
