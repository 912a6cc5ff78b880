/**
 * Whether a session's sign-in is recent enough to change how the account signs in. Every session starts with a proof
 * (password, wallet signature, federated sign-in or mailed link), and proving again opens a new session with a new
 * token. So the session's start is the time of its proof, and a token stolen before it gains nothing from it.
 */
import { FRESH_PROOF_SECONDS } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import { isFromFuture } from "../clock-set-back.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { LoginSession } from "./login-session.ts";
import { hashSessionToken } from "./session-token.ts";

/**
 * Seconds for which a session may still change how its account signs in.
 * @returns 0 when the session's sign-in is too old, or there is no session
 */
export function freshForSeconds(session: Pick<LoginSession, "createdAt"> | null, now: Date): number {
  if (session === null || isFromFuture(session.createdAt, now)) return 0;
  const age = (now.getTime() - session.createdAt.getTime()) / 1000;
  return Math.min(Math.max(0, FRESH_PROOF_SECONDS - age), FRESH_PROOF_SECONDS);
}

type ProofDeps = Pick<CoreDeps, "loginSessions" | "clock">;

/** Seconds for which the session with this token may still change how its account signs in, see `freshForSeconds`. */
export async function readFreshFor(deps: ProofDeps, token: string): Promise<number> {
  const tokenHash = hashSessionToken(token);
  const session = tokenHash === null ? null : await deps.loginSessions.find(tokenHash);
  return freshForSeconds(session, deps.clock.now());
}

/** Throws unless the session's proof is recent. @throws AppError `proof_needed` */
export async function requireFreshProof(deps: ProofDeps, token: string): Promise<void> {
  if ((await readFreshFor(deps, token)) === 0) throw new AppError("proof_needed");
}
