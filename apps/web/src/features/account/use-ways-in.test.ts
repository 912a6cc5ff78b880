import { expect, it } from "vitest";
import { isFreshSignIn, provenActionIn } from "./use-ways-in.tsx";

it("a sign-in is fresh for the time the server gave, counted from its response, less 30 seconds for typing", () => {
  const loadedAt = 1_000_000;
  expect(isFreshSignIn(300, { loadedAt, now: loadedAt + 269_999 })).toBe(true);
  expect(isFreshSignIn(300, { loadedAt, now: loadedAt + 270_000 })).toBe(false);
  expect(isFreshSignIn(0, { loadedAt, now: loadedAt })).toBe(false);
});

it("only listed actions are read from the address", () => {
  expect(provenActionIn("#signed-in-for-change-email")).toBe("change-email");
  expect(provenActionIn("#signed-in-for-unlink-wallet")).toBe("unlink-wallet");
  for (const hash of ["", "#", "#signed-in-for-", "#signed-in-for-delete", "change-email"])
    expect(provenActionIn(hash)).toBeNull();
});
