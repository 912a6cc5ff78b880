import type { AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { offeredDestinations } from "./offered-destinations.ts";

const to = (forwardTo: string) => ({ forwardTo, lastForwardTo: null }) as AliasWire;
const hook = "https://hooks.example.org/x";

test("mailboxes of the account come first, then what most aliases forward to", () => {
  const aliases = [to(`rasa@example.org, ${hook}`), to(`Jonas@example.org, ${hook}`), to("rare@example.org")];
  expect(offeredDestinations(["jonas@example.org"], aliases)).toEqual([
    "jonas@example.org",
    hook,
    "rasa@example.org",
    "rare@example.org",
  ]);
});

test("a paused alias counts with the destinations it had", () => {
  const paused = { forwardTo: "null", lastForwardTo: "jonas@example.org" } as AliasWire;
  expect(offeredDestinations([], [paused])).toEqual(["jonas@example.org"]);
});

test("six are offered at most", () => {
  const aliases = Array.from({ length: 20 }, (_, at) => to(`box${at}@example.org`));
  expect(offeredDestinations(["jonas@example.org"], aliases)).toHaveLength(6);
});
