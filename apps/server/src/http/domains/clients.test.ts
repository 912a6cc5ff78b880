/** Own domains in the calls of other services' clients, of API keys, and in imports. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isProviderRun } from "@kauke/testkit/provider-run";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anAlias } from "../../store/rows.testing.ts";
import { bearer, newKey } from "../api-keys/api-keys.testing.ts";
import { type AddyPerson, newPerson, startAddyServer } from "../compat/addy/addy-world.testing.ts";
import { clientModels } from "../compat/addy/client-models.testing.ts";
import { KeyHolder } from "../compat/simplelogin/client.testing.ts";
import { clientSchemas } from "../compat/simplelogin/client-schemas.testing.ts";
import { type TestServer, testDomains, Visitor } from "../test/test-server.ts";
import { addDomain, FakeDomainDns, proveDomain } from "./own-domains.testing.ts";

const dns = new FakeDomainDns();
let server: TestServer;
beforeAll(async () => {
  server = await startAddyServer({ domainDns: dns });
});
afterAll(() => server.close());

/** As the first mail to it makes it. */
async function appear(userId: string, { name, domain, to }: { name: string; domain: string; to: string }) {
  const madeByMail = { organisation: "shop.example", at: server.clock.now() };
  const routing = { state: "active" as const, destinations: [{ kind: "mailbox" as const, address: to }] };
  await server.store.aliases.insert(anAlias(userId, { name, domain, routing, madeByMail }));
}

let count = 0;
const aName = () => `client-${++count}.example`;

describe.skipIf(isProviderRun)("a client of SimpleLogin", () => {
  const begin = async () => {
    const holder = await new KeyHolder(server).begin();
    const own = await proveDomain(dns, holder.person, aName());
    await addDomain(holder.person, aName());
    return { holder, domain: own.domain };
  };

  it("lists proven domains as custom ones, each account its own", async () => {
    const { holder, domain } = await begin();
    const other = await new KeyHolder(server).begin();
    const custom = await holder.call("GET", "/api/custom_domains");
    clientSchemas["iosCustomDomains"]?.parse(custom.body);
    expect(custom.body.custom_domains).toMatchObject([{ id: 1, domain_name: domain, is_verified: true, nb_alias: 0 }]);
    expect((await other.call("GET", "/api/custom_domains")).body.custom_domains).toEqual([]);
    const choices = await holder.call("GET", "/api/v2/setting/domains");
    clientSchemas["iosDomains"]?.parse(choices.body);
    expect(choices.body.at(-1)).toEqual({ domain, is_custom: true });
    expect(choices.body.slice(0, -1).every((one: { is_custom: boolean }) => !one.is_custom)).toBe(true);
    expect((await other.call("GET", "/api/v2/setting/domains")).body).toHaveLength(testDomains.length);
  });

  it("is offered endings on own domains and makes aliases there, at random too once it is the default", async () => {
    const { holder, domain } = await begin();
    const options = await holder.call("GET", "/api/v5/alias/options");
    clientSchemas["iosOptions"]?.parse(options.body);
    const offered = options.body.suffixes.filter((one: { suffix: string }) => one.suffix.endsWith(`@${domain}`));
    expect(offered).toMatchObject([{ is_custom: true }, { suffix: `@${domain}`, is_custom: true }]);
    const make = (by: KeyHolder, alias_prefix: string) =>
      by.call("POST", "/api/v2/alias/custom/new", { alias_prefix, signed_suffix: offered[1].signed_suffix });
    expect((await make(holder, "info")).body).toMatchObject({ email: `info@${domain}` });
    expect((await make(holder, "postmaster")).status).toBe(400);
    expect((await make(await new KeyHolder(server).begin(), "theirs")).status).toBe(400);
    await holder.person.call("changeAccountDefaults", { body: { domain } });
    expect((await holder.call("POST", "/api/alias/random/new")).body.email).toMatch(new RegExp(`@${domain}$`));
    expect((await holder.call("GET", "/api/setting")).body.random_alias_default_domain).toBe(domain);
  });

  it("lists an alias that its first mail made, switches it, notes something and deletes it", async () => {
    const { holder, domain } = await begin();
    await appear(holder.person.userId, { name: "shop.k7", domain, to: holder.email });
    const { body } = await holder.call("GET", "/api/v2/aliases?page_id=0");
    clientSchemas["iosAliases"]?.parse(body);
    expect(body.aliases).toMatchObject([{ email: `shop.k7@${domain}`, enabled: true }]);
    const path = `/api/aliases/${body.aliases[0].id}`;
    expect((await holder.call("POST", `${path}/toggle`)).body).toEqual({ enabled: false });
    expect((await holder.call("PATCH", path, { note: "of the shop" })).status).toBe(200);
    const [noted] = (await holder.call("GET", "/api/v2/aliases?page_id=0")).body.aliases;
    expect(noted).toMatchObject({ enabled: false, note: "of the shop" });
    const [alias] = (await holder.person.call("listAliases")).body.aliases;
    expect(alias.madeByMail).toMatchObject({ organisation: "shop.example" });
    expect((await holder.call("DELETE", path)).status).toBe(200);
    expect((await holder.call("GET", "/api/v2/aliases?page_id=0")).body.aliases).toEqual([]);
  });
});

