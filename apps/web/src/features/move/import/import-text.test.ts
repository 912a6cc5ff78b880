import { expect, test } from "vitest";
import { ApiError } from "../../../api/api-error.ts";
import { importFailureText, siteOfTwin, undoTimeText } from "./import-text.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

test("the time left to undo an import is given in words", () => {
  expect(undoTimeText(after(3599), now)).toBe("59 minutes");
  expect(undoTimeText(after(119), now)).toBe("1 minute");
  expect(undoTimeText(after(59), now)).toBe("less than a minute");
  for (const over of [after(0), after(-5), null]) expect(undoTimeText(over, now)).toBeNull();
});

test("the error text names a refused file, and says when a rate limit ends", () => {
  const wrong = new ApiError({ status: 400, message: "This is an export of logins." });
  expect(importFailureText(wrong, "a.csv", now)).toBe("“a.csv”: This is an export of logins.");
  expect(importFailureText(wrong, null, now)).toBe("This is an export of logins.");
  const limited = new ApiError({ status: 429, message: "Too often", rateLimited: true, resetTime: after(600) });
  expect(importFailureText(limited, "a.csv", now)).toMatch(/^Too often\. Try again after \d\d:\d\d$/);
  expect(importFailureText(new Error("x"), null, now)).toBe("The import could not be read.");
});

test.each([
  ["Used at Shop.example, since May", "shop.example"],
  ["https://forum.example/login", "forum.example"],
  ["Online orders", "Online orders"],
  ["Shop was x@simplelogin.com", "Shop"],
  ["was x@simplelogin.com", "bank.k7"],
  ["", "bank.k7"],
  [null, "bank.k7"],
])("an imported row with the notes %j stands for the site %j", (notes, site) => {
  expect(siteOfTwin({ notes, address: "bank.k7@simplelogin.com" })).toBe(site);
});
