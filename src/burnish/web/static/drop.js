// Send files at once when they are dropped or chosen. Without this script there is a button.
"use strict";
(() => {
  for (const form of document.querySelectorAll("form[data-drop]")) {
    const input = form.querySelector("input[type=file]");
    const send = () => {
      if (!input.files.length) return;
      form.classList.add("busy");
      form.setAttribute("aria-busy", "true");
      form.requestSubmit();
    };
    for (const hidden of form.querySelectorAll("[data-noscript]")) hidden.hidden = true;
    input.addEventListener("change", send);
    for (const name of ["dragenter", "dragover"]) {
      form.addEventListener(name, (event) => {
        event.preventDefault();
        form.classList.add("over");
      });
    }
    for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      send();
    });
  }
})();
