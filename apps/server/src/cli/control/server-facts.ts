import { setImmediate as nextTurn } from "node:timers/promises";
import { product } from "@kauke/contract";
import { publicDkimKey } from "@kauke/mail-rfc";
import { wantedCertificates } from "../../core/certificate.ts";
import { failureText } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import { createResolver, type Resolver } from "../../mail/dns/resolver.ts";
import { askServers, askSystem, probeRelay, type RelayState } from "../../mail/transport/relay-transport.ts";
import { type CertificateIssuer, certificateStatus } from "../../platform/acme/certificate-issuer.ts";
import { type Clock, type Random, steadyMs } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import { isOpenToStrangers } from "../../settings/open-registration.ts";
import { BackupError, type BackupRequest } from "../../store/backup/backup.ts";
import type { Store } from "../../store/open-store.ts";
import type { OperatorUser } from "../../store/rows/operator-store.ts";
import type { RotationState } from "../../store/sealing/key-rotation.ts";
import { runDoctor } from "../doctor/run-doctor.ts";
import { exampleLinks } from "../doctor/server-checks.ts";
import {
  type ControlHandlers,
  type HealthReport,
  OperatorError,
  type QueueByHost,
  type ServerFacts,
  type UserSummary,
} from "./control-protocol.ts";
import { domainCalls, isUuid } from "./domain-calls.ts";
import { inviteCalls } from "./invite-calls.ts";
import { forgetKept, listKept, readKept } from "./kept-mail.ts";
import { probeCalls } from "./probe-calls.ts";
import { type ProviderView, providerCalls } from "./provider-calls.ts";

const ACTS_AT_ONCE = 200;

export interface ServerView {
  config: Config;
  store: Store;
  clock: Clock;
  random: Random;
  /** `null` without a server. */
  resolver: Resolver | null;
  /** `null` without a server, or without `KAUKE_TLS=acme`. */
  issuer: CertificateIssuer | null;
  /** `null`: this server forwards by itself. */
  provider: ProviderView | null;
  ports: Readonly<Partial<Record<"http" | "https" | "mx" | "submission" | "submissions" | "pop3s", number | null>>>;
}

export function controlHandlers(view: ServerView): ControlHandlers {
  return {
    facts: () => factsOf(view),
    "kept-list": () => listKept(view.store),
    "kept-text": ({ messageId }) => readKept(view.store, messageId),
    "kept-forget": ({ messageId }) => forgetKept(view.store, messageId),
    ...userCalls(view.store),
    ...domainCalls(view),
    ...inviteCalls(view),
    ...keyCalls(view.store),
    "queue-hosts": () => queueByHost(view.store),
    "queue-retry": ({ host }) => view.store.deliveries.retryHost(host.toLowerCase()),
    "queue-drop": ({ host }) => view.store.deliveries.dropHost(host.toLowerCase()),
    "acts-list": ({ isAll }) => view.store.operator.listActs(isAll ? bounds.operatorActs.rows : ACTS_AT_ONCE),
    backup: (request) => backUp(view, request),
    migrations: () => view.store.operator.migrations(),
    "certificates-order": async () => (await view.issuer?.orderNow()) ?? false,
    "relay-state": () => relayState(view.config),
    health: healthCall(view),
    ...probeCalls(view),
    ...providerCalls(view),
  };
}

async function queueByHost({ deliveries }: Store): Promise<QueueByHost> {
  const { hosts, isPartial } = await deliveries.listHosts();
  const shown = hosts.map(({ oldestAt, nextAt, failure, ...counts }) => ({
    ...counts,
    oldestAt: oldestAt.toISOString(),
    nextAt: nextAt.toISOString(),
    failure: failure === null ? null : failureText[failure],
  }));
  return { hosts: shown, isPartial };
}

/** Name of the counter with the time of the last backup, in milliseconds since 1970. */
const BACKED_UP_AT = "backed_up_at";

