/**
 * Commands on the forwarding provider's copies. The addresses of our aliases are printed only with `--show-addresses`;
 * `adopt` prints those that the provider has without us.
 */
import { setTimeout as pause } from "node:timers/promises";
import { countDifferences } from "../../core/forwarding/run-comparison.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { forwardsByItself, LISTED_MAX } from "../control/provider-calls.ts";
import type {
  AdoptionReport,
  AdoptionRow,
  ComparisonReport,
  OutboxFigures,
  ShownDifference,
} from "../control/provider-reports.ts";
import { mustMend, resultLine } from "../doctor/check-result.ts";
import { checkProvider } from "../doctor/provider-checks.ts";
import { type Command, jsonText, oneWord, print, refuse } from "./command.ts";

/** Aliases that the provider lets an account make in a day, as its published sources have it. */
const CREATED_A_DAY = 300;
const POLL_MS = 2000;

const status: Omit<Command, "usage"> = {
  about: "the forwarding provider: plan, domains, what waits to be set up there, the last comparison",
  options: {},
  async run({ access, values }) {
    const state = await (await access())["provider-state"]({});
    if (state === null) return refuse(forwardsByItself, 1);
    if (values.json === true) return print(jsonText(state));
    const results = checkProvider(state);
    return print(`${results.map(resultLine).join("\n")}\n`, mustMend(results) ? 1 : 0);
  },
};

export const provider: Command = { usage: "provider", ...status };
export const providerStatus: Command = { usage: "provider status", ...status };

export const providerCheck: Command = {
  usage: "provider check",
  about: "compares all aliases with the provider's; exit code 1 when something differs",
  options: { "show-addresses": "also prints the addresses" },
  async run({ access, values }) {
    const report = await (await access())["provider-check"]({ withAddress: values["show-addresses"] === true });
    const code = countDifferences(report) === 0 ? 0 : 1;
    if (values.json === true) return print(jsonText(report), code);
    return print(`${report.differences.map(differenceLine).join("")}${comparisonText(report)}`, code);
  },
};

const kinds = {
  missing: "only here",
  left_over: "only there, made by this server",
  different: "different there",
  conflict: "made there by somebody else, with other destinations",
  double: "a second copy of an alias",
  foreign: "only there, made by somebody else",
} as const satisfies Record<ShownDifference["kind"], string>;

function differenceLine({ kind, aliasId, providerId, address, parts }: ShownDifference): string {
  const what = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  const which = typeof address === "string" ? oneWord(address) : (aliasId ?? `there: ${oneWord(providerId ?? "")}`);
  return `${kinds[kind]}${what}  ${which}\n`;
}

function comparisonText(report: ComparisonReport): string {
  const { ours, theirs, changing, counts, differences } = report;
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  const lines = [
    ...(total > differences.length ? [`Only the first ${LISTED_MAX} of ${total} are listed.`] : []),
    `${countOf(ours)} here, ${theirs} there${changing === 0 ? "" : `; ${changing} being set up`}.`,
    ...found.map(([kind, count]) => `${String(count).padStart(6)}  ${kinds[kind as ShownDifference["kind"]]}`),
    countDifferences(report) === 0 ? "Both sides agree." : advice(report),
  ];
  return `${lines.join("\n")}\n`;
}

function advice({ counts }: ComparisonReport): string {
  const lines = [
    ...(counts.missing + counts.different + counts.left_over > 0
      ? ["`kauke provider repair` brings the provider's side in line with this server's."]
      : []),
    ...(counts.conflict + counts.double > 0
      ? ["Conflicts and second copies are not touched: delete the wrong ones on the provider's page."]
      : []),
  ];
  return lines.join("\n");
}

const countOf = (count: number) => (count === 1 ? "1 alias" : `${count} aliases`);

export const providerRepair: Command = {
  usage: "provider repair",
  about: "sets up again what is missing or different at the provider, and deletes left-over copies of deleted aliases",
  options: { yes: "does it; without it, the command says what would be done" },
  async run({ access: open, values }) {
    const access = await open();
    if (values.yes !== true) {
      const { counts } = await access["provider-check"]({ withAddress: false });
      const { missing, different, left_over: leftOver } = counts;
      if (values.json === true) return print(jsonText(counts));
      if (missing + different + leftOver === 0) return print("There is nothing to repair.\n");
      return print(
        `${countOf(missing + different)} would be set up again, and ${leftOver} left-over copies deleted. Add --yes to do it.\n`,
      );
    }
    const { again, removed } = await access["provider-repair"]({});
    if (values.json === true) return print(jsonText({ again, removed }));
    return print(`${countOf(again)} set up again, ${removed} left-over copies deleted${soon(access)}`);
  },
};

const soon = ({ isRunning }: OperatorAccess) =>
  isRunning ? " within a few seconds each.\n" : " once the server runs.\n";

