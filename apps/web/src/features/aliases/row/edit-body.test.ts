import { expect, test } from "vitest";
import { isNewName, readAliasEdit } from "./edit-body.ts";

const read = { alias: "news", forwardTo: "ann@example.org", notes: null };
const edit = { alias: " news.7h2 ", forwardTo: "jonas@example.org", notes: "" };

test("names and destinations are trimmed and empty notes omitted", () => {
  expect(readAliasEdit(edit, read)).toEqual({
    body: { alias: "news.7h2", forwardTo: "jonas@example.org", before: read },
  });
});

test("notes that were emptied are sent, so that they are cleared", () => {
  expect(readAliasEdit(edit, { ...read, notes: "Newsletters" })).toMatchObject({ body: { notes: "" } });
});

test("a webhook alone is a valid destination", () => {
  expect(readAliasEdit({ ...edit, forwardTo: "https://hooks.example.org/mail" }, read)).toHaveProperty("body");
});

test("each invalid field has its own message", () => {
  expect(readAliasEdit({ alias: "a b", forwardTo: "null", notes: "x".repeat(129) }, read)).toEqual({
    errors: {
      alias: "Invalid alias format",
      forwardTo:
        "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas",
      notes: "Notes must be 128 characters or less",
    },
  });
  expect(readAliasEdit({ alias: " ", forwardTo: "", notes: "" }, read)).toEqual({
    errors: { alias: "Alias is required", forwardTo: "At least one email address or webhook URL is required" },
  });
});

test("a name that differs only in case is not a new name", () => {
  expect(isNewName({ alias: "admin" }, { alias: "news" })).toBe(true);
  expect(isNewName({ alias: "News" }, { alias: "news" })).toBe(false);
  expect(isNewName({ notes: "x" }, { alias: "news" })).toBe(false);
});
