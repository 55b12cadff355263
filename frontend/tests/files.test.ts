import { describe, expect, it } from "vitest";
import { markdown, merged, read, size, trouble } from "../src/files";

class Reader {
  result = "";
  onload = (): void => undefined;
  readAsDataURL(file: Blob): void {
    void file.text().then((text) => {
      this.result = `data:image/png;base64,${btoa(text)}`;
      this.onload();
    });
  }
}

describe("files of a brief", () => {
  it("reads Markdown, which may be a brief", () => {
    const data = btoa(String.fromCharCode(...new TextEncoder().encode("# Café?")));
    expect(["a.md", "B.MARKDOWN", "c.txt", "d.pdf"].map((name) => markdown({ name, data }))).toEqual(["# Café?", "# Café?", "", ""]);
  });

  it("says how large they are, and what is too much", () => {
    expect([size("A".repeat(4)), size("A".repeat(2_000_000))]).toEqual(["1 kB", "1.5 MB"]);
    const file = { name: "a.png", data: "AAAA" };
    expect(trouble([file])).toBe("");
    expect(trouble(Array.from({ length: 9 }, () => file))).toContain("At most 8");
    expect(trouble([{ ...file, data: "A".repeat(20 * 1024 * 1024) }])).toContain("too large");
    expect(trouble([{ ...file, name: "a".repeat(81) }])).toContain("too long");
  });

  it("lets a file take the place of one with its name", async () => {
    Object.assign(globalThis, { FileReader: Reader });
    const file = (text: string, name: string): File => Object.assign(new Blob([text]), { name }) as unknown as File;
    const sent = await read([file("new", "a.png"), file("b", "b.png")]);
    expect(merged([{ name: "a.png", data: "old" }], sent)).toEqual([
      { name: "a.png", data: btoa("new") },
      { name: "b.png", data: btoa("b") },
    ]);
  });
});
