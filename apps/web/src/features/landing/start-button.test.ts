import { expect, test } from "vitest";
import { startState } from "./start-button.ts";

test("it says Loading... only when the session check takes long enough to be noticed", () => {
  expect(startState({ isSignedIn: false, isLoading: true, isSlow: true })).toBe("loading");
  expect(startState({ isSignedIn: false, isLoading: true, isSlow: false })).toBe("sign-up");
});

test("it leads who is signed in to the dashboard and others to the sign-in page", () => {
  expect(startState({ isSignedIn: true, isLoading: false, isSlow: false })).toBe("dashboard");
  expect(startState({ isSignedIn: false, isLoading: false, isSlow: false })).toBe("sign-up");
});
