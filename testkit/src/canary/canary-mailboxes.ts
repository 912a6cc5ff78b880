/** Plants canaries in the account's list of mailboxes and in generated aliases: in addresses, sites and notes. */
import type { CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/**
 * Adds, lists and removes mailboxes and generates aliases, in a new account, since an account may have few unconfirmed
 * mailboxes.
 * @throws when a response has an unexpected status
 */
export async function plantMailboxes(canaries: Canaries, client: CanaryClient): Promise<void> {
  const email = `${canaries.word("lister")}@people.example`;
  const owner = await client.register(email, canaries.word("lister-password"));
  const box = (label: string) => `${canaries.word(label)}@${canaries.word(`${label}-domain`)}.example`;
  const add = (label: string) => owner.call<{ id: string }>("POST", "/api/mailboxes", { address: box(label) });
  const [kept, removed] = [await add("listed-mailbox"), await add("listed-mailbox-removed")];
  const path = `/api/aliases/${owner.id}`;
  const site = (label: string) => `https://${canaries.word(label)}.example/${canaries.word(`${label}-path`)}`;
  await owner.call("POST", `${path}/generated-name`, { format: "site", hostname: site("site-of-a-name") });
  const generate = (body: object) => owner.call<{ id: string }>("POST", `${path}/generate`, body);
  await generate({ format: "site", hostname: site("site-of-an-alias"), mailboxIds: [kept.id] });
  await generate({ forwardTo: box("generated-mailbox"), notes: canaries.word("generated-notes") });
  await generate({ mailboxIds: [kept.id, removed.id] });
  await owner.call("GET", `/api/mailboxes/${removed.id}/aliases`);
  const status = await owner.statusOf("DELETE", `/api/mailboxes/${kept.id}`, undefined);
  if (status !== 409) throw new Error(`the only mailbox of an alias was removed with status ${status}`);
  await owner.call("DELETE", `/api/mailboxes/${removed.id}`);
  await owner.call("PATCH", "/api/account/defaults", { format: "words", siteInName: true });
  await owner.call("GET", "/api/mailboxes");
}
