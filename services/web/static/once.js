// A form that may be sent once is sent once: its second click would be told that the code is used.

export function sendOnce(root) {
  for (const form of root.querySelectorAll("form[data-once]")) {
    let isSent = false;
    form.addEventListener("submit", (event) => {
      if (isSent) event.preventDefault();
      isSent = true;
    });
    addEventListener("pageshow", () => { isSent = false; });
  }
}
