// Where the page is: its path and query, kept in the address. Five paths need no router library.

class Route {
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));

  read(): void {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  }

  /** Go to another page of the app. */
  go(href: string): void {
    history.pushState(null, "", href);
    this.read();
    scrollTo(0, 0);
    requestAnimationFrame(() => document.getElementById("main")?.focus({ preventScroll: true }));
  }

  /** Change the query of this page; null takes a key out. */
  set(changes: Record<string, string | null>): void {
    const query = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(changes))
      if (value === null) query.delete(key);
      else query.set(key, value);
    const text = query.toString();
    if (text === this.query.toString()) return;
    history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
    this.query = query;
  }

  /** Follow a link of ours without loading the page anew. */
  follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest?.("a[href]");
    const href = link?.getAttribute("href") ?? "";
    if (!/^[/?]/.test(href) || href.startsWith("/api/") || link!.hasAttribute("download")) return;
    event.preventDefault();
    this.go(href.startsWith("?") ? this.path + href : href);
  }
}

export const route = new Route();
