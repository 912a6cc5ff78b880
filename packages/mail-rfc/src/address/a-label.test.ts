/** Examples of RFC 3492 §7.1 and of names in mail; dmarc-oracle.test.ts of the server compares generated ones. */
import { expect, test } from "vitest";
import { toALabels } from "./dns-name.ts";

test.each([
  ["example.com", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.Example", "xn--bcher-kva.Example"],
  ["bu\u{308}cher.example", "xn--bcher-kva.example"],
  ["他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"],
  ["почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"],
  ["3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"],
  ["日本。jp", "xn--wgv71a.jp"],
  [`${"ü".repeat(64)}.example`, `${"ü".repeat(64)}.example`],
  ["", ""],
])("%s becomes %s", (name, expected) => {
  expect(toALabels(name)).toBe(expected);
});
