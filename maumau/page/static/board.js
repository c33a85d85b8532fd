// The table as it is drawn: seats around it, stock and pile in the middle, what was said. A picture is plain data:
// {seats: [{player, letter, count, cards, can, acts, note, clock}], pile, claim, wish, owed, skips, direction, stock,
// cut, said, asked, broken, where, told}. cards: null face down, else names; "" stands for one face down. cut: what
// the cut has just exposed.

import { make, makeBot, makeCard } from "./card.js";

const CLOSER = 7; // cards from which on a hand lies closer
const CLOSEST = 13;

// Where each seat sits: the first at the bottom, the others clockwise around the table.
export function sidesOf(count) {
  if (count < 2) return ["bottom"];
  if (count === 2) return ["bottom", "top"];
  if (count === 3) return ["bottom", "left", "right"];
  return ["bottom", "left", ...Array(count - 3).fill("top"), "right"];
}

// texts: {cards_one, cards_few, cards_n, stock_n, owed_n, claimed, wish, skips_n} with "#" for a number.
export function drawBoard(root, picture, texts) {
  const sides = sidesOf(picture.seats.length), zones = { left: [], top: [], right: [], bottom: [] };
  picture.seats.forEach((seat, number) => zones[sides[number]].push(makeSeat(seat, texts)));
  const told = make("ol", "told", ...(picture.told || []).map((line) => make("li", "", line)));
  root.replaceChildren(
    ...Object.entries(zones).filter(([, seats]) => seats.length).map(([side, seats]) => make("div", `seats ${side}`, ...seats)),
    makeMiddle(picture, texts), told);
  root.dataset.seats = picture.seats.length;
}

// The cards that the cut exposed in these events.
export function cutOf(events) {
  const cut = events.find((event) => event.startsWith("cut "));
  return cut ? cut.split(" ").slice(1) : [];
}

// A number of things in words, in the form that the page's language has for it.
export function countThings(texts, things, number, language = globalThis.document?.documentElement.lang || "en") {
  const form = new Intl.PluralRules(language).select(number);
  return (texts[`${things}_${form}`] || texts[`${things}_n`]).replace("#", number);
}

// The elements of the seats in their order.
export function seatsOf(root) {
  return ["bottom", "left", "top", "right"].flatMap((side) => [...root.querySelectorAll(`.seats.${side} > .seat`)]);
}

export function makeSeat(seat, texts) {
  const tight = seat.count > CLOSEST ? " tight" : seat.count > CLOSER ? " many" : "";
  const hand = make("div", `hand${seat.cards ? " open" : ""}${tight}`);
  for (let n = 0; n < seat.count; n++) {
    const name = seat.cards ? seat.cards[n] : "";
    hand.append(makeCard(name, seat.can?.has(name) ? "can" : ""));
  }
  const words = seat.note || countThings(texts, "cards", seat.count);
  const who = make("div", "who", makeBot(seat.player), make("span", "count", words));
  if (seat.letter) who.prepend(make("span", "letter", seat.letter));
  if (seat.clock) who.append(make("span", "clock", seat.clock));
  return make("div", `seat${seat.acts ? " acts" : ""}`, who, hand);
}

function makeMiddle(picture, texts) {
  const stock = make("div", "stock", picture.stock === 0 ? make("span", "card none") : makeCard(""));
  if (picture.stock !== undefined) stock.append(make("span", "count", texts.stock_n.replace("#", picture.stock)));
  const pile = make("div", "pile", ...picture.pile.map((card) => makeCard(card)));
  if (picture.claim) pile.append(makeCard(""));
  const facts = make("div", "facts");
  if (picture.claim) facts.append(make("span", "chip", `${texts.claimed} `, makeCard(picture.claim, "mini")));
  if (picture.cut?.length) facts.append(make("span", "chip cut", ...picture.cut.map((card) => makeCard(card, "mini"))));
  if (picture.wish) facts.append(make("span", "chip", `${texts.wish} `, make("span", `pip ${picture.wish}`)));
  if (picture.owed) facts.append(make("span", "chip", texts.owed_n.replace("#", picture.owed)));
  if (picture.skips) facts.append(make("span", "chip", texts.skips_n.replace("#", picture.skips)));
  if (picture.direction === -1) facts.append(make("span", "turning", "↺"));
  const said = make("p", "said", picture.said);
  if (picture.where) said.append(make("span", "deal", picture.where));
  const middle = make("div", "middle", stock, pile, facts, said);
  if (picture.asked !== undefined) middle.append(make("p", "asked", picture.asked));
  if (picture.broken) middle.append(make("p", "broken", picture.broken));
  return middle;
}