export const providerPush: Command = {
  usage: "provider push",
  about: "sets up all aliases at the provider, and shows the progress; it goes on by itself if this is interrupted",
  options: { yes: "does it; without it, the command says what would be done" },
  async run({ access: open, values }) {
    const access = await open();
    if (values.yes !== true) {
      const report = await access["provider-check"]({ withAddress: false });
      return print(values.json === true ? jsonText(report.counts) : pushPlan(report));
    }
    for (let after = ""; ; ) {
      ({ after } = await access["provider-push"]({ after }));
      if (after === "") break;
    }
    const figures = await access["provider-figures"]({});
    if (values.json === true) return print(jsonText(figures));
    if (!access.isRunning) return print(`${figuresText(figures)}No server is running: it begins when one does.\n`);
    return await follow(access, figures);
  },
};

function pushPlan({ ours, changing, held, counts }: ComparisonReport): string {
  const days = Math.ceil(counts.missing / CREATED_A_DAY);
  const lines = [
    `${countOf(ours)} here. To create there: ${counts.missing}; to change: ${counts.different}; being set up already: ${changing}.`,
    `Switched off there until something is changed here, e.g. because forwarding is encrypted or no mailbox is confirmed: ${held}.`,
    `In conflict with what somebody else made there, and left alone: ${counts.conflict}.`,
    ...(days > 1
      ? [
          `The provider lets an account make about ${CREATED_A_DAY} aliases a day, so this takes about ${days} days. Edits, pauses and deletions go on meanwhile.`,
        ]
      : []),
    "Nothing was changed. Add --yes to do it.",
  ];
  return `${lines.join("\n")}\n`;
}

const figuresText = ({ waiting, failed, held }: OutboxFigures) =>
  `waiting: ${waiting}; tried in vain, and tried again: ${failed}; switched off there: ${held}\n`;

/** Until nothing waits, or the operator ends the command: the server goes on either way. */
async function follow(access: OperatorAccess, first: OutboxFigures): Promise<number> {
  let [figures, printed] = [first, ""];
  print("The server sets them up by itself; Ctrl-C ends only this display.\n");
  for (;;) {
    const line = figuresText(figures);
    if (line !== printed) print(line);
    printed = line;
    if (figures.waiting + figures.failed === 0) return print("Every alias is at the provider.\n");
    await pause(POLL_MS);
    figures = await access["provider-figures"]({});
  }
}

export const providerAdopt: Command = {
  usage: "provider adopt",
  about: "takes aliases that somebody else made at the provider into an account here, with the same destinations",
  options: {
    "to account": "e-mail address or id of the account",
    yes: "does it; without it, the command lists what would be done",
  },
  async run({ access: open, values }) {
    const { to } = values;
    if (typeof to !== "string" || to === "") return refuse("Name the account: --to <email-or-id>.");
    const access = await open();
    if ((await access["provider-state"]({})) === null) return refuse(forwardsByItself, 1);
    const userId = await findAccount(access, to);
    if (userId === null) return refuse("There is no account with this e-mail address or id.", 1);
    if (values.yes !== true) {
      const report = await access["provider-adopt-plan"]({ userId });
      return print(values.json === true ? jsonText(report) : adoptionText(report));
    }
    let total = 0;
    for (;;) {
      const made = await access["provider-adopt"]({ userId });
      if (made === 0) break;
      total += made;
      if (values.json !== true) print(`${countOf(total)} adopted\n`);
    }
    return print(values.json === true ? jsonText({ adopted: total }) : adopted(total));
  },
};

const adopted = (total: number) =>
  total === 0 ? "Nothing was left to adopt.\n" : "Done. They get this server's mark at the provider by and by.\n";

async function findAccount(access: OperatorAccess, account: string): Promise<string | null> {
  if (account.includes("@")) return (await access["users-find"]({ email: account }))?.id ?? null;
  for (let after = ""; ; ) {
    const page = await access["users-list"]({ after, withEmail: false });
    if (page.some(({ id }) => id === account.toLowerCase())) return account.toLowerCase();
    const last = page.at(-1);
    if (last === undefined) return null;
    after = last.id;
  }
}

function adoptionText({ toAdopt, refused, unconfirmed, rows }: AdoptionReport): string {
  const total = toAdopt + refused;
  const lines = [
    ...rows.map(adoptionLine),
    ...(total > rows.length ? [`Only the first ${rows.length} of ${total} are listed.`] : []),
    `${countOf(toAdopt)} would be adopted, ${refused} left alone.`,
    ...(unconfirmed.length === 0
      ? []
      : [
          `${unconfirmed.length} of their mailboxes have not confirmed yet. Each gets a message with a link, and until its reader opens it, the aliases do not forward to it: ${unconfirmed.map(oneWord).join(" ")}`,
        ]),
    "Nothing was changed. Add --yes to do it.",
  ];
  return `${lines.join("\n")}\n`;
}

function adoptionLine({ address, destinations, isActive, refusal, remark }: AdoptionRow): string {
  const count = destinations === 1 ? "1 destination" : `${destinations} destinations`;
  const state = isActive ? "active" : "paused";
  return refusal === null
    ? `adopt  ${oneWord(address)}  ${count}, ${state}${remark === null ? "" : `. ${remark}`}`
    : `leave  ${oneWord(address)}  ${count}. ${refusal}`;
}
