/** Opens the database, applies migrations, unwraps the keys and starts the upkeep; a failed start undoes its steps. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { DkimKey } from "@kauke/mail-rfc";
import { sql } from "kysely";
import type { ReleaseCaps } from "../core/alias/alias-rules.ts";
import type { InFlightMessages } from "../core/delivery/delivery.ts";
import type { AccountDomainKeys, AppearingDomains, SharedProvenDomains } from "../core/domain/account-domain.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { BrowserMac } from "../core/sign-in/known-browser.ts";
import { type Clock, type Logger, steadyMs } from "../runtime/ports.ts";
import { type BackupRequest, removeStaging, writeBackup } from "./backup/backup.ts";
import { type ChangeSignals, changeSignals, LIVE_CHANNEL, type WantAtProvider } from "./change-signals.ts";
import { type BackgroundJob, runEvery } from "./concurrency/background.ts";
import type { Database } from "./database.ts";
import type { SyncFile } from "./embedded/durability.ts";
import { type EmbeddedDatabase, lockDirectory, openEmbedded, openInMemory } from "./embedded/embedded-database.ts";
import { embeddedErasure } from "./embedded/embedded-erasure.ts";
import { embeddedUpkeep } from "./embedded/embedded-upkeep.ts";
import { runMigrations, underStartLock } from "./migrate.ts";
import { refuseMoved } from "./move/move-mark.ts";
import { isPostgresOutage, openPostgres } from "./postgres/postgres.ts";
import { PostgresSignals } from "./postgres/postgres-signals.ts";
import { messageBodiesInRows, openSpool } from "./queue/bodies/message-bodies.ts";
import { nodeSpoolFiles, type SpoolFiles } from "./queue/bodies/spool-files.ts";
import { type InFlightParts, inFlightMessages, recoverInFlight, withAliases } from "./queue/in-flight.ts";
import { type Forgotten, forgetOld, pacedRetention } from "./retention.ts";
import { type RowStores, rowStores } from "./row-stores.ts";
import { releasedAddresses } from "./rows/accounts/released-addresses.ts";
import { deleteDue, nextDue, startSweep } from "./rows/aliases/alias-deletions.ts";
import { appearingDomains } from "./rows/domains/appearing-domains.ts";
import { accountDomainKeys } from "./rows/domains/domain-keys.ts";
import { openProvenDomains } from "./rows/domains/proven-domains.ts";
import { fillDestinationDomains } from "./rows/mailboxes/mailboxes.ts";
import { makeAllDue, wantAtProvider } from "./rows/provider-aliases.ts";
import { type KeyKeeper, keyKeeper } from "./sealing/key-rotation.ts";
import { isAnyFileOlder } from "./sealing/reseal.ts";
import {
  embeddedSecretKey,
  givenSecretKey,
  isWrappedBy,
  replaceKeyFile,
  rewrapKeys,
  settleKeyFile,
} from "./sealing/secret-key.ts";
import { type KeyRing, loadDkimKeys, loadServerKeys, type ServerKeys } from "./sealing/server-keys.ts";
import type { StoreContext } from "./store-context.ts";

export interface StoreOptions {
  databaseUrl: string | null;
  dataDir: string | null;
  /** Wrapping key. `null`: `secret.key` in the data directory; not allowed with `databaseUrl`. */
  secretKey: Buffer | null;
  dkimDomains?: readonly string[];
  /** Makes an Ed25519 DKIM key beside each RSA key; default false. */
  dkimEd25519?: boolean;
  /** Whether a forwarding provider is to hear of every change of an alias; default false. */
  hasProvider?: boolean;
  logger?: Logger;
  clock?: Clock;
  /** Milliseconds before a new sealing key is used; set by tests only. */
  keySettleMs?: number;
  releaseCaps?: ReleaseCaps;
  disk?: { files?: SpoolFiles; syncFile?: SyncFile };
}

