import assert from "node:assert/strict";
import test from "node:test";

import { countThings, sidesOf } from "../../maumau/page/static/board.js";
import { moveOf } from "../../maumau/page/static/move.js";
import { pictureOf } from "../../maumau/page/static/table.js";
import { pictureOfStage } from "../../maumau/page/static/replay.js";

test("seats go around the table, the first at the bottom", () => {
  assert.deepEqual(sidesOf(2), ["bottom", "top"]);
  assert.deepEqual(sidesOf(3), ["bottom", "left", "right"]);
  assert.deepEqual(sidesOf(5), ["bottom", "left", "top", "top", "right"]);
});

test("a card goes from a hand to the pile or from the stock to a hand", () => {
  assert.deepEqual(moveOf("B 7H", [5, 5], [5, 4]), { seat: 1, to: "pile" });
  assert.deepEqual(moveOf("A +2", [5, 4], [7, 4]), { seat: 0, to: "hand" });
  assert.equal(moveOf("A pass", [5, 4], [5, 4]), null);
  assert.equal(moveOf("up 9H", [5, 4], [5, 4]), null);
  assert.equal(moveOf("B 7H", undefined, [5, 4]), null);
});

const deal = {
  players: [{ name: "greedy" }, { name: "rollout" }], events: ["up 9H", "A KH", "B JS>D"], words: ["one", "two", "three"],
  tops: [["9H", "", ""], ["KH", "", ""], ["JS", "D", ""]], counts: [[5, 5], [4, 5], [4, 4]], places: [], where: "set 0",
};

test("a deal is a picture of what is known of it", () => {
  const picture = pictureOf(deal, 3, { place_n: "place #" });
  assert.deepEqual(picture.pile, ["9H", "KH", "JS"]);
  assert.equal(picture.wish, "D");
  assert.deepEqual(picture.seats.map(({ count, cards, acts, note }) => [count, cards, acts, note]), [[4, null, false, ""], [4, null, true, ""]]);
  assert.deepEqual([picture.told, picture.said], [["one", "two"], "three"]);
});

test("a deal from the archive lies open, and its end has places", () => {
  const over = { ...deal, places: [2, 1], hands: [[["7S"], []], [["7S"], []], [["7S"], ["8D"]]] };
  assert.deepEqual(pictureOf(over, 3, { place_n: "place #" }).seats.map(({ cards, note }) => [cards, note]), [[["7S"], "place 2"], [["8D"], "place 1"]]);
});

test("a stage seen from a seat hides the other hands and what could be laid there", () => {
  const stage = { open: ["A 7S"], seen: [["A 7S"], ["A 7S"]], hands: [["8S"], ["9S", "TD"]], legal: { 1: ["9S", "draw"] }, asks: "turn", to_act: [1], top: "7S", stock: 12, owed: 2, skips: 0, direction: -1, wish: null };
  const picture = pictureOfStage({ stages: [stage], players: deal.players, places: [], words: { "A 7S": "greedy lays 7♠" } }, 0, 0, { begins: "", asked_turn: "# is to play", or: "or" });
  assert.deepEqual(picture.seats.map(({ cards, count, acts }) => [cards, count, acts]), [[["8S"], 1, false], [null, 2, true]]);
  assert.equal(picture.seats[1].can, null);
  assert.deepEqual([picture.owed, picture.stock, picture.direction, picture.said], [2, 12, -1, "greedy lays 7♠"]);
  assert.equal(picture.asked, `${deal.players[1].name} is to play`);
});

test("the cards that the cut has just exposed lie on the table", () => {
  const cut = { ...deal, events: ["cut 9D QD", "A keep QD", "up 9H"] };
  assert.deepEqual([1, 2, 3].map((known) => pictureOf(cut, known, {}).cut), [["9D", "QD"], [], []]);
  const stage = { open: ["cut 9D QD"], seen: [["cut 9D QD"]], hands: [[], []], asks: "keep", to_act: [0] };
  const words = { "cut 9D QD": "the cut shows 9♦ Q♦", asked_keep: "#" };
  assert.deepEqual(pictureOfStage({ stages: [stage], players: deal.players, places: [], words: {} }, 0, -1, words).cut, ["9D", "QD"]);
});

test("cards are counted in the form that the language has for their number", () => {
  const czech = { cards_one: "1 karta", cards_few: "# karty", cards_n: "# karet" };
  assert.deepEqual([0, 1, 2, 5].map((n) => countThings(czech, "cards", n, "cs")), ["0 karet", "1 karta", "2 karty", "5 karet"]);
  const french = { cards_one: "# carte", cards_few: "# cartes", cards_n: "# cartes" };
  assert.deepEqual([0, 1, 2, 1000000].map((n) => countThings(french, "cards", n, "fr")), ["0 carte", "1 carte", "2 cartes", "1000000 cartes"]);
});
