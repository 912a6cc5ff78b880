import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { heroWidth, widest } from "./hero-width.ts";

test("the server's figure holds until the list is known, then the list's longest does", () => {
  expect(heroWidth(null, "17")).toBe("17");
  expect(heroWidth(["kauke.test", "a.test", "slapta.test"], "17")).toBe("11");
});

test("very long domains are cut, and shorter ones have a rule each", () => {
  expect(heroWidth([`${"long".repeat(15)}.test`], "10")).toBe(String(widest));
  const css = readFileSync(new URL("../../styles/landing.css", import.meta.url), "utf8");
  // Ten is what the rule without a number is made for.
  for (let length = 4; length <= widest; length++)
    if (length !== 10) expect(css).toContain(`[data-longest="${length}"] { --wide: ${length + 8};`);
});
