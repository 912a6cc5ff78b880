/**
 * Protocol between the operator's command and a running server: one request per connection, a line of JSON each way.
 * Responses contain no key and no password; mail kept for the operator, and the link of a new invite, are sent only on
 * request.
 */

import { join } from "node:path";
import type { MailProbeWire, OperatorActWire, QueueOfHostWire, RegistrationMode } from "@kauke/contract";
import type { PublicDkimKey } from "@kauke/mail-rfc";
import type { WantedDnsRecord } from "../../core/domain/domain-records.ts";
import type { DomainState } from "../../core/domain/domain-standing.ts";
import type { Repaired } from "../../core/forwarding/run-comparison.ts";
import type { RelayState } from "../../mail/transport/relay-transport.ts";
import type { CertificateStatus } from "../../platform/acme/certificate-issuer.ts";
import type { MigrationState } from "../../store/migrate.ts";
import type { KeyFacts, RotationState } from "../../store/sealing/key-rotation.ts";
import type { CheckResult } from "../doctor/check-result.ts";
import type { KeptSummary, KeptText } from "./kept-mail.ts";
import type { AdoptionReport, ComparisonReport, OutboxFigures, ProviderState } from "./provider-reports.ts";

export interface UserSummary {
  id: string;
  authMethod: string;
  createdAt: string;
  aliases: number;
  lastSeenAt: string | null;
  isAdmin: boolean;
  email?: string | null;
}

export interface DomainSummary {
  id: string;
  userId: string;
  state: DomainState;
  createdAt: string;
  /** When the state ends unless the domain is proven again. */
  stateUntil: string | null;
  aliases: number;
  domain?: string;
}

/** What the owner of a domain is asked to publish. */
export interface DomainZone {
  id: string;
  userId: string;
  state: DomainState;
  domain: string;
  records: readonly WantedDnsRecord[];
}

export interface InviteSummary {
  id: string;
  createdAt: string;
  expiresAt: string;
  isBound: boolean;
  address?: string | null;
}

export interface NewInvite {
  id: string;
  /** URL with the token, shown once. */
  link: string;
  expiresAt: string;
  registration: RegistrationMode;
}

export interface QueueByHost {
  /** Most deliveries first. */
  hosts: readonly QueueOfHostWire[];
  /** The queue is longer than what was read. */
  isPartial: boolean;
}

export interface HealthReport {
  checkedAt: string;
  checks: readonly CheckResult[];
}

export type KeySummary = Omit<KeyFacts, "createdAt"> & { createdAt: string };

type Nothing = Record<never, never>;

