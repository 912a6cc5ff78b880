import { expect, it } from "vitest";
import { aliasWords } from "./alias-words.ts";

/** Fragments that offend or embarrass wherever they are read in a word. */
const offending = [
  ...[
    "anal",
    "anus",
    "arse",
    "bastard",
    "bitch",
    "boob",
    "butt",
    "cock",
    "coon",
    "crap",
    "cunt",
    "damn",
    "dick",
    "dyke",
  ],
  ...["fag", "fart", "fuck", "gook", "homo", "jerk", "jizz", "kike", "kill", "murder", "nazi", "negro", "nigg", "nude"],
  ...[
    "paki",
    "penis",
    "piss",
    "poop",
    "porn",
    "puss",
    "rape",
    "rapist",
    "retard",
    "scrot",
    "sex",
    "shit",
    "slut",
    "spic",
  ],
  ...["suck", "suicid", "terror", "tits", "turd", "twat", "vagin", "wank", "whore"],
];
/** Words that contain such a fragment and offend nobody. */
const harmless = new Set(["button", "butter", "peacock", "canal", "spice", "grape", "skill", "therapist"]);

it("the words of generated names are unique, in alphabetical order, and have 3 to 8 letters", () => {
  expect(aliasWords.length).toBeGreaterThan(300);
  expect(new Set(aliasWords).size).toBe(aliasWords.length);
  expect(aliasWords).toEqual(aliasWords.toSorted());
  for (const word of aliasWords) expect(word).toMatch(/^[a-z]{3,8}$/);
});

it("no word of generated names contains an offending fragment", () => {
  const found = aliasWords.filter(
    (word) => !harmless.has(word) && offending.some((fragment) => word.includes(fragment)),
  );
  expect(found).toEqual([]);
});
