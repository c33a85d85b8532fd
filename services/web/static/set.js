// The replay of a deal set: its seatings beside each other, stepped together.

import { make } from "./card.js";
import { drawLog, drawStage, partingStep } from "./replay.js";

const STEP_MS = 1000;

export function openSet(root, deals) {
  const words = root.dataset, at = (id) => document.getElementById(id);
  const last = Math.max(...deals.map((deal) => deal.stages.length)) - 1;
  const state = { step: 0, view: -1, timer: 0 };
  const places = deals.map((deal, number) => ({ deal, felt: at(`felt-${number}`), log: at(`log-${number}`) }));

  function draw() {
    for (const { deal, felt, log } of places) {
      const step = Math.min(state.step, deal.stages.length - 1);
      drawStage(felt, deal, step, state.view, words);
      drawLog(log, deal, step, state.view, go);
    }
    at("slider").value = state.step;
    at("slider").setAttribute("aria-valuetext", `${state.step} / ${last}`);
    at("step").textContent = `${state.step} / ${last}`;
    at("play").textContent = state.timer ? words.pause : words.play;
    at("play").setAttribute("aria-pressed", String(Boolean(state.timer)));
  }
  function go(step) {
    state.step = Math.max(0, Math.min(last, step));
    history.replaceState(null, "", `?at=${state.step}`);
    draw();
  }
  function pause() {
    clearInterval(state.timer);
    state.timer = 0;
  }
  function toggle() {
    if (state.timer) { pause(); return draw(); }
    if (state.step >= last) state.step = -1;
    state.timer = setInterval(() => {
      if (state.step + 1 >= last) pause();
      go(state.step + 1);
    }, STEP_MS / Number(at("speed").value));
    go(state.step + 1);
  }
  const parts = deals.length > 1 ? partingStep(deals[0], deals[1]) : 0;
  const keys = {
    ArrowRight: () => go(state.step + 1), ArrowLeft: () => go(state.step - 1), " ": toggle,
    Home: () => go(0), End: () => go(last), p: () => go(parts), "?": () => { at("keys").open = !at("keys").open; },
  };
  for (const [id, key] of Object.entries({ play: " ", back: "ArrowLeft", on: "ArrowRight", first: "Home", last: "End", part: "p" })) {
    at(id)?.addEventListener("click", keys[key]);
  }
  at("slider").max = last;
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  at("speed").addEventListener("change", () => { if (state.timer) { pause(); toggle(); } });
  deals[0].players.forEach((_, seat) => at("view").append(make("option", "", words.seat.replace("#", "ABCDEFGHIJ"[seat]))));
  at("view").addEventListener("change", () => { state.view = at("view").selectedIndex - 1; draw(); });
  document.addEventListener("keydown", (event) => {
    const own = event.target instanceof Element && event.target.closest("select, input, button, summary, a");
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (own && (own.tagName === "SELECT" || own.tagName === "INPUT" || event.key === " ")) return;
    event.preventDefault();
    keys[event.key]();
  });
  root.hidden = false;
  go(Number(new URLSearchParams(location.search).get("at")) || 0);
}

const root = document.getElementById("replay");
if (root) {
  fetch(root.dataset.from).then((answer) => answer.json()).then((deals) => openSet(root, deals));
}
