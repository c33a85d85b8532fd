// A live deal at the table: hands as backs, pile and stock, what was said last.

import { cutOf, drawBoard, seatsOf } from "./board.js";
import { moveOf, showMove } from "./move.js";

const FANNED = 4; // cards of the pile that are seen
const TOLD = 3; // sentences before the last one

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

// A deal after so many events as a picture for drawBoard.
export function pictureOf(deal, known, texts) {
  const counts = deal.counts[known - 1] || [], acting = seatOf(deal.events[known - 1], deal.players.length);
  const over = known === deal.events.length && deal.places.length, [, wish, claim] = deal.tops[known - 1];
  const hands = deal.hands?.[known - 1]; // from the archive
  const seats = deal.players.map((player, n) => ({
    player, count: counts[n] || 0, cards: hands ? hands[n] : null, acts: n === acting, note: over ? texts.place_n.replace("#", deal.places[n]) : "",
    clock: deal.clocks?.[n], // of a live table
  }));
  return {
    seats, pile: fan(deal.tops, known), wish, claim, cut: cutOf([deal.events[known - 1]]), said: deal.words[known - 1], where: deal.where,
    told: deal.words.slice(Math.max(0, known - 1 - TOLD), known - 1), ...deal.now,
  };
}

// Clocks as text: clock = {ms by seat, turn: whose runs or null, at: when they were so, in seconds}.
export function clocksAt(clock, now) {
  return clock.ms.map((left, seat) => {
    const seconds = Math.floor(Math.max(0, seat === clock.turn ? left - 1000 * Math.max(0, now - clock.at) : left) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  });
}

// Sets the clocks of a table that is drawn and marks whose runs; now: in seconds by the server's clock.
export function setClocks(root, clock, now) {
  const texts = clocksAt(clock, now);
  seatsOf(root).forEach((seat, n) => {
    const place = seat.querySelector(".clock");
    if (place && place.textContent !== texts[n]) place.textContent = texts[n];
    seat.classList.toggle("acts", n === clock.turn);
  });
}

export function drawTable(root, deal, known, texts) {
  drawBoard(root, pictureOf(deal, known, texts), texts);
  if (known < 2) return;
  showMove(root, seatsOf(root), moveOf(deal.events[known - 1], deal.counts[known - 2], deal.counts[known - 1]));
}
