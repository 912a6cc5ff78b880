/**
 * Whether a session's sign-in is recent enough to change what signs in to the account. Every session begins with a proof (password,
 * wallet signature, federated sign-in, mailed link), and a proof made later opens a new session under a new token, so the start of
 * the session is the time of its proof. A copy of the token from before the proof is worth nothing.
 */
import { freshProofSeconds } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import { isFromFuture } from "../clock-set-back.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { LoginSession } from "./login-session.ts";
import { hashSessionToken } from "./session-token.ts";

/** @returns seconds for which the proof still counts; 0 once it is over, or when the session is gone */
export function freshForSeconds(session: Pick<LoginSession, "createdAt"> | null, now: Date): number {
  if (session === null || isFromFuture(session.createdAt, now)) return 0;
  const age = (now.getTime() - session.createdAt.getTime()) / 1000;
  return Math.min(Math.max(0, freshProofSeconds - age), freshProofSeconds);
}

type ProofDeps = Pick<CoreDeps, "loginSessions" | "clock">;

/** @returns seconds, see `freshForSeconds` */
export async function readFreshFor(deps: ProofDeps, token: string): Promise<number> {
  const tokenHash = hashSessionToken(token);
  const session = tokenHash === null ? null : await deps.loginSessions.find(tokenHash);
  return freshForSeconds(session, deps.clock.now());
}

/** @throws AppError `proof_needed` */
export async function requireFreshProof(deps: ProofDeps, token: string): Promise<void> {
  if ((await readFreshFor(deps, token)) === 0) throw new AppError("proof_needed");
}
