/**
 * Benchmark of forwarding with every message spooled: the destination answers 451 at RCPT, so each message is attempted
 * once, its body and delivery row are committed, and 250 is sent; later the destination accepts mail, and the delivery
 * worker drains the spool. Both halves are measured separately; their sum is the price of a durable queue.
 */
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { compare, comparisons } from "./forward/comparisons.ts";
import type { ForwardCase } from "./forward/forward-case.ts";
import { type DurablePeer, FIRST_RETRY_SECONDS, type OurSystem } from "./forward/forward-system.ts";
import type { MailLoad } from "./mail-job.ts";
import type { BenchOptions } from "./options.ts";
import { median, progress, type Row, sizeText, sleep } from "./table.ts";

/**
 * Messages per measurement: few enough to be accepted before the first retry, and below an alias' limit for the spool.
 */
const MESSAGE_COUNT = 200;
const SESSIONS = 20;
const ROUNDS = 2;
const DRAIN_TIMEOUT_MS = (FIRST_RETRY_SECONDS * 2 + 60) * 1000;

interface Spooled {
  acceptCpu: number;
  acceptedPerSecond: number;
  sendCpu: number;
}

export async function measureSpool(
  { sizes }: BenchOptions,
  race: { ours: OurSystem; load: MailLoad; sinkPort: number; durablePeer: DurablePeer | null },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const sizeBytes of sizes.filter((size) => size <= 65_536)) {
    const results: Spooled[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`forward: spool on every message, ${sizeText(sizeBytes)}, round ${round} of ${ROUNDS}`);
      results.push(await spoolOnce({ sizeBytes, sessions: SESSIONS, count: MESSAGE_COUNT }, race));
    }
    rows.push(...rowsOf(sizeBytes, race, results));
  }
  return rows;
}

/** @param testCase few enough messages to be accepted before the first retry */
export async function spoolOnce(
  testCase: ForwardCase,
  { ours, load, sinkPort }: { ours: OurSystem; load: MailLoad; sinkPort: number },
): Promise<Spooled> {
  let isDeferring = true;
  await using sink = await FakeMx.start({
    port: sinkPort,
    answer: ({ stage }) => (isDeferring && stage === "rcpt" ? "451 4.7.1 come back later" : undefined),
  });
  let taken = 0;
  sink.keep = () => void taken++;
  const rcptTo = await ours.makeAlias();
  const before = ours.meter.seconds();
  const start = performance.now();
  await load.send({ ...testCase, port: ours.port, rcptTo });
  const acceptedPerSecond = (testCase.count * 1000) / (performance.now() - start);
  await sleep(300);
  const accepted = ours.meter.seconds();
  isDeferring = false;
  await waitFor(() => taken > 0);
  const firstLeft = ours.meter.seconds();
  await waitFor(() => taken >= testCase.count);
  await sleep(300);
  const per1000 = 1000 / testCase.count;
  return {
    acceptCpu: (accepted - before) * per1000,
    acceptedPerSecond,
    sendCpu: (ours.meter.seconds() - firstLeft) * per1000,
  };
}

async function waitFor(isDone: () => boolean): Promise<void> {
  for (const start = performance.now(); !isDone(); await sleep(4))
    if (performance.now() - start > DRAIN_TIMEOUT_MS) throw new Error("the spool was not emptied: mail was lost");
}

function rowsOf(
  sizeBytes: number,
  { ours: { name, workers }, durablePeer }: { ours: OurSystem; durablePeer: DurablePeer | null },
  results: readonly Spooled[],
): Row[] {
  const of = (figure: keyof Spooled) => median(results.map((result) => result[figure]));
  const what = `${sizeText(sizeBytes)}, ${SESSIONS} sessions, spool on every message: ${name}`;
  const both = of("acceptCpu") + of("sendCpu");
  const peerCpu = durablePeer?.cpuBySize.get(sizeBytes);
  const ratio = peerCpu === undefined ? "" : `; ${(peerCpu / both).toFixed(1)}x of it for ${durablePeer?.name}`;
  return [
    {
      bench: "forward",
      what: `${what}, acceptance`,
      workers,
      measured: `${of("acceptCpu").toFixed(2)} CPU-s/1000, ${of("acceptedPerSecond").toFixed(0)} msg/s`,
    },
    {
      bench: "forward",
      what: `${what}, delivery from the spool`,
      workers,
      measured: `${of("sendCpu").toFixed(2)} CPU-s/1000`,
      compared: `${both.toFixed(2)} CPU-s/1000 in all${ratio}`,
      ...targetOf(sizeBytes, both),
    },
  ];
}

/** @param cpu CPU seconds per 1000 messages, of acceptance and delivery */
function targetOf(sizeBytes: number, cpu: number): Pick<Row, "target" | "isMet"> {
  const deferral = comparisons.find((comparison) => comparison.of === "spool-deferred")!;
  const compared = compare(deferral, { cpuOf: () => cpu }, { sizeBytes, sessions: SESSIONS });
  if (compared === null || compared.target === null || compared.isMet === null) return {};
  return { target: `${compared.target} in all`, isMet: compared.isMet };
}