export interface Store extends RowStores {
  kind: "embedded" | "postgres";
  bodies: MessageBodies;
  /** Messages in flight; `null` on PostgreSQL, where other processes share the queue, and in memory. */
  inFlight: InFlightMessages | null;
  /** Backs up the running store; `null` on PostgreSQL and in memory. @throws BackupError */
  backup: ((request: BackupRequest) => Promise<{ bytes: number }>) | null;
  keyKeeper: KeyKeeper;
  rotateWrapping: (() => Promise<void>) | null;
  keys: ServerKeys;
  browserMac: BrowserMac;
  suffixMac: (data: string) => Buffer;
  dkimKeys: readonly DkimKey[];
  provenDomains: SharedProvenDomains;
  appearingDomains: AppearingDomains;
  accountDomainKeys: AccountDomainKeys;
  /** False after a failed fsync or an abort: nothing can be stored until a restart. */
  isSound(): boolean;
  /** Whether an error means that the database can't serve now, so that the request may be repeated. */
  isOutage(thrown: unknown): boolean;
  /** Deletes aliases whose time has come. Also runs by itself, at a start and at each such time. */
  deleteDueAliases(): Promise<number>;
  /** Deletes expired data. Also runs every hour by itself. */
  maintenance(): Promise<Forgotten>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const systemClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };

/** Opens the store. @throws StoreStartError */
export function openStore(options: StoreOptions): Promise<Store> {
  if (options.databaseUrl !== null) return openOnPostgres(options, options.databaseUrl);
  if (options.dataDir !== null) return openInDirectory(options, options.dataDir);
  return openForTests(options);
}

function openOnPostgres(options: StoreOptions, databaseUrl: string): Promise<Store> {
  return openOrUndo(async (undo) => {
    const secretKey = givenSecretKey(options.secretKey);
    const db = await openPostgres(databaseUrl, options.logger);
    undo.add(() => db.destroy());
    const context = await makeContext(options, {
      db,
      secretKey,
      signals: changeSignals({ notify: true, want: wantOf(options) }),
    });
    const listener = new PostgresSignals(databaseUrl, context.signals, options.logger);
    undo.add(() => listener.close());
    await listener.start();
    const bodies = messageBodiesInRows({ ...context, now: () => context.clock.now() });
    const shown = { kind: "postgres" as const, bodies, isSound: () => true, undo, logger: options.logger };
    return await assemble(context, {
      ...shown,
      keyKeeper: startKeyKeeper(options, context, { undo, held: { secretKey } }),
    });
  });
}

function openInDirectory(options: StoreOptions, dataDir: string): Promise<Store> {
  return openOrUndo(async (undo) => {
    const { database, held } = await lockAndOpen(options, dataDir, undo);
    const { db, isSound } = database;
    const signals = changeSignals({ notify: false, want: wantOf(options) });
    const context = await makeContext(options, { db, secretKey: held.secretKey, signals });
    await database.listen(LIVE_CHANNEL, signals.liveChanged);
    undo.add(await startUpkeep(context, isSound, options.logger));
    const place = { dataDir, files: options.disk?.files ?? nodeSpoolFiles, logger: options.logger };
    const { bodies, inFlight } = await openSpool({ ...context, ...place });
    const keyKeeper = startKeyKeeper(options, context, { undo, dataDir, isSound, held });
    const { logger } = options;
    const { files, aliasIds: aliasesInFlight } = withAliases(inFlight);
    const shared = { kind: "embedded", bodies, aliasesInFlight, isSound, undo, logger, keyKeeper } as const;
    const store = await assemble(context, shared);
    const parts = { ...store, files, clock: context.clock, logger };
    await recoverLeases(parts);
    await removeStaging(dataDir);
    return {
      ...store,
      inFlight: inFlightMessages(parts),
      backup: backupWriter(options, dataDir, { database, clock: context.clock }),
      rotateWrapping: options.secretKey === null ? wrappingRotation(dataDir, db, held) : null,
    };
  });
}

function wantOf({ hasProvider, clock = systemClock }: StoreOptions): WantAtProvider | undefined {
  return hasProvider === true ? (trx, aliasIds) => wantAtProvider(trx, aliasIds, clock.now()) : undefined;
}

