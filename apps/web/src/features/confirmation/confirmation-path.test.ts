import { expect, test } from "vitest";
import { readConfirmationPath } from "./confirmation-path.ts";

const token = "abcdefghijklmnopqrstuvwxyz234567";

test("both links of the confirmation message are recognized", () => {
  expect(readConfirmationPath(`/confirm/${token}`)).toEqual({ token, isNotMine: false });
  expect(readConfirmationPath(`/confirm/${token}/not-mine`)).toEqual({ token, isNotMine: true });
});

test("any other path is not a confirmation link", () => {
  for (const path of ["/confirm", "/confirm/abc", `/confirm/${token}/mine`, `/confirm/${token}1`, `/x/${token}`])
    expect(readConfirmationPath(path)).toBeNull();
});
