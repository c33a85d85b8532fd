import assert from "node:assert/strict";
import test from "node:test";

import { eventsOf, laidBy, partingStep, pileAt } from "../../maumau/page/static/replay.js";

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
