// A card dragged onto the table is tapped there: keys and taps need nothing of this.

const hand = document.getElementById("play_hand"), felt = document.getElementById("table");
const FAR = 8; // pixels from which a press is a drag, not a tap
let held = null, isDragged = false;

function isOverTable({ clientX: x, clientY: y }) {
  const box = felt.getBoundingClientRect();
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}

function letGo() {
  held?.card.classList.remove("dragged");
  held?.card.style.removeProperty("translate");
  felt.classList.remove("drop");
  held = null;
}

hand.addEventListener("pointerdown", (event) => {
  const card = event.target.closest(".my-cards :is(a, button)");
  isDragged = false;
  if (card && event.isPrimary && event.button === 0) held = { card, x: event.clientX, y: event.clientY };
});

document.addEventListener("pointermove", (event) => {
  if (!held || !event.isPrimary) return;
  if (!held.card.isConnected) return letGo(); // the hand was drawn anew
  const x = event.clientX - held.x, y = event.clientY - held.y;
  if (!isDragged && Math.hypot(x, y) < FAR) return;
  if (!isDragged) held.card.setPointerCapture(event.pointerId);
  isDragged = true;
  held.card.classList.add("dragged");
  held.card.style.translate = `${x}px ${y}px`;
  felt.classList.toggle("drop", isOverTable(event));
});

document.addEventListener("pointerup", (event) => {
  const card = isDragged && held?.card.isConnected && isOverTable(event) ? held.card : null;
  letGo();
  card?.click();
});

document.addEventListener("pointercancel", letGo);
hand.addEventListener("dragstart", (event) => event.preventDefault());

// The browser's own click at the end of a drag is none.
hand.addEventListener("click", (event) => {
  if (!isDragged || !event.isTrusted || event.detail === 0) return; // of a key: detail 0
  isDragged = false;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
