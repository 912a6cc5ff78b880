import { expect, it } from "vitest";
import { newKeyErrors } from "./new-key-form.ts";

const good = { keyName: "Work", masterPassword: "six random words" };

it("takes a name of up to 100 characters, counted as people do, and a password", () => {
  expect(newKeyErrors(good)).toEqual({});
  expect(newKeyErrors({ ...good, keyName: "😀".repeat(100) })).toEqual({});
});

it("says what is missing, in the specification's words", () => {
  expect(newKeyErrors({ keyName: "  ", masterPassword: " " })).toEqual({
    keyName: "Key name required",
    masterPassword: "Master password required",
  });
  expect(newKeyErrors({ ...good, keyName: "n".repeat(101) })).toEqual({
    keyName: "Key name must be 100 characters or less",
  });
});
