/**
 * Publishes the records of the plan: written at a provider with one credential, or printed for the operator to paste.
 * Then reads them at the zone's own name servers until all are right, or once when only the operator can go on. Records
 * of others stay.
 */
import { type DnsRecord, zoneLine } from "@kauke/mail-rfc";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { type DnsProblem, type DnsProvider, DnsProviderError } from "./dns/provider.ts";
import { applyInOrder, changesOf, type DecideOptions, type Decision, decideRecords } from "./dns/record-changes.ts";
import { type RecordState, type VerifyOptions, verifyRecords } from "./dns/verify-records.ts";

export interface PublishOptions extends DecideOptions {
  /** `null`: the operator pastes the records. */
  provider: DnsProvider | null;
  verify: VerifyOptions;
  /** Shows what is neither a result nor part of the JSON: the zone to paste. */
  show(text: string): void;
  /** Asks whether records of others, which were named before, may go. */
  confirm(): Promise<boolean>;
}

export async function* publishRecords(
  records: readonly DnsRecord[],
  { provider, verify, show, ...options }: PublishOptions,
): AsyncGenerator<CheckResult> {
  if (provider === null) {
    // What is there already need not be pasted.
    const before = await lookOnce(records, verify);
    const missing = before.filter(({ state }) => state !== "right").map(({ record }) => zoneLine(record));
    if (missing.length > 0) show(`${missing.join("\n")}\n`);
    if (missing.length > 0)
      yield checking("dns", "records").warn("Publish the records above where the domain's DNS is; this command waits.");
    yield* before.flatMap(inTheWay);
  } else {
    const unwritten = yield* write(records, { provider, ...options });
    if (unwritten !== null) {
      const states = await lookOnce(records, verify);
      yield* states.filter(({ record }) => unwritten.includes(record)).map(stateOf);
      return;
    }
  }
  const states = await verifyRecords(records, verify);
  yield* states.map(stateOf);
}

/** While records of others stand there, pasting ours is not enough. */
function inTheWay(state: RecordState): CheckResult[] {
  if (state.state !== "wrong") return [];
  const { check, subject, says } = stateOf(state);
  return [checking(check, subject).warn(says)];
}

const LOOK_MS = 10_000;

/** Reads each record once. */
async function lookOnce(records: readonly DnsRecord[], verify: VerifyOptions): Promise<readonly RecordState[]> {
  const enough = new AbortController();
  const options = {
    ...verify,
    deadlineMs: Math.min(LOOK_MS, verify.deadlineMs),
    signal: enough.signal,
    onRound: () => enough.abort(),
  };
  return await verifyRecords(records, options);
}

/** @returns `null` when all is written; else what is not, and needs the operator */
async function* write(
  records: readonly DnsRecord[],
  { provider, confirm, ...allowed }: DecideOptions & Pick<PublishOptions, "confirm"> & { provider: DnsProvider },
): AsyncGenerator<CheckResult, readonly DnsRecord[] | null> {
  const { ok, fix } = checking("dns", "provider");
  try {
    const existing = await provider.read([...new Set(records.map(({ name }) => name))]);
    const decisions = decideRecords(records, existing, allowed);
    yield* decisions.flatMap(conflictOf);
    const losses = lossesOf(decisions);
    yield* losses;
    if (losses.length > 0 && !(await confirm())) {
      yield fix("Nothing was written, because records of others would go.");
      return [];
    }
    const changes = changesOf(decisions, existing);
    const { done, left } = await applyInOrder(provider, changes);
    if (changes.length === 0) yield ok("It has every record that may be written.");
    if (done.length > 0) yield ok(`Written: ${done.map(({ type, name }) => `${type} ${name}`).join(", ")}.`);
    for (const { type, name, problem } of left) yield fix(`Not written: ${type} ${name}. ${whyNotWritten[problem]}`);
    const isLeft = ({ type, name }: DnsRecord) => left.some((one) => one.type === type && one.name === name);
    const unwritten = records.filter((record, at) => decisions[at]?.kind === "conflict" || isLeft(record));
    return unwritten.length === 0 && left.length === 0 ? null : unwritten;
  } catch (thrown) {
    if (!(thrown instanceof DnsProviderError)) throw thrown;
    yield fix(whyNotWritten[thrown.code]);
    return records;
  }
}

/** A warning for each record of others that would go. */
function lossesOf(decisions: readonly Decision[]): CheckResult[] {
  const old = decisions.flatMap((one) => (one.kind === "replace" && one.isOfOthers ? one.old : []));
  const byLine = new Map(old.map((record) => [zoneLine(record), record]));
  return [...byLine].map(([line, { type, name }]) => checking("dns", `${type} ${name}`).warn(`Replaces: ${line}`));
}

function conflictOf(decision: Decision): CheckResult[] {
  if (decision.kind !== "conflict") return [];
  const { record, reason, found, merged } = decision;
  const { fix } = checking("dns", `${record.type} ${record.name}`);
  const theirs = found.map((one) => zoneLine(one)).join("; ");
  const there = theirs === "" ? "" : ` There is: ${theirs}`;
  const advice = merged === undefined ? whatToDo[reason] : `Write this one instead, or add --take-over: ${merged}`;
  return [fix(`It was left as it is.${there} ${advice}`.trim())];
}

const whatToDo: Readonly<Record<Extract<Decision, { kind: "conflict" }>["reason"], string>> = {
  other_address: "If this name may lead here instead, add --take-over-web.",
  other_mx: "If this server may take the domain's mail, add --take-over.",
  other_text: "If it may be replaced, add --take-over.",
  other_alias: "Delete it yourself if nothing needs it, then run this command again.",
  name_in_use: "A CNAME can't stand beside other records: delete one of them yourself.",
  host_elsewhere: "Its host leads to another machine: mend that first.",
  mail_elsewhere: "While others take the domain's mail, it would harm that mail.",
};

const whyNotWritten: Readonly<Record<DnsProblem, string>> = {
  unauthorized: "The provider refuses the credential: check it, and what it may change.",
  clock_wrong: "The clocks of this machine and the name server differ: set the clock.",
  zone_unknown: "The credential reaches no zone with this name.",
  unreachable: "The provider does not answer: run this command again later.",
  rate_limited: "The provider had too many requests: run this command again later.",
  refused: "The provider refuses this record: publish it yourself, `kauke domains` prints it.",
  response_invalid: "The provider's response makes no sense: publish the records yourself.",
  changed: "Somebody changed it meanwhile: run this command again.",
  aborted: "It was interrupted: run this command again.",
  mail_elsewhere: "While the MX record is not written, it could harm mail that others take.",
};

function stateOf(state: RecordState): CheckResult {
  const { record } = state;
  const { ok, fix } = checking("dns", `${record.type} ${record.name}`);
  switch (state.state) {
    case "right":
      return ok("Published.");
    case "missing":
      return fix(`Missing: ${zoneLine(record)}`);
    case "unread":
      return fix("No name server of the zone answered: check that the domain is registered and delegated.");
    case "wrong":
      return fix(`Wrong: ${state.found.map((one) => zoneLine(one)).join("; ")} must be ${zoneLine(record)}`);
  }
}