/** Locks the data directory before reading anything in it, which a second process must not touch. */
export async function lockAndOpen(
  options: Pick<StoreOptions, "secretKey" | "disk">,
  dataDir: string,
  undo: Undo,
): Promise<{ database: EmbeddedDatabase; held: { secretKey: Buffer } }> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  undo.add(() => lock.release());
  const keyFile = await embeddedSecretKey(dataDir, options.secretKey);
  const database = await openEmbedded(dataDir, options.disk?.syncFile);
  undo.add(() => database.close());
  const fits = (key: Buffer) => isWrappedBy(database.db, key);
  const held = { secretKey: options.secretKey ?? (await settleKeyFile(dataDir, keyFile, fits)) };
  return { database, held };
}

function backupWriter(
  { secretKey }: StoreOptions,
  dataDir: string,
  { database: { db, pause }, clock }: { database: EmbeddedDatabase; clock: Clock },
) {
  const source = {
    dataDir,
    pause,
    hasKeyFile: secretKey === null,
    now: () => clock.now(),
    checkpoint: () => sql`CHECKPOINT`.execute(db),
  };
  return (request: BackupRequest) => writeBackup(source, request);
}

function wrappingRotation(dataDir: string, db: Database, held: { secretKey: Buffer }) {
  return async (): Promise<void> => {
    const from = held.secretKey;
    held.secretKey = await replaceKeyFile(dataDir, (to) => rewrapKeys(db, { from, to }));
  };
}

/** Releases leases of the previous process. The data directory is locked, so no other process holds any. */
export async function recoverLeases(
  parts: InFlightParts & Pick<Store, "deliveries"> & { providerAliases: Pick<Store["providerAliases"], "endLeases"> },
): Promise<void> {
  await parts.providerAliases.endLeases();
  const count = (await parts.deliveries.releaseLeases()) + (await recoverInFlight(parts));
  if (count > 0) parts.logger?.info("leases_released", { count });
}

function openForTests(options: StoreOptions): Promise<Store> {
  return openOrUndo(async (undo) => {
    const { db, close, isSound, listen } = await openInMemory();
    undo.add(close);
    const secretKey = options.secretKey ?? randomBytes(32);
    const signals = changeSignals({ notify: false, want: wantOf(options) });
    const context = await makeContext(options, { db, secretKey, signals });
    await listen(LIVE_CHANNEL, signals.liveChanged);
    const bodies = messageBodiesInRows({ ...context, now: () => context.clock.now() });
    const keyKeeper = startKeyKeeper(options, context, { undo, held: { secretKey } });
    return await assemble(context, { kind: "embedded", bodies, isSound, undo, logger: options.logger, keyKeeper });
  });
}

interface KeeperPlace {
  undo: Undo;
  held: { secretKey: Buffer };
  dataDir?: string;
  isSound?: () => boolean;
}

function startKeyKeeper(
  options: StoreOptions,
  context: OpenContext,
  { undo, held, dataDir, isSound }: KeeperPlace,
): KeyKeeper {
  const keeper = keyKeeper(context, {
    secretKey: () => held.secretKey,
    isAnyFileOlder: async (keyId) => dataDir !== undefined && (await isAnyFileOlder(dataDir, keyId)),
    isSound: isSound ?? (() => true),
    logger: options.logger,
    settleMs: options.keySettleMs,
  });
  undo.add(() => keeper.stop());
  return keeper;
}

type OpenContext = StoreContext & { keys: KeyRing; dkimKeys: DkimKey[]; releaseCaps: ReleaseCaps | undefined };

async function makeContext(
  options: StoreOptions,
  { db, secretKey, signals }: { db: Database; secretKey: Buffer; signals: ChangeSignals },
): Promise<OpenContext> {
  const clock = options.clock ?? systemClock;
  const keys = await underStartLock(db, async (trx) => {
    await refuseMoved(trx);
    await runMigrations(trx, clock.now());
    const serverKeys = await loadServerKeys(trx, secretKey, clock.now());
    await fillDestinationDomains(trx, serverKeys);
    if (options.hasProvider !== true) await makeAllDue(trx, clock.now());
    const domains = options.dkimDomains ?? [];
    const dkim = { secretKey, domains, ed25519: options.dkimEd25519 === true, now: clock.now() };
    return { keys: serverKeys, dkimKeys: await loadDkimKeys(trx, dkim) };
  });
  return { db, ...keys, clock, signals, releaseCaps: options.releaseCaps };
}

