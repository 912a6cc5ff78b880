/** Starts the system of each row in the table of peers, with a uniform way to measure it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mailLimitNames } from "@kauke/server/limits/named-limits";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { startCeiling } from "../ceiling/ceiling.ts";
import type { ForwardCase } from "../forward/forward-case.ts";
import { checkSample } from "../forward/forward-sample.ts";
import { type ForwardSystem, type OurSystem, type OurVariant, startOurs } from "../forward/forward-system.ts";
import { measure, pass } from "../forward/measure-forward.ts";
import { freeBenchPort } from "../free-port.ts";
import type { MailLoad } from "../mail-job.ts";
import type { MixCounts } from "../mix/mail-mix.ts";
import { copyMixAccounts, mixDomain } from "../mix/mix-accounts.ts";
import { mixLoad } from "../mix/mix-load.ts";
import { accountOf, aliasName, mailboxOf, mixSize, mixZone } from "../mix/mix-names.ts";
import { mixKeyRecord } from "../mix/mixed-message.ts";
import { ownLoad } from "../own-load.ts";
import { spoolOnce } from "../spool.ts";
import { startHaraka } from "./haraka.ts";
import { isHaraka, isPeer, isPostfix, type PeerRow, rowFacts } from "./peer-rows.ts";
import type { PeerMeasured } from "./peer-table.ts";
import { startPostfix } from "./postfix.ts";

export interface PeerSystem {
  row: PeerRow;
  /** Number of processes that carry mail; `null` for a program that starts one for each task. */
  workers: number | null;
  /** Name of the system with what it did to a sample message, e.g. `kauke (SRS, DKIM)`. */
  seen: string;
  /** Counts of the measured messages of the mix; `null` for another load. */
  mix: MixCounts | null;
  /** @param cases what will be measured @param count messages; `null` for the usual number */
  warmUp(cases: readonly ForwardCase[], count: number | null): Promise<void>;
  measure(testCase: ForwardCase): Promise<PeerMeasured>;
  close(): Promise<void>;
}

const ourVariants: Partial<Record<PeerRow, OurVariant>> = {
  "cut-through": "signed",
  spool: "spooled",
  "spool-deferred": "signed",
  checks: "verified",
  sealed: "sealed",
  tls: "tls",
  default: "verified",
};

export async function startPeerSystem(row: PeerRow, usual: MailLoad): Promise<PeerSystem> {
  const sinkPort = await freeBenchPort();
  const certificate = writeCertificate();
  const system = await startSystem(row, { sinkPort, certificate });
  const { load, mix } = loadFor(row, usual);
  const seen = await checkSample(system, sinkPort);
  system.name = row;
  const ours = isPeer(row) ? null : (system as OurSystem);
  // The row whose destination defers opens its own sink for every measurement.
  const sink = row === "spool-deferred" ? null : await load.startSink(sinkPort);
  const measured = async (testCase: ForwardCase) =>
    sink === null ? spooledTwice(testCase, { ours: ours!, load, sinkPort }) : measure(system, { load, sink }, testCase);
  return {
    row,
    workers: system.workers,
    seen,
    mix,
    // As many messages as for the row `spool`, which also stores every message.
    warmUp: async (cases, count) =>
      sink === null
        ? warmUp(cases, count ?? 1000, measured)
        : warmUp(cases, count ?? system.warmUp, (it) => pass(system, { load, sink }, it)),
    measure: measured,
    async close() {
      await sink?.close();
      await system.close();
      rmSync(certificate.folder, { recursive: true, force: true });
    },
  };
}

function loadFor(row: PeerRow, usual: MailLoad): { load: MailLoad; mix: MixCounts | null } {
  const { isMix = false, isSecure = false } = rowFacts[row];
  const secure = ownLoad({ isSecure: true });
  if (!isMix) return { load: isSecure ? secure : usual, mix: null };
  const load = mixLoad({ domain: isPeer(row) ? peerDomain : mixDomain, startSink: secure.startSink });
  return { load, mix: load.counts };
}

interface Certificate {
  folder: string;
  cert: string;
  key: string;
}

