/** What the admin page can do: the calls of the `kauke` command, recorded under the admin's account. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminHandlers, ServerStateWire } from "@kauke/contract";
import { zoneData } from "@kauke/mail-rfc";
import { AppError } from "../../core/app-error.ts";
import { clientSettingsHosts, policyHost } from "../../core/certificate.ts";
import { traceOf } from "../../core/error-trace.ts";
import { limitsInForce } from "../../limits/limits-text.ts";
import type { CertificateStatus } from "../../platform/acme/certificate-issuer.ts";
import type { Logger } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import { dnsPlan } from "../dns-plan.ts";
import { whyNot } from "../doctor/certificate-checks.ts";
import { providerRecords } from "../provider-records.ts";
import { type ControlHandlers, OperatorError, type ServerFacts, type UserSummary } from "./control-protocol.ts";
import { inviteDays } from "./invite-calls.ts";
import type { OutboxFigures, ProviderState } from "./provider-reports.ts";
import { USERS_AT_ONCE } from "./server-facts.ts";

export interface AdminParts {
  /** The control calls, which record acts under this account. */
  controlBy: (userId: string) => ControlHandlers;
  limits: Config["limits"];
  logger: Logger;
}

export function adminHandlers(parts: AdminParts): AdminHandlers {
  return withRefusals({
    ...serverHandlers(parts),
    ...queueHandlers(parts),
    ...accountHandlers(parts),
    ...inviteHandlers(parts),
    ...probeHandlers(parts),
  });
}

/** A failure that has a sentence for the operator gets the status 409 and this sentence. */
function withRefusals(handlers: AdminHandlers): AdminHandlers {
  const refusing = Object.entries(handlers).map(([name, handle]) => [
    name,
    (call: never) => handle(call).catch((thrown: unknown) => refuse(thrown)),
  ]);
  return Object.fromEntries(refusing) as AdminHandlers;
}

function refuse(thrown: unknown): never {
  if (thrown instanceof OperatorError) throw new AppError("not_possible", { message: thrown.message }, thrown);
  throw thrown;
}

type Some<Name extends keyof AdminHandlers> = Pick<AdminHandlers, Name>;

function serverHandlers(
  parts: AdminParts,
): Some<"getServerState" | "runHealthChecks" | "listServerDomains" | "orderCertificates" | "listOperatorActs"> {
  const { controlBy, limits } = parts;
  const inForce = limitsInForce(limits);
  return {
    getServerState: async ({ userId }) => {
      const control = controlBy(userId);
      const facts = await control.facts({});
      const figures = facts.provider === null ? null : await control["provider-figures"]({});
      return { ...stateOf(facts), provider: providerOf(facts, figures), limits: inForce };
    },
    runHealthChecks: async ({ userId }) => {
      const { checkedAt, checks } = await controlBy(userId).health({});
      return { checkedAt, checks: [...checks] };
    },
    listServerDomains: async ({ userId }) => {
      const control = controlBy(userId);
      const [state, facts] = [await control["provider-state"]({}), await control.facts({})];
      return { domains: state === null ? domainsOf(facts) : domainsAtProvider(state), ownDomains: facts.ownDomains };
    },
    orderCertificates: async ({ userId }) => {
      const control = controlBy(userId);
      if ((await control.facts({})).certificates === null) throw new OperatorError(noOrders);
      const isOrdered = await inPart(control["certificates-order"]({}), parts.logger);
      if (isOrdered === false) throw new OperatorError(tooManyOrders);
      return { message: "The missing certificates are being ordered, which can take some minutes." };
    },
    listOperatorActs: async ({ userId }) => ({ acts: [...(await controlBy(userId)["acts-list"]({ isAll: false }))] }),
  };
}

const noOrders = "This server does not order certificates: that needs KAUKE_TLS=acme.";

const tooManyOrders =
  "Certificates were ordered several times within an hour, and issuers refuse more. Please wait, and check the names that are missing.";

/** Milliseconds that a request waits for an order, which goes on after that. */
const ORDER_WAIT_MS = 2000;

