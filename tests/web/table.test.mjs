import assert from "node:assert/strict";
import test from "node:test";

import { cardText } from "../../maumau/page/static/card.js";
import { clocksAt, fan, pictureOf, seatOf, shownEvents } from "../../maumau/page/static/table.js";

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

test("the clock whose turn it is runs by the server's time, the others stand, none goes below nothing", () => {
  const clock = { ms: [61000, 59999], turn: 0, at: 100 };
  assert.deepEqual(clocksAt(clock, 100), ["1:01", "0:59"]);
  assert.deepEqual(clocksAt(clock, 103.5), ["0:57", "0:59"]);
  assert.deepEqual(clocksAt(clock, 500), ["0:00", "0:59"]);
  assert.deepEqual(clocksAt({ ...clock, turn: null }, 500), ["1:01", "0:59"]);
  assert.deepEqual(clocksAt(clock, 90), ["1:01", "0:59"]);
});

test("a live table has clocks and says what is owed", () => {
  const live = {
    events: ["A 7H"], words: ["ada lays 7♥"], counts: [[3, 4]], tops: [["7H", "", ""]], places: [], players: [{}, {}],
    clocks: ["1:01", "0:59"], now: { owed: 2, stock: 22 }, hands: [],
  };
  const picture = pictureOf(live, 1, { place_n: "place #" });
  assert.deepEqual(picture.seats.map((seat) => seat.clock), ["1:01", "0:59"]);
  assert.deepEqual([picture.owed, picture.stock], [2, 22]);
});
