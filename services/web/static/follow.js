// One stream for a page: parts that changed are put in their place, a deal is shown at its pace.

import { drawTable, setClocks, shownEvents } from "./table.js";
import { replacePart } from "./part.js";

const SILENCE_MS = 15000; // the server says something every five seconds
const AGAIN_MS = 3000;

class Show {
  constructor(root) {
    this.root = root;
    this.drawn = "";
    this.ahead = 0; // seconds that the server's clock is ahead of this one
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
    if (this.deal.clocks?.length) setClocks(this.root, this.deal.clock, Date.now() / 1000 + this.ahead);
  }
}

function sayLost(is) {
  let note = document.getElementById("lost");
  if (is && !note) {
    note = document.createElement("p");
    note.id = "lost";
    note.className = "trouble";
    note.textContent = document.body.dataset.lost;
    document.getElementById("trouble").after(note);
  } else if (!is) note?.remove();
}

// Follows what the body's data name; returns what ends it.
export function follow(body) {
  const table = document.getElementById("table"), show = table && new Show(table);
  const separator = body.dataset.stream.includes("?") ? "&" : "?";
  const source = new EventSource(`${body.dataset.stream}${separator}seen=${encodeURIComponent(body.dataset.seen)}&lang=${document.documentElement.lang}`);
  let heard = performance.now(), again = 0, next = null;
  const hear = () => { heard = performance.now(); sayLost(false); };
  source.addEventListener("beat", (event) => {
    hear();
    if (show) show.ahead = JSON.parse(event.data).now - Date.now() / 1000;
  });
  source.addEventListener("parts", (event) => {
    hear();
    for (const [id, html] of Object.entries(JSON.parse(event.data))) replacePart(id, html);
  });
  source.addEventListener("deal", (event) => {
    hear();
    show?.take(JSON.parse(event.data));
  });
  source.onerror = () => {
    sayLost(true);
    if (source.readyState === EventSource.CLOSED) again = setTimeout(() => { next = follow(body); }, AGAIN_MS);
  };
  const ticking = setInterval(() => {
    if (source.readyState === EventSource.CLOSED) return clearInterval(ticking);
    show?.draw();
    if (performance.now() - heard > SILENCE_MS) sayLost(true);
  }, 100);
  return () => {
    source.close();
    clearInterval(ticking);
    clearTimeout(again);
    next?.();
  };
}
