import { type GoogleFailure, googleFailureTexts, invitePattern } from "@kauke/contract";
import { randomToken } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { findRefusal, inviteToUse, type RegistrationDeps } from "../registration.ts";
import { takeLimit, tryLimit } from "../take-limit.ts";
import { newUser, type User } from "../user/user.ts";
import {
  type FederatedPerson,
  FLOW_SECONDS,
  type FlowSecrets,
  hashFlow,
  type IssuerFailure,
  type SettingsFlow,
} from "./federated-issuer.ts";

export interface FlowFailure {
  failure: GoogleFailure;
  /** For the operator's log; absent where only the user can fix the problem. */
  code?: IssuerFailure;
}

type BeginDeps = Pick<CoreDeps, "federatedIssuer" | "signInFlows" | "random" | "clock" | "rateLimits" | "limitRules">;

/** @returns the issuer's URL, and the token of the cookie that ties the flow to this browser */
export async function beginFederatedSignIn(
  deps: BeginDeps,
  { redirectUri, clientAddress, returnTo }: Pick<NewFlow, "redirectUri" | "clientAddress" | "returnTo">,
): Promise<{ url: string; browserToken: string } | FlowFailure> {
  if (deps.federatedIssuer === null) return { failure: "off" };
  if ((await tryLimit(deps, "google_ip", { ipAddress: clientAddress })) !== null) return { failure: "limited" };
  const browserToken = randomToken(deps.random);
  const url = await openFlow(deps, { browserToken, redirectUri, clientAddress, returnTo });
  return url === null ? failedAtIssuer("unreachable") : { url, browserToken };
}

interface NewFlow {
  /** 32 bytes as base64url, of the browser that starts the flow. */
  browserToken: string;
  redirectUri: string;
  clientAddress: string;
  returnTo?: string | null;
  settings?: SettingsFlow;
  invite?: string | undefined;
}

/** @returns the issuer's URL @throws AppError `rate_limited`, `unavailable`; `invalid`: federated sign-in is off */
export async function requireFlow(deps: BeginDeps, flow: NewFlow): Promise<string> {
  if (deps.federatedIssuer === null) throw new AppError("invalid", { message: googleFailureTexts.off });
  await takeLimit(deps, "google_ip", { ipAddress: flow.clientAddress });
  const url = await openFlow(deps, flow);
  if (url === null) throw new AppError("unavailable", { message: googleFailureTexts.unreachable });
  return url;
}

/** @returns the issuer's URL; `null` while the issuer is unreachable */
async function openFlow(
  deps: Pick<CoreDeps, "federatedIssuer" | "signInFlows" | "random" | "clock">,
  { browserToken, redirectUri, clientAddress, returnTo, settings, invite }: NewFlow,
): Promise<string | null> {
  // 32 bytes each: the minimum of a PKCE verifier (RFC 7636 §4.1).
  const [state, nonce, verifier] = [1, 2, 3].map(() => randomToken(deps.random)) as [string, string, string];
  const about = {
    ...(returnTo && { returnTo }),
    ...(settings !== undefined && { settings }),
    ...(invite !== undefined && invitePattern.test(invite) && { invite }),
  };
  const secrets: FlowSecrets = { state, nonce, verifier, redirectUri, ...about };
  const tokenHash = hashFlow(browserToken, state);
  const url = tokenHash === null ? null : ((await deps.federatedIssuer?.authorizationUrl(secrets)) ?? null);
  if (tokenHash === null || url === null) return null;
  const expiresAt = new Date(deps.clock.now().getTime() + FLOW_SECONDS * 1000);
  await deps.signInFlows.keep(tokenHash, secrets, { expiresAt, clientAddress });
  return url;
}

/** Finds the flow by the cookie of its start, or by the session cookie: that of Settings, or an invited visitor's. */
export async function takeFlow(
  { signInFlows }: Pick<CoreDeps, "signInFlows">,
  { query, browserToken, sessionToken }: { query: string; browserToken: string | null; sessionToken: string | null },
): Promise<FlowSecrets | null> {
  const state = new URLSearchParams(query).get("state") ?? "";
  const take = async (token: string | null) => {
    const tokenHash = hashFlow(token ?? "", state);
    return tokenHash === null ? null : await signInFlows.take(tokenHash);
  };
  const signIn = await take(browserToken);
  if (signIn !== null) return signIn.settings === undefined ? signIn : null;
  return await take(sessionToken);
}