describe.skipIf(isProviderRun)("a client of addy.io", () => {
  const make = ({ ask }: AddyPerson, body: object) => ask("POST", "/api/v1/aliases", body);

  it("lists own domains and makes aliases on proven ones, each account on its own", async () => {
    const [person, other] = [await newPerson(server), await newPerson(server)];
    const { domain } = await proveDomain(dns, person.visitor, aName());
    const fresh = await addDomain(person.visitor, aName());
    const listed = await person.ask("GET", "/api/v1/domains");
    clientModels["iosDomains"]?.parse(listed.body);
    const isProven = {
      active: true,
      domain_verified_at: expect.any(String),
      domain_sending_verified_at: expect.any(String),
    };
    expect(listed.body.data).toMatchObject([
      { domain, ...isProven, aliases_count: 0 },
      { domain: fresh.domain, active: false, domain_verified_at: null, domain_sending_verified_at: null },
    ]);
    expect((await other.ask("GET", "/api/v1/domains")).body).toEqual({ data: [] });
    const choices = (await person.ask("GET", "/api/v1/domain-options")).body.data;
    expect([choices.length, choices.at(-1)]).toEqual([testDomains.length + 1, domain]);
    expect((await other.ask("GET", "/api/v1/domain-options")).body.data).not.toContain(domain);
    const custom = { domain, format: "custom", local_part: "admin" };
    expect((await make(person, custom)).body.data).toMatchObject({ email: `admin@${domain}` });
    expect((await make(person, { domain, format: "uuid" })).body.data.email).toContain(`@${domain}`);
    expect((await make(other, custom)).status).toBe(422);
    expect((await make(person, { ...custom, domain: fresh.domain })).status).toBe(422);
    expect((await person.ask("GET", "/api/v1/account-details")).body.data.active_domain_count).toBe(1);
  });

  it("lists an alias that its first mail made, switches it, describes and deletes it", async () => {
    const person = await newPerson(server);
    const { domain } = await proveDomain(dns, person.visitor, aName());
    await appear(person.userId, { name: "shop.k7", domain, to: person.mailbox });
    const listed = async () => (await person.ask("GET", "/api/v1/aliases")).body.data;
    const [made] = await listed();
    expect(made).toMatchObject({ email: `shop.k7@${domain}`, local_part: "shop.k7", domain, active: true });
    const path = `/api/v1/aliases/${made.id}`;
    expect((await person.ask("PATCH", path, { description: "of the shop" })).body.data.description).toBe("of the shop");
    expect((await person.ask("DELETE", `/api/v1/active-aliases/${made.id}`)).status).toBe(204);
    expect(await listed()).toMatchObject([{ active: false, description: "of the shop" }]);
    const [alias] = (await person.visitor.call("listAliases")).body.aliases;
    expect(alias.madeByMail).toMatchObject({ organisation: "shop.example" });
    expect((await person.ask("DELETE", path)).status).toBe(204);
    expect(await listed()).toEqual([]);
  });
});

