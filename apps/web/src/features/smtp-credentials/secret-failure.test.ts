import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { isOutdated, secretFailure } from "./secret-failure.ts";

const refused = (status: number, change: object = {}) => new ApiError({ status, message: "Not possible.", ...change });

test("a refusal is shown as the specification's sentence under the title Error", () => {
  const text = "Failed to regenerate password";
  for (const error of [refused(404), refused(500), refused(0), new TypeError("x")])
    expect(secretFailure(error, text)).toEqual(["Error", text]);
});

test("a rate limit's message says when to try again", () => {
  const now = new Date("2026-03-05T10:00:00");
  const resetTime = new Date("2026-03-05T14:30:00").toISOString();
  const limited = refused(429, { rateLimited: true, resetTime });
  expect(secretFailure(limited, "x", now)).toEqual(["Rate Limit Exceeded", "Not possible. Try again after 14:30"]);
  expect(secretFailure(refused(429, { rateLimited: true }), "x")).toEqual(["Rate Limit Exceeded", "Not possible."]);
});

test("404 and 409 mean that the list is outdated", () => {
  expect([404, 409, 400, 429, 500, 0].filter((status) => isOutdated(refused(status)))).toEqual([404, 409]);
});
