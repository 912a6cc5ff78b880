import { expect, test } from "vitest";
import { googleFailureIn } from "./google-failure.ts";

test("the failure reason is found among other cookies", () => {
  expect(googleFailureIn("theme=dark; google-login-failed=denied; other=1")).toBe("denied");
  expect(googleFailureIn("google-login-failed=exists")).toBe("exists");
});

test("without the cookie there is no reason", () => {
  expect(googleFailureIn("")).toBeNull();
  expect(googleFailureIn("not-google-login-failed=denied")).toBeNull();
});

test.each(["constructor", "", "<img src=x>"])("an unknown reason counts as a general failure: %j", (word) => {
  expect(googleFailureIn(`google-login-failed=${word}`)).toBe("failed");
});
