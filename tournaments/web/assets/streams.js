// Streams of events. A browser opens few connections to a server, so that a page that is left, or that nobody
// sees, holds none.

// Listens to a stream; `handlers` are given the data of their kind and a function that ends listening.
// A connection that is lost is opened again, and `tell` is told of that, and of a stream that is refused.
export function listen(path, handlers, { tell = () => {}, whileHidden = false } = {}) {
  let source = null;
  let isOver = false;

  function close() {
    source?.close();
    source = null;
  }

  function stop() {
    isOver = true;
    close();
  }

  function open() {
    if (source || isOver || (document.hidden && !whileHidden)) return;
    source = new EventSource(path);
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => handle(JSON.parse(event.data), stop));
    }
    source.addEventListener("open", () => tell("open"));
    source.addEventListener("error", (event) => tell(event.target.readyState === EventSource.CLOSED ? "refused" : "lost"));
  }

  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  document.addEventListener("visibilitychange", () => (document.hidden && !whileHidden ? close() : open()));
  open();
}

// Calls `fetched` when there is something new, one call at a time, so that an older answer never replaces a
// newer one; `tell` is as for `listen`.
export function renewing(path, fetched, tell) {
  let isDue = false;
  let isFetching = false;

  async function renew() {
    isDue = true;
    if (isFetching) return;
    isFetching = true;
    while (isDue) {
      isDue = false;
      await fetched().catch(() => {}); // without a connection; its stream begins again
    }
    isFetching = false;
  }

  listen(path, { changed: renew }, { tell });
}

// Returns what tells below the menu of the page that its server does not answer, with a text.
export function notice(text) {
  const place = document.createElement("p");
  place.className = "problem";
  place.setAttribute("role", "status");
  document.querySelector("header").append(place);
  return (what) => (place.textContent = what === "open" ? "" : text);
}

// Returns the page at this address as it is now, null where there is none.
export async function present() {
  const response = await fetch(location.pathname, { cache: "no-cache" });
  return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
}
