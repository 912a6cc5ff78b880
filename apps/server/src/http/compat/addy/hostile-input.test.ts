/**
 * Whatever a client sends to the calls compatible with addy.io, the response has addy.io's form and is never a server
 * error.
 */
import { rounds } from "@kauke/testkit/long-rounds";
import * as fc from "fast-check";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestServer, Visitor } from "../../test/test-server.ts";
import { type AddyPerson, newAddyAlias, newPerson, startAddyServer } from "./addy-world.testing.ts";
import { clientModels } from "./client-models.testing.ts";

let server: TestServer;
let person: AddyPerson;
let aliasId: string;
beforeAll(async () => {
  server = await startAddyServer({ config: { limits: "off" } });
  person = await newPerson(server);
  aliasId = (await newAddyAlias(person)).id;
});
afterAll(() => server.close());

const nasty = fc.constantFrom<unknown>(
  "\u0000",
  "\ud800",
  "null",
  "-1",
  "1e309",
  "99999999999999999999",
  "../..",
  "'; --",
  "%00",
  "x".repeat(60_000),
  null,
  true,
  -0,
  1e308,
  [],
  [[]],
  {},
  { length: 1 },
  { toString: "x" },
  { id: "x" },
);
const value = fc.oneof({ weight: 3, arbitrary: nasty }, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: "binary" }));
const fields = ["id", "ids", "alias_id", "recipient_ids", "domain", "format", "local_part", "description", "from_name"];
const valid = () => ({
  domain: "kauke.test",
  format: "custom",
  local_part: "x",
  id: aliasId,
  ids: [aliasId],
  alias_id: aliasId,
});
const body = fc.oneof(
  value,
  fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 5 }).map((changed) => ({ ...valid(), ...changed })),
);
const names = [
  "filter[active]",
  "filter[deleted]=",
  "filter[search]",
  "filter",
  "filter[x][y]",
  "page[size]",
  "page[number]",
  "page",
  "sort",
  "recipient",
  "__proto__",
  "[",
  "][",
];
const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 9 })),
      value.map((it) => JSON.stringify(it) ?? ""),
    ),
    {
      maxLength: 4,
    },
  )
  .map((pairs) => new URLSearchParams(pairs.map(([name, text]) => [name, text.slice(0, 500)])).toString());
const path = fc.constantFrom(
  "aliases",
  "aliases/ID",
  "aliases/ID/forget",
  "aliases/ID/restore",
  "aliases/get/bulk",
  "aliases/pin/bulk",
  "aliases/delete/bulk",
  "aliases/recipients/bulk",
  "alias-recipients",
  "active-aliases",
  "active-aliases/ID",
  "pinned-aliases",
  "recipients",
  "recipients/ID",
  "domain-options",
  "account-details",
  "failed-deliveries",
  "blocklist",
  "x/%2fy",
);
const anyId = fc.oneof(fc.constant("x"), fc.uuid(), fc.string({ maxLength: 20 }).map(encodeURIComponent));
const method = fc.constantFrom("GET", "POST", "PATCH", "DELETE", "PUT");
const type = fc.constantFrom(
  "application/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
);

it("is answered in addy.io's form", async () => {
  const one = fc.record({ method, path, id: anyId, query, body, type, isBroken: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(one, async ({ isBroken, ...sent }) => {
      const text = JSON.stringify(sent.body) ?? "";
      const { status, body: answer } = await new Visitor(server).send({
        method: sent.method as InjectOptions["method"],
        url: `/api/v1/${sent.path.replace("ID", sent.id)}?${sent.query}`,
        headers: {
          authorization: `Bearer ${person.key}`,
          "content-type": sent.type,
          "x-http-method-override": "PATCH",
        },
        ...(sent.method !== "GET" && { payload: isBroken ? text.slice(0, -1) : text }),
      });
      expect(status, JSON.stringify(answer)).toBeLessThan(500);
      expect(status).not.toBe(401);
      if (status >= 400) expect(clientModels.message?.safeParse(answer).error?.issues ?? [], `${status}`).toEqual([]);
    }),
    { numRuns: rounds(200, 20_000) },
  );
});