/** Writes the certificate that all systems use: ECDSA P-256. */
function writeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "kauke-bench-certificate-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, testCertificate);
  writeFileSync(key, testKey, { mode: 0o600 });
  return { folder, cert, key };
}

interface SystemParts {
  sinkPort: number;
  certificate: Certificate;
}

async function startSystem(row: PeerRow, parts: SystemParts): Promise<ForwardSystem> {
  const { sinkPort, certificate } = parts;
  const { isMix = false, isSecure = false } = rowFacts[row];
  if (row === "ceiling") return startCeiling({ sinkPort });
  const tls = isSecure ? { tls: certificate } : {};
  const mix = isMix ? { aliases: peerAliases(), senderKey: mixKeyRecord() } : {};
  if (isHaraka(row)) return startHaraka({ sinkPort, name: row, verifies: row === "haraka-default", ...tls, ...mix });
  if (isPostfix(row)) {
    const verifies = row === "postfix-checks" || row === "postfix-default";
    return startPostfix({ sinkPort, dkim: true, srs: true, verifies, ...tls, ...mix });
  }
  return startOurRow(row, parts);
}

async function startOurRow(row: PeerRow, { sinkPort, certificate }: SystemParts): Promise<ForwardSystem> {
  const { cert, key } = certificate;
  const env = {
    KAUKE_TLS_CERT: cert,
    KAUKE_TLS_KEY: key,
    ...(rowFacts[row].isMix === true ? { KAUKE_LIMITS: countingLimits } : {}),
  };
  const variant = ourVariants[row] ?? "signed";
  if (rowFacts[row].isMix !== true) return startOurs(variant, { sinkPort, env, meterName: row });
  const accounts = {
    dataDir: await copyMixAccounts(),
    rcptTo: `${aliasName(0)}@${mixDomain}`,
    destination: mailboxOf(accountOf(0)),
    zone: mixZone(mixKeyRecord()),
  };
  return startOurs(variant, { sinkPort, env, meterName: row, accounts });
}

/** Limits of the mail path that are counted as by default but never reached. */
const countingLimits = mailLimitNames.map((name) => `${name}=1000000/3600`).join();
/** Domain of the peers' aliases. */
const peerDomain = "in.test";

function peerAliases(): [alias: string, mailbox: string][] {
  return Array.from({ length: mixSize.aliases }, (_, alias) => [
    `${aliasName(alias)}@${peerDomain}`,
    mailboxOf(accountOf(alias)),
  ]);
}

/**
 * Sends messages of every size with every number of sessions, of large ones a tenth as many: V8 compiles other code for
 * them. Single sessions are left out, since some peers wait between their messages.
 */
async function warmUp(
  cases: readonly ForwardCase[],
  count: number,
  send: (testCase: ForwardCase) => Promise<unknown>,
): Promise<void> {
  const numbers = new Set(cases.map(({ sessions }) => sessions).filter((sessions) => sessions > 1));
  const sizes = new Set([WARMING_BYTES, ...cases.map(({ sizeBytes }) => sizeBytes)]);
  for (const sizeBytes of sizes)
    for (const sessions of numbers.size > 0 ? numbers : [WARMING_SESSIONS]) {
      const isLarge = sizeBytes > WARMING_BYTES;
      const share = Math.ceil(count / (isLarge ? 10 : 1) / Math.max(1, numbers.size));
      await inPortions(share, isLarge ? 100 : 500, (portion) => send({ sizeBytes, sessions, count: portion }));
    }
}

const WARMING_BYTES = 4096;
const WARMING_SESSIONS = 20;

/** An alias may have 1000 messages waiting in the spool, and the generator of the mix has a whole portion in memory. */
async function inPortions(count: number, most: number, send: (portion: number) => Promise<unknown>): Promise<void> {
  for (let left = count; left > 0; left -= most) await send(Math.min(left, most));
}

async function spooledTwice(
  testCase: ForwardCase,
  race: { ours: OurSystem; load: MailLoad; sinkPort: number },
): Promise<PeerMeasured> {
  const { acceptCpu, sendCpu } = await spoolOnce(testCase, race);
  const { rssMib, privateMib } = race.ours.meter.memory();
  return { cpuPer1000: acceptCpu + sendCpu, messagesPerSecond: null, rssMib, privateMib };
}
