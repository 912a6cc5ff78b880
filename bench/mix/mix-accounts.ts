/** Makes a data directory with the accounts and aliases of the default mix, and copies it for each measured server. */
import { createHash, randomUUID } from "node:crypto";
import { cp } from "node:fs/promises";
import { openStore, type Store } from "@kauke/server/store/open-store";
import { makeDataDir } from "@kauke/testkit/server-process";
import { domain } from "../look-ups/alias-table.ts";
import { progress } from "../table.ts";
import { accountOf, aliasName, mailboxOf, mixSize } from "./mix-names.ts";

/** Domain of the aliases. */
export const mixDomain = domain;

let made: Promise<string> | undefined;

/** @returns a new data directory of a server that was never started; `removeDataDirs` removes it */
export async function copyMixAccounts(): Promise<string> {
  const from = await (made ??= makeAccounts());
  const to = await makeDataDir();
  await cp(from, to, { recursive: true });
  return to;
}

/** The database is not written durably: the copies are only used if it was filled and closed. */
async function makeAccounts(): Promise<string> {
  progress(`mix: making ${mixSize.accounts} accounts with ${mixSize.aliases.toLocaleString("en")} aliases`);
  const dataDir = await makeDataDir();
  const store = await openStore({ databaseUrl: null, dataDir, secretKey: null, disk: { syncFile: () => {} } });
  try {
    const userIds: string[] = [];
    for (let account = 0; account < mixSize.accounts; account++) userIds.push(await addAccount(store, account));
    for (let alias = 0; alias < mixSize.aliases; alias++) await addAlias(store, userIds[accountOf(alias)]!, alias);
  } finally {
    await store.close();
  }
  return dataDir;
}

/** Adds an account whose mailbox has confirmed that it wants the mail. @returns its id */
async function addAccount(store: Store, account: number): Promise<string> {
  const now = new Date();
  const id = randomUUID();
  const email = mailboxOf(account);
  await store.users.insert({
    id,
    email,
    walletAddress: null,
    googleId: null,
    passwordHash: null,
    emailConfirmedAt: now,
    authMethod: "email",
    firstName: null,
    lastName: null,
    profileImageUrl: null,
    balanceCents: 0,
    createdAt: now,
    updatedAt: now,
  });
  const tokenHash = createHash("sha256").update(id).digest();
  const request = { id: randomUUID(), userId: id, address: email, tokenHash, tokenExpiresAt: now, isByOwner: false };
  const decision = await store.destinations.ask(request);
  if (decision.kind !== "known" || decision.state !== "confirmed") throw new Error("a mailbox was not confirmed");
  return id;
}

function addAlias(store: Store, userId: string, alias: number): Promise<void> {
  return store.aliases.insert({
    id: randomUUID(),
    userId,
    name: aliasName(alias),
    domain: mixDomain,
    isOnOwnDomain: false,
    notes: "shop with the blue door",
    providerId: null,
    createdAt: new Date(),
    sealTo: "account",
    labels: [],
    pinned: false,
    writeByAddress: false,
    routing: { state: "active", destinations: [{ kind: "mailbox", address: mailboxOf(accountOf(alias)) }] },
  });
}
