// The replay as a file: the deals in it, one set after the other, in the language and colours of who reads it.

import { make } from "./card.js";
import { keepChoices, recall, remember } from "./choice.js";
import { isModified } from "./controls.js";
import { openReplay } from "./player.js";

// Deals that begin alike are seatings of one set: they are shown beside each other.
export function groupSets(deals) {
  const sets = [];
  for (const deal of deals) {
    const key = JSON.stringify([deal.rules, deal.options, deal.stages[0].hands, deal.stages[0].stock, deal.stages[0].top]);
    if (sets.at(-1)?.key === key) sets.at(-1).deals.push(deal);
    else sets.push({ key, deals: [deal] });
  }
  return sets.map((set) => set.deals);
}

// What a set is called: what the titles of its deals have in common, up to a comma.
export function titleOf(deals, number, words) {
  const heads = deals.map((deal) => (deals.length > 1 ? deal.title.split(",").slice(0, -1).join(",") : deal.title));
  return (heads.every((head) => head === heads[0]) && heads[0]) || deals[0].title || words.deal_n.replace("#", number);
}

// Where one is: the number of the set and the step, after the # of an address.
export function readPlace(hash, sets) {
  const found = new URLSearchParams(hash.slice(1)), set = Number(found.get("deal")) || 0;
  return { set: sets[set] ? set : 0, step: found.has("at") ? Number(found.get("at")) || 0 : null };
}

// Where a deal is shown first: where a seat has lost it by its own doing, else at the beginning.
export function chooseStart(deals, before = {}) {
  const { view = -1, speed = 1 } = before, blame = deals.find((deal) => deal.blame)?.blame;
  return blame ? { step: blame.stage, view: blame.seat, speed } : { step: 0, view, speed };
}

// The language chosen before, else the first of the browser's that the file has.
function chooseLanguage(known) {
  const wished = [recall("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
  return wished.find((one) => known.includes(one)) || known[0];
}

function nameRules({ rules, options }) {
  return [rules, ...Object.entries(options).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)].join(", ");
}

// The file as one reads it: which set is open, and in which language.
class ReplayFile {
  constructor(root, { names, labels, deals }) {
    Object.assign(this, { root, names, labels, sets: groupSets(deals), set: 0, shown: null });
    this.language = chooseLanguage(Object.keys(labels));
  }

  at(id) {
    return this.root.getElementById(id);
  }

  get words() {
    return this.labels[this.language];
  }

  // start: {step, view, speed}, or nothing for where the set is shown first.
  openSet(number, start) {
    if (!this.sets[number]) return;
    this.shown?.close();
    this.set = number;
    const told = this.sets[number].map((deal) => ({ ...deal, words: deal.words[this.language] }));
    document.title = this.at("title").textContent = titleOf(told, number, this.words);
    this.at("rules").textContent = nameRules(told[0]);
    this.at("deals").selectedIndex = number;
    this.shown = openReplay(this.at("replay"), told, this.words, start || chooseStart(told, this.shown?.head), (head) => keepPlace(number, head.step));
  }

  setLanguage(chosen) {
    this.language = this.root.documentElement.lang = chosen;
    this.at("language").value = chosen;
    for (const [id, key] of [["suits", "suits"], ["theme", "light_dark"], ["deals", "deals"], ["language", "language"]]) {
      this.at(id).title = this.words[key];
      this.at(id).setAttribute("aria-label", this.words[key]);
    }
    this.listSets();
  }

  listSets() {
    this.at("deals").replaceChildren(...this.sets.map((one, number) => make("option", "", titleOf(one, number, this.words))));
    this.at("deals").hidden = this.sets.length < 2;
  }

  listLanguages() {
    const options = Object.entries(this.names).map(([one, name]) => Object.assign(make("option", "", name), { value: one, lang: one }));
    this.at("language").replaceChildren(...options);
  }

  switchLanguage() {
    this.setLanguage(this.at("language").value);
    remember("language", this.language);
    this.openSet(this.set, this.shown.head);
  }

  // n: the next set; N: the one before.
  pressKey(event) {
    if (!"nN".includes(event.key) || isModified(event) || event.target.tagName === "SELECT") return;
    this.openSet(this.set + (event.key === "n" ? 1 : -1));
  }
}

export function startFile(root) {
  const file = new ReplayFile(root, JSON.parse(root.getElementById("data").textContent)), place = readPlace(location.hash, file.sets);
  keepChoices();
  file.at("deals").addEventListener("change", () => file.openSet(file.at("deals").selectedIndex));
  file.at("language").addEventListener("change", () => file.switchLanguage());
  root.addEventListener("keydown", (event) => file.pressKey(event));
  file.listLanguages();
  file.setLanguage(file.language);
  file.openSet(place.set, place.step === null ? null : { step: place.step });
  root.querySelector("header").hidden = false;
}

function keepPlace(set, step) {
  try {
    history.replaceState(null, "", `#deal=${set}&at=${step}`);
  } catch { /* a browser that gives files no addresses */ }
}

if (globalThis.document) startFile(document);
