// What waits is asked for again and put in its place; without scripts the whole page is loaded again instead.

import { putNodes } from "./part.js";

export function askAgain(root) {
  async function ask() {
    const place = root.querySelector("[data-again]");
    if (!place) return;
    const answer = document.hidden ? null : await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
    if (answer?.redirected) return location.assign(answer.url);
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(place.id);
      if (!fresh.hasAttribute("data-again")) place.removeAttribute("data-again");
      if (!fresh.isEqualNode(place)) putNodes(place, fresh); // else what one has marked stays marked
    }
    setTimeout(ask, 1000 * Number(place.dataset.again || 0));
  }
  const first = root.querySelector("[data-again]");
  if (first) setTimeout(ask, 1000 * Number(first.dataset.again));
}
