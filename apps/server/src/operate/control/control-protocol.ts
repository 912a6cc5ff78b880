/**
 * What the operator's command asks a running server over its socket, and what it is told. One request a connection: a line of
 * JSON each way. Answers hold no key and no password; kept operator mail is sent only when it is asked for.
 */
import { join } from "node:path";
import type { PublicDkimKey } from "@kauke/mail-rfc";
import type { RelayState } from "../../mail/transport/probe-relay.ts";
import type { MigrationState } from "../../store/migrate.ts";
import type { KeyFacts, RotationState } from "../../store/sealing/key-rotation.ts";
import type { KeptSummary, KeptText } from "./kept-mail.ts";

/** One account as the operator sees it; `email` only when it was asked for. */
export interface UserSummary {
  id: string;
  authMethod: string;
  createdAt: string;
  aliases: number;
  /** `null`: no session is open. */
  lastSeenAt: string | null;
  email?: string | null;
}

/** A key of the server, without itself. */
export type KeySummary = Omit<KeyFacts, "createdAt"> & { createdAt: string };

export interface ControlCalls {
  facts: { ask: Record<never, never>; answer: ServerFacts };
  "kept-list": { ask: Record<never, never>; answer: readonly KeptSummary[] };
  "kept-text": { ask: { messageId: string }; answer: KeptText | null };
  /** False when it was not kept any more. */
  "kept-forget": { ask: { messageId: string }; answer: boolean };
  /** By id; `after` is the last of the page before, empty for the first. */
  "users-list": { ask: { after: string; withEmail: boolean }; answer: readonly UserSummary[] };
  "users-find": { ask: { email: string }; answer: UserSummary | null };
  /** False when there is no such account. */
  "users-delete": { ask: { userId: string }; answer: boolean };
  "users-end-sessions": { ask: { userId: string }; answer: boolean };
  /** False when the mailbox was not blocked. */
  "mailbox-unblock": { ask: { address: string }; answer: boolean };
  "keys-list": { ask: Record<never, never>; answer: readonly KeySummary[] };
  "keys-rotate": { ask: Record<never, never>; answer: RotationState };
  "keys-state": { ask: Record<never, never>; answer: RotationState };
  "keys-wrapping": { ask: Record<never, never>; answer: true };
  /** @param file absolute, as the server sees it */
  backup: { ask: { file: string; withSecretKey: boolean }; answer: { bytes: number } };
  migrations: { ask: Record<never, never>; answer: MigrationState };
  /** Connects to the relay and begins a transaction without a recipient. `null`: mail does not leave through a relay. */
  "relay-state": { ask: Record<never, never>; answer: RelayState | null };
}
export type ControlCall = keyof ControlCalls;

export type ControlRequest = { [Call in ControlCall]: { call: Call } & ControlCalls[Call]["ask"] }[ControlCall];
/** `sentence`: what the operator may read of why not. */
export type ControlAnswer = { ok: true; value: unknown } | { ok: false; sentence?: string };

/** How each call is answered; by a running server over the socket, by the command itself when none runs. */
export type ControlHandlers = {
  [Call in ControlCall]: (ask: ControlCalls[Call]["ask"]) => Promise<ControlCalls[Call]["answer"]>;
};

/** The settings that DNS records and checks depend on, and what the server sees of itself. */
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
  /** Ports that listen; empty when no server runs. */
  ports: Readonly<Record<string, number>>;
  database: "embedded" | "postgres";
  dkim: readonly PublicDkimKey[];
  isSound: boolean;
  postmasterGiven: boolean;
  /** Where DMARC reports go, by KAUKE_DMARC_REPORTS. */
  dmarcReports: string | null;
  /** Settings of links on the pages that still lead to example addresses. */
  exampleLinks: readonly string[];
  /** Whether the operator has said how long technical logs are kept. */
  logDaysGiven: boolean;
  keptForOperator: number;
  queue: { open: number; oldestAt: string | null; messageBytes: number };
  rotation: RotationState & { isOpen: boolean };
}

export const REQUEST_BYTES_MAX = 4096;
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The limit of a socket's path is 108 octets with the zero at its end, on macOS 104. */
const PATH_BYTES_MAX = 103;

/** @returns `null` where there can be none: on Windows, and when the path is too long */
export function controlPath(dataDir: string): string | null {
  const path = join(dataDir, "kauke.sock");
  return process.platform === "win32" || Buffer.byteLength(path) > PATH_BYTES_MAX ? null : path;
}
