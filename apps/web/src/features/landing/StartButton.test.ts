import { expect, test } from "vitest";
import { startState } from "./StartButton.tsx";

test("the button says Loading... only if the session check takes noticeably long", () => {
  expect(startState({ isSignedIn: false, isLoading: true, isSlow: true })).toBe("loading");
  expect(startState({ isSignedIn: false, isLoading: true, isSlow: false })).toBe("sign-up");
});

test("the button leads signed-in users to the dashboard and others to the sign-in page", () => {
  expect(startState({ isSignedIn: true, isLoading: false, isSlow: false })).toBe("dashboard");
  expect(startState({ isSignedIn: false, isLoading: false, isSlow: false })).toBe("sign-up");
});
