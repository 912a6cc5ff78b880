import { expect, test } from "vitest";
import { parseLinks } from "./page-settings.ts";

test("links come from the page's settings one by one, and the others keep their defaults", () => {
  const links = parseLinks('{"feedback":"https://board.example.org/","other":"https://x.example"}');
  expect(links.feedback).toBe("https://board.example.org/");
  expect(links.docs).toBe(parseLinks("").docs);
  expect(links).not.toHaveProperty("other");
});

test("the guides are pages of this server unless configured otherwise", () => {
  expect(parseLinks("")).toMatchObject({ docs: "/docs", smtpGuide: "/docs/smtp" });
  expect(parseLinks('{"docs":"/docs","smtpGuide":"//elsewhere.example/"}')).toEqual(parseLinks(""));
});

test("an address that could run script is ignored", () => {
  expect(parseLinks('{"docs":"javascript:alert(1)"}')).toEqual(parseLinks(""));
  expect(parseLinks('{"docs":7}')).toEqual(parseLinks("null"));
});
