import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { listPresses } from "../../maumau/page/static/controls.js";
import { chooseStart } from "../../maumau/page/static/file.js";
import { Playhead } from "../../maumau/page/static/playhead.js";

function openHead(last, start = {}, seats = 2) {
  const steps = [];
  const head = new Playhead(last, seats, start, () => steps.push(head.step));
  return { head, steps };
}

test("a replay begins within the deal, and from a seat that it has", () => {
  const begun = (start) => {
    const { head } = openHead(9, start);
    return [head.step, head.view, head.speed];
  };
  assert.deepEqual(begun({ step: 12.7, view: 5, speed: 2 }), [9, -1, 2]);
  assert.deepEqual(begun({ step: -3, view: 1 }), [0, 1, 1]);
});

test("play steps on by the clock, and stops at the last step", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const { head, steps } = openHead(3, { speed: 2 });
    head.togglePlay();
    assert.deepEqual([steps, head.isPlaying], [[1], true]);
    mock.timers.tick(500);
    assert.deepEqual([steps, head.isPlaying], [[1, 2], true]);
    mock.timers.tick(5000);
    assert.deepEqual([steps, head.isPlaying], [[1, 2, 3], false]);
    head.togglePlay();
    assert.deepEqual([head.step, head.isPlaying], [0, true]);
    head.setSpeed(1);
    mock.timers.tick(999);
    assert.equal(head.step, 0);
    mock.timers.tick(1);
    assert.equal(head.step, 1);
    head.togglePlay();
    mock.timers.tick(5000);
    assert.deepEqual([head.step, head.isPlaying], [1, false]);
  } finally {
    mock.timers.reset();
  }
});

test("buttons keep within the deal, and only deals beside each other part", () => {
  const { head, steps } = openHead(4, { step: 4 }), press = listPresses(head, 4, 2), alone = listPresses(head, 4, null);
  for (const id of ["on", "back", "part", "first", "back", "last"]) press[id]();
  assert.deepEqual(steps, [4, 3, 2, 0, 0, 4]);
  alone.part();
  assert.equal(head.step, 4);
});

test("a deal that a seat has lost by its own doing is opened there, others keep view and speed", () => {
  const lost = { blame: { stage: 7, seat: 1 } };
  assert.deepEqual(chooseStart([{}, lost], { step: 3, view: 0, speed: 4 }), { step: 7, view: 1, speed: 4 });
  assert.deepEqual(chooseStart([{}], { step: 3, view: 0, speed: 4 }), { step: 0, view: 0, speed: 4 });
  assert.deepEqual(chooseStart([{}]), { step: 0, view: -1, speed: 1 });
});
