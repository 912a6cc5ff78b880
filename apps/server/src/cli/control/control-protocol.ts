/**
 * The protocol between the operator's command and a running server: one request per connection, a line of JSON in each
 * direction. Answers contain no key and no password; mail kept for the operator is sent only on request.
 */
import { join } from "node:path";
import type { PublicDkimKey } from "@kauke/mail-rfc";
import type { RelayState } from "../../mail/transport/relay-transport.ts";
import type { MigrationState } from "../../store/migrate.ts";
import type { KeyFacts, RotationState } from "../../store/sealing/key-rotation.ts";
import type { KeptSummary, KeptText } from "./kept-mail.ts";

/** An account as the operator sees it; `email` only if it was requested. */
export interface UserSummary {
  id: string;
  authMethod: string;
  createdAt: string;
  aliases: number;
  /** Last use of any open session of the account; `null` if no session is open. */
  lastSeenAt: string | null;
  email?: string | null;
}

/** A key of the server, without the key itself. */
export type KeySummary = Omit<KeyFacts, "createdAt"> & { createdAt: string };

export interface ControlCalls {
  facts: { ask: Record<never, never>; answer: ServerFacts };
  "kept-list": { ask: Record<never, never>; answer: readonly KeptSummary[] };
  "kept-text": { ask: { messageId: string }; answer: KeptText | null };
  /** Deletes a kept message; false when it was not kept any more. */
  "kept-forget": { ask: { messageId: string }; answer: boolean };
  /** A page of accounts in order of id; `after` is the last id of the previous page, empty for the first page. */
  "users-list": { ask: { after: string; withEmail: boolean }; answer: readonly UserSummary[] };
  "users-find": { ask: { email: string }; answer: UserSummary | null };
  /** Deletes an account; false when there is no such account. */
  "users-delete": { ask: { userId: string }; answer: boolean };
  "users-end-sessions": { ask: { userId: string }; answer: boolean };
  /** Removes the block of a mailbox, so that mail is sent to it again; false when the mailbox was not blocked. */
  "mailbox-unblock": { ask: { address: string }; answer: boolean };
  "keys-list": { ask: Record<never, never>; answer: readonly KeySummary[] };
  "keys-rotate": { ask: Record<never, never>; answer: RotationState };
  "keys-state": { ask: Record<never, never>; answer: RotationState };
  "keys-wrapping": { ask: Record<never, never>; answer: true };
  /** Writes a backup of the embedded store. @param file absolute path of the backup on the server */
  backup: { ask: { file: string; withSecretKey: boolean }; answer: { bytes: number } };
  migrations: { ask: Record<never, never>; answer: MigrationState };
  /** Connects to the relay and starts a transaction without a recipient. `null` if mail is not sent through a relay. */
  "relay-state": { ask: Record<never, never>; answer: RelayState | null };
}
export type ControlCall = keyof ControlCalls;

export type ControlRequest = { [Call in ControlCall]: { call: Call } & ControlCalls[Call]["ask"] }[ControlCall];
/** Answer to a control request. `sentence`: the reason for a failure, for the operator. */
export type ControlAnswer = { ok: true; value: unknown } | { ok: false; sentence?: string };

/**
 * The handler of each call. A running server calls them for requests on its socket; without a server, the command calls
 * them itself.
 */
export type ControlHandlers = {
  [Call in ControlCall]: (ask: ControlCalls[Call]["ask"]) => Promise<ControlCalls[Call]["answer"]>;
};

/** The settings that DNS records and checks depend on, and the state of the server. */
export interface ServerFacts {
  version: string;
  domains: readonly string[];
  mailHost: string;
  delivery: "preview" | "relay" | "direct";
  dnsServers: readonly string[] | null;
  publicUrl: string;
  publicUrlGiven: boolean;
  ownCertificate: boolean;
  host: string;
  services: readonly string[];
  /** Port by service that listens; empty when no server runs. */
  ports: Readonly<Record<string, number>>;
  database: "embedded" | "postgres";
  dkim: readonly PublicDkimKey[];
  isSound: boolean;
  postmasterGiven: boolean;
  /** Address for DMARC reports (KAUKE_DMARC_REPORTS); `null` if not set. */
  dmarcReports: string | null;
  /** Names of the link settings that still point to example addresses. */
  exampleLinks: readonly string[];
  /** Whether KAUKE_LOG_DAYS is set, the retention of technical logs. */
  logDaysGiven: boolean;
  keptForOperator: number;
  queue: { open: number; oldestAt: string | null; messageBytes: number };
  rotation: RotationState & { isOpen: boolean };
}

export const REQUEST_BYTES_MAX = 4096;
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Maximum octets of a socket path: Linux allows 108 with the terminating zero, macOS 104. */
const PATH_BYTES_MAX = 103;

/**
 * Path of the control socket. @returns `null` where no socket is possible: on Windows, and when the path is too long
 */
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
  "mailbox-unblock": ({ address }) => ({ address: text(address) }),
  "keys-list": nothing,
  "keys-rotate": nothing,
  "keys-state": nothing,
  "keys-wrapping": nothing,
  backup: ({ file, withSecretKey }) => ({ file: text(file), withSecretKey: withSecretKey === true }),
  migrations: nothing,
  "relay-state": nothing,
};

export const controlCalls = Object.keys(readers) as ControlCall[];

/** Parses a control request. @returns `null` for anything but a request with a known call */
export function readRequest(given: unknown): ControlRequest | null {
  if (typeof given !== "object" || given === null || !("call" in given)) return null;
  const { call } = given;
  if (typeof call !== "string" || !Object.hasOwn(readers, call)) return null;
  return { call, ...readers[call as ControlCall](given as Given) } as ControlRequest;
}

/**
 * An error whose message tells the operator what went wrong and what to do. The message is sent over the control
 * socket.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
