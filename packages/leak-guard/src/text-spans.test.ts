import { expect, it } from "vitest";
import { findSpans } from "./text-spans.ts";

const mailboxes = ["Jonas+shops@inbox.example", "ruta@müller.example"];
const shown = (text: string) => findSpans(text, mailboxes).map(({ start, end }) => text.slice(start, end));

it.each([
  ["Write to jonas@inbox.example, please", ["jonas@inbox.example"]],
  [
    "JONAS+news@Inbox.Example and ruta@xn--mller-kva.example",
    ["JONAS+news@Inbox.Example", "ruta@xn--mller-kva.example"],
  ],
  ["Ačiū 👍 <jonas@inbox.example>", ["jonas@inbox.example"]],
  ["ačiū jo\u00adnas@inbox.example!", ["jo\u00adnas@inbox.example"]],
  ["first\nßtraße ｊonas@inbox.example\nlast ruta@müller.example", ["ｊonas@inbox.example", "ruta@müller.example"]],
  ["joe.jonas@inbox.example jonas@inbox.example.org jonas at inbox", []],
  ["https://shop.example/?u=jonas%40inbox.example", []],
])("in %j it marks %j", (text, found) => {
  expect(shown(text)).toEqual(found);
});

it("marks twenty at most, and takes a text of a megabyte in less than a second", () => {
  expect(findSpans("jonas@inbox.example ".repeat(100), mailboxes)).toHaveLength(20);
  const started = performance.now();
  for (const text of [
    "ž".repeat(1e6),
    "žodis jonas inbox.example\n".repeat(40_000),
    "jonas@inbox.example".repeat(50_000),
  ])
    findSpans(text, mailboxes);
  expect(performance.now() - started).toBeLessThan(5000);
});