async function backUp({ store, clock }: ServerView, request: BackupRequest): Promise<{ bytes: number }> {
  if (store.backup === null) throw new OperatorError(elsewhere);
  const written = await store.backup(request).catch((thrown: unknown) => {
    throw thrown instanceof BackupError ? new OperatorError(thrown.message, { cause: thrown }) : thrown;
  });
  await store.counters.set(BACKED_UP_AT, clock.now().getTime());
  return written;
}

/** On PostgreSQL the operator's own tools make backups, which nothing records. */
async function lastBackupAt({ kind, counters }: Store): Promise<string | null> {
  const at = kind === "postgres" ? 0 : await counters.read(BACKED_UP_AT);
  return at === 0 ? null : new Date(at).toISOString();
}

/** Milliseconds for which a result of the checks is returned again. */
const HEALTH_MS = 60_000;

/** The checks run once at a time, however many ask. */
function healthCall(view: ServerView): ControlHandlers["health"] {
  const { config, clock, resolver } = view;
  const calls = {
    facts: () => factsOf(view),
    "relay-state": () => relayState(config),
    "provider-state": providerCalls(view)["provider-state"],
  };
  const options = { isRunning: resolver !== null, dataDir: config.dataDir, resolver: resolver ?? undefined };
  let last: { report: HealthReport; at: number } | null = null;
  let running: Promise<HealthReport> | null = null;
  const run = async () => {
    const now = clock.now();
    const report = { checkedAt: now.toISOString(), checks: await runDoctor(calls, { ...options, now }) };
    last = { report, at: steadyMs(clock) };
    return report;
  };
  return async () => {
    if (last !== null && steadyMs(clock) - last.at < HEALTH_MS) return last.report;
    running ??= run().finally(() => {
      running = null;
    });
    return await running;
  };
}

async function relayState({ delivery, mailHost, domains, dnsServers }: Config): Promise<RelayState | null> {
  if (delivery.kind !== "relay") return null;
  const findAddresses = dnsServers === null ? askSystem : askServers(createResolver({ servers: dnsServers }));
  return await probeRelay({ url: delivery.url, mailHost, findAddresses, from: `postmaster@${domains[0]}` });
}

const elsewhere =
  "With DATABASE_URL the data is in PostgreSQL: back it up with pg_dump, which includes the queue and its mail, and keep KAUKE_SECRET_KEY in another place. Nothing else is needed.";

async function factsOf({ config, store, ports, provider }: ServerView): Promise<ServerFacts> {
  const { open, oldestAt, messageBytes } = await store.deliveries.figures();
  const listening = Object.entries(ports).filter((one): one is [string, number] => one[1] !== null);
  return {
    version: product.version,
    domains: config.domains,
    mailHost: config.mailHost,
    delivery: config.delivery.kind,
    provider: provider === null ? null : provider.about,
    dnsServers: config.dnsServers,
    publicUrl: config.publicUrl.origin,
    publicUrlGiven: config.publicUrlGiven,
    ownCertificate: config.tls !== null || config.acme !== null,
    certificates:
      config.acme === null
        ? null
        : await certificateStatus(
            { records: store.certificateRecords, directoryUrl: config.acme.directoryUrl },
            wantedCertificates({ ...config, publicUrl: config.publicUrl.origin }),
          ),
    registration: config.registration,
    isOpenToStrangers: isOpenToStrangers(config),
    pop3sPort: config.forwarding.kind === "engine" ? (config.pop3s?.port ?? null) : null,
    host: config.http.host,
    services: [...config.services],
    ports: Object.fromEntries(listening),
    database: store.kind,
    dkim: store.dkimKeys.map(publicDkimKey),
    isSound: store.isSound(),
    postmasterGiven: config.postmaster !== null,
    dmarcReports: config.dmarcReports,
    exampleLinks: exampleLinks(config.links),
    logDaysGiven: config.logDays !== null,
    keptForOperator: await store.deliveries.countKeptForOperator(),
    ownDomains: await store.operatorDomains.countByState(),
    rotation: { ...store.keyKeeper.state(), isOpen: await store.keyKeeper.isOpen() },
    lastBackupAt: await lastBackupAt(store),
    queue: { open, oldestAt: oldestAt?.toISOString() ?? null, messageBytes },
  };
}