export interface ControlCalls {
  facts: { ask: Nothing; result: ServerFacts };
  "kept-list": { ask: Nothing; result: readonly KeptSummary[] };
  "kept-text": { ask: { messageId: string }; result: KeptText | null };
  "kept-forget": { ask: { messageId: string }; result: boolean };
  "users-list": { ask: { after: string; withEmail: boolean }; result: readonly UserSummary[] };
  "users-find": { ask: { email: string }; result: UserSummary | null };
  "users-delete": { ask: { userId: string }; result: boolean };
  "users-end-sessions": { ask: { userId: string }; result: boolean };
  /** @returns false when there is no such account */
  "users-admin": { ask: { userId: string; isAdmin: boolean }; result: boolean };
  "mailbox-unblock": { ask: { address: string }; result: boolean };
  "domains-list": { ask: { after: string; withName: boolean }; result: readonly DomainSummary[] };
  /** By name or id; of several accounts that have added it, the one that holds it comes first. */
  "domains-zone": { ask: { domain: string }; result: readonly DomainZone[] };
  "invites-create": { ask: { address: string; days: number }; result: NewInvite };
  "invites-list": { ask: { withAddress: boolean }; result: readonly InviteSummary[] };
  "invites-revoke": { ask: { id: string }; result: boolean };
  "queue-hosts": { ask: Nothing; result: QueueByHost };
  "queue-retry": { ask: { host: string }; result: number };
  "queue-drop": { ask: { host: string }; result: number };
  /** Newest first; without `isAll` the last 200. */
  "acts-list": { ask: { isAll: boolean }; result: readonly OperatorActWire[] };
  "keys-list": { ask: Nothing; result: readonly KeySummary[] };
  "keys-rotate": { ask: Nothing; result: RotationState };
  "keys-state": { ask: Nothing; result: RotationState };
  "keys-wrapping": { ask: Nothing; result: true };
  backup: { ask: { file: string; withSecretKey: boolean }; result: { bytes: number } };
  migrations: { ask: Nothing; result: MigrationState };
  /** @returns false if nothing was ordered: it was asked too often, or this server orders no certificates */
  "certificates-order": { ask: Nothing; result: boolean };
  "relay-state": { ask: Nothing; result: RelayState | null };
  /** The checks of `kauke doctor`, run in the server; the result of the last minute is returned again. */
  health: { ask: Nothing; result: HealthReport };
  "probe-start": { ask: Nothing; result: MailProbeWire };
  /** An empty id stands for the probe that was started last; also in `probe-judge`. */
  "probe-state": { ask: { id: string }; result: MailProbeWire | null };
  "probe-judge": { ask: { id: string; headers: string | null; inSpam: boolean | null }; result: MailProbeWire | null };
  /** `null`: this server forwards by itself; the other calls to the provider are refused then. */
  "provider-state": { ask: Nothing; result: ProviderState | null };
  "provider-figures": { ask: Nothing; result: OutboxFigures };
  "provider-check": { ask: { withAddress: boolean }; result: ComparisonReport };
  "provider-repair": { ask: Nothing; result: Repaired };
  /** Makes a page of aliases due. @param after what the last call returned; empty at first @returns empty at the end */
  "provider-push": { ask: { after: string }; result: { after: string } };
  "provider-adopt-plan": { ask: { userId: string }; result: AdoptionReport };
  /** @returns aliases adopted, at most `ADOPTED_AT_ONCE`; 0: nothing is left */
  "provider-adopt": { ask: { userId: string }; result: number };
}
export type ControlCall = keyof ControlCalls;

export type ControlRequest = { [Call in ControlCall]: { call: Call } & ControlCalls[Call]["ask"] }[ControlCall];
/** `sentence`: the reason for a failure, for the operator. */
export type ControlResponse = { ok: true; value: unknown } | { ok: false; sentence?: string };

/** Handlers of control calls, run by the server for its socket or, without a server, by the command itself. */
export type ControlHandlers = {
  [Call in ControlCall]: (ask: ControlCalls[Call]["ask"]) => Promise<ControlCalls[Call]["result"]>;
};

/** The settings that DNS records and checks depend on, and the state of the server. */
export interface ServerFacts {
  version: string;
  domains: readonly string[];
  mailHost: string;
  delivery: "preview" | "relay" | "direct" | "provider";
  /** `null`: this server forwards by itself. */
  provider: { name: string; smtpHost: string } | null;
  dnsServers: readonly string[] | null;
  publicUrl: string;
  publicUrlGiven: boolean;
  registration: RegistrationMode;
  isOpenToStrangers: boolean;
  ownCertificate: boolean;
  /** Of an issuer (ACME); `null` without one. */
  certificates: readonly CertificateStatus[] | null;
  /** POP3 by the settings; `null`: off, and mail programs find no settings here. */
  pop3sPort: number | null;
  host: string;
  services: readonly string[];
  ports: Readonly<Record<string, number>>;
  database: "embedded" | "postgres";
  dkim: readonly PublicDkimKey[];
  isSound: boolean;
  postmasterGiven: boolean;
  dmarcReports: string | null;
  exampleLinks: readonly string[];
  logDaysGiven: boolean;
  /** `null`: `kauke backup` has written none, or the data is in PostgreSQL. */
  lastBackupAt: string | null;
  keptForOperator: number;
  /** Own domains of accounts. */
  ownDomains: Readonly<Record<DomainState, number>>;
  queue: { open: number; oldestAt: string | null; messageBytes: number };
  rotation: RotationState & { isOpen: boolean };
}

