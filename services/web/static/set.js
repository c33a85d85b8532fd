// Opens the replay of a deal set on its page.

import { openReplay } from "./player.js";

const root = document.getElementById("replay");
const start = { step: Number(new URLSearchParams(location.search).get("at")) || 0 };
fetch(root.dataset.from).then((answer) => answer.json()).then((deals) => {
  root.hidden = false;
  openReplay(root, deals.map((deal) => ({ ...deal, heading: deal.title, words: deal.words[document.documentElement.lang] })), JSON.parse(root.dataset.words), start,
    (state) => {
      const here = new URLSearchParams(location.search);
      here.set("at", state.step);
      history.replaceState(null, "", `?${here}`);
    });
});
