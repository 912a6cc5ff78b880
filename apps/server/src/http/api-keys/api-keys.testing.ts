/** API keys and confirmed mailboxes for tests of routes. */
import { randomBytes, randomUUID } from "node:crypto";
import { type KeyScope, keyScopes } from "@kauke/contract";
import { expect } from "vitest";
import type { TestServer, Visitor } from "../test/test-server.ts";

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

export interface MadeKey {
  key: { id: string };
  secret: string;
}

/**
 * Creates an API key for the signed-in visitor.
 * @param more fields of the request besides name and scopes
 */
export async function newKey(
  person: Visitor,
  scopes: readonly KeyScope[] = keyScopes,
  more: object = {},
): Promise<MadeKey> {
  const { status, body } = await person.call("createApiKey", { body: { name: "browser", scopes, ...more } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** Confirms a mailbox of an account, as its reader does with the link in the confirmation message. */
export async function confirmMailboxInStore(
  { store, clock }: TestServer,
  userId: string,
  address: string,
): Promise<void> {
  const tokenHash = randomBytes(32);
  const tokenExpiresAt = new Date(clock.now().getTime() + 3_600_000);
  await store.destinations.ask({ id: randomUUID(), userId, address, tokenHash, tokenExpiresAt, isByOwner: true });
  const decided = await store.destinations.decideByLink(tokenHash, "mine");
  expect(decided?.state).toBe("confirmed");
}
