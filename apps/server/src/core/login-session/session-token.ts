/** The token of a login session: 32 random bytes as base64url. The store has only its SHA-256. */
import { createHash } from "node:crypto";
import type { Random } from "../ports.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function newSessionToken(random: Random): string {
  return random.bytes(32).toString("base64url");
}

/** SHA-256 of a session token. @returns `null` for a text that does not have the form of a session token */
export function hashSessionToken(token: string): Buffer | null {
  return TOKEN.test(token) ? createHash("sha256").update(token, "latin1").digest() : null;
}
