import { expect, it, vi } from "vitest";
import { ownScriptUrl } from "./worker-url.ts";

vi.stubEnv("DEV", false);
const origin = "https://kauke.test";

it("a script of this build is accepted", () => {
  expect(ownScriptUrl("/assets/vault.worker-abc.js", origin)).toBe(`${origin}/assets/vault.worker-abc.js`);
  expect(ownScriptUrl("/sw.js", origin)).toBe(`${origin}/sw.js`);
});

it.each([
  "/other/sw.js",
  "https://other.test/sw.js",
  "https://other.test/assets/vault.worker-abc.js",
  "//other.test/assets/vault.worker-abc.js",
  "/api/assets/x.js",
  "/assets/../api/x.js",
  "blob:https://kauke.test/assets/x",
  "data:text/javascript,1",
])("refuses %s", (url) => {
  expect(() => ownScriptUrl(url, origin)).toThrow(TypeError);
});
