import { createHash } from "node:crypto";
import { FRESH_PROOF_SECONDS, sessionTimes } from "@kauke/contract";
import { type Clock, isFromFuture, type Random, randomToken } from "../runtime/ports.ts";
import { AppError, notFound } from "./app-error.ts";
import type { User, UserStore } from "./user/user.ts";

interface LoginSession {
  id: string;
  tokenHash: Buffer;
  userId: string;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface NamedLoginSession extends LoginSession {
  /** E.g. `Firefox on Linux`; `null` when unknown. */
  device: string | null;
}

export interface LoginSessionStore {
  /** @throws AppError `credentials_wrong` when the account was deleted after its credentials were checked */
  insert(session: NamedLoginSession): Promise<void>;
  find(tokenHash: Buffer): Promise<LoginSession | null>;
  /** Sessions by newest sign-in first, including expired ones. */
  listForUser(userId: string): Promise<NamedLoginSession[]>;
  touch(tokenHash: Buffer, lastSeenAt: Date): Promise<void>;
  delete(tokenHash: Buffer): Promise<void>;
  deleteById(userId: string, id: string): Promise<boolean>;
  /** @param except token hash of the session that stays open @returns number of ended sessions */
  deleteForUser(userId: string, except?: Buffer): Promise<number>;
  /** Deletes sessions last used before `idleBefore` or opened before `createdBefore`. */
  deleteExpired(idleBefore: Date, createdBefore: Date): Promise<number>;
}

interface SessionDeps {
  loginSessions: LoginSessionStore;
  clock: Clock;
}

type OpenDeps = SessionDeps & { random: Random };

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** SHA-256 of a session token; `null` for malformed ones. */
export function hashSessionToken(token: string): Buffer | null {
  return TOKEN.test(token) ? createHash("sha256").update(token, "latin1").digest() : null;
}

interface SignIn {
  userId: string;
  formerToken: string | null;
  device: string | null;
}

/** @returns the new token for the cookie, which is stored nowhere else */
async function openLoginSession(deps: OpenDeps, { userId, formerToken, device }: SignIn): Promise<string> {
  const former = formerToken === null ? null : hashSessionToken(formerToken);
  if (former !== null) await deps.loginSessions.delete(former);
  const token = randomToken(deps.random);
  const now = deps.clock.now();
  const tokenHash = hashSessionToken(token) as Buffer;
  const id = deps.random.uuid();
  await deps.loginSessions.insert({ id, tokenHash, userId, device, createdAt: now, lastSeenAt: now });
  return token;
}

/** Reads the account again: it may have changed while the session was opened. @throws AppError `credentials_wrong` */
export async function openIfStill(
  deps: OpenDeps & { users: UserStore },
  signIn: SignIn,
  isStill: (user: User) => boolean,
): Promise<string> {
  const token = await openLoginSession(deps, signIn);
  const user = await deps.users.find(signIn.userId);
  if (user !== null && isStill(user)) return token;
  await closeLoginSession(deps, token);
  throw new AppError("credentials_wrong");
}

/** @param passwordHash that was checked @throws AppError `credentials_wrong` when it has changed since */
export function openByPassword(
  deps: OpenDeps & { users: UserStore },
  { passwordHash, ...signIn }: SignIn & { passwordHash: string | null },
): Promise<string> {
  return openIfStill(deps, signIn, (user) => user.passwordHash === passwordHash);
}

/** Minimum time between two writes of a session's `lastSeenAt`. */
const TOUCH_EVERY_SECONDS = 60;

/** Updates `lastSeenAt`. @returns `null` when the token is unknown or the session has expired */
export async function checkLoginSession(deps: SessionDeps, token: string): Promise<LoginSession | null> {
  const tokenHash = hashSessionToken(token);
  if (tokenHash === null) return null;
  const session = await deps.loginSessions.find(tokenHash);
  const now = deps.clock.now();
  if (session === null || isOver(session, now)) return null;
  if (Math.abs(secondsBetween(session.lastSeenAt, now)) >= TOUCH_EVERY_SECONDS)
    await deps.loginSessions.touch(tokenHash, now);
  return session;
}

/** A session expires when idle too long, too old, or started in the future because the clock was set back. */
export function isOver(session: LoginSession, now: Date): boolean {
  return (
    secondsBetween(session.lastSeenAt, now) >= sessionTimes.idleSeconds ||
    secondsBetween(session.createdAt, now) >= sessionTimes.absoluteSeconds ||
    isFromFuture(session.createdAt, now)
  );
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}

/** Seconds since sign-in count, because each session starts with a proof and a new proof opens a new session. */
export function freshForSeconds(session: Pick<LoginSession, "createdAt"> | null, now: Date): number {
  if (session === null || isFromFuture(session.createdAt, now)) return 0;
  const age = (now.getTime() - session.createdAt.getTime()) / 1000;
  return Math.min(Math.max(0, FRESH_PROOF_SECONDS - age), FRESH_PROOF_SECONDS);
}

/** Seconds for which the session's sign-in still counts as fresh. */
export async function readFreshFor(deps: SessionDeps, token: string): Promise<number> {
  const tokenHash = hashSessionToken(token);
  const session = tokenHash === null ? null : await deps.loginSessions.find(tokenHash);
  return freshForSeconds(session, deps.clock.now());
}

/** @throws AppError `proof_needed` unless the session's proof is recent */
export async function requireFreshProof(deps: SessionDeps, token: string): Promise<void> {
  if ((await readFreshFor(deps, token)) === 0) throw new AppError("proof_needed");
}

/** An unknown token is not an error, since signing out always succeeds. */
export async function closeLoginSession(deps: Pick<SessionDeps, "loginSessions">, token: string): Promise<void> {
  const tokenHash = hashSessionToken(token);
  if (tokenHash !== null) await deps.loginSessions.delete(tokenHash);
}

export interface Asker {
  userId: string;
  token: string;
}

export interface ListedSession extends NamedLoginSession {
  isCurrent: boolean;
}

/** Unexpired sessions: the current one first, then by last use. */
export async function listSessions(deps: SessionDeps, { userId, token }: Asker): Promise<ListedSession[]> {
  const own = hashSessionToken(token);
  const now = deps.clock.now();
  const sessions = (await deps.loginSessions.listForUser(userId)).filter((session) => !isOver(session, now));
  return sessions
    .map((session) => ({ ...session, isCurrent: own?.equals(session.tokenHash) === true }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
}

/** @returns whether the ended session was the current one. @throws AppError `not_found` */
export async function endSession(
  deps: Pick<SessionDeps, "loginSessions">,
  { userId, token, id }: Asker & { id: string },
): Promise<boolean> {
  const own = hashSessionToken(token);
  const current = own === null ? null : await deps.loginSessions.find(own);
  if (!(await deps.loginSessions.deleteById(userId, id))) throw notFound("Session not found");
  return current?.id === id;
}

export function endOtherSessions(deps: Pick<SessionDeps, "loginSessions">, { userId, token }: Asker): Promise<number> {
  return deps.loginSessions.deleteForUser(userId, hashSessionToken(token) ?? undefined);
}