describe.skipIf(isProviderRun)("an API key", () => {
  it("makes aliases on own domains, and can neither read nor change the domains themselves", async () => {
    const { visitor, mailbox } = await newPerson(server);
    const { id, domain } = await proveDomain(dns, visitor, aName());
    const program = new Visitor(server);
    program.userId = visitor.userId;
    const headers = bearer((await newKey(visitor)).secret);
    const body = { alias: "shop", domain, forwardTo: mailbox };
    expect((await program.call("createAlias", { headers, body })).body).toMatchObject({ domain });
    expect((await program.call("generateAlias", { headers, body: { domain } })).body).toMatchObject({ domain });
    const params = { domainId: id };
    for (const { status, body: refused } of [
      await program.call("listAccountDomains", { headers }),
      await program.call("addAccountDomain", { headers, body: { domain: aName() } }),
      await program.call("checkAccountDomain", { headers, params }),
      await program.call("deleteAccountDomain", { headers, params }),
    ])
      expect([status, refused.code]).toEqual([403, "key_scope"]);
  });
});

describe.skipIf(isProviderRun)("an import", () => {
  const upload = async (visitor: Visitor, lines: readonly string[], query = "") => {
    const headers = { "content-type": "application/octet-stream" };
    const payload = Buffer.from(["alias,note,enabled,mailboxes", ...lines].join("\r\n"));
    return visitor.send({ method: "POST", url: `/api/imports${query}`, payload, headers });
  };
  const run = async (visitor: Visitor, importId: string) => {
    await visitor.call("runImport", { params: { importId } });
    for (;;) {
      const { body } = await visitor.send({ method: "GET", url: `/api/imports/${importId}` });
      if (body.state !== "running") return body;
      await wait(20);
    }
  };
  const addresses = async (visitor: Visitor) =>
    (await visitor.call("listAliases")).body.aliases.map(
      (one: { alias: string; domain: string }) => `${one.alias}@${one.domain}`,
    );

  it("moves aliases on own domains as they are, and gives those on another account's domain twins", async () => {
    const [ann, eve] = [await new Visitor(server).register(), await new Visitor(server).register()];
    const { domain } = await proveDomain(dns, ann, aName());
    const lines = [
      `info@${domain.toUpperCase()},,True,ann@people.example`,
      `postmaster@${domain},,True,ann@people.example`,
      `loop@${domain},,True,me@${domain}`,
    ];
    const { body } = await upload(ann, lines);
    expect(body.counts).toMatchObject({ create: 1, reserved: 1, twin: 0, invalid: 1 });
    await run(ann, body.importId);
    expect(await addresses(ann)).toEqual([`info@${domain}`]);
    expect((await ann.call("listAccountDomains")).body.domains).toMatchObject([{ aliasCount: 1 }]);
    const hers = await upload(eve, lines.slice(0, 1));
    expect(hers.body.counts).toMatchObject({ create: 0, twin: 1 });
    expect((await upload(eve, lines, `?domain=${domain}`)).body.errors).toHaveProperty("domain");
    expect((await upload(ann, lines, `?domain=${domain}`)).body.domain).toBe(domain);
  });

  it("makes nothing on a domain that was removed after its file was read", async () => {
    const ann = await new Visitor(server).register();
    const { id, domain } = await proveDomain(dns, ann, aName());
    const name = `a${randomUUID().slice(0, 8)}`;
    const lines = [`info@${domain},,True,ann@people.example`, `${name}@kauke.test,,True,ann@people.example`];
    const { body } = await upload(ann, lines);
    expect((await ann.call("deleteAccountDomain", { params: { domainId: id } })).status).toBe(200);
    expect(await run(ann, body.importId)).toMatchObject({ state: "done", made: 1 });
    expect(await addresses(ann)).toEqual([`${name}@kauke.test`]);
  });
});
