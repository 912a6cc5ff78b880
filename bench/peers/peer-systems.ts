/** Starts the system of each row in the table of peers, with a uniform way to measure it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import type { ForwardCase } from "../forward/forward-rows.ts";
import { checkSample } from "../forward/forward-sample.ts";
import { type ForwardSystem, type OurSystem, type OurVariant, startOurs } from "../forward/forward-system.ts";
import { measure, pass } from "../forward/measure-forward.ts";
import { freePort } from "../free-port.ts";
import { type LoadSink, type MailLoad } from "../mail-job.ts";
import { ownLoad } from "../own-load.ts";
import type { Profiler } from "../profile.ts";
import { spoolOnce } from "../spool.ts";
import { startHaraka } from "./haraka.ts";
import { countFor, isPeer, type PeerRow } from "./peer-rows.ts";
import type { PeerMeasured } from "./peer-table.ts";
import { startPostfix } from "./postfix.ts";

export interface PeerSystem {
  row: PeerRow;
  /** Name of the system with what it did to a sample message, e.g. `kauke (SRS, DKIM)`. */
  seen: string;
  warmUp(count: number | null): Promise<void>;
  measure(testCase: ForwardCase): Promise<PeerMeasured>;
  close(): Promise<void>;
}

export interface PeerParts {
  load: MailLoad;
  profiler: Profiler | null;
}

const ourVariants: Partial<Record<PeerRow, OurVariant>> = {
  "cut-through": "signed",
  spool: "spooled",
  "spool-deferred": "signed",
  checks: "verified",
  sealed: "sealed",
  tls: "tls",
};

export async function startPeerSystem(row: PeerRow, { load: usual, profiler }: PeerParts): Promise<PeerSystem> {
  const sinkPort = await freePort();
  const certificate = writeCertificate();
  const system = await startSystem(row, { sinkPort, certificate, profiler });
  const load = row === "tls" || row === "postfix-tls" ? ownLoad({ isSecure: true }) : usual;
  const seen = await checkSample(system, sinkPort);
  system.name = row;
  const ours = isPeer(row) ? null : (system as OurSystem);
  // The row whose destination defers opens its own sink for every measurement.
  const sink = row === "spool-deferred" ? null : await load.startSink(sinkPort);
  const measured = async (testCase: ForwardCase) =>
    sink === null ? spooledTwice(testCase, { ours: ours!, load, sinkPort }) : measure(system, { load, sink }, testCase);
  return {
    row,
    seen,
    warmUp: (count) => warmUp(system, { load, sink, count }),
    async measure(given) {
      const testCase = { ...given, count: countFor(row, given) };
      if (profiler === null || ours === null) return measured(testCase);
      const name = `${row}-${testCase.sizeBytes}-${testCase.sessions}-${Date.now()}`;
      return profiler.during(ours.pid, name, () => measured(testCase));
    },
    async close() {
      await sink?.close();
      await system.close();
      rmSync(certificate.folder, { recursive: true, force: true });
    },
  };
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

function startSystem(
  row: PeerRow,
  { sinkPort, certificate, profiler }: { sinkPort: number; certificate: Certificate; profiler: Profiler | null },
): Promise<ForwardSystem> {
  const { cert, key } = certificate;
  if (row === "haraka") return startHaraka({ sinkPort });
  if (isPeer(row)) {
    const tls = row === "postfix-tls" ? { tls: { cert, key } } : {};
    return startPostfix({ sinkPort, dkim: true, srs: true, verifies: row === "postfix-checks", ...tls });
  }
  const env = { KAUKE_TLS_CERT: cert, KAUKE_TLS_KEY: key, ...profiler?.env };
  return startOurs(ourVariants[row] ?? "signed", { sinkPort, env, meterName: row });
}

async function warmUp(
  system: ForwardSystem,
  { load, sink, count }: { load: MailLoad; sink: LoadSink | null; count: number | null },
): Promise<void> {
  const own = sink ?? { received: () => 0, close: async () => {} };
  if (sink === null) return;
  // Sent in portions, since an alias may have 1000 messages waiting in the spool.
  for (let left = count ?? system.warmUp; left > 0; left -= 500)
    await pass(system, { load, sink: own }, { sizeBytes: 4096, sessions: 20, count: Math.min(left, 500) });
}

async function spooledTwice(
  testCase: ForwardCase,
  race: { ours: OurSystem; load: MailLoad; sinkPort: number },
): Promise<PeerMeasured> {
  const { acceptCpu, sendCpu } = await spoolOnce(testCase, race);
  const { rssMib, privateMib } = race.ours.meter.memory();
  return { cpuPer1000: acceptCpu + sendCpu, messagesPerSecond: null, rssMib, privateMib };
}
