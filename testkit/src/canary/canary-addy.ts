/** Plants canaries in API calls of addy.io's clients: every text that a client may send, in valid and invalid calls. */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/**
 * Plants canaries by changing an alias and by calls that the server refuses.
 * @param aliasId an alias of the owner
 * @throws when a response has an unexpected status
 */
export async function plantAddyCalls(
  canaries: Canaries,
  client: CanaryClient,
  { owner, aliasId }: { owner: CanaryAccount; aliasId: string },
): Promise<void> {
  const word = (label: string) => canaries.word(`addy-${label}`);
  const scopes = ["aliases:create", "aliases:read", "aliases:write", "account:read"];
  const { secret } = await owner.call<{ secret: string }>("POST", "/api/keys", { name: word("key"), scopes });
  canaries.watch("addy-key-secret", secret);
  const send = async (status: number, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${secret}`, "x-http-method-override": word("method") };
    const answer = await client.send({ method, path: `/api/v1/${path}`, body, headers });
    if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status} instead of ${status}`);
  };
  await send(200, "PATCH", `aliases/${aliasId}`, { description: `${word("description")} ąč`, from_name: word("name") });
  await send(200, "GET", `aliases?filter[search]=${word("search")}&${word("field")}=${word("value")}`);
  await send(422, "GET", `aliases?sort=${word("sort")}`);
  await send(422, "POST", "aliases", { domain: `${word("domain")}.example`, description: word("unused") });
  await send(422, "POST", "aliases", { domain: "kauke.test", format: "custom", local_part: `${word("custom")}+x` });
  await send(422, "POST", "alias-recipients", { alias_id: aliasId, recipient_ids: [word("recipient")] });
  await send(422, "POST", "aliases/pin/bulk", { ids: [word("id")] });
  await send(422, "POST", "aliases", `{"domain":"${word("malformed")}`);
  await send(404, "POST", "recipients", { email: `${word("mailbox")}@example.org` });
  await send(404, "GET", `recipients/${word("path")}`);
}
