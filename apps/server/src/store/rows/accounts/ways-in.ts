import { authMethodWithout, decideRemoval } from "../../../core/user/sign-in-methods.ts";
import type {
  FederatedName,
  LinkResult,
  RemovableWay,
  RemovalDecision,
  User,
  WayRemoval,
} from "../../../core/user/user.ts";
import type { InTransaction, UserTable } from "../../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../../database-error.ts";
import type { StoreContext } from "../../store-context.ts";
import { googleIndex, lockDocument, sealDocument, type UserDocument, walletIndex } from "./user-document.ts";

export function attachWallet(context: StoreContext, id: string, walletAddress: string): Promise<LinkResult> {
  return link(context, id, {
    hasOne: (document) => document.walletAddress !== null && document.walletAddress !== walletAddress,
    linked: (document) => ({ ...document, walletAddress }),
    index: { wallet_index: walletIndex(context.keys, walletAddress) },
  });
}

export function attachGoogle(
  context: StoreContext,
  id: string,
  { issuer, subject }: FederatedName,
): Promise<LinkResult> {
  return link(context, id, {
    hasOne: ({ googleId, googleIssuer }) => googleId !== null && (googleId !== subject || googleIssuer !== issuer),
    linked: (document) => {
      const { isGoogleRemoved: _, ...own } = document;
      return { ...own, googleId: subject, googleIssuer: issuer };
    },
    index: { google_index: googleIndex(context.keys, { issuer, subject }) },
  });
}

interface Linking {
  hasOne(document: UserDocument): boolean;
  linked(document: UserDocument): UserDocument;
  index: Partial<Pick<UserTable, "wallet_index" | "google_index">>;
}

async function link(context: StoreContext, id: string, { hasOne, linked, index }: Linking): Promise<LinkResult> {
  try {
    return await context.db.transaction().execute(async (trx): Promise<LinkResult> => {
      const document = await lockDocument(context, trx, id);
      if (document === null) return "gone";
      if (hasOne(document)) return "has_one";
      await trx.updateTable("user").set(index).where("id", "=", id).execute();
      await sealDocument(context, trx, id, linked(document));
      return "linked";
    });
  } catch (thrown) {
    if (isDatabaseError(thrown, UNIQUE_VIOLATION)) return "taken";
    throw thrown;
  }
}

/** Of two concurrent removals, the second sees the result of the first. */
export function detachWay(
  context: StoreContext,
  id: string,
  { way, issuer, keepSession }: WayRemoval,
): Promise<RemovalDecision> {
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, id);
    const decision = document === null ? "missing" : decideRemoval(document, way, issuer);
    if (document === null || decision !== "removed") return decision;
    await clearIndex(trx, id, { way, authMethod: authMethodWithout(document, way) });
    await sealDocument(context, trx, id, without(document, way));
    await endSessionsAndLinks(trx, id, keepSession);
    return decision;
  });
}

function without({ googleIssuer, ...document }: UserDocument, way: RemovableWay): UserDocument {
  if (way === "google") return { ...document, googleId: null, isGoogleRemoved: true };
  return { ...document, ...(googleIssuer !== undefined && { googleIssuer }), walletAddress: null };
}

async function clearIndex(
  trx: InTransaction,
  id: string,
  { way, authMethod }: { way: RemovableWay; authMethod: User["authMethod"] },
): Promise<void> {
  const mine = trx.updateTable("user").where("id", "=", id);
  await mine.set(way === "google" ? { google_index: null } : { wallet_index: null }).execute();
  // The sign-in method shown changes only if it names the removed one.
  await mine.set({ auth_method: authMethod }).where("auth_method", "=", way).execute();
}

export interface PasswordReplacement {
  /** Password hash to replace; nothing changes if the account has another password by now. */
  from: string;
  to: string;
}

export function replaceHash(context: StoreContext, id: string, replacement: PasswordReplacement): Promise<boolean> {
  return replaceIfCurrent(context, id, {
    replacement,
    also: (trx, document) => sealDocument(context, trx, id, document),
  });
}

export function storePassword(
  context: StoreContext,
  id: string,
  { keepSession, ...replacement }: PasswordReplacement & { keepSession: Buffer | null },
): Promise<boolean> {
  const also: Replacing["also"] = async (trx, document) => {
    await sealDocument(context, trx, id, { ...document, passwordSetAt: context.clock.now().toISOString() });
    await endSessionsAndLinks(trx, id, keepSession);
  };
  return replaceIfCurrent(context, id, { replacement, also });
}

interface Replacing {
  replacement: PasswordReplacement;
  /** Runs in the transaction of the password's change. @param document with the new hash, not yet sealed */
  also(trx: InTransaction, document: UserDocument): Promise<void>;
}

function replaceIfCurrent(context: StoreContext, id: string, { replacement, also }: Replacing): Promise<boolean> {
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, id);
    if (document === null || document.passwordHash !== replacement.from) return false;
    await also(trx, { ...document, passwordHash: replacement.to });
    return true;
  });
}

/** Ends sessions and links. A session being opened with the old password waits for the lock and is refused. */
export async function endSessionsAndLinks(
  trx: InTransaction,
  userId: string,
  keepSession: Buffer | null,
): Promise<void> {
  const sessions = trx.deleteFrom("session").where("user_id", "=", userId);
  await (keepSession === null ? sessions : sessions.where("token_hash", "!=", keepSession)).execute();
  await trx
    .deleteFrom("one_time_token")
    .where("user_id", "=", userId)
    .where("kind", "in", ["reset", "sign-in", "new-email", "mail-profile"])
    .execute();
}
