import { expect, test } from "vitest";
import { cutNotes, destinationText, entriesOf, isActive, notesLeft, sendAddress, validEntries } from "./alias-text.ts";

test("an alias is active only if its flag is set and forwardTo isn't the literal null", () => {
  expect(isActive({ active: true, forwardTo: "jonas@example.org" })).toBe(true);
  expect(isActive({ active: true, forwardTo: "null" })).toBe(false);
  expect(isActive({ active: false, forwardTo: "jonas@example.org" })).toBe(false);
});

test("a paused alias shows the destinations it had before", () => {
  expect(destinationText({ forwardTo: "null", lastForwardTo: "jonas@example.org" })).toBe("jonas@example.org");
  expect(destinationText({ forwardTo: "null", lastForwardTo: null })).toBe("");
  expect(destinationText({ forwardTo: "rasa@example.org", lastForwardTo: "jonas@example.org" })).toBe(
    "rasa@example.org",
  );
});

test("comma-separated text is split into entries, and the preview keeps the valid ones", () => {
  expect(entriesOf(" a@example.org ,, https://hooks.example.org/x ")).toEqual([
    "a@example.org",
    "https://hooks.example.org/x",
  ]);
  expect(validEntries("jonas@example.org, hooks.example.org/mail")).toEqual(["jonas@example.org"]);
  expect(validEntries("jonas@")).toEqual([]);
});

test("notes are cut after 30 characters, never within one", () => {
  expect(cutNotes("a".repeat(30))).toBe("a".repeat(30));
  expect(cutNotes("a".repeat(31))).toBe(`${"a".repeat(30)}…`);
  expect(cutNotes("Online orders and parcel lockers in Vilnius")).toBe("Online orders and parcel locke…");
  expect(cutNotes("🎭".repeat(31))).toBe(`${"🎭".repeat(30)}…`);
});

test("the counter counts down from 128", () => {
  expect(notesLeft("")).toBe("128 left");
  expect(notesLeft("City library card")).toBe("111 left");
  expect(notesLeft("x".repeat(200))).toBe("0 left");
});

test("the address for writing to somebody new names the person before the @", () => {
  const alias = { alias: "shop.k7", domain: "kauke.test" };
  expect(sendAddress(alias, " ann@planner.example ")).toEqual({ address: "shop.k7+ann=planner.example@kauke.test" });
  expect(sendAddress(alias, "ann+x=y@planner.example")).toEqual({
    address: "shop.k7+ann+x=y=planner.example@kauke.test",
  });
  expect(sendAddress(alias, "ann")).toEqual({ error: "Please enter a valid email address" });
  // 64 characters before the @ are the most that mail programs send to.
  const person = `${"a".repeat(41)}@planner.example`;
  expect(sendAddress(alias, person)).toHaveProperty("error");
});
