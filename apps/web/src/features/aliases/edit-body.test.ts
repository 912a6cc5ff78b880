import { expect, test } from "vitest";
import { readEdit } from "./edit-body.ts";

const edit = { alias: " news.7h2 ", forwardTo: "jonas@example.org", notes: "" };

test("names and destinations are trimmed, empty notes left out", () => {
  expect(readEdit(edit, { notes: null })).toEqual({ body: { alias: "news.7h2", forwardTo: "jonas@example.org" } });
});

test("emptied notes are sent, so that they are cleared", () => {
  expect(readEdit(edit, { notes: "Newsletters" })).toMatchObject({ body: { notes: "" } });
});

test("a webhook alone is a destination", () => {
  expect(readEdit({ ...edit, forwardTo: "https://hooks.example.org/mail" }, { notes: null })).toHaveProperty("body");
});

test("each refused field says why", () => {
  expect(readEdit({ alias: "a b", forwardTo: "null", notes: "x".repeat(129) }, { notes: null })).toEqual({
    errors: {
      alias: "Invalid alias format",
      forwardTo:
        "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas",
      notes: "Notes must be 128 characters or less",
    },
  });
  expect(readEdit({ alias: " ", forwardTo: "", notes: "" }, { notes: null })).toEqual({
    errors: { alias: "Alias is required", forwardTo: "At least one email address or webhook URL is required" },
  });
});
