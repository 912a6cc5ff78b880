/** Plants canaries in API calls of SimpleLogin's clients: in notes, host names, searches, prefixes and wrong keys. */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/**
 * Plants canaries in calls of a SimpleLogin client.
 * @throws when a response has a status of 500 or above, or a read with a valid key is refused
 */
export async function plantSimpleLogin(canaries: Canaries, client: CanaryClient, owner: CanaryAccount): Promise<void> {
  const word = (label: string) => canaries.word(`sl-${label}`);
  const scopes = ["aliases:create", "aliases:read", "aliases:write", "account:read"];
  const { secret } = await owner.call<{ secret: string }>("POST", "/api/keys", { name: word("key"), scopes });
  canaries.watch("sl-secret", secret);
  const send = async (method: string, path: string, body?: unknown, key = secret) => {
    const answer = await client.send({ method, path, body, headers: { authentication: key } });
    if (answer.status >= 500) throw new Error(`${method} of a client answered ${answer.status}`);
    return answer;
  };
  const list = await send("GET", "/api/v2/aliases?page_id=0");
  const { aliases } = JSON.parse(list.text) as { aliases: { id: number }[] };
  const [alias] = aliases;
  if (alias === undefined) throw new Error("the owner has no alias to change");
  await send("PUT", `/api/aliases/${alias.id}`, { note: word("note"), name: word("name") });
  await send("PATCH", `/api/aliases/${alias.id}`, { mailbox_ids: [word("mailbox-id")] });
  await send("POST", "/api/v2/aliases?page_id=0", { query: word("search") });
  const options = await send("GET", `/api/v5/alias/options?hostname=${word("host")}.example`);
  const { suffixes } = JSON.parse(options.text) as { suffixes: { signed_suffix: string }[] };
  const created = { alias_prefix: word("prefix"), signed_suffix: suffixes[0]?.signed_suffix, note: word("new-note") };
  await send("POST", "/api/v2/alias/custom/new", created);
  await send("POST", "/api/v3/alias/custom/new", { ...created, mailbox_ids: [1] });
  await send("POST", `/api/alias/random/new?hostname=${word("random-host")}.example`, { note: word("random-note") });
  await send("POST", `/api/alias/random/new?mode=${word("mode")}`, word("malformed"));
  for (const [method, path] of [
    ["GET", `/api/aliases/${word("number")}`],
    ["POST", `/api/aliases/${alias.id}/contacts`],
    ["PATCH", "/api/sudo"],
    ["POST", "/api/mailboxes"],
    ["POST", "/api/auth/login"],
  ] as const)
    await send(method, path, method === "GET" ? undefined : { contact: word("contact"), password: word("password") });
  await send("GET", "/api/user_info", undefined, word("wrong-key"));
}
