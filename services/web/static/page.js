// Brings a page to life: one stream, parts that changed are put in their place, a deal is shown at its pace.

import { drawTable, shownEvents } from "./table.js";
import { keepChoices } from "./choice.js";

const SILENCE_MS = 15000; // the server says something every five seconds

// Parts come as escaped HTML of our own templates; a parsed document is inert, and the page's policy runs no script in it.
export function replacePart(id, html) {
  const place = document.getElementById(id);
  if (!place) return;
  const focus = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const opened = [...place.querySelectorAll("details")].map((one) => one.open);
  const fresh = new DOMParser().parseFromString(html, "text/html");
  place.replaceChildren(...[...fresh.body.childNodes].map((node) => document.adoptNode(node)));
  place.querySelectorAll("details").forEach((one, number) => { one.open = Boolean(opened[number]); });
  if (focus) place.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

class Show {
  constructor(root) {
    this.root = root;
    this.drawn = "";
  }
  take(deal) {
    this.deal = deal;
    this.began = performance.now() - 1000 * deal.age;
    this.draw();
  }
  draw() {
    if (!this.deal || document.hidden) return;
    const known = shownEvents(this.deal, (performance.now() - this.began) / 1000);
    const drawn = `${this.deal.key} ${known} ${this.deal.places.length}`;
    if (drawn !== this.drawn) drawTable(this.root, this.deal, known, this.root.dataset);
    this.drawn = drawn;
  }
}

function follow(body) {
  const table = document.getElementById("table"), show = table && new Show(table);
  const separator = body.dataset.stream.includes("?") ? "&" : "?";
  const source = new EventSource(`${body.dataset.stream}${separator}seen=${encodeURIComponent(body.dataset.seen)}&lang=${document.documentElement.lang}`);
  let heard = performance.now();
  const lost = (is) => {
    let note = document.getElementById("lost");
    if (is && !note) {
      note = document.createElement("p");
      note.id = "lost";
      note.className = "trouble";
      note.textContent = body.dataset.lost;
      document.getElementById("trouble").after(note);
    } else if (!is) note?.remove();
  };
  const hear = () => { heard = performance.now(); lost(false); };
  source.addEventListener("beat", hear);
  source.addEventListener("parts", (event) => {
    hear();
    for (const [id, html] of Object.entries(JSON.parse(event.data))) replacePart(id, html);
  });
  source.addEventListener("deal", (event) => {
    hear();
    show?.take(JSON.parse(event.data));
  });
  source.onerror = () => {
    lost(true);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { source.close(); follow(body); }, 3000);
  };
  const ticking = setInterval(() => {
    if (source.readyState === EventSource.CLOSED) return clearInterval(ticking);
    show?.draw();
    if (performance.now() - heard > SILENCE_MS) lost(true);
  }, 100);
}

keepChoices();
if (document.body.dataset.stream) follow(document.body);
