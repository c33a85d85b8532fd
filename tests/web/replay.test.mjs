import assert from "node:assert/strict";
import test from "node:test";

import { groupSets, readPlace, titleOf } from "../../maumau/page/static/file.js";
import { notesByStage } from "../../maumau/page/static/log.js";
import { actionOf } from "../../maumau/page/static/controls.js";
import { eventsOf, laidBy, partingStep, pileAt, sayAsked } from "../../maumau/page/static/replay.js";

const stage = (open, top) => ({ open, top, seen: [["own"], ["other"]] });

test("two seatings part at the first stage at which other things happened", () => {
  const one = { stages: [stage(["up 9H"]), stage(["A KH"]), stage(["B draw TC"])] };
  const other = { stages: [stage(["up 9H"]), stage(["A KH"]), stage(["B 7H"]), stage(["A out"])] };
  assert.equal(partingStep(one, other), 2);
  assert.equal(partingStep(one, one), 3);
});

test("a seat sees its own events, an open view all of them", () => {
  assert.deepEqual([-1, 0, 1].map((view) => eventsOf(stage(["all"]), view)), [["all"], ["own"], ["other"]]);
});

test("what may be laid are the cards of the actions listed", () => {
  assert.deepEqual([...laidBy(["7S", "JH>D", "8C+8D", "9S!", "draw"])], ["7S", "JH", "8C", "8D", "9S", "draw"]);
});

test("the pile at a stage has the cards on top until then", () => {
  const stages = [null, "9H", "9H", "KH", "7H", "7S", "JS"].map((top) => stage([], top));
  assert.deepEqual(pileAt(stages, 3), ["9H", "KH"]);
  assert.deepEqual(pileAt(stages, 6), ["KH", "7H", "7S", "JS"]);
});

test("deals that begin with the same cards are seatings of one set, others are not", () => {
  const begun = (title, hand, rules = "prsi") => ({ title, rules, options: {}, stages: [{ hands: [[hand]], stock: 9, top: "9H" }] });
  const deals = [begun("set 3, deal 0", "7S"), begun("set 3, deal 1", "7S"), begun("", "8S"), begun("", "8S", "app")];
  const sets = groupSets(deals);
  assert.deepEqual(sets.map((set) => set.length), [2, 1, 1]);
  assert.deepEqual(sets.map((set, number) => titleOf(set, number, { deal_n: "deal #" })), ["set 3", "deal 1", "deal 2"]);
  assert.deepEqual(readPlace("#deal=2&at=7", sets), { set: 2, step: 7 });
  assert.deepEqual(readPlace("#deal=9", sets), { set: 0, step: null });
});

test("a letter is the seat that has it before it is a key of its own", () => {
  assert.deepEqual(["b", "h", "o", "p", "x"].map((key) => actionOf(key, 2)), [{ view: 1 }, { press: "back" }, { view: -1 }, { press: "part" }, null]);
  assert.deepEqual(actionOf("h", 8), { view: 7 });
});

test("a note stands in the stage it was said in, and is read by its own seat alone", () => {
  const deal = { stages: [{ event: 1 }, { event: 3 }], notes: [{ event: 2, seat: 1, text: "mine" }, { event: 1, seat: 0, text: "first" }] };
  assert.deepEqual(notesByStage(deal, -1).map((notes) => notes.map((note) => note.text)), [["first"], ["mine"]]);
  assert.deepEqual(notesByStage(deal, 0).map((notes) => notes.length), [1, 0]);
});

test("what else may be done is said only of the seat that is looked from", () => {
  const asked = { to_act: [0], asks: "turn", legal: { 0: ["7S", "draw", "pass"] } }, words = { asked_turn: "# is to play", or: "or" };
  const deal = { players: [{ name: "" }, { name: "greedy" }] };
  assert.equal(sayAsked(deal, asked, -1, words), "A is to play · or draw, pass");
  const cut = { ...asked, asks: "keep", legal: [["keep:-", "keep:AD", "keep:TC+QH"]] };
  const de = {
    or: "oder", asked_keep: "# darf behalten", "action_keep:": "# behalten", "action_keep:-": "keine behalten",
  };
  assert.equal(sayAsked(deal, cut, -1, de), "A darf behalten · oder keine behalten, A♦ behalten, 10♣ Q♥ behalten");
  assert.equal(sayAsked(deal, { to_act: [0, 1], asks: "window" }, 1, { asked_window: "# may react" }), "A, greedy may react");
});
