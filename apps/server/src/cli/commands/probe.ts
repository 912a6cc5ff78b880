import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { MailProbeWire } from "@kauke/contract";
import { isMailProven } from "@kauke/contract/mail-probe";
import { hasAnswered } from "../../core/probe/probe.ts";
import { bounds } from "../../limits/table.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { resultLine } from "../doctor/check-result.ts";
import { isProbeOver, probeResults } from "../probe-results.ts";
import { type Command, jsonText, print, refuse, type Values } from "./command.ts";

const DEFAULT_MINUTES = 15;
const POLL_MS = 500;

export const probe: Command = {
  usage: "probe",
  about:
    "proves that mail works both ways, with one message from a mailbox elsewhere and a reply; exit code 0 if it does",
  options: {
    "minutes n": `how long to wait for the messages (${DEFAULT_MINUTES}); what is not finished then goes on with the next call`,
    "headers file": "reads from the header of our answer how that mail host judged it, `-` for standard input",
    "spam answer": "`yes` or `no`: whether our answer was in the spam folder",
    new: "starts another proof, although there is one of today",
  },
  async run({ access: open, values }) {
    const wrong = problemWith(values);
    if (wrong !== null) return refuse(wrong);
    const access = await open();
    if (!access.isRunning) return refuse("No server is running, so no mail can arrive.", 1);
    const file = typeof values.headers === "string" ? values.headers : null;
    const headers = file === null ? null : readText(file);
    if (file !== null && headers === null) return refuse(`${file} can't be read.`, 1);
    const isJudgement = headers !== null || values.spam !== undefined;
    const state = isJudgement ? await judge(access, values, headers) : await follow(access, values);
    if (state === null) return refuse("There is no proof to add this to: start one with `kauke probe`.", 1);
    if (isJudgement && !hasAnswered(state)) return refuse("No answer has left yet: `kauke probe` says why.", 1);
    const isDone = isMailProven(state);
    if (values.json === true) return print(jsonText({ ...state, isProven: isDone }), isDone ? 0 : 1);
    const next = headers !== null && state.ours === null ? noResults : nextStep(state);
    return print(
      isDone ? "\nMail works both ways. `kauke probe --new` proves it again.\n" : `\n${next}\n`,
      isDone ? 0 : 1,
    );
  },
};

const noResults =
  "There are no results in that header: it must be the header of our answer, whole, with the fields that your mail host wrote, such as Authentication-Results.";

function readText(file: string): string | null {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").slice(0, bounds.mailProbes.headerCharacters);
  } catch {
    return null;
  }
}

function problemWith({ minutes, spam }: Values): string | null {
  if (typeof minutes === "string" && !/^\d{1,4}$/.test(minutes)) return "--minutes must be a whole number.";
  if (spam !== undefined && spam !== "yes" && spam !== "no") return "--spam must be yes or no.";
  return null;
}

async function judge(access: OperatorAccess, values: Values, headers: string | null): Promise<MailProbeWire | null> {
  const inSpam = values.spam === undefined ? null : values.spam === "yes";
  const state = await access["probe-judge"]({ id: "", headers, inSpam });
  if (state !== null && hasAnswered(state) && values.json !== true)
    for (const result of probeResults(state)) print(`${resultLine(result)}\n`);
  return state;
}

/** Prints each result as it becomes known, until nothing more is awaited or the time is over. */
async function follow(access: OperatorAccess, values: Values): Promise<MailProbeWire> {
  const waitMs = Number(values.minutes ?? DEFAULT_MINUTES) * 60_000;
  const giveUpAt = performance.now() + waitMs;
  const printed = new Set<string>();
  // The last one, even when it is over: its messages may have come before this command was run.
  const last = values.new === true ? null : await access["probe-state"]({ id: "" });
  let state = last ?? (await access["probe-start"]({}));
  // Beside JSON, the address goes where people see it.
  const show = (text: string) => void (values.json === true ? process.stderr : process.stdout).write(text);
  if (state.arrived === null)
    show(`Write a message, with any text, from your own mailbox elsewhere to\n\n  ${state.address}\n\n`);
  for (;;) {
    for (const line of probeResults(state).map(resultLine)) {
      if (!printed.has(line)) show(`${line}\n`);
      printed.add(line);
    }
    if (isProbeOver(state) || performance.now() >= giveUpAt) return state;
    await pause(POLL_MS);
    state = (await access["probe-state"]({ id: state.id })) ?? state;
  }
}

function nextStep({ arrived, answer, returned, ours, address }: MailProbeWire): string {
  if (arrived === null) return `No message came to ${address} yet. \`kauke probe\` waits again.`;
  if (answer === "not_sent" || answer === "refused") return "Mend that, then start again with `kauke probe --new`.";
  if (answer === null || answer === "queued") return "Our answer is not delivered yet. `kauke probe` waits again.";
  if (ours !== null) return "Mend what is wrong, then start again with `kauke probe --new`.";
  if (returned) return "Not proven yet: the header of our answer is missing.";
  return "No reply to our answer came yet. `kauke probe` waits again.";
}
