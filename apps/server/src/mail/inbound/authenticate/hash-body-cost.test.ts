import { leastCpuMs } from "@kauke/mail-rfc/linear-cost.testing";
import { expect, test } from "vitest";
import { hashBody } from "./hash-body.ts";

test("thirty signatures with different l= lengths cost little more than one", { timeout: 60_000 }, async () => {
  const body = Buffer.from(" \r\n".repeat((2 * 1024 * 1024) / 3));
  const keys = Array.from({ length: 30 }, (_, at) => `relaxed:sha256:${1000 + at}`);
  const hash = (asked: readonly string[]) => hashBody(body, asked, () => {});
  const one = await leastCpuMs(hash, keys.slice(0, 1), Number.POSITIVE_INFINITY);
  expect(await leastCpuMs(hash, keys, 3 * one)).toBeLessThan(3 * one);
});
