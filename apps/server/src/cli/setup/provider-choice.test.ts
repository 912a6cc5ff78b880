import { expect, it } from "vitest";
import { forwardingOption, providerChoice } from "./provider-choice.ts";

const none = { key: null, url: null, present: {}, asking: null };
const key = "key-of-the-account";
const publicUrl = new URL("https://api.forwardemail.net");

const typing = (hidden: string, line = "") => {
  const questions: string[] = [];
  const answer = (text: string) => async (question: string) => {
    questions.push(question);
    return text;
  };
  return { asking: { hidden: answer(hidden), line: answer(line) }, questions };
};

it.each([
  ["given", { ...none, key }],
  ["set already", { ...none, present: { KAUKE_PROVIDER_KEY: key } }],
])("a key that is %s is not asked for", async (_, given) => {
  const { asking, questions } = typing("another-key");
  expect(await providerChoice({ ...given, asking })).toEqual({ key, url: publicUrl });
  expect(questions).toEqual([]);
});

it("a missing key is asked for, and then the address, unless it is known", async () => {
  const url = "https://api.copy.example";
  expect(await providerChoice({ ...none, ...typing(` ${key}\n`) })).toEqual({ key, url: publicUrl });
  expect(await providerChoice({ ...none, ...typing(key, url) })).toEqual({ key, url: new URL(url) });
  const known = typing(key, "https://not-asked.example");
  expect(await providerChoice({ ...none, ...known, url })).toEqual({ key, url: new URL(url) });
  expect(known.questions).toEqual(["API key of the account at the provider: "]);
  expect(await providerChoice({ ...none, key, present: { KAUKE_PROVIDER_URL: url } })).toMatchObject({
    url: new URL(url),
  });
});

it.each([
  [
    "no key and nobody to ask",
    none,
    "--provider-key-file must name a file with the account's API key at the provider.",
  ],
  [
    "a key with a colon",
    { ...none, key: "a:bcdefghij" },
    "The API key must be 8 to 512 visible characters without a colon.",
  ],
  [
    "an address without https",
    { ...none, key, url: "http://api.copy.example" },
    "The provider's address must be an https address.",
  ],
  [
    "an address with a path",
    { ...none, key, url: "https://copy.example/v1" },
    "The provider's address must be an origin such as https://kauke.example.",
  ],
])("%s is refused in a sentence without it", async (_, given, says) => {
  expect(await providerChoice(given)).toBe(says);
});

it("a local copy may be plain http", async () => {
  expect(await providerChoice({ ...none, key, url: "http://127.0.0.1:4000" })).toMatchObject({ key });
});

it.each([
  [undefined, { kind: null }],
  ["engine", { kind: "engine" }],
  ["forward-email", { kind: "forward-email" }],
  ["relay", expect.stringMatching(/^--forwarding must be engine .* or forward-email/)],
])("--forwarding %s", (value, expected) => {
  expect(forwardingOption(value)).toEqual(expected);
});
