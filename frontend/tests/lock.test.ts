import { expect, it } from "vitest";
import lock from "../package-lock.json?raw";
import settings from "../.npmrc?raw";

it("holds a hash of every package, and no address", () => {
  expect(lock).not.toMatch(/:\/\/|"resolved"|"funding"/);
  expect(settings).not.toMatch(/:\/\/|registry\s*=/);
  const packages = Object.entries((JSON.parse(lock) as { packages: Record<string, { integrity?: string }> }).packages);
  expect(packages.filter(([name, { integrity }]) => name && !integrity?.startsWith("sha512-"))).toEqual([]);
});
