import { expect, test } from "vitest";
import { fieldMessages, messageOf, toApiError } from "./api-error.ts";

test("a JSON body gives the message, the field errors and the rate limit's facts", () => {
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

test("a body that isn't JSON, or has no message, reads as status and text", () => {
  expect(toApiError(502, "Bad Gateway", "<html>").message).toBe("502: Bad Gateway");
  expect(toApiError(404, "Not Found", "{}").message).toBe("404: Not Found");
  expect(toApiError(500, "", '{"message":""}').message).toBe("500: ");
  expect(toApiError(400, "Bad Request", "null").message).toBe("400: Bad Request");
});

test("only our own errors' words reach a person", () => {
  expect(messageOf(toApiError(409, "Conflict", '{"message":"Taken"}'), "Failed")).toBe("Taken");
  expect(messageOf(new TypeError("x is not a function"), "Failed")).toBe("Failed");
});

test("the first message per field is taken, malformed ones are left", () => {
  const errors = { alias: ["one", "two"], notes: [], domain: "text" };
  expect(fieldMessages(toApiError(400, "", JSON.stringify({ message: "x", errors })))).toEqual([["alias", "one"]]);
  expect(fieldMessages(new Error("x"))).toEqual([]);
});