type KeyCalls = Pick<ControlHandlers, "keys-list" | "keys-rotate" | "keys-state" | "keys-wrapping">;

export function keyCalls({ keyKeeper, rotateWrapping }: Store): KeyCalls {
  return {
    "keys-list": async () =>
      (await keyKeeper.list()).map(({ createdAt, ...key }) => ({ ...key, createdAt: createdAt.toISOString() })),
    "keys-rotate": async () => {
      if (await keyKeeper.rotate()) return keyKeeper.state();
      throw new OperatorError(stillInProgress(keyKeeper.state()));
    },
    "keys-state": async () => keyKeeper.state(),
    "keys-wrapping": async () => {
      if (rotateWrapping === null) throw new OperatorError(givenBySetting);
      await rotateWrapping();
      return true;
    },
  };
}

const givenBySetting =
  "The wrapping key was given by KAUKE_SECRET_KEY, so this process can't replace it. Rotate the sealing key instead (without --wrapping), or use a secret.key file with the embedded database.";

function stillInProgress({ step, resealed, total }: RotationState): string {
  const done = step === "reseals" && total !== null ? `: ${resealed} of ${total} rows are resealed` : "";
  return `An earlier rotation is still in progress${done}. It continues by itself; \`kauke doctor\` says when it is finished.`;
}

type UserCalls = Pick<
  ControlHandlers,
  "users-list" | "users-find" | "users-delete" | "users-end-sessions" | "users-admin" | "mailbox-unblock"
>;

/** Accounts per response. They are read in pages of USERS_OF_A_PAGE, so that the event loop is not blocked. */
export const USERS_AT_ONCE = 1000;
const USERS_OF_A_PAGE = 200;

export function userCalls({ users, loginSessions, apiKeys, operator }: Store): UserCalls {
  /** @returns whether the account exists */
  const withUser = async (userId: string, work: () => Promise<void>): Promise<boolean> => {
    if (!isUuid.test(userId) || (await users.find(userId)) === null) return false;
    await work();
    return true;
  };
  return {
    "users-list": async ({ after, withEmail }) => {
      const found: UserSummary[] = [];
      for (let last = isUuid.test(after) ? after : null; found.length < USERS_AT_ONCE; ) {
        const page = await operator.listUsers({ after: last, limit: USERS_OF_A_PAGE });
        found.push(...page.map((user) => summaryOf(user, withEmail)));
        last = page.at(-1)?.id ?? null;
        if (page.length < USERS_OF_A_PAGE) break;
        await nextTurn();
      }
      return found;
    },
    "users-find": async ({ email }) => {
      const user = await users.findByEmail(email);
      const found = user === null ? null : await operator.findUser(user.id);
      return found === null ? null : summaryOf(found, true);
    },
    "users-delete": ({ userId }) => withUser(userId, () => users.delete(userId)),
    "users-end-sessions": ({ userId }) =>
      withUser(userId, async () => {
        await loginSessions.deleteForUser(userId);
        await apiKeys.deleteForUser(userId);
      }),
    "users-admin": async ({ userId, isAdmin }) => isUuid.test(userId) && (await operator.setAdmin(userId, isAdmin)),
    "mailbox-unblock": ({ address }) => operator.unblockMailbox(address),
  };
}

function summaryOf({ email, createdAt, lastSeenAt, ...user }: OperatorUser, withEmail: boolean): UserSummary {
  const times = { createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt?.toISOString() ?? null };
  return { ...user, ...times, ...(withEmail ? { email } : {}) };
}
