/** An account with a confirmed mailbox and an API key for a client, created through the API. */
import { keyScopes, type PreviewMessage, type PreviewSummary } from "@kauke/contract";
import type { Person } from "@kauke/testkit/person";
import { expect } from "vitest";
import type { Site } from "../browser/site.ts";

export interface KeyPerson {
  person: Person;
  key: string;
}

/**
 * Creates an account with a confirmed mailbox and an API key. The test server must have rate limits, since without them
 * no mailbox gets a confirmation message.
 */
export async function makeKeyPerson(site: Site): Promise<KeyPerson> {
  const person = await site.person();
  await confirmMailbox(site, person);
  const made = await person.call("POST", "/api/keys", { name: "extension", scopes: keyScopes });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return { person, key: (made.body as { secret: string }).secret };
}

/** Confirms the mailbox of the account's own e-mail address with the link in the confirmation message. */
export async function confirmMailbox(site: Site, person: Person): Promise<void> {
  const added = await person.call("POST", "/api/mailboxes", { address: person.email });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  await expect.poll(() => confirmationToken(site, person.email)).not.toBeNull();
  const token = await confirmationToken(site, person.email);
  const confirmed = await person.call("POST", "/api/confirmation", { token, choice: "mine" });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
}

async function confirmationToken(site: Site, reader: string): Promise<string | null> {
  const { messages } = await preview<{ messages: PreviewSummary[] }>(site, "/preview/api/messages");
  const message = messages.find(({ rcptTo }) => rcptTo === reader);
  if (message === undefined) return null;
  const { text } = await preview<PreviewMessage>(site, `/preview/api/messages/${message.id}`);
  return /\/confirm\/([a-z2-7]{32})\s/.exec(text ?? "")?.[1] ?? null;
}

async function preview<T>({ server }: Site, path: string): Promise<T> {
  const cookie = `kauke-preview-${new URL(server.url).port}=${await server.previewToken()}`;
  return (await (await fetch(`${server.url}${path}`, { headers: { cookie } })).json()) as T;
}
