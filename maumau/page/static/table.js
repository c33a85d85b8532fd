// A live deal at the table: hands as backs, pile and stock, what was said last.

import { make, makeBot, makeCard } from "./card.js";

const FANNED = 4; // cards of the pile that are seen
const MANY = 7; // cards from which on a hand lies closer

// How many of a deal's events are shown `age` seconds after its show began.
export function shownEvents(deal, age) {
  return Math.max(1, Math.min(deal.events.length, 1 + Math.floor(age / deal.step)));
}

// The last cards on the pile after so many events, the newest last.
export function fan(tops, known) {
  const cards = [];
  for (let n = 0; n < known; n++) {
    const card = tops[n][0];
    if (card && (n === 0 || tops[n][0] !== tops[n - 1][0])) cards.push(card);
  }
  return cards.slice(-FANNED);
}

// The seat that an event is of, -1 for none.
export function seatOf(event, seats) {
  const seat = event[1] === " " ? "ABCDEFGHIJ".indexOf(event[0]) : -1;
  return seat < seats ? seat : -1;
}

// Places the seats: the first at the bottom, all others at the top. texts: {card, cards, set, seating} with "#".
export function drawTable(root, deal, known, texts) {
  const counts = deal.counts[known - 1] || [], acting = seatOf(deal.events[known - 1], deal.players.length);
  const seats = deal.players.map((player, number) => makeSeat(player, counts[number] || 0, number === acting, texts));
  const over = known === deal.events.length && deal.places.length;
  if (over) deal.places.forEach((place, number) => seats[number].querySelector(".count").replaceChildren(`${place}.`));
  root.replaceChildren(
    make("div", "seats top", ...seats.slice(1)), makeMiddle(deal, known, texts), make("div", "seats bottom", seats[0]));
}

function makeSeat(player, count, acts, texts) {
  const hand = make("div", "hand" + (count > MANY ? " many" : ""));
  for (let n = 0; n < count; n++) hand.append(makeCard(""));
  const words = count === 1 ? texts.card : texts.cards.replace("#", count);
  const who = make("div", "who", makeBot(player), make("span", "count", words));
  return make("div", "seat" + (acts ? " acts" : ""), who, hand);
}

function makeMiddle(deal, known, texts) {
  const cards = fan(deal.tops, known), [, wish, claim] = deal.tops[known - 1];
  const changed = known < 2 || deal.tops[known - 1][0] !== deal.tops[known - 2][0];
  const pile = make("div", "pile", ...cards.map((card, n) => makeCard(card, changed && n === cards.length - 1 ? "fresh" : "")));
  if (claim) pile.append(makeCard("", "fresh"));
  const facts = make("div", "facts");
  if (wish) facts.append(make("span", "chip", `${texts.wish} `, make("span", `pip ${wish}`)));
  const where = make("span", "deal", `${texts.set.replace("#", deal.set)}, ${texts.seating.replace("#", deal.seating + 1)}`);
  return make("div", "middle", make("div", "stock", makeCard("")), pile, facts, make("p", "said", deal.words[known - 1], where));
}
