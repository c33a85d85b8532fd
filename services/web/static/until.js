// Counts down to moments that a page names in seconds since 1970.

const TICK_MS = 500;

export function sayLeft(seconds) {
  const left = Math.max(0, Math.ceil(seconds)), pad = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60;
  return hours ? `${hours}:${pad(minutes)}:${pad(left % 60)}` : `${minutes}:${pad(left % 60)}`;
}

export function countDown(root) {
  setInterval(() => {
    for (const place of root.querySelectorAll("[data-until]")) {
      place.textContent = sayLeft(Number(place.dataset.until) - Date.now() / 1000);
      place.parentElement.hidden = false;
    }
  }, TICK_MS);
}
