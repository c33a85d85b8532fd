// A player's table: taps are sent without loading the page, the stream draws what follows, keys choose.
// Of several tabs with the same table the newest one plays.

import { putNodes } from "./part.js";

const hand = document.getElementById("play_hand"), words = document.getElementById("play-words");
let sent = null, isOlder = false, showsReason = false; // sent: the cursor of the answer on its way; showsReason: why a card may not be laid is shown

function say(text, detail) {
  showsReason = false;
  words.replaceChildren(text);
  if (!detail) return;
  const more = document.createElement("span");
  more.lang = "en";
  more.className = "facts";
  more.textContent = ` ${detail}`;
  words.append(more);
}

// Sends one answer a question at a time; the next question may be drawn, and answered, before the reply to the last one is here.
// Where the arena says anything but yes or no, the page is loaded again and shows the current state.
async function send(form, button) {
  const fields = new URLSearchParams(new FormData(form, button)), cursor = fields.get("cursor");
  if (sent === cursor) return;
  sent = cursor;
  hand.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "application/json" } });
    if (!answer.headers.get("content-type")?.startsWith("application/json")) return location.reload();
    const said = await answer.json();
    if (sent === cursor) say(said.words, said.detail);
  } catch {
    if (sent === cursor) say(document.getElementById("play-form").dataset.lost);
  } finally {
    if (sent === cursor) {
      sent = null;
      hand.removeAttribute("aria-busy");
    }
  }
}

// A step of a choice, or the way back from it: only the hand changes.
async function step(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return location.assign(address);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  putNodes(hand, fresh.getElementById(hand.id));
  hand.querySelector(".choices [data-choice]")?.focus();
  announceStep();
}

// Says what is still to be chosen, as the server says the first choices.
function announceStep() {
  const title = document.getElementById("step-title"), choices = [...hand.querySelectorAll(".choices [data-choice]")];
  if (!title) return;
  const said = document.createElement("p");
  said.textContent = [title.textContent, ...choices.map((one, at) => `${at + 1}: ${one.textContent};`)].join(" ");
  document.getElementById("play_told").replaceChildren(said);
}

for (const id of ["play-form", "typed-form"]) {
  const form = document.getElementById(id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, event.submitter);
  });
}

// A card that may not be laid says why; nothing is sent, and the same words are said again if it is tapped again.
hand.addEventListener("click", (event) => {
  const barred = event.target.closest("a[data-why]");
  if (!barred || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  words.replaceChildren();
  requestAnimationFrame(() => {
    say(barred.dataset.why);
    showsReason = true;
  });
});

// Why a card may not be laid holds for the hand that was shown.
new MutationObserver(() => {
  if (showsReason) say("");
}).observe(hand, { childList: true });

hand.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  step(link.href);
});

function sayMau() { // the next of: nothing, Mau, Mau-Mau
  const ways = [...hand.querySelectorAll("input[name=call]")], at = ways.findIndex((one) => one.checked);
  if (ways.length) ways[(at + 1) % ways.length].checked = true;
}

function choose(key) {
  const choices = [...hand.querySelectorAll("[data-choice]")];
  if (/^[1-9]$/.test(key)) return choices[Number(key) - 1];
  if (key === "Enter") return choices.length === 1 ? choices[0] : null;
  const begins = { d: ["draw", "take", "on"], p: ["pass", "hold", "skip", "decline"] }[key] || [];
  return choices.find((one) => begins.some((word) => (one.value || "").startsWith(word)));
}

// Moves the focus from choice to choice, in a circle.
function moveFocus(by) {
  const choices = [...hand.querySelectorAll("[data-choice]")], at = choices.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : choices.length - 1) : (at + by + choices.length) % choices.length;
  choices[next]?.focus();
}

const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

document.addEventListener("keydown", (event) => {
  const at = event.target;
  if (isOlder) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || at.closest("input, select, textarea")) return;
  if (event.key === "Enter" && at.closest("a, button, summary")) return; // it does what it has the focus for
  if (event.key in ARROWS && !at.closest(".events, .scroll")) {
    event.preventDefault();
    return moveFocus(ARROWS[event.key]);
  }
  if (event.key === "m") return sayMau();
  if (event.key === "Escape") return hand.querySelector("[data-back]")?.click();
  choose(event.key)?.click();
});

const tabs = new BroadcastChannel(location.pathname);

// A newer tab has the table: this one shows it, and plays no more until somebody wants it here again.
function becomeOlder() {
  if (isOlder) return;
  isOlder = true;
  document.body.classList.add("older");
  hand.inert = true;
  const { older, newer } = document.getElementById("play-form").dataset, here = document.createElement("button");
  here.type = "button";
  here.textContent = newer;
  here.addEventListener("click", () => location.reload());
  words.replaceChildren(`${older} `, here);
}

tabs.addEventListener("message", becomeOlder);
tabs.postMessage("newer");
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
