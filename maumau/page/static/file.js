// The replay as a file: the deals in it, one set after the other, in the language and colours of who reads it.

import { make } from "./card.js";
import { keepChoices, recall, remember } from "./choice.js";
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

export function startFile(root) {
  const { labels, deals } = JSON.parse(root.getElementById("data").textContent), sets = groupSets(deals);
  const at = (id) => root.getElementById(id), known = Object.keys(labels);
  const wished = [recall("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
  let language = wished.find((one) => known.includes(one)) || known[0], set = 0, shown = null;

  function open(number, start) {
    if (!sets[number]) return;
    shown?.close();
    set = number;
    const words = labels[language], told = sets[set].map((deal) => ({ ...deal, words: deal.words[language] }));
    const blame = told.find((deal) => deal.blame)?.blame, { view = -1, speed = 1 } = shown?.state || {};
    const options = Object.entries(told[0].options).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    document.title = at("title").textContent = titleOf(told, set, words);
    at("rules").textContent = [told[0].rules, ...options].join(", ");
    at("deals").selectedIndex = set;
    const first = blame ? { step: blame.stage, view: blame.seat, speed } : { step: 0, view, speed };
    shown = openReplay(at("replay"), told, words, start || first, (state) => keepPlace(set, state.step));
  }
  function speak(chosen) {
    language = chosen;
    root.documentElement.lang = language;
    const words = labels[language], other = known.find((one) => one !== language);
    at("language").textContent = words.other_language;
    at("language").lang = other;
    for (const [id, key] of [["suits", "suits"], ["theme", "light_dark"], ["deals", "deals"]]) {
      at(id).title = words[key];
      at(id).setAttribute("aria-label", words[key]);
    }
    at("deals").replaceChildren(...sets.map((one, number) => make("option", "", titleOf(one, number, words))));
    at("deals").hidden = sets.length < 2;
  }
  keepChoices();
  at("deals").addEventListener("change", () => open(at("deals").selectedIndex));
  at("language").addEventListener("click", () => {
    speak(known.find((one) => one !== language));
    remember("language", language);
    open(set, { ...shown.state });
  });
  root.addEventListener("keydown", (event) => {
    if (!"nN".includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    open(set + (event.key === "n" ? 1 : -1));
  });
  const place = readPlace(location.hash, sets);
  speak(language);
  open(place.set, place.step === null ? null : { step: place.step });
  root.querySelector("header").hidden = false;
}

function keepPlace(set, step) {
  try {
    history.replaceState(null, "", `#deal=${set}&at=${step}`);
  } catch { /* a browser that gives files no addresses */ }
}

if (globalThis.document) startFile(document);
