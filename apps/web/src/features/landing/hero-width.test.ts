import { expect, test } from "vitest";
import { heroWidth, widest } from "./hero-width.ts";

test("the server's figure holds until the list is known, then the list's longest does", () => {
  expect(heroWidth(null, "17")).toBe("17");
  expect(heroWidth(["kauke.test", "a.test", "slapta.test"], "17")).toBe("11");
});

test("very long domains are cut", () => {
  expect(heroWidth([`${"long".repeat(15)}.test`], "10")).toBe(String(widest));
});
