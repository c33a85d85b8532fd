// A contest's form shows its TOML while one types; without this script the button "Check" does the same.

import { putNodes } from "./part.js";

const PAUSE_MS = 400;

export function checkSpec(form) {
  let waiting = 0, asked = 0;
  async function check() {
    const number = ++asked;
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
    if (!answer?.ok || answer.redirected || number !== asked) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    putNodes(document.getElementById("drawn"), fresh.getElementById("drawn"));
  }
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, PAUSE_MS);
  });
}
