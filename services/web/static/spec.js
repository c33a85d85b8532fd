// A contest's form shows its TOML while one types; without this script the button "Check" does the same.

import { putNodes } from "./part.js";

const PAUSE_MS = 400;

// Moments in UTC, of the contest that is copied, as the visitor's clocks show them.
export function showInOwnZone({ zone, closes, starts }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!own) return;
  zone.value = own;
  for (const field of [closes, starts]) {
    const at = new Date(`${field.value}Z`);
    if (Number.isNaN(at.getTime())) continue;
    field.value = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
}

export function checkSpec(form) {
  let waiting = 0, asked = 0;
  async function check() {
    const number = ++asked;
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form) }).catch(() => null);
    if (!answer?.ok || answer.redirected || number !== asked) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    putNodes(document.getElementById("drawn"), fresh.getElementById("drawn"));
  }
  const { zone, files } = form.elements;
  if (zone?.dataset.guess !== undefined) showInOwnZone(form.elements);
  files?.addEventListener("change", async () => {
    const [file] = files.files;
    if (!file) return;
    form.elements.rules.value = "own";
    form.elements.variant_name.value = file.name.replace(/\.[^.]*$/, "");
    form.elements.variant_toml.value = await file.text();
    files.value = "";  // the text is sent, which can be changed by hand
    check();
  });
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, PAUSE_MS);
  });
}