export const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/** Maximum octets of the socket's path: Linux allows 108 with the terminating zero, macOS 104. */
const PATH_BYTES_MAX = 103;

/** Path of the control socket; `null` on Windows and when the path is too long. */
export function controlPath(dataDir: string): string | null {
  const path = join(dataDir, "kauke.sock");
  return process.platform === "win32" || Buffer.byteLength(path) > PATH_BYTES_MAX ? null : path;
}

type Given = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const nothing = () => ({});

const readers: { readonly [Call in ControlCall]: (given: Given) => ControlCalls[Call]["ask"] } = {
  facts: nothing,
  "kept-list": nothing,
  "kept-text": ({ messageId }) => ({ messageId: text(messageId) }),
  "kept-forget": ({ messageId }) => ({ messageId: text(messageId) }),
  "users-list": ({ after, withEmail }) => ({ after: text(after), withEmail: withEmail === true }),
  "users-find": ({ email }) => ({ email: text(email) }),
  "users-delete": ({ userId }) => ({ userId: text(userId) }),
  "users-end-sessions": ({ userId }) => ({ userId: text(userId) }),
  "users-admin": ({ userId, isAdmin }) => ({ userId: text(userId), isAdmin: isAdmin === true }),
  "mailbox-unblock": ({ address }) => ({ address: text(address) }),
  "domains-list": ({ after, withName }) => ({ after: text(after), withName: withName === true }),
  "domains-zone": ({ domain }) => ({ domain: text(domain) }),
  "invites-create": ({ address, days }) => ({ address: text(address), days: typeof days === "number" ? days : 0 }),
  "invites-list": ({ withAddress }) => ({ withAddress: withAddress === true }),
  "invites-revoke": ({ id }) => ({ id: text(id) }),
  "queue-hosts": nothing,
  "queue-retry": ({ host }) => ({ host: text(host) }),
  "queue-drop": ({ host }) => ({ host: text(host) }),
  "acts-list": ({ isAll }) => ({ isAll: isAll === true }),
  "keys-list": nothing,
  "keys-rotate": nothing,
  "keys-state": nothing,
  "keys-wrapping": nothing,
  backup: ({ file, withSecretKey }) => ({ file: text(file), withSecretKey: withSecretKey === true }),
  migrations: nothing,
  "certificates-order": nothing,
  "relay-state": nothing,
  health: nothing,
  "probe-start": nothing,
  "probe-state": ({ id }) => ({ id: text(id) }),
  "probe-judge": ({ id, headers, inSpam }) => ({
    id: text(id),
    headers: typeof headers === "string" ? headers : null,
    inSpam: typeof inSpam === "boolean" ? inSpam : null,
  }),
  "provider-state": nothing,
  "provider-figures": nothing,
  "provider-check": ({ withAddress }) => ({ withAddress: withAddress === true }),
  "provider-repair": nothing,
  "provider-push": ({ after }) => ({ after: text(after) }),
  "provider-adopt-plan": ({ userId }) => ({ userId: text(userId) }),
  "provider-adopt": ({ userId }) => ({ userId: text(userId) }),
};

export function handlersBy(run: (request: ControlRequest) => Promise<unknown>): ControlHandlers {
  const handlers = Object.keys(readers).map((call) => [call, (ask: object) => run({ call, ...ask } as ControlRequest)]);
  return Object.fromEntries(handlers) as ControlHandlers;
}

/** Drops unknown fields of a call; one of the wrong type becomes empty or false. @returns `null` for an unknown call */
export function readRequest(given: unknown): ControlRequest | null {
  if (typeof given !== "object" || given === null || !("call" in given)) return null;
  const { call } = given;
  if (typeof call !== "string" || !Object.hasOwn(readers, call)) return null;
  return { call, ...readers[call as ControlCall](given as Given) } as ControlRequest;
}

/** A failure whose message tells the operator what to do; sent over the control socket. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
