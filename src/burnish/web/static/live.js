// Keeps a page up to date while a run works: on an event the page is fetched again and its live parts are replaced.
"use strict";
(() => {
  const address = document.body.dataset.events;
  const FIRST_WAIT = 5; // seconds until a lost connection is tried again; doubled up to a minute
  const LAST_WAIT = 60;
  const NAMES = ["happened", "changed"]; // event types of the streams: of one run, of all runs
  const BETWEEN = 1000; // least milliseconds between two updates
  const AGAIN = 3000; // milliseconds until a working run is fetched again
  const RESPITE = 10; // updates may take a tenth of the time at most
  const AT_WORK = ".pill.work, [data-at-work]"; // the run works, or its process is not gone yet

  const status = document.querySelector(".live");
  const words = document.querySelector("[data-live-words]");
  const lost = document.querySelector("[data-lost]");
  let source = null;
  let since = null; // when the connection was lost
  let wait = FIRST_WAIT;
  let countdown = 0;
  let due = 0;
  let at = 0; // when the next update may begin
  let stale = false;
  let last = 0; // the number of the latest event that is known

  const two = (number) => String(number).padStart(2, "0");

  // Show times in the reader's time zone, and ages as of now.
  const times = (root) => {
    for (const time of root.querySelectorAll("time[data-clock]")) {
      const then = new Date(time.dateTime);
      time.textContent = `${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`;
    }
    for (const time of root.querySelectorAll("time[data-age]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - new Date(time.dateTime)) / 1000));
      const [size, unit] = [[86400, "d"], [3600, "h"], [60, "min"]].find(([least]) => seconds >= least) || [1, "s"];
      const text = `${Math.floor(seconds / size)} ${unit}`;
      if (time.textContent !== text) time.textContent = text;
    }
  };

  const say = (state, text) => {
    if (status) status.dataset.state = state;
    if (words && words.textContent !== text) words.textContent = text;
  };

  // Find the same element in the new part, by its id, its key or its link.
  const same = (element, root) => {
    if (element.id) return root.querySelector(`#${CSS.escape(element.id)}`);
    if (element.dataset.key) return root.querySelector(`[data-key="${CSS.escape(element.dataset.key)}"]`);
    const href = element.getAttribute("href");
    if (href) return [...root.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === href);
    if (element.matches("summary")) {
      const text = element.textContent;
      return [...root.querySelectorAll("summary")].find((summary) => summary.textContent === text);
    }
    return null;
  };

  const busy = (part) => {
    const focused = document.activeElement;
    if (focused && part.contains(focused) && focused.matches("input, textarea, select")) return true;
    const selection = getSelection();
    return selection && !selection.isCollapsed && selection.containsNode(part, true);
  };

  const exchange = (part, fresh) => {
    if (busy(part)) return;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const opened = [...part.querySelectorAll("details[open] > summary")];
    const scrolled = [...part.querySelectorAll("[id]")].filter((one) => one.scrollLeft || one.scrollTop);
    const made = document.adoptNode(fresh);
    times(made);
    for (const summary of opened) {
      const again = same(summary, made);
      if (again) again.parentElement.open = true;
    }
    const target = focused && (focused === part ? made : same(focused, made));
    part.replaceWith(made);
    for (const one of scrolled) {
      const again = document.getElementById(one.id);
      if (again) again.scrollTo(one.scrollLeft, one.scrollTop);
    }
    if (target) target.focus({ preventScroll: true });
  };

  const refresh = async () => {
    due = 0;
    if (document.hidden) {
      stale = true;
      return;
    }
    stale = false;
    const began = performance.now();
    try {
      const answer = await fetch(document.body.dataset.same || location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of document.querySelectorAll("[data-live]")) {
        const other = fresh.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
        if (other && other.outerHTML !== part.outerHTML) exchange(part, other);
      }
    } catch {
      // The event stream reports a server that is gone.
    }
    const took = performance.now() - began;
    at = performance.now() + Math.max(BETWEEN, took * RESPITE);
    again(took);
  };

  // Fetch again while the run works or can be stopped: its last event comes before its process ends, and a pause
  // has no event.
  const again = (took) => {
    if (document.querySelector(AT_WORK) && !due) due = setTimeout(refresh, Math.max(AGAIN, took * RESPITE));
  };

  const plan = () => {
    if (!due) due = setTimeout(refresh, Math.max(0, at - performance.now()));
  };

  const alive = () => say("live", last ? `Live, event ${last.toLocaleString("en")}` : "Live");

  const heard = (event) => {
    last = Math.max(last, Number(event.lastEventId));
    alive();
    plan();
  };

  const tell = (seconds) => {
    const clock = `${two(since.getHours())}:${two(since.getMinutes())}`;
    const again = seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again now.";
    lost.textContent = `Not live since ${clock}. The run continues without this page. ${again}`;
    lost.hidden = false;
  };

  // A reopened stream begins after the last event received.
  const from = (number) => {
    const url = new URL(address, location.href);
    if (number && url.searchParams.has("after")) url.searchParams.set("after", number);
    return url;
  };

  const connect = () => {
    clearInterval(countdown);
    source = new EventSource(from(last));
    source.addEventListener("open", () => {
      const was = since;
      since = null;
      wait = FIRST_WAIT;
      lost.hidden = true;
      alive();
      if (was) plan();
    });
    for (const name of NAMES) source.addEventListener(name, heard);
    source.addEventListener("error", () => {
      source.close();
      since = since || new Date();
      say("lost", "Not live");
      lost.removeAttribute("aria-live");
      let left = wait;
      wait = Math.min(wait * 2, LAST_WAIT);
      tell(left);
      clearInterval(countdown);
      countdown = setInterval(() => {
        left -= 1;
        // Screen readers announce it once, not every second.
        lost.setAttribute("aria-live", "off");
        tell(left);
        if (left <= 0) connect();
      }, 1000);
    });
  };

  const disconnect = () => {
    clearInterval(countdown);
    clearTimeout(due);
    due = 0;
    if (source) source.close();
  };

  // Count down the seconds in which a decision can still be undone, then fetch the page again.
  setInterval(() => {
    for (const left of document.querySelectorAll("[data-countdown]")) {
      const seconds = Number(left.textContent);
      left.textContent = Math.max(0, seconds - 1);
      if (seconds <= 1) plan();
    }
  }, 1000);

  times(document);
  setInterval(() => times(document), 30000);
  if (!address || !window.EventSource) return;
  say("still", "Connecting");
  last = Number(new URL(address, location.href).searchParams.get("after"));
  connect();
  again(0);
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    connect();
    plan();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && stale) plan();
  });
})();
