/** Federated sign-in in its two halves: off to the issuer, and back with an answer. What fails is told in our own words. */
import type { GoogleFailure } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { decideAccount } from "./federated-account.ts";
import type { FederatedPerson, IssuerFailure } from "./federated-issuer.ts";
import { newUser } from "./new-user.ts";
import { flowSeconds, hashFlow, newFlowSecret } from "./sign-in-flow.ts";
import type { User } from "./user.ts";

export interface FlowFailure {
  failure: GoogleFailure;
  /** For the operator's log; of what only the person can mend there is none. */
  code?: IssuerFailure;
}

type BeginDeps = Pick<CoreDeps, "federatedIssuer" | "signInFlows" | "random" | "clock" | "rateLimits" | "limitRules">;

/** @returns the issuer's page and the token for this browser's cookie */
export async function beginFederatedSignIn(
  deps: BeginDeps,
  { redirectUri, clientAddress }: { redirectUri: string; clientAddress: string },
): Promise<{ url: string; browserToken: string } | FlowFailure> {
  if (deps.federatedIssuer === null) return { failure: "off" };
  if (!(await fits(() => takeLimit(deps, "google_ip", { ipAddress: clientAddress })))) return { failure: "limited" };
  const [state, nonce, verifier, browserToken] = [1, 2, 3, 4].map(() => newFlowSecret(deps.random)) as Four;
  const secrets = { state, nonce, verifier, redirectUri };
  const url = await deps.federatedIssuer.authorizationUrl(secrets);
  if (url === null) return failed("unreachable");
  const expiresAt = new Date(deps.clock.now().getTime() + flowSeconds * 1000);
  const isKept = await fits(() => deps.signInFlows.keep(hashFlow(browserToken, state) as Buffer, secrets, expiresAt));
  return isKept ? { url, browserToken } : { failure: "failed" };
}

type Four = [string, string, string, string];

/** @returns false when there were too many of it, from this network or at all */
async function fits(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.code === "rate_limited" || thrown.code === "busy")) return false;
    throw thrown;
  }
}

/** @param query of the address the browser came back to, e.g. `?code=…&state=…` */
export async function finishFederatedSignIn(
  deps: Pick<CoreDeps, "federatedIssuer" | "signInFlows" | "users" | "random" | "clock">,
  { query, browserToken }: { query: string; browserToken: string | null },
): Promise<{ userId: string } | FlowFailure> {
  if (deps.federatedIssuer === null) return { failure: "off" };
  const tokenHash = hashFlow(browserToken ?? "", new URLSearchParams(query).get("state") ?? "");
  const secrets = tokenHash === null ? null : await deps.signInFlows.take(tokenHash);
  if (secrets === null) return { failure: "expired" };
  const answer = await deps.federatedIssuer.redeem(query, secrets);
  return typeof answer === "string" ? failed(answer) : enterAccount(deps, answer);
}

const failureOf: Readonly<Record<IssuerFailure, GoogleFailure>> = {
  unreachable: "unreachable",
  denied: "denied",
  code_refused: "failed",
  answer_invalid: "failed",
};

const failed = (code: IssuerFailure): FlowFailure =>
  code === "denied" ? { failure: "denied" } : { failure: failureOf[code], code };

/** Each try looks anew: two callbacks at once, or an account that changes meanwhile, end in one account. */
const triesMax = 5;

async function enterAccount(
  deps: Pick<CoreDeps, "users" | "random" | "clock">,
  person: FederatedPerson,
): Promise<{ userId: string } | FlowFailure> {
  for (let tried = 0; tried < triesMax; tried++) {
    const decision = decideAccount(person, {
      bySubject: await deps.users.findByGoogle(person),
      byEmail: person.email === null ? null : await deps.users.findByEmail(person.email),
    });
    if (decision.kind === "refuse") return { failure: decision.reason };
    if (decision.kind === "sign-in") return { userId: decision.userId };
    if (decision.kind === "create") {
      const user = personToUser(deps, person, decision.email);
      if (await deps.users.insertIfFree(user)) return { userId: user.id };
    } else if (await deps.users.linkGoogle(decision.userId, person, decision.email)) {
      return { userId: decision.userId };
    }
  }
  return { failure: "failed" };
}

function personToUser(deps: Pick<CoreDeps, "random" | "clock">, person: FederatedPerson, email: string): User {
  const { firstName, lastName, profileImageUrl } = person;
  return newUser(deps, {
    ...{ authMethod: "google", email, emailConfirmedAt: deps.clock.now() },
    ...{ googleId: person.subject, googleIssuer: person.issuer, firstName, lastName, profileImageUrl },
  });
}
