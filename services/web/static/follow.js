// One stream for a page: parts that changed are put in their place, a deal is shown at its pace.

import { drawTable, setClocks, shownEvents } from "./table.js";
import { Crowd } from "./crowd.js";
import { replacePart } from "./part.js";

const SILENCE_MS = 15000; // the server says something every five seconds
const AGAIN_MS = 3000;
const GLANCE_MS = 10000, STAY_MS = 1500; // where too many streams are open: between two looks, and for one

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

// One reader's stream, closed while nobody looks; where too many are open, looked at now and then.
class Reader {
  constructor(body) {
    const table = document.getElementById("table");
    this.show = table && new Show(table);
    this.body = body;
    this.seen = body.dataset.seen;
    this.heard = performance.now();
    this.crowd = new Crowd(() => {
      if (this.state !== "rests") this.attend(this.crowd.isFull() ? "glances" : "stays");
    });
    this.look = () => this.turn();
    document.addEventListener("visibilitychange", this.look);
    for (const name of ["focus", "pageshow"]) window.addEventListener(name, this.look);
    window.addEventListener("pagehide", this.leave = () => this.rest());
    this.ticking = setInterval(() => this.tick(), 100);
    this.turn();
  }
  turn() { // somebody looks, or nobody does
    if (document.hidden) return this.rest();
    if (this.state === "stays") return;
    this.crowd.open();
    this.attend("stays");
  }
  rest() {
    if (this.state === "rests") return;
    this.attend("rests");
    this.crowd.close();
  }
  attend(state) {
    if (this.state === state) return;
    this.state = state;
    this.close();
    if (state === "stays") this.connect();
    if (state === "glances") this.again = setTimeout(() => this.connect(), GLANCE_MS);
  }
  connect() {
    const { stream } = this.body.dataset, separator = stream.includes("?") ? "&" : "?";
    this.heard = performance.now();
    this.source = new EventSource(`${stream}${separator}seen=${encodeURIComponent(this.seen)}&lang=${document.documentElement.lang}`);
    this.source.addEventListener("beat", (event) => {
      this.hear(event);
      if (this.show) this.show.ahead = JSON.parse(event.data).now - Date.now() / 1000;
    });
    this.source.addEventListener("parts", (event) => {
      this.hear(event);
      for (const [id, html] of Object.entries(JSON.parse(event.data))) replacePart(id, html);
    });
    this.source.addEventListener("deal", (event) => {
      this.hear(event);
      this.show?.take(JSON.parse(event.data));
    });
    this.source.onerror = () => {
      sayLost(true);
      if (this.source.readyState === EventSource.CLOSED) this.tryAgain(AGAIN_MS);
    };
    if (this.state === "glances") this.again = setTimeout(() => this.tryAgain(GLANCE_MS), STAY_MS);
  }
  tryAgain(wait) {
    this.close();
    this.again = setTimeout(() => this.connect(), wait);
  }
  hear(event) {
    this.heard = performance.now();
    this.seen = event.lastEventId || this.seen;
    sayLost(false);
  }
  tick() {
    this.show?.draw();
    if (this.state === "stays" && performance.now() - this.heard > SILENCE_MS) sayLost(true);
  }
  close() {
    clearTimeout(this.again);
    this.source?.close();
  }
  stop() {
    this.close();
    clearInterval(this.ticking);
    document.removeEventListener("visibilitychange", this.look);
    for (const name of ["focus", "pageshow"]) window.removeEventListener(name, this.look);
    window.removeEventListener("pagehide", this.leave);
    this.crowd.leave();
  }
}

// Follows what the body's data name; returns what ends it.
export function follow(body) {
  const reader = new Reader(body);
  return () => reader.stop();
}
