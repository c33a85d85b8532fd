import assert from "node:assert/strict";
import test from "node:test";

import { showInOwnZone } from "../../services/web/static/spec.js";

function shown(zone, closes, starts) {
  process.env.TZ = zone;
  const fields = { zone: { value: "UTC" }, closes: { value: closes }, starts: { value: starts } };
  showInOwnZone(fields);
  return [fields.zone.value, fields.closes.value, fields.starts.value];
}

test("moments in UTC are shown in the visitor's zone, in winter and in summer", () => {
  assert.deepEqual(
    shown("Europe/Berlin", "2027-01-10T23:30", "2027-07-01T17:00"),
    ["Europe/Berlin", "2027-01-11T00:30", "2027-07-01T19:00"],
  );
  assert.deepEqual(
    shown("America/New_York", "2027-01-10T02:00", "2027-07-01T17:00"),
    ["America/New_York", "2027-01-09T21:00", "2027-07-01T13:00"],
  );
});

test("an empty field stays empty", () => {
  assert.deepEqual(shown("Asia/Tokyo", "", "2027-01-10T00:00"), ["Asia/Tokyo", "", "2027-01-10T09:00"]);
});
