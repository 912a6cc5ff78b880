import { expect, test } from "vitest";
import { findTypedLeak } from "./find-typed-leak.ts";

const destinations = [
  { kind: "mailbox", address: "Jonas+shops@inbox.example" },
  { kind: "webhook", url: "https://hooks.example.org/x" },
] as const;
const leakOf = (body: string, subject = "Contract") => findTypedLeak({ subject, body }, destinations);

test.each([
  "jonas+shops@inbox.example",
  "Write to JONAS@Inbox.Example, please",
  "> On Monday <jonas@inbox.example> wrote:\n> yes",
  "jo\u00adnas@inbox.example",
  "https://shop.example/?u=jonas%40inbox.example",
])("the message %j leaks", (body) => {
  expect(leakOf(body)).toBe("body");
});

test("a subject leaks too; of both the message is named", () => {
  expect(leakOf("nothing here", "About jonas@inbox.example")).toBe("subject");
  expect(leakOf("jonas@inbox.example", "jonas@inbox.example")).toBe("body");
});

test.each(["joe.jonas@inbox.example", "jonas@inbox.example.org", "jonas at inbox", "https://hooks.example.org/x"])(
  "the message %j is no leak",
  (body) => {
    expect(leakOf(body)).toBeNull();
  },
);
