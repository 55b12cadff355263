// What this browser keeps for its user. A browser may keep nothing, so whatever uses it works without.

/** What is kept under a name; null where there is nothing, or nothing that can be read. */
export function stored<T>(name: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Keep something under a name, or forget what is kept there. */
export function store(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // it lasts as long as the page
  }
}
