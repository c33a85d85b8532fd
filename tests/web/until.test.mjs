import assert from "node:assert/strict";
import test from "node:test";

import { sayLeft } from "../../services/web/static/until.js";

test("what is left is said in minutes and seconds, with hours where there are any", () => {
  assert.equal(sayLeft(600), "10:00");
  assert.equal(sayLeft(59.2), "1:00");
  assert.equal(sayLeft(9), "0:09");
  assert.equal(sayLeft(3661), "1:01:01");
});

test("nothing is left of a moment that has passed", () => {
  assert.equal(sayLeft(-5), "0:00");
});
