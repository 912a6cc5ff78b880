/**
 * Process that measures on one database whether a look-up of an alias costs the same with ten aliases as with millions.
 * Unknown addresses show this best, since they always query the store; known ones are measured with and without the
 * route cache. Those that query the store are measured one at a time, where much of the cost is that of waking idle
 * processes, and with several requested at once, as by the sessions of a busy server. Both tables are open at the same
 * time and measured in turns.
 */
import { randomBytes } from "node:crypto";
import { RouteCache } from "@kauke/server/mail/inbound/route-cache";
import { openEmbedded } from "@kauke/server/store/embedded/embedded-database";
import { openStore, type Store, type StoreOptions } from "@kauke/server/store/open-store";
import { openPostgres } from "@kauke/server/store/postgres/postgres";
import { startTestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { median, progress, type Row } from "../table.ts";
import { addFiller, domain, makeRealAliases } from "./alias-table.ts";
import { type PostgresCpu, postgresCpu } from "./postgres-cpu.ts";

interface Table {
  aliases: number;
  store: Store;
  known: readonly string[];
}

/** What is looked up, as the table names it. */
const figures = {
  unknown: "unknown address, one at a time",
  unknownAtOnce: "unknown address, 20 at once",
  known: "known, not in the cache, one at a time",
  knownAtOnce: "known, not in the cache, 20 at once",
  cached: "known, in the cache",
};

type Cost = Record<keyof typeof figures, number>;

const SMALL_COUNT = 10;
const REAL_AMONG_MANY = 200;
const LOOK_UPS = 3000;
const AT_ONCE = 20;
const CACHED_LOOK_UPS = 300_000;
/**
 * Maximum factor by which a look-up may cost more among millions: three more levels of an index, and pages that are not
 * cached.
 */
const RATIO_MAX = 1.3;
/** Maximum CPU of a look-up among millions that is not in the cache, in seconds. */
const COST_MAX = { embedded: 250e-6, PostgreSQL: 150e-6 };

/** Message that starts the measurement. */
export interface MeasuredDatabase {
  database: keyof typeof COST_MAX;
  embeddedAliases: number;
  postgresAliases: number;
  rounds: number;
}

process.once("message", (measured: MeasuredDatabase) => void answer(measured));

async function answer(measured: MeasuredDatabase): Promise<void> {
  const rows = await (measured.database === "embedded" ? onEmbedded(measured) : onPostgres(measured));
  if (process.send === undefined) throw new Error("this process is started by look-ups.ts");
  process.send(rows);
  process.disconnect?.();
}

async function onEmbedded({ embeddedAliases, rounds }: MeasuredDatabase): Promise<Row[]> {
  const tables: Table[] = [];
  try {
    for (const aliases of [SMALL_COUNT, embeddedAliases]) {
      progress(`look-ups: filling the embedded database with ${aliases.toLocaleString("en")} aliases`);
      const dataDir = await makeDataDir();
      const fill = async (count: number) => {
        const { db, close } = await openEmbedded(dataDir);
        await addFiller(db, count);
        await close();
      };
      tables.push(await makeTable({ databaseUrl: null, dataDir, secretKey: null }, aliases, fill));
    }
    return await compare("embedded", tables, { rounds, server: null });
  } finally {
    for (const { store } of tables) await store.close();
    await removeDataDirs();
  }
}

async function onPostgres({ postgresAliases, rounds }: MeasuredDatabase): Promise<Row[]> {
  const postgres = await startTestPostgres();
  const tables: Table[] = [];
  let server: PostgresCpu | null = null;
  try {
    for (const aliases of [SMALL_COUNT, postgresAliases]) {
      progress(`look-ups: filling PostgreSQL with ${aliases.toLocaleString("en")} aliases`);
      const databaseUrl = await postgres.createDatabase();
      const fill = async (count: number) => {
        const db = await openPostgres(databaseUrl, undefined);
        await addFiller(db, count);
        await db.destroy();
      };
      tables.push(await makeTable({ databaseUrl, dataDir: null, secretKey: randomBytes(32) }, aliases, fill));
      server ??= await postgresCpu(databaseUrl);
    }
    return await compare("PostgreSQL", tables, { rounds, server });
  } finally {
    for (const { store } of tables) await store.close();
    await postgres.stop();
    server?.close();
  }
}

async function makeTable(
  options: StoreOptions,
  aliases: number,
  fill: (count: number) => Promise<void>,
): Promise<Table> {
  const first = await openStore(options);
  const known = await makeRealAliases(first, Math.min(aliases, REAL_AMONG_MANY));
  await first.close();
  if (aliases > known.length) await fill(aliases - known.length);
  const store = await openStore(options);
  // For a large table the store returns the query planner's estimate, hence the tolerance of 5 %.
  const counted = await store.aliases.count();
  if (Math.abs(counted - aliases) > aliases / 20) throw new Error(`the table holds ${counted} aliases, not ${aliases}`);
  return { aliases, store, known };
}

async function compare(
  database: keyof typeof COST_MAX,
  tables: readonly Table[],
  { rounds, server }: { rounds: number; server: PostgresCpu | null },
): Promise<Row[]> {
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + (server?.seconds() ?? 0);
  };
  for (const table of tables) await costOf(table, cpuSeconds);
  const costs = tables.map(() => [] as Cost[]);
  for (let round = 1; round <= rounds + 2; round++) {
    progress(`look-ups: ${database}, round ${round} of ${rounds + 2}`);
    for (const [index, table] of tables.entries()) costs[index]!.push(await costOf(table, cpuSeconds));
  }
  const of = (index: number, figure: keyof Cost) => median(costs[index]!.map((cost) => cost[figure]));
  return (Object.keys(figures) as (keyof Cost)[]).map((figure) => {
    const [few, many] = [of(0, figure), of(1, figure)];
    return {
      bench: "look-ups",
      what: `${database}, ${tables[1]!.aliases.toLocaleString("en")} aliases: ${figures[figure]}`,
      measured: `${micro(many)} CPU per look-up`,
      compared: `${(many / few).toFixed(2)}x of ${micro(few)} with ${SMALL_COUNT}`,
      ...(figure === "cached" ? {} : judged(many, few, { costMax: COST_MAX[database], isAtOnce: isAtOnce(figure) })),
    };
  });
}

