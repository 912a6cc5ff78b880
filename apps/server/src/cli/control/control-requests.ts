/**
 * Parsers of control requests, one per call: unknown fields are dropped, and a field of the wrong type becomes empty
 * text or false.
 */
import type { ControlCall, ControlCalls, ControlRequest } from "./control-protocol.ts";

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
