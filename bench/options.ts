/** Arguments of `npm run bench -- …`. All have defaults, with which a whole run takes less than ten minutes. */
import { parseArgs } from "node:util";
import { type SystemVariant, systemVariants } from "./forward/forward-system.ts";
import { type PeerRow, peerRows } from "./peers/peer-rows.ts";

/** Names of the benchmarks. `peers` takes up to half an hour and runs only when it is named. */
export const benchNames = ["forward", "look-ups", "start", "api", "pages", "slow-pages", "peers"] as const;
export type BenchName = (typeof benchNames)[number];

export interface BenchOptions {
  only: readonly BenchName[];
  /** Variants of Kauke to measure: unsigned, signed, signed and verified. */
  ours: readonly SystemVariant[];
  /** Message sizes in bytes. */
  sizes: readonly number[];
  sessions: readonly number[];
  /** Messages per measurement; `null` chooses by size. */
  count: number | null;
  rounds: number;
  /** Rows of the table of peers to measure. */
  rows: readonly PeerRow[];
  /** Maximum minutes for the table of peers: no round is started that would end later. */
  minutes: number;
  /** Sends only a few messages per cell in one round, to check that everything works. */
  isQuick: boolean;
  /** Whether to install Debian's Postfix when it is missing and the user is root. */
  install: boolean;
  /** Whether to run Postfix with OpenDKIM. */
  dkim: boolean;
  /** Whether to run Postfix with postsrsd. */
  srs: boolean;
  embeddedAliases: number;
  postgresAliases: number;
  /** Seconds between a start and the measurement of memory. */
  settleSeconds: number;
  /** Requests per second that the API benchmark offers; `null` for the rate of its target. */
  rate: number | null;
  /** Whether aliases are pushed to a forwarding provider while the API is measured. */
  isPushing: boolean;
}

export const usage = `npm run bench -- [options]
  --only forward,look-ups,start,api,pages,slow-pages  run only these benchmarks
  --only peers                           the whole table against Postfix+OpenDKIM+postsrsd and Haraka, in turns
  --rows cut-through,spool,postfix,haraka,…  peers: only these rows, of ${peerRows.join(", ")}
  --minutes N                            peers: start no round that would end later (25)
  --quick                                peers: a smoke test, a few messages per cell, one round
  --ours plain,signed,verified           forward: unsigned; with DKIM; with checks on arrival as well (20 sessions only)
  --size 4096,51200,1048576              forward, peers: message sizes in bytes
  --sessions 1,20,100                    forward, peers: concurrent SMTP sessions
  --count N                              forward, peers: messages per measurement
  --rounds N                             repetitions; medians are printed (3)
  --install                              forward, peers: install Postfix if missing (Debian, root), for peers also Haraka (npm); same as KAUKE_BENCH_INSTALL=1
  --dkim --srs                           forward: run Postfix with OpenDKIM, with postsrsd
  --rate N                               api: requests per second that are offered (1000)
  --pushing                              api: while 5,000 aliases are pushed to a fake forwarding provider
  --embedded-aliases N                   look-ups: rows in the embedded database (1000000)
  --postgres-aliases N                   look-ups: rows in PostgreSQL (1000000; the target is 10000000)
  --settle SECONDS                       start: seconds before memory is read (60)`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** @throws TypeError or RangeError whose message is shown to the user */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      only: text,
      ours: text,
      size: text,
      sessions: text,
      count: text,
      rounds: text,
      settle: text,
      rate: text,
      "embedded-aliases": text,
      "postgres-aliases": text,
      install: flag,
      dkim: flag,
      srs: flag,
      rows: text,
      minutes: text,
      quick: flag,
      pushing: flag,
    },
  });
  const number = (name: keyof typeof values, fallback: number) => numbers(name, values[name], [fallback])[0]!;
  return {
    only: values.only === undefined ? benchNames.slice(0, -1) : words("benchmark", values.only, benchNames),
    ours: words("variant", values.ours, systemVariants),
    sizes: numbers("size", values.size, [4096, 51_200, 1_048_576]),
    sessions: numbers("sessions", values.sessions, [1, 20, 100]),
    count: values.count === undefined ? null : number("count", 0),
    rounds: number("rounds", values.quick === true ? 1 : 3),
    rows: words("row", values.rows, peerRows),
    minutes: number("minutes", 25),
    isQuick: values.quick === true,
    install: values.install === true || env.KAUKE_BENCH_INSTALL === "1",
    dkim: values.dkim === true,
    srs: values.srs === true,
    embeddedAliases: number("embedded-aliases", 1_000_000),
    postgresAliases: number("postgres-aliases", 1_000_000),
    settleSeconds: number("settle", 60),
    rate: values.rate === undefined ? null : number("rate", 0),
    isPushing: values.pushing === true,
  };
}

function words<Word extends string>(what: string, given: string | undefined, known: readonly Word[]): readonly Word[] {
  if (given === undefined) return known;
  return given.split(",").map((name) => {
    const found = known.find((word) => word === name);
    if (found === undefined) throw new RangeError(`There is no ${what} ${JSON.stringify(name)}.`);
    return found;
  });
}

function numbers(name: string, given: string | boolean | undefined, fallback: readonly number[]): readonly number[] {
  if (typeof given !== "string") return fallback;
  const read = given.split(",").map(Number);
  if (!read.every((value) => Number.isSafeInteger(value) && value > 0))
    throw new RangeError(`--${name} takes whole numbers.`);
  return read;
}
