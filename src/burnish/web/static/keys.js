// Keys press buttons and links that are on the page. Everything works without this file.
"use strict";
(() => {
  const FIELDS = "input:not([type=hidden]):not([type=submit]):not([type=button]), textarea, select";
  const TICKS = "[type=checkbox], [type=radio]"; // letters are not typed into them
  const typing = (element) => element.matches(`${FIELDS}, [contenteditable]`) && !element.matches(TICKS);
  const seen = (element) => element.getClientRects().length > 0 && !element.matches(":disabled, [aria-disabled]");

  // On keyboards of other scripts use the position of the key.
  const pressed = (event) => {
    const latin = /^[\x20-\x7e]$/.test(event.key);
    const letter = /^Key([A-Z])$/.exec(event.code);
    return latin || !letter ? event.key : letter[1].toLowerCase();
  };

  const open = (details) => {
    details.open = true;
    const field = details.querySelector(FIELDS);
    (field || details.querySelector("summary")).focus();
    details.scrollIntoView({ block: "nearest" });
  };

  const show = (name) => {
    const dialog = document.getElementById(name);
    if (!dialog || !dialog.showModal) return false;
    if (dialog.open) dialog.close();
    else dialog.showModal(); // the browser traps the focus and restores it
    return true;
  };

  const press = (control) => {
    control.classList.add("hit");
    setTimeout(() => control.classList.remove("hit"), 350);
    if (control.matches(FIELDS)) {
      control.focus();
      if (control.select) control.select();
    } else if (control.matches("summary")) {
      open(control.parentElement);
    } else {
      control.click();
    }
  };

  const control = (name) => {
    const dialog = document.querySelector("dialog[open]");
    const found = (dialog || document).querySelectorAll(`[data-key="${CSS.escape(name)}"]`);
    return [...found].find(seen);
  };

  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (typing(target)) {
      if (event.key === "Escape" && !target.closest("dialog")) target.blur();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.form) {
        const send = target.form.querySelector('[data-key="Ctrl Enter"]') || target.form.querySelector("[type=submit]");
        if (send) {
          event.preventDefault();
          send.click();
        }
      }
      return;
    }
    // A key held down counts once.
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const name = pressed(event);
    if (name === "?" && document.querySelector("dialog[open]#keys")) {
      event.preventDefault();
      show("keys");
      return;
    }
    const found = control(name);
    if (!found) return;
    event.preventDefault();
    press(found);
  });

  addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[data-dialog], a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.dataset.dialog) {
      if (show(link.dataset.dialog)) event.preventDefault();
      return;
    }
    const aim = document.getElementById(link.hash.slice(1));
    if (aim instanceof HTMLDetailsElement) {
      event.preventDefault();
      open(aim);
    }
  });

  // Drafts survive a reload, and Accept does not discard one.
  const drafts = [...document.querySelectorAll("#edit form, #back form, #drop form")];
  const written = (form) => [...form.querySelectorAll(FIELDS)].filter((field) => field.name);
  const values = (form) => JSON.stringify(written(form).map((field) => [field.name, field.value]));
  const place = (form) => ["run", "unit", "seen", "verdict"].map((name) => form.elements[name]?.value).join("\n");
  const handed = new Map(drafts.map((form) => [form, values(form)]));
  const unsent = (form) => form.querySelector("[data-unsent]");
  const keep = (form) => {
    const text = values(form);
    if (text === handed.get(form)) sessionStorage.removeItem(place(form));
    else sessionStorage.setItem(place(form), text);
  };
  for (const form of drafts) {
    const kept = sessionStorage.getItem(place(form));
    if (kept && kept !== handed.get(form)) {
      for (const [name, value] of JSON.parse(kept)) if (form.elements[name]) form.elements[name].value = value;
      form.closest("details").open = true;
    }
    form.addEventListener("input", () => keep(form));
    form.addEventListener("reset", () => setTimeout(() => {
      keep(form);
      if (unsent(form)) unsent(form).hidden = true;
    }));
  }
  addEventListener("submit", (event) => {
    const form = event.target;
    const edit = drafts.find((draft) => draft !== form && values(draft) !== handed.get(draft));
    if (event.submitter?.value === "accept" && edit && unsent(edit)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      edit.closest("details").open = true;
      unsent(edit).hidden = false;
      edit.querySelector("[data-key]").focus();
      edit.scrollIntoView({ block: "nearest" });
    } else if (drafts.includes(form)) {
      sessionStorage.removeItem(place(form));
    }
  }, true);

  // Send each form only once.
  addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // Show the number of ticked units on the buttons.
  const picks = [...document.querySelectorAll(".tickable input[type=checkbox]")];
  const counted = () => {
    const left = picks.filter((one) => !one.checked).length;
    for (const one of document.querySelectorAll("[data-picked]")) {
      one.textContent = (Number(one.dataset.picked) - left).toLocaleString("en-US");
    }
  };
  if (picks.length) {
    addEventListener("change", counted);
    addEventListener("pageshow", counted);
  }

  // Focus the main sentence, so that screen readers begin with it.
  const focus = document.querySelector("[data-focus]");
  if (focus && !location.hash) {
    if (focus.tabIndex < 0) focus.tabIndex = -1;
    focus.focus({ preventScroll: true });
  }
})();
