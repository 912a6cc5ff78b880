/**
 * Plants canaries in API keys: in their names, in the keys themselves, and in wrong keys in every header field that
 * takes one.
 */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/**
 * Creates, uses and revokes API keys that contain canaries.
 * @throws when a call with a key gets an unexpected status
 */
export async function plantApiKeys(canaries: Canaries, client: CanaryClient, owner: CanaryAccount): Promise<void> {
  const word = (label: string) => canaries.word(label);
  const scopes = ["aliases:create", "aliases:read", "aliases:write", "account:read"];
  const make = async (label: string) => {
    const body = { name: `${word(label)} ąč`, scopes };
    const made = await owner.call<{ key: { id: string }; secret: string }>("POST", "/api/keys", body);
    canaries.watch(`${label}-secret`, made.secret);
    canaries.watch(`${label}-secret-part`, made.secret.slice(5, 35));
    return made;
  };
  const [kept, revoked] = [await make("api-key"), await make("api-key-revoked")];
  await owner.call("DELETE", `/api/keys/${revoked.key.id}`);
  const send = async (headers: Record<string, string>, status: number, body?: unknown) => {
    // The server treats a call to the list of aliases with the header field `Authentication` as one of SimpleLogin's
    // clients.
    const path = "authentication" in headers ? "/api/account/defaults" : `/api/aliases/${owner.id}`;
    const answer = await client.send({ method: body === undefined ? "GET" : "POST", path, body, headers });
    if (answer.status !== status) throw new Error(`a call by key answered ${answer.status} instead of ${status}`);
  };
  await send({ authorization: `Bearer ${kept.secret}` }, 200);
  await send({ authentication: kept.secret }, 200);
  const alias = { alias: word("alias-by-key"), domain: "kauke.test", forwardTo: `${word("box-by-key")}@example.org` };
  await send({ authorization: `Bearer ${kept.secret}` }, 400, { ...alias, notes: word("notes-by-key") });
  await send({ authorization: `Bearer ${revoked.secret}` }, 401);
  await send({ authorization: `Bearer ${kept.secret.slice(0, -1)}` }, 401);
  await send({ authorization: word("wrong-authorization") }, 401);
  await send({ authorization: `Basic ${Buffer.from(`${word("basic")}:`).toString("base64")}` }, 401);
  await send({ authentication: word("wrong-authentication"), ...owner.headers }, 401);
  for (const strange of [`//api/v1/${word("dialect-path")}/`, `/api/alias/${word("dialect-path")}?key=${kept.secret}`])
    await client.send({ method: "POST", path: strange, body: word("dialect-body"), headers: { authentication: "x" } });
}
