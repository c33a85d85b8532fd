// What a reader chooses for this browser: light or dark, German suits.

function store(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch { /* a browser that keeps nothing */ }
  return null;
}

export function keepChoices() {
  const root = document.documentElement;
  const theme = store("theme");
  if (theme) root.dataset.theme = theme;
  root.classList.toggle("german", store("suits") === "german");
  button("theme", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    store("theme", root.dataset.theme);
  });
  button("suits", () => store("suits", root.classList.toggle("german") ? "german" : "french"));
}

function button(id, act) {
  const found = document.getElementById(id);
  if (!found) return;
  found.hidden = false;
  found.addEventListener("click", act);
}
