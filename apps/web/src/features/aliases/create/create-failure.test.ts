import { expect, test } from "vitest";
import { ApiError } from "../../../api/api-error.ts";
import { createFailure, updateFailure } from "./create-failure.ts";

test("a rate limit's message says when to try again", () => {
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
    fields: [["alias", "The name admin is reserved."]],
  });
  expect(updateFailure(error)).toEqual(createFailure(error));
});

test("a name that is taken or still reserved for its former owner is marked at its field", () => {
  for (const code of ["alias_taken", "alias_released"] as const) {
    const error = new ApiError({ status: 409, code, message: "Please choose another name." });
    const fields = [["alias", "Please choose another name."]];
    expect(createFailure(error)).toMatchObject({ title: "Creation Failed", fields });
    expect(updateFailure(error)).toMatchObject({ title: "Update Failed", fields });
  }
});

test("a conflicting change is reported with what to do next", () => {
  const error = new ApiError({
    status: 409,
    code: "alias_changed",
    message: "This alias was changed in the meantime.",
  });
  expect(updateFailure(error)).toMatchObject({
    title: "Alias Changed Elsewhere",
    description: expect.stringContaining("Save again"),
  });
});

test("any other failure shows its message, or a general one", () => {
  expect(createFailure(new ApiError({ status: 409, message: "This alias is taken" }))).toMatchObject({
    title: "Creation Failed",
    description: "This alias is taken",
  });
  expect(createFailure(new TypeError("x is undefined")).description).toBe("Failed to create alias");
  expect(updateFailure(new TypeError("x is undefined")).description).toBe("Failed to update alias");
});
