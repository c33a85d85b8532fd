// What a reader chooses for this browser: light or dark, German suits.

export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch { return null; /* a browser that keeps nothing */ }
}

export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* it is chosen until the page is left */ }
}

export function keepChoices() {
  const root = document.documentElement;
  const theme = recall("theme");
  if (theme) root.dataset.theme = theme;
  root.classList.toggle("german", recall("suits") === "german");
  button("theme", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
  button("suits", () => remember("suits", root.classList.toggle("german") ? "german" : "french"));
}

function button(id, act) {
  const found = document.getElementById(id);
  if (!found) return;
  found.hidden = false;
  found.addEventListener("click", act);
}
