import assert from "node:assert/strict";
import test from "node:test";

import { describeSet, leanOf, nextCell, sayIn } from "../../maumau/page/static/strip.js";

const scores = [4, 3, 2, 0, 1, 2];

test("a cell says its set, its block, what both scored, and the score so far", () => {
  assert.deepEqual(describeSet(scores, 4, 3, 1), { set: 1, block: 0, first: 3, second: 1, unit: 4, share: 87.5 });
  assert.deepEqual(describeSet(scores, 4, 3, 5), { set: 5, block: 1, first: 2, second: 2, unit: 4, share: 50 });
});

test("a bar reaches as far as its set was won or lost", () => {
  assert.deepEqual(scores.map((score) => leanOf(score, 4)), [1, 0.5, 0, -1, -0.5, 0]);
});

test("arrows go to the next set and the next block, and never beyond the ends", () => {
  assert.deepEqual(["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End", "x"].map((key) => nextCell(key, 2, 6, 3)), [3, 1, 5, 0, 0, 5, -1]);
  assert.equal(nextCell("ArrowRight", 5, 6, 3), 5);
});

test("a sentence has its values in place of their names", () => {
  assert.equal(sayIn("Set [set]: [firstName] [first]", { set: 3, firstName: "[set]", first: 4 }), "Set 3: [set] 4");
});
