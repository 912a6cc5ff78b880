/**
 * A federated sign-in under way. The browser holds a random token in a cookie, the issuer's answer brings the state back; only
 * both together find the secrets, once, for ten minutes.
 */
import { createHash } from "node:crypto";
import type { TokenTerms } from "../connection/token-terms.ts";
import type { Random } from "../ports.ts";
import type { FlowSecrets } from "./federated-issuer.ts";

export const flowSeconds = 600;

export interface SignInFlowStore {
  /** Puts away what has expired on the way. When too many are open, the oldest of the busiest network give way. */
  keep(tokenHash: Buffer, secrets: FlowSecrets, terms: TokenTerms): Promise<void>;
  /** One use: whoever takes it has it alone. @returns `null` when it is unknown, used or past its time */
  take(tokenHash: Buffer): Promise<FlowSecrets | null>;
}

/** 32 bytes: as a verifier the shortest that RFC 7636 §4.1 allows, with all the entropy it asks for. */
export function newFlowSecret(random: Random): string {
  return random.bytes(32).toString("base64url");
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** @returns `null` for texts that never were ours */
export function hashFlow(browserToken: string, state: string): Buffer | null {
  if (!SECRET.test(browserToken) || !SECRET.test(state)) return null;
  return createHash("sha256").update(`${browserToken}.${state}`, "latin1").digest();
}
