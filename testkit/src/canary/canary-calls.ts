/** Calls of every endpoint with a canary in each field, valid and invalid. */
import { type Endpoint, endpoints } from "@kauke/contract";
import type { CanaryAccount, CanaryCall, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/** Calls that end the account or its session; they are made last. */
const endings = new Set(["DELETE /api/account", "POST /api/auth/logout"]);

/** Calls every endpoint with canaries in all of its fields. @returns the number of responses by status code */
export async function plantInEveryField(canaries: Canaries, client: CanaryClient): Promise<Map<number, number>> {
  const email = `${canaries.word("victim")}@people.example`;
  const victim = await client.register(email, canaries.word("victim-password"));
  const own = { userId: victim.id, aliasId: await victimAlias(canaries, victim) };
  const statuses = new Map<number, number>();
  const all: Endpoint[] = Object.values(endpoints);
  const isEnding = ({ method, path }: Endpoint) => endings.has(`${method} ${path}`);
  for (const endpoint of [...all.filter((endpoint) => !isEnding(endpoint)), ...all.filter(isEnding)]) {
    // Only endpoints for signed-in users get the session cookie: a sign-in with it would end the session.
    const cookie = endpoint.access === "user" || isEnding(endpoint) ? victim.headers : {};
    for (const call of wrongCalls(canaries, endpoint, own)) {
      const { status } = await client.send({ ...call, headers: { ...cookie, ...call.headers } });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const cookie = `__Host-session=${canaries.word("cookie")}; session=${canaries.word("cookie")}`;
  const others: CanaryCall[] = [
    { method: "GET", path: `/api/${canaries.word("path")}` },
    { method: "GET", path: `/${canaries.word("page")}?q=${canaries.word("query")}` },
    { method: "GET", path: "/api/auth/session", headers: { cookie } },
    {
      method: "POST",
      path: "/api/auth/login",
      body: "{}",
      headers: { origin: `http://${canaries.word("origin")}.example` },
    },
  ];
  for (const call of others) await client.send(call);
  return statuses;
}

async function victimAlias(canaries: Canaries, victim: CanaryAccount): Promise<string> {
  const body = { alias: canaries.word("victim-alias"), domain: "kauke.test", forwardTo: "victim@inbox.example" };
  return (await victim.call<{ id: string }>("POST", `/api/aliases/${victim.id}`, body)).id;
}

/**
 * Builds calls of an endpoint with canaries in its path, query and body. @param ownIds ids of objects that the caller
 * owns, so that the endpoint gets as far as reading the body
 */
function wrongCalls(
  canaries: Canaries,
  { method, path, body }: Endpoint,
  ownIds: Record<string, string>,
): CanaryCall[] {
  const strangeId = (name: string) => canaries.word(`param-${name}`);
  const strange = path.replace(/:(\w+)/g, (_, name: string) => strangeId(name));
  const own = path.replace(/:(\w+)/g, (_, name: string) => ownIds[name] ?? strangeId(name));
  const query = `?${canaries.word("query-name")}=${canaries.word("query-value")}`;
  if (body === undefined) return [{ method, path: strange + query }];
  const fields = body !== null && "shape" in body ? Object.keys(body.shape as object) : ["field"];
  const texts = Object.fromEntries(fields.map((name) => [name, canaries.word(`field-${name}`)]));
  const lists = Object.fromEntries(fields.map((name) => [name, [canaries.word(`list-${name}`)]]));
  const mailboxes = Object.fromEntries(fields.map((name) => [name, `${canaries.word(`box-${name}`)}@example.org`]));
  const bodies = [texts, lists, mailboxes, { [canaries.word("field-name")]: 1 }, [canaries.word("list")]];
  const text = canaries.word("not-json");
  return [
    ...bodies.map((fields) => ({ method, path: own, body: fields })),
    { method, path: strange + query, body: texts },
    { method, path: own, body: `{"${text}` },
    { method, path: own, body: text, headers: { "content-type": "text/plain" } },
  ];
}
