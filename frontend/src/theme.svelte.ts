// Dark, light, or as the system has it; kept in this browser.

type Choice = "" | "light" | "dark";
const KEY = "folkmoot-theme";

class Theme {
  choice = $state<Choice>("");

  constructor() {
    try {
      this.set((localStorage.getItem(KEY) as Choice | null) ?? "");
    } catch {
      // a browser that keeps nothing has the system's colours
    }
  }

  set(choice: Choice): void {
    this.choice = choice;
    document.documentElement.dataset["theme"] = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // it holds until the page is left
    }
  }
}

export const theme = new Theme();
