/**
 * Our SPF evaluation gives the same result as mailauth's for random records, DNS zones and senders: 3,000 cases,
 * 100,000 in `npm run test:long`. The differences that are mailauth's faults are listed here with the section of the
 * RFC; in those cases its strict mode, which has fewer of them, must agree with us.
 */
import { checkHost } from "@kauke/mail-rfc";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type SPFResult, spf } from "mailauth";
import { expect, test } from "vitest";
import { randomSpfCase, type SpfCase } from "./random-spf.testing.ts";

const CASES = rounds(3000, 100_000);
const TIMEOUT_MS = isLongRun ? 3_600_000 : 60_000;

interface Fault {
  what: string;
  /** Whether mailauth's answer to a case may be due to this fault. */
  shows: (found: SPFResult, it: SpfCase) => boolean;
}

const saying = (words: string) => (found: SPFResult) => found.status.comment?.includes(words) === true;
const warning = (word: string) => (found: SPFResult) => found.warnings?.includes(word as never) === true;
const texts = ({ records }: SpfCase) =>
  [...records].flatMap(([question, found]) => (question.startsWith("TXT ") ? (found ?? []) : []));

/** What mailauth's default mode does differently. */
const faults: readonly Fault[] = [
  { what: "ignores a syntax error that it does not reach (RFC 7208 §4.6)", shows: warning("syntax-error") },
  {
    what: "reads a record with white space other than a space after the version, or before it (RFC 7208 §4.5)",
    shows: (_, it) => texts(it).some((text) => /^(?:\s+v=spf1|v=spf1[^\S ])/i.test(text)),
  },
  {
    what: "calls a term an error that expands to no well-formed name, and so matches nothing (RFC 7208 §4.3, §4.8)",
    shows: saying("Invalid domain"),
  },
  {
    what: "queries and matches hosts for a ptr term that expands to no well-formed name (RFC 7208 §4.8)",
    shows: (_, it) => texts(it).some((text) => /ptr:\S*(?:%|\.\.|[^\s.]{64})/i.test(text)),
  },
  { what: "expands a redirect that it does not reach (RFC 7208 §6.1)", shows: saying("Invalid redirect target") },
  {
    what: "queries names with a local part that is not ASCII (RFC 8616 §4)",
    shows: (_, { claim }) => claim.sender.startsWith("ž"),
  },
];

/**
 * Answers as node:dns would. In both modes mailauth calls a mail host with a single label an error, where it has no
 * address and so does not match (RFC 7208 §5.4): it gets a name of two labels without addresses instead.
 */
function resolverOf({ records }: SpfCase) {
  return async (name: string, type = "A") => {
    if (name.length > 253 || name.split(".").some((label) => label.length > 63)) throw errorOf("EBADNAME");
    const found = records.get(`${type} ${name.toLowerCase()}`);
    if (found === null) throw errorOf("ETIMEOUT");
    if (found === undefined || found.length === 0) throw errorOf("ENODATA");
    if (type === "TXT") return found.map((text) => [text]) as unknown as string[];
    if (type !== "MX") return [...found];
    const hosts = found.map((host) => (host === "localhost" ? "localhost.invalid" : host));
    return hosts.map((exchange, priority) => ({ exchange, priority })) as unknown as string[];
  };
}

const errorOf = (code: string) => Object.assign(new Error(code), { code });

const ours = ({ claim, records }: SpfCase) =>
  checkHost(claim, async (name, type) => {
    const found = records.get(`${type} ${name.toLowerCase()}`);
    return found === undefined ? [] : found;
  });

const theirs = (it: SpfCase, options: { strict?: boolean; maxVoidCount?: number } = {}) => {
  const { clientAddress: ip, helo, sender } = it.claim;
  return spf({ ip, helo, sender, mta: "mx.kauke.test", resolver: resolverOf(it), ...options });
};

/**
 * Whether mailauth's strict mode agrees. It may disagree about the limit of void look-ups: it counts a name without
 * addresses of the client's family as void even if the name has others, unlike its default mode and ours.
 */
async function agreesStrictly(result: string, it: SpfCase): Promise<boolean> {
  if ((await theirs(it, { strict: true })).status.result === result) return true;
  return (await theirs(it, { strict: true, maxVoidCount: 1000 })).status.result === result;
}

test("random cases get mailauth's result, identity and domain", { timeout: TIMEOUT_MS }, async () => {
  const differences: string[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let seed = 0; seed < CASES; seed += 1) {
    const it = randomSpfCase(seed);
    const [found, expected] = await Promise.all([ours(it), theirs(it)]);
    count(found.result);
    expect({ seed, domain: found.domain, sender: found.sender }).toEqual({
      seed,
      domain: expected.domain,
      sender: expected.status.smtp?.mailfrom,
    });
    if (found.result === expected.status.result) continue;
    const fault = faults.find(({ shows }) => shows(expected, it));
    if (fault !== undefined && (await agreesStrictly(found.result, it))) count(fault.what);
    else differences.push(`case ${seed}: ours ${found.result}, mailauth ${expected.status.result}`);
  }
  printFigures("SPF as mailauth", counts);
  expect(differences).toEqual([]);
  for (const name of [
    "pass",
    "fail",
    "softfail",
    "neutral",
    "none",
    "permerror",
    "temperror",
    ...faults.map(({ what }) => what),
  ])
    expect(counts[name], name).toBeGreaterThan(0);
});
