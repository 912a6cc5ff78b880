import { expect, it } from "vitest";
import { newKeyErrors } from "./KeyNameField.tsx";

const good = { keyName: "Work", masterPassword: "six random words", repeated: "six random words" };

it("a name of up to 100 characters (not UTF-16 units) and a password are accepted", () => {
  expect(newKeyErrors(good)).toEqual({});
  expect(newKeyErrors({ ...good, keyName: "😀".repeat(100), repeated: null })).toEqual({});
});

it("missing fields are reported with the specification's texts", () => {
  expect(newKeyErrors({ keyName: "  ", masterPassword: " ", repeated: "" })).toEqual({
    keyName: "Key name required",
    masterPassword: "Master password required",
  });
  expect(newKeyErrors({ ...good, keyName: "n".repeat(101) })).toEqual({
    keyName: "Key name must be 100 characters or less",
  });
});

it("a password that was typed unseen must be the same twice", () => {
  const different = { repeated: "The two passwords are not the same" };
  expect(newKeyErrors({ ...good, repeated: "six random word" })).toEqual(different);
  expect(newKeyErrors({ ...good, repeated: "" })).toEqual(different);
});
