// A deal that was played, stage by stage: every hand open or as one seat sees it, what may be laid raised.

import { make, makeBot, makeCard } from "./card.js";

const MANY = 8; // cards from which on an open hand lies closer
const FANNED = 4; // cards of the pile that are seen
const LETTERS = "ABCDEFGHIJ";

// The cards that the actions of a list take out of the hand.
export function laidBy(actions) {
  return new Set(actions.flatMap((action) => action.split(/[~>@/!]/)[0].split("+")));
}

// What happened since the stage before, as everybody (view -1) or one seat has seen it.
export function eventsOf(stage, view) {
  return view < 0 ? stage.open : stage.seen[view];
}

// The tops of the pile up to a stage, the newest last, a card that stays named once.
export function pileAt(stages, step) {
  const tops = stages.slice(0, step + 1).map((stage) => stage.top).filter(Boolean);
  return tops.filter((card, n) => n === 0 || card !== tops[n - 1]).slice(-FANNED);
}

// The first stage at which two seatings of a deal differ; the shorter one's length if they never do.
export function partingStep(one, other) {
  const most = Math.min(one.stages.length, other.stages.length);
  for (let n = 0; n < most; n++) {
    if (one.stages[n].open.join() !== other.stages[n].open.join()) return n;
  }
  return most;
}

// Draws a stage. words: {cards, card, stock, owed, wish, skips, begins, place} with "#" for a number.
export function drawStage(root, deal, step, view, words) {
  const stage = deal.stages[Math.min(step, deal.stages.length - 1)];
  const last = step >= deal.stages.length - 1;
  const seats = stage.hands.map((hand, number) => makeSeat(deal, stage, number, view, last, words));
  root.replaceChildren(
    make("div", "seats top", ...seats.slice(1)), makeMiddle(deal, stage, step, view, words), make("div", "seats bottom", seats[0]));
}

function makeSeat(deal, stage, number, view, last, words) {
  const hand = stage.hands[number], hidden = view >= 0 && view !== number, legal = stage.legal[number] || [];
  const can = hidden ? new Set() : laidBy(legal);
  const cards = make("div", `hand${hidden ? "" : " open"}${hand.length > MANY ? " many" : ""}`);
  for (const name of hand) cards.append(makeCard(hidden ? "" : name, can.has(name) ? "can" : ""));
  const place = last && deal.places.length ? words.place.replace("#", deal.places[number]) : "";
  const count = hand.length === 1 ? words.card : words.cards.replace("#", hand.length);
  const who = make("div", "who", make("span", "letter", LETTERS[number]), makeBot(deal.players[number]), make("span", "count", place || count));
  return make("div", "seat" + (stage.to_act.includes(number) ? " acts" : ""), who, cards);
}

function makeMiddle(deal, stage, step, view, words) {
  const pile = make("div", "pile", ...pileAt(deal.stages, step).map((card) => makeCard(card)));
  const facts = make("div", "facts");
  if (stage.wish) facts.append(make("span", "chip", `${words.wish} `, make("span", `pip ${stage.wish}`)));
  if (stage.owed) facts.append(make("span", "chip", words.owed.replace("#", stage.owed)));
  if (stage.skips) facts.append(make("span", "chip", words.skips.replace("#", stage.skips)));
  const said = eventsOf(stage, view).map((event) => deal.words[event] || event).join(" · ") || words.begins;
  const stock = make("div", "stock", makeCard(""), words.stock.replace("#", stage.stock));
  return make("div", "middle", stock, pile, facts, make("p", "said", said));
}

// Draws what has happened as a list; choose(step) is called for the line that is clicked.
export function drawLog(root, deal, step, view, choose) {
  const lines = deal.stages.flatMap((stage, number) => eventsOf(stage, view).map((event) => {
    const line = make("button", number === step ? "now" : number > step ? "later" : "", deal.words[event] || event);
    line.type = "button";
    line.title = event;
    line.addEventListener("click", () => choose(number));
    return make("li", "", line);
  }));
  root.replaceChildren(...lines);
  const now = root.querySelector(".now");
  if (now) root.scrollTop = now.parentElement.offsetTop - root.clientHeight / 2;
}