async function inPart(order: Promise<boolean>, logger: Logger): Promise<boolean | undefined> {
  const timer = new AbortController();
  const inTime = sleep(ORDER_WAIT_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  order.catch((thrown: unknown) => logger.warn("control_failed", traceOf(thrown)));
  return await Promise.race([order, inTime]).finally(() => timer.abort());
}

function providerOf({ provider }: ServerFacts, figures: OutboxFigures | null): ServerStateWire["provider"] {
  if (provider === null || figures === null) return null;
  const { last, waiting, failed, held } = figures;
  const compared = { differences: last?.differences ?? null, comparedAt: last?.at ?? null };
  return { name: provider.name, waiting, failed, held, ...compared };
}

function stateOf(facts: ServerFacts): Omit<ServerStateWire, "limits" | "provider"> {
  const { queue, keptForOperator, certificates } = facts;
  return {
    version: facts.version,
    publicUrl: facts.publicUrl,
    mailHost: facts.mailHost,
    delivery: facts.delivery,
    database: facts.database,
    registration: facts.registration,
    isOpenToStrangers: facts.isOpenToStrangers,
    certificates: certificates === null ? null : certificates.map(certificateOf),
    lastBackupAt: facts.lastBackupAt,
    queue: { ...queue, keptForOperator },
  };
}

function certificateOf({ hosts, leftOut, validUntil, failure, nextOrderAt }: CertificateStatus) {
  return {
    names: [...hosts],
    missing: [...leftOut],
    expiresAt: validUntil,
    nextAt: nextOrderAt,
    problem: failure === null ? null : whyNot[failure],
  };
}

/** The records of each domain; those of the mail host and of the submission host come first, under the mail host. */
function domainsOf(facts: ServerFacts) {
  const { mailHost, mailHostRecords, domains, aliases } = dnsPlan(facts);
  const namesOf = (domain: string) => [policyHost(domain), ...clientSettingsHosts(domain)];
  const ofDomains = new Set(domains.flatMap(({ domain }) => namesOf(domain)));
  const hostRecords = [...mailHostRecords, ...aliases.filter(({ name }) => !ofDomains.has(name))];
  const listed = domains.map(({ domain, records }) => ({
    domain,
    records: [...records, ...aliases.filter(({ name }) => namesOf(domain).includes(name))],
  }));
  return [...(hostRecords.length > 0 ? [{ domain: mailHost, records: hostRecords }] : []), ...listed].map(
    ({ domain, records }) => ({
      domain,
      records: records.map((record) => ({ name: record.name, type: record.type, value: zoneData(record) })),
    }),
  );
}

function domainsAtProvider({ domains, url }: ProviderState) {
  return domains.map(({ domain, found }) => {
    const records = found === null ? [] : providerRecords(found, new URL(url));
    return {
      domain,
      records: records.map((record) => ({ name: record.name, type: record.type, value: zoneData(record) })),
    };
  });
}

function queueHandlers({ controlBy }: AdminParts): Some<"listQueue" | "retryQueue" | "dropQueue"> {
  return {
    listQueue: async ({ userId }) => {
      const { hosts, isPartial } = await controlBy(userId)["queue-hosts"]({});
      return { hosts: [...hosts], isPartial };
    },
    retryQueue: async ({ userId, body }) => ({ changed: await controlBy(userId)["queue-retry"](body) }),
    dropQueue: async ({ userId, body }) => ({ changed: await controlBy(userId)["queue-drop"](body) }),
  };
}

function accountHandlers({
  controlBy,
}: AdminParts): Some<"listAccounts" | "deleteOtherAccount" | "endAccountSessions"> {
  return {
    listAccounts: async ({ userId, query }) => {
      const after = query.after?.toLowerCase() ?? "";
      const users = await controlBy(userId)["users-list"]({ after, withEmail: query.addresses === "true" });
      return { accounts: users.map(accountToWire), isMore: users.length === USERS_AT_ONCE };
    },
    deleteOtherAccount: async ({ userId, params: { accountId } }) => {
      if (accountId === userId) throw new OperatorError(ownAccount);
      const isDone = await controlBy(userId)["users-delete"]({ userId: accountId });
      return isDone ? { message: "The account and everything that belongs to it are deleted." } : null;
    },
    endAccountSessions: async ({ userId, params: { accountId } }) => {
      const isDone = await controlBy(userId)["users-end-sessions"]({ userId: accountId });
      return isDone ? { message: accountId === userId ? ownSessions : othersSessions } : null;
    },
  };
}

/** Lists every field, so that nothing else of an account is returned by accident. */
function accountToWire({ id, authMethod, createdAt, aliases, lastSeenAt, isAdmin, email }: UserSummary) {
  const account = { id, signIn: authMethod, createdAt, aliases, lastSeenAt, isAdmin };
  return email === undefined ? account : { ...account, email };
}

const ownAccount = "This is your own account. You can delete it in Settings.";
const ownSessions = "You are signed out everywhere, here too, and your API keys are revoked.";
const othersSessions = "The account is signed out everywhere, and its API keys are revoked.";

function inviteHandlers({ controlBy }: AdminParts): Some<"listInvites" | "createInvite" | "revokeInvite"> {
  return {
    listInvites: async ({ userId, query }) => {
      return { invites: [...(await controlBy(userId)["invites-list"]({ withAddress: query.addresses === "true" }))] };
    },
    createInvite: ({ userId, body: { address = "", days = inviteDays.default } }) =>
      controlBy(userId)["invites-create"]({ address, days }),
    revokeInvite: async ({ userId, params: { inviteId } }) => {
      const isDone = await controlBy(userId)["invites-revoke"]({ id: inviteId });
      return isDone ? { message: "The invitation is revoked." } : null;
    },
  };
}

function probeHandlers({ controlBy }: AdminParts): Some<"startMailProbe" | "readMailProbe" | "judgeMailProbe"> {
  return {
    startMailProbe: ({ userId }) => controlBy(userId)["probe-start"]({}),
    readMailProbe: ({ userId, params: { probeId } }) => controlBy(userId)["probe-state"]({ id: probeId }),
    judgeMailProbe: ({ userId, params: { probeId }, body: { headers = null, inSpam = null } }) =>
      controlBy(userId)["probe-judge"]({ id: probeId, headers, inSpam }),
  };
}
