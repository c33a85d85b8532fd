// Takes an invitation from the address, which no browser sends to a server, into the form.

const field = document.getElementById("invite");

function take() {
  const found = location.hash.slice(1);
  if (!field || !found) return;
  field.value = found;
  document.getElementById("join-link").hidden = true;
}

take();
addEventListener("hashchange", take);
