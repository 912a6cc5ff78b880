/** Tests that the time of a leak scan grows linearly with the text. */
import { growthOf } from "@kauke/mail-rfc/linear-cost.testing";
import { expect, it } from "vitest";
import { findLeak } from "./search-message.ts";

const LARGEST = 256 * 1024;

it.each(["<", "<!--", "&", "&#", "&#64;", "%4", "%40", "=?a?q?", "olga@owner.example.x ", "a@", "\r\n ", "ﷺ"])(
  "text of %j takes time proportional to its length",
  async (unit) => {
    const make = (size: number) => unit.repeat(size / Buffer.byteLength(unit));
    const run = (text: string) => findLeak({ headers: text, text, html: text, calendar: text }, ["olga@owner.example"]);
    expect(await growthOf({ make, run, largest: LARGEST })).toBe("linear");
  },
);
