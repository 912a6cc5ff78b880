/**
 * Storage of federated sign-ins in progress. The browser has a random token in a cookie, and the issuer's redirect
 * returns the state; only both together find the secrets, once, within ten minutes.
 */
import { createHash } from "node:crypto";
import type { Random } from "../../runtime/ports.ts";
import type { TokenTerms } from "../connection/token-terms.ts";
import type { FlowSecrets } from "./federated-issuer.ts";

export const FLOW_SECONDS = 600;

export interface SignInFlowStore {
  /**
   * Stores a flow and deletes expired ones. When too many are stored, evicts the oldest of the network that has most.
   */
  keep(tokenHash: Buffer, secrets: FlowSecrets, terms: TokenTerms): Promise<void>;
  /**
   * Removes and returns the secrets of a flow; only one of several concurrent calls gets them.
   * @returns `null` when the flow is unknown, used or expired
   */
  take(tokenHash: Buffer): Promise<FlowSecrets | null>;
}

/** 32 random bytes: as a PKCE verifier the shortest that RFC 7636 §4.1 allows, with the entropy it recommends. */
export function newFlowSecret(random: Random): string {
  return random.bytes(32).toString("base64url");
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Hash under which a flow is stored. @returns `null` when either text does not have the form of a flow secret */
export function hashFlow(browserToken: string, state: string): Buffer | null {
  if (!SECRET.test(browserToken) || !SECRET.test(state)) return null;
  return createHash("sha256").update(`${browserToken}.${state}`, "latin1").digest();
}
