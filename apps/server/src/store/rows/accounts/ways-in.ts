/** Links and removes a wallet or a Google account of an account, under the account's lock. */

import { authMethodWithout, decideRemoval } from "../../../core/user/sign-in-methods.ts";
import type {
  FederatedName,
  LinkResult,
  RemovableWay,
  RemovalDecision,
  User,
  WayRemoval,
} from "../../../core/user/user.ts";
import { type InTransaction, isDatabaseError, UNIQUE_VIOLATION, type UserTable } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { endSessionsAndLinks } from "./passwords.ts";
import { lockDocument, sealDocument, type UserDocument } from "./user-document.ts";
import { googleIndex, walletIndex } from "./user-indexes.ts";

export function linkWallet(context: StoreContext, id: string, walletAddress: string): Promise<LinkResult> {
  return link(context, id, {
    hasOne: (document) => document.walletAddress !== null && document.walletAddress !== walletAddress,
    linked: (document) => ({ ...document, walletAddress }),
    index: { wallet_index: walletIndex(context.keys, walletAddress) },
  });
}

/** Links a Google account that the signed-in user has just chosen, whatever the Google account's address is. */
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

/** Removes a way to sign in. Of two concurrent removals, the second sees the result of the first. */
export function removeWay(
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
  // `auth_method`, the method shown for the account, changes only if it names the removed way to sign in.
  await mine.set({ auth_method: authMethod }).where("auth_method", "=", way).execute();
}
