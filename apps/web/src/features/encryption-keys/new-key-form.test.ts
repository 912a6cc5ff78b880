import { expect, it } from "vitest";
import { newKeyErrors } from "./new-key-form.ts";

const good = { keyName: "Work", masterPassword: "six random words", repeated: "six random words" };

it("takes a name of up to 100 characters, counted as people do, and a password typed twice alike", () => {
  expect(newKeyErrors(good)).toEqual({});
  expect(newKeyErrors({ ...good, keyName: "😀".repeat(100) })).toEqual({});
});

it("says what is missing, in the specification's words", () => {
  expect(newKeyErrors({ keyName: "  ", masterPassword: " ", repeated: " " })).toEqual({
    keyName: "Key name required",
    masterPassword: "Master password required",
  });
  expect(newKeyErrors({ ...good, keyName: "n".repeat(101) })).toEqual({
    keyName: "Key name must be 100 characters or less",
  });
});

it("wants the same password twice, but once where it can be read", () => {
  expect(newKeyErrors({ ...good, repeated: "six random word" })).toEqual({ repeated: "Passwords do not match" });
  expect(newKeyErrors({ ...good, repeated: null })).toEqual({});
});
