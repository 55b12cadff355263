import { expect, it } from "vitest";

const FILES = import.meta.glob<string>("../src/**/*.{ts,svelte,css}", { query: "?raw", import: "default", eager: true });
const files = Object.entries(FILES);

it("names no host, holds no style of its own, and takes HTML from the server alone", () => {
  const found = files.flatMap(([name, text]) => [
    ...(/https?:\/\/|\burl\(|@import/.test(text) ? [`${name}: an address`] : []),
    ...(/\sstyle="|<style|\son[a-z]+="/.test(text) ? [`${name}: a style or a script in the page`] : []),
    ...(/\bany\b(?=[\s;,)>[\]])/.test(text.replace(/\/\/.*|<!--.*?-->|"[^"]*"/g, "")) && name.endsWith(".ts") ? [`${name}: any`] : []),
    ...[...text.matchAll(/\{@html ([^}]*)\}/g)].filter(([, value]) => !value!.endsWith(".html")).map(() => `${name}: HTML`),
  ]);
  expect([files.length > 40, found]).toEqual([true, []]);
});

it("sets a class by its bare name in one style file alone, since styles stay when a page is left", () => {
  const places = new Map<string, Set<string>>();
  for (const [name, text] of files.filter(([name]) => name.endsWith(".css") && !name.endsWith("print.css")))
    for (const [, heads] of text.replace(/\/\*[^]*?\*\//g, "").matchAll(/([^{}]+)\{[^{}]*\}/g))
      for (const head of heads!.replace(/\([^()]*\)/g, "").split(",").map((each) => each.trim()))
        if (/^\.[\w-]+$/.test(head)) places.set(head, (places.get(head) ?? new Set()).add(name));
  expect(places.size).toBeGreaterThan(100);
  expect([...places].filter(([, of]) => of.size > 1).map(([head]) => head)).toEqual([]);
});
