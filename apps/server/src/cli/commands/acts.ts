import type { OperatorActWire } from "@kauke/contract";
import { type Command, jsonText, minuteOf, oneWord, print } from "./command.ts";

export const acts: Command = {
  usage: "acts",
  about: "lists what operators did in the last 30 days, by command or on the admin page; the last 200",
  options: { all: "also lists the older ones" },
  async run({ access, values }) {
    const found = await (await access())["acts-list"]({ isAll: values.all === true });
    if (values.json === true) return print(jsonText(found));
    return print(found.length === 0 ? "Nothing was done in the last 30 days.\n" : found.map(lineOf).join(""));
  },
};

function lineOf({ at, by, act, on }: OperatorActWire): string {
  return `${`${minuteOf(at)}  ${by.padEnd(36)}  ${act.replaceAll("_", " ").padEnd(20)}  ${oneWord(on ?? "")}`.trimEnd()}\n`;
}
