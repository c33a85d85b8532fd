// Parts of a page that are put in place of what was there.

// As escaped HTML of our own templates; a parsed document is inert, and the page's policy runs no script in it.
export function replacePart(id, html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  putNodes(document.getElementById(id), fresh.body);
}

// The nodes inside `from`; what was opened stays open, what had the focus has it again.
export function putNodes(place, from) {
  if (!place) return;
  const focus = place.contains(document.activeElement) ? document.activeElement : null;
  const key = focus?.dataset.key ?? focus?.getAttribute("href"), attribute = focus?.dataset.key ? "data-key" : "href";
  const opened = [...place.querySelectorAll("details")].map((one) => one.open);
  const scrolled = [...place.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  place.replaceChildren(...[...from.childNodes].map((node) => document.adoptNode(node)));
  place.querySelectorAll("details").forEach((one, number) => { one.open = opened[number] ?? one.open; });
  place.querySelectorAll(".scroll").forEach((one, number) => { one.scrollLeft = scrolled[number] ?? 0; });
  if (key) place.querySelector(`[${attribute}="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
