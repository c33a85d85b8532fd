import assert from "node:assert/strict";
import test from "node:test";

import { cardText } from "../../maumau/page/static/card.js";
import { fan, seatOf, shownEvents } from "../../maumau/page/static/table.js";

const deal = { events: ["up 9H", "A KH", "B draw"], step: 0.5 };

test("a deal is shown event by event and never beyond its end", () => {
  assert.deepEqual([0, 0.4, 0.5, 1.2, 99].map((age) => shownEvents(deal, age)), [1, 1, 2, 3, 3]);
});

test("the pile shows the last four cards that were laid", () => {
  const tops = ["9H", "9H", "KH", "7H", "7S", "JS"].map((card) => [card, "", ""]);
  assert.deepEqual(fan(tops, 6), ["KH", "7H", "7S", "JS"]);
  assert.deepEqual(fan(tops, 2), ["9H"]);
  assert.deepEqual(fan([["", "", ""]], 1), []);
});

test("an event is of a seat or of the table", () => {
  assert.deepEqual(["B 9H", "up 9H", "shuffle 12", "D out"].map((event) => seatOf(event, 3)), [1, -1, -1, -1]);
});

test("cards are called by rank and sign", () => {
  assert.deepEqual(["TC", "XX", "", "AD"].map(cardText), ["10♣", "★", "", "A♦"]);
});
