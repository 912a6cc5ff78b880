import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { createFailure } from "./create-failure.ts";

test("a rate limit says when to try again", () => {
  const now = new Date("2026-03-05T10:00:00");
  const resetTime = new Date("2026-03-05T14:30:00").toISOString();
  const error = new ApiError({ status: 429, message: "Too many aliases created.", rateLimited: true, resetTime });
  expect(createFailure(error, now)).toEqual({
    title: "Rate Limit Exceeded",
    description: "Too many aliases created. Try again after 14:30",
    fields: [],
  });
  expect(createFailure(new ApiError({ status: 429, message: "Too many", rateLimited: true })).description).toBe(
    "Too many.",
  );
});

test("field errors show the first message of each field", () => {
  const errors = { alias: ["Invalid alias format", "second"], notes: [] };
  expect(createFailure(new ApiError({ status: 400, message: "Invalid", errors }))).toEqual({
    title: "Validation Error",
    description: "Please fix the errors shown below and try again.",
    fields: [["alias", "Invalid alias format"]],
  });
});

test("a reserved name refused by the server has its own title", () => {
  const error = new ApiError({ status: 400, code: "alias_reserved", message: "The name admin is reserved." });
  expect(createFailure(error)).toMatchObject({
    title: "Alias Not Allowed",
    description: "The name admin is reserved.",
  });
});

test("anything else shows the message, or that it failed", () => {
  expect(createFailure(new ApiError({ status: 409, message: "This alias is taken" }))).toMatchObject({
    title: "Creation Failed",
    description: "This alias is taken",
  });
  expect(createFailure(new TypeError("x is undefined")).description).toBe("Failed to create alias");
});
