import { expect, test } from "vitest";
import { countFor } from "./peer-rows.ts";

const measured = { sizeBytes: 4096, sessions: 20, count: 800 };
const options = { sizes: [4096], sessions: [20], count: null, isQuick: false };

test("a row that takes half a second for the usual number of messages gets three times as many", () => {
  expect(countFor("cut-through", measured, options)).toBe(2400);
  expect(countFor("postfix", measured, options)).toBe(800);
});

test("a number of messages that was asked for is the same for every row", () => {
  expect(countFor("cut-through", measured, { ...options, count: 800 })).toBe(800);
});