/** With ten aliases, 20 look-ups at once ask for each of them twice, so that the comparison says nothing. */
function judged(many: number, few: number, { costMax, isAtOnce }: { costMax: number; isAtOnce: boolean }) {
  if (isAtOnce) return { target: `<= ${micro(costMax)}`, isMet: many <= costMax };
  return {
    target: `<= ${micro(costMax)}, <= ${RATIO_MAX}x`,
    isMet: many <= costMax && many / few <= RATIO_MAX,
  };
}

const isAtOnce = (figure: keyof Cost) => figure === "unknownAtOnce" || figure === "knownAtOnce";

const micro = (seconds: number) => `${(seconds * 1e6).toFixed(seconds < 1e-5 ? 2 : 0)} us`;

/** @returns CPU seconds per look-up, of this process and of the database server */
async function costOf({ store, known }: Table, cpuSeconds: () => number): Promise<Cost> {
  const ask = async (address: string, isKnown: boolean) => {
    const route = await store.aliases.findRoute(address);
    if ((route !== null) !== isKnown) throw new Error("a look-up returned a wrong result");
  };
  const spent = async (count: number, work: () => Promise<void>) => {
    const before = cpuSeconds();
    await work();
    return (cpuSeconds() - before) / count;
  };
  const lookUps = (addresses: readonly string[], isKnown: boolean, atOnce: number) =>
    spent(LOOK_UPS, async () => {
      let next = 0;
      const session = async () => {
        while (next < LOOK_UPS) await ask(addresses[next++ % addresses.length]!, isKnown);
      };
      await Promise.all(Array.from({ length: atOnce }, session));
    });
  const unknown = () => Array.from({ length: LOOK_UPS }, () => `${randomBytes(8).toString("hex")}@${domain}`);
  const cache = new RouteCache(store.aliases, { now: () => new Date() });
  for (const address of known) await cache.find(address);
  return {
    unknown: await lookUps(unknown(), false, 1),
    known: await lookUps(known, true, 1),
    unknownAtOnce: await lookUps(unknown(), false, AT_ONCE),
    knownAtOnce: await lookUps(known, true, AT_ONCE),
    cached: await spent(CACHED_LOOK_UPS, async () => {
      for (let n = 0; n < CACHED_LOOK_UPS; n++) await cache.find(known[n % known.length]!);
    }),
  };
}
