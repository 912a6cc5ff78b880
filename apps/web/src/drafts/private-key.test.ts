import { expect, test } from "vitest";
import { holdsPrivateKey } from "./private-key.ts";

test("private keys are found in any text", () => {
  expect(holdsPrivateKey("# my key\nAGE-SECRET-KEY-1QQ")).toBe(true);
  expect(holdsPrivateKey("age-secret-key-pq-1qq")).toBe(true);
  expect(holdsPrivateKey("-----BEGIN AGE ENCRYPTED FILE-----")).toBe(false);
});
