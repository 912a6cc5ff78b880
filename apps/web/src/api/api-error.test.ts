import { expect, test } from "vitest";
import { toApiError } from "./api-error.ts";
import { fieldMessages, messageOf } from "./error-text.ts";

test("a JSON body gives the message, the field errors and the rate limit's details", () => {
  const resetTime = "2026-03-05T14:30:00.000Z";
  const body = {
    message: "Too many",
    code: "rate_limited",
    rateLimited: true,
    resetTime,
    errors: { alias: ["taken"] },
  };
  expect(toApiError(429, "Too Many Requests", JSON.stringify(body))).toMatchObject({ status: 429, ...body });
});

test("a body that isn't JSON, or has no message, gives the status code and status text as message", () => {
  expect(toApiError(502, "Bad Gateway", "<html>").message).toBe("502: Bad Gateway");
  expect(toApiError(404, "Not Found", "{}").message).toBe("404: Not Found");
  expect(toApiError(500, "", '{"message":""}').message).toBe("500: ");
  expect(toApiError(400, "Bad Request", "null").message).toBe("400: Bad Request");
});

test("only messages of our own errors are shown to a person", () => {
  expect(messageOf(toApiError(409, "Conflict", '{"message":"Taken"}'), "Failed")).toBe("Taken");
  expect(messageOf(new TypeError("x is not a function"), "Failed")).toBe("Failed");
});

test("the first message of each field is used and malformed ones are ignored", () => {
  const errors = { alias: ["one", "two"], notes: [], domain: "text" };
  expect(fieldMessages(toApiError(400, "", JSON.stringify({ message: "x", errors })))).toEqual([["alias", "one"]]);
  expect(fieldMessages(new Error("x"))).toEqual([]);
});