/** Redeems the code, and finds or creates the person's account. @param secrets from `takeFlow` */
export async function finishFederatedSignIn(
  deps: RegistrationDeps & Pick<CoreDeps, "federatedIssuer" | "users" | "random" | "clock">,
  { query, secrets, clientAddress }: { query: string; secrets: FlowSecrets; clientAddress: string },
): Promise<{ userId: string; googleId: string } | FlowFailure> {
  if (deps.federatedIssuer === null) return { failure: "off" };
  const redeemed = await deps.federatedIssuer.redeem(query, secrets);
  if (typeof redeemed === "string") return failedAtIssuer(redeemed);
  const entered = await enterAccount(deps, redeemed, { clientAddress, invite: secrets.invite });
  return "failure" in entered ? entered : { ...entered, googleId: redeemed.subject };
}

const failureOf: Readonly<Record<IssuerFailure, GoogleFailure>> = {
  unreachable: "unreachable",
  denied: "denied",
  code_refused: "failed",
  answer_invalid: "failed",
};

export const failedAtIssuer = (code: IssuerFailure): FlowFailure =>
  code === "denied" ? { failure: "denied" } : { failure: failureOf[code], code };

/** Each attempt looks the accounts up again, so that concurrent redirects lead to one account. */
const TRIES_MAX = 5;

async function enterAccount(
  deps: RegistrationDeps & Pick<CoreDeps, "users" | "random" | "clock">,
  person: FederatedPerson,
  { clientAddress, invite }: Pick<NewFlow, "clientAddress" | "invite">,
): Promise<{ userId: string } | FlowFailure> {
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const decision = decideAccount(person, {
      bySubject: await deps.users.findByGoogle(person),
      byEmail: person.email === null ? null : await deps.users.findByEmail(person.email),
    });
    if (decision.kind === "refuse") return { failure: decision.reason };
    if (decision.kind === "sign-in") return { userId: decision.userId };
    if (decision.kind === "create") {
      const failure = await findRefusal(deps, { invite, email: decision.email });
      if (failure !== null) return { failure };
      const user = personToUser(deps, person, decision);
      if (await deps.users.insertIfFree(user, { clientAddress, invite: inviteToUse(deps, { invite }) }))
        return { userId: user.id };
    } else if (await deps.users.linkGoogle(decision.userId, person, decision.email)) {
      return { userId: decision.userId };
    }
  }
  return { failure: "failed" };
}

type NewAccount = Extract<AccountDecision, { kind: "create" }>;

function personToUser(
  deps: Pick<CoreDeps, "random" | "clock">,
  person: FederatedPerson,
  { email, isConfirmed }: NewAccount,
): User {
  const { firstName, lastName, profileImageUrl } = person;
  return newUser(deps, {
    authMethod: "google",
    email,
    emailConfirmedAt: isConfirmed ? deps.clock.now() : null,
    googleId: person.subject,
    googleIssuer: person.issuer,
    firstName,
    lastName,
    profileImageUrl,
  });
}

export type AccountDecision =
  | { kind: "sign-in"; userId: string }
  | { kind: "link"; userId: string; email: string }
  /** `isConfirmed`: the e-mail counts as confirmed, because the issuer hosts the mailbox. */
  | { kind: "create"; email: string; isConfirmed: boolean }
  | { kind: "refuse"; reason: "unverified" | "exists" | "taken" };

export interface KnownAccounts {
  bySubject: Pick<User, "id"> | null;
  byEmail: Pick<User, "id" | "emailConfirmedAt" | "googleId" | "isGoogleRemoved"> | null;
}

/**
 * A known subject decides alone; else issuer and account must both have verified the e-mail.
 * See docs/decisions/2026-11-22-federated-accounts.md.
 */
export function decideAccount(
  { email, isEmailHosted }: Pick<FederatedPerson, "email" | "isEmailHosted">,
  { bySubject, byEmail }: KnownAccounts,
): AccountDecision {
  // The subject decides alone: Ann may have changed her address at Google, and the account is still hers.
  if (bySubject !== null) return { kind: "sign-in", userId: bySubject.id };
  // Refused: the issuer has not verified the address, so anybody may have typed it in.
  if (email === null) return { kind: "refuse", reason: "unverified" };
  // The issuer may have verified the address long ago, and somebody else may have it now, so it counts as unconfirmed.
  if (byEmail === null) return { kind: "create", email, isConfirmed: isEmailHosted };
  // Refused: another Google account is linked. If ann@firm.example was Ann's and is Bob's now, the account stays Ann's.
  if (byEmail.googleId !== null) return { kind: "refuse", reason: "taken" };
  // Refused: Ann removed Google from her account, so a matching address must not link a Google account again.
  if (byEmail.isGoogleRemoved) return { kind: "refuse", reason: "taken" };
  // Refused: Mallory may have registered Ann's address with a password of his own, waiting for her to sign in.
  if (byEmail.emailConfirmedAt === null) return { kind: "refuse", reason: "exists" };
  // Refused: Google verified an external address years ago; whoever confirmed it here may be its present owner.
  if (!isEmailHosted) return { kind: "refuse", reason: "taken" };
  return { kind: "link", userId: byEmail.id, email };
}