async function startUpkeep(
  { db, clock }: StoreContext,
  isSound: () => boolean,
  logger: Logger | undefined,
): Promise<() => Promise<void>> {
  // The upkeep uses monotonic time, so that it does not pause when the system clock is set back.
  const [begunAt, begunMs] = [clock.now().getTime(), steadyMs(clock)];
  const now = () => new Date(begunAt + steadyMs(clock) - begunMs);
  const upkeep = await embeddedUpkeep(db, now());
  const erasure = embeddedErasure(db, { now: now(), ...(logger === undefined ? {} : { logger }) });
  let isReported = false;
  const work = async () => {
    if (isSound()) {
      await upkeep.tick(now());
      return await erasure.tick(now());
    }
    if (!isReported) logger?.error("store_disk_failed");
    isReported = true;
  };
  const job = runEvery({ firstAfterMs: 1000, everyMs: 1000, failureEvent: "store_upkeep_failed", logger, work });
  return () => job.stop();
}

interface Assembly {
  keyKeeper: KeyKeeper;
  kind: Store["kind"];
  bodies: MessageBodies;
  aliasesInFlight?: () => string[];
  isSound(): boolean;
  undo: Undo;
  logger: Logger | undefined;
}

async function assemble(
  context: OpenContext,
  { kind, bodies, aliasesInFlight, isSound, undo, logger, keyKeeper: keeper }: Assembly,
): Promise<Store> {
  const provenDomains = await openProvenDomains(context, logger);
  undo.add(() => provenDomains.close());
  const released = releasedAddresses(context, context.releaseCaps);
  // The retention run deletes bodies that could not be deleted now.
  const forgetBodies = async (messageIds: readonly string[]) => {
    for (const messageId of messageIds) await bodies.delete(messageId).catch(() => {});
  };
  const deleteDueAliases = () => deleteDue(context, { released, forgetBodies });
  const sweep = startSweep(context, {
    logger,
    work: async () => {
      if (isSound()) await deleteDueAliases();
      return await nextDue(context);
    },
  });
  undo.add(() => sweep.stop());
  const parts = { released, forgetBodies, aliasesInFlight, planDeletion: sweep.plan, provenDomains };
  const stores = rowStores(context, parts);
  const isKnownMessage = async (id: string) =>
    (await stores.deliveries.isKnownMessage(id)) || (await stores.emailAttachments.isKnown(id));
  const forget = (asOf?: Date) => forgetOld(context, { ...stores, released, bodies, isKnownMessage }, asOf);
  const retention = startRetention(pacedRetention(context, logger, forget), logger);
  undo.add(() => retention.stop());
  const { keys, dkimKeys } = context;
  const close = () => undo.run();
  return {
    kind,
    ...stores,
    bodies,
    inFlight: null,
    backup: null,
    rotateWrapping: null,
    keyKeeper: keeper,
    keys,
    browserMac: (data) => keys.hmac("browser", data),
    suffixMac: (data) => keys.hmac("suffix", data),
    dkimKeys,
    provenDomains,
    accountDomainKeys: accountDomainKeys(context, provenDomains),
    appearingDomains: appearingDomains(context, provenDomains),
    isSound,
    isOutage: kind === "postgres" ? isPostgresOutage : () => !isSound(),
    deleteDueAliases,
    maintenance: () => forget(),
    close,
  };
}

function startRetention(work: () => Promise<void>, logger: Logger | undefined): BackgroundJob {
  return runEvery({
    firstAfterMs: 60_000,
    everyMs: HOUR_MS,
    failureEvent: "store_retention_failed",
    logger,
    work,
  });
}

export class Undo {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}

export async function openOrUndo<T>(open: (undo: Undo) => Promise<T>): Promise<T> {
  const undo = new Undo();
  try {
    return await open(undo);
  } catch (error) {
    await undo.run().catch(() => {});
    throw error;
  }
}
