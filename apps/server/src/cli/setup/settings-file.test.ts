import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDotEnv } from "../../settings/env.ts";
import { withoutSettings, withSettings } from "./settings-file.ts";

it("a setting is replaced in its place, and what the operator wrote beside it stays", () => {
  const text = "# ours\nKAUKE_HOST=127.0.0.1\n\nKAUKE_LOG_DAYS=30 # a month\nKAUKE_HOST=::1\n";
  const values = { KAUKE_HOST: "::", KAUKE_DOMAINS: "kauke.example" };
  const written = "# ours\nKAUKE_HOST=::\n\nKAUKE_LOG_DAYS=30 # a month\nKAUKE_DOMAINS=kauke.example\n";
  expect(withSettings(text, values)).toBe(written);
  expect(withSettings("", values)).toBe("KAUKE_HOST=::\nKAUKE_DOMAINS=kauke.example\n");
});

it("whatever the values are, the server reads them as they were given, and writing twice changes nothing", () => {
  const name = fc.constantFrom("KAUKE_A", "KAUKE_B", "OTHER");
  const value = fc.string({ unit: "grapheme-ascii" }).map((text) => text.trim());
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.dictionary(name, value), (first, second) => {
      const once = withSettings(withSettings("# a comment\n", first), second);
      expect(parseDotEnv(once)).toEqual({ ...first, ...second });
      expect(withSettings(once, second)).toBe(once);
    }),
  );
});

it("a setting is removed with all its lines, and nothing else", () => {
  const text = "# KAUKE_A=1\nexport KAUKE_A=1\nKAUKE_AB=2\n\nKAUKE_A = 3\n";
  expect(withoutSettings(text, ["KAUKE_A", "KAUKE_C"])).toBe("# KAUKE_A=1\nKAUKE_AB=2\n\n");
  expect(withoutSettings("", ["KAUKE_A"])).toBe("");
});
