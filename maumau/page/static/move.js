// Cards that move from one place of the table to another; nothing moves for whom it should not.

const MS = 180;
const STILL = "(prefers-reduced-motion: reduce)";

// What an event moves: a card to the pile, or some from the stock to a hand; null if nothing. before and after: counts
// of cards by seat.
export function moveOf(event, before, after) {
  const seat = event[1] === " " ? "ABCDEFGHIJ".indexOf(event[0]) : -1;
  if (seat < 0 || !before || seat >= after.length) return null;
  if (after[seat] < before[seat]) return { seat, to: "pile" };
  return after[seat] > before[seat] ? { seat, to: "hand" } : null;
}

// Shows a move on a table that is already drawn as it is after it. seats: its elements in their order.
export function showMove(root, seats, move) {
  if (!move || matchMedia(STILL).matches) return;
  const hand = seats[move.seat]?.querySelector(".hand");
  const [from, card] = move.to === "pile"
    ? [hand, root.querySelector(".pile .card:last-child")]
    : [root.querySelector(".stock .card"), hand?.querySelector(".card:last-child")];
  if (!from || !card) return;
  const start = from.getBoundingClientRect(), end = card.getBoundingClientRect();
  const x = start.x + start.width / 2 - end.x - end.width / 2, y = start.y + start.height / 2 - end.y - end.height / 2;
  card.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: MS, easing: "ease-out" });
}
