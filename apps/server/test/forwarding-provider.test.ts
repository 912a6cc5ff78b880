import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ForwardingWire } from "@kauke/contract";
import { registerPerson } from "@kauke/testkit/person";
import { startSystem } from "@kauke/testkit/system";
import { expect, test } from "vitest";

test("an alias made here is made at the provider within two seconds", async () => {
  const calls: { method: string; url: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      calls.push({ method: request.method ?? "", url: request.url ?? "", body });
      response.setHeader("content-type", "application/json");
      const domain = { name: request.url?.split("/")[3] };
      response.end(JSON.stringify({ ...JSON.parse(body), id: "0123456789abcdef01234567", domain }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const system = await startSystem({
    env: {
      KAUKE_FORWARDING: "forward-email",
      KAUKE_PROVIDER_URL: `http://127.0.0.1:${port}`,
      KAUKE_PROVIDER_KEY: "key-of-the-test",
      KAUKE_DELIVERY: "preview",
      KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
    },
  });
  const person = await registerPerson(system.url);
  const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
  const waiting = async () => {
    const { body } = await person.call("GET", "/api/forwarding");
    return (body as ForwardingWire).counts.waiting;
  };
  await expect.poll(waiting, { timeout: 2000 }).toBe(0);
  expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST /v1/domains/${alias.domain}/aliases`]);
  expect(await person.listAliases()).toMatchObject([{ providerId: "0123456789abcdef01234567" }]);
  await system.close();
  server.close();
});
