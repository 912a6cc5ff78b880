import { expect, it } from "vitest";
import { ChunkCount } from "./chunk-count.ts";

const isTooMany = (chunks: number, bytes: number) => {
  const count = new ChunkCount();
  return Array.from({ length: chunks }, () => count.isTooMany(bytes)).includes(true);
};

it.each([
  ["a request typed by hand", 300, 1],
  ["a million chunks of 64 bytes", 1_000_000, 64],
  ["a large file", 1000, 65_536],
])("%s has few enough chunks", (_, chunks, bytes) => {
  expect(isTooMany(chunks, bytes)).toBe(false);
});

it.each([
  ["two thousand single bytes", 2000, 1],
  ["ten thousand chunks of 32 bytes", 10_000, 32],
])("%s are too many", (_, chunks, bytes) => {
  expect(isTooMany(chunks, bytes)).toBe(true);
});
