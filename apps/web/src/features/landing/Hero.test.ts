import { expect, test } from "vitest";
import { heroWidth, WIDEST } from "./Hero.tsx";

test("the server's figure is used until the list of domains is loaded, then the list's longest", () => {
  expect(heroWidth(null, "17")).toBe("17");
  expect(heroWidth(["kauke.test", "a.test", "slapta.test"], "17")).toBe("11");
});

test("the width for very long domains is limited", () => {
  expect(heroWidth([`${"long".repeat(15)}.test`], "10")).toBe(String(WIDEST));
});
