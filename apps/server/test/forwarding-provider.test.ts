/** What a person does with aliases that a forwarding provider forwards, and what the provider has of it afterwards. */
import { rm } from "node:fs/promises";
import type { AliasWire, ForwardingWire } from "@kauke/contract";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { confirmationToken } from "@kauke/testkit/confirm-mailbox";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import type { Person } from "@kauke/testkit/person";
import { forwardThrough } from "@kauke/testkit/provider-run";
import {
  forwardingOf,
  type ProviderOptions,
  type ProviderSystem,
  startProviderSystem,
  untilSetUp,
} from "@kauke/testkit/provider-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir } from "@kauke/testkit/server-process";
import { insertStoredKey } from "@kauke/testkit/stored-key";
import { relayTo, startSystem } from "@kauke/testkit/system";
import { describe, expect, test } from "vitest";

const closers = closeAfterEach();

/** At its end, the provider must have met nothing that a careful client does not send. */
async function start(options?: ProviderOptions): Promise<ProviderSystem> {
  const started = await startProviderSystem(options);
  closers.push(async () => {
    await started.close();
    expect(started.provider.violations).toEqual([]);
  });
  return started;
}

const addressOf = ({ alias, domain }: Pick<AliasWire, "alias" | "domain">) => `${alias}@${domain}`;
const change = (person: Person, id: string, body: object) => person.call("PUT", `/api/aliases/${id}`, body);
const setActive = (person: Person, id: string, active: boolean) =>
  person.call("PATCH", `/api/aliases/${id}/toggle`, { active });

async function aliasNow(person: Person, id: string): Promise<AliasWire | undefined> {
  return (await person.listAliases()).find((alias) => alias.id === id);
}

async function soleUnfinished(person: Person): Promise<ForwardingWire["unfinished"][number] | undefined> {
  return (await forwardingOf(person)).unfinished[0];
}

describe("an alias", () => {
  test("is made at the provider within two seconds, with our mark, and its id there is kept", async () => {
    const { provider, person } = await start();
    const alias = await person.createAlias({ forwardTo: "ann@mailbox.example", notes: "for the doctor" });
    await untilSetUp(person, 2000);
    const copy = provider.alias(addressOf(alias));
    expect(copy).toMatchObject({
      recipients: ["ann@mailbox.example"],
      is_enabled: true,
      description: `kauke:${alias.id}`,
      labels: [],
      has_imap: false,
      has_recipient_verification: false,
    });
    expect(await aliasNow(person, alias.id)).toMatchObject({ providerId: copy?.id });
    expect(JSON.stringify(provider.calls)).not.toContain("doctor");
  });

  test("drops its mail while it is paused, and forwards again when it is active", async () => {
    const { provider, person } = await start();
    const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
    await untilSetUp(person);
    await setActive(person, alias.id, false);
    await untilSetUp(person);
    const paused = { is_enabled: false, error_code_if_disabled: 250, recipients: ["ann@mailbox.example"] };
    expect(provider.alias(addressOf(alias))).toMatchObject(paused);
    await setActive(person, alias.id, true);
    await untilSetUp(person);
    expect(provider.forwardsTo(addressOf(alias))).toEqual(["ann@mailbox.example"]);
  });

  test("changes its destinations in one step, so that it never forwards to a mix of old and new ones", async () => {
    const { provider, person } = await start();
    const alias = await person.createAlias({ forwardTo: "ann@mailbox.example, bob@mailbox.example" });
    await untilSetUp(person);
    await change(person, alias.id, { forwardTo: "https://hooks.example/in, cleo@mailbox.example" });
    await untilSetUp(person);
    const states = provider.history.filter(({ address }) => address === addressOf(alias));
    expect(states.map(({ recipients, isEnabled }) => [isEnabled, ...recipients])).toEqual([
      [true, "ann@mailbox.example", "bob@mailbox.example"],
      [true, "https://hooks.example/in", "cleo@mailbox.example"],
    ]);
  });

  test("is renamed there, and its former address is free", async () => {
    const { provider, person } = await start();
    const alias = await person.createAlias({ alias: "before", forwardTo: "ann@mailbox.example" });
    await untilSetUp(person);
    const former = provider.alias(addressOf(alias));
    await change(person, alias.id, { alias: "After" });
    await untilSetUp(person);
    expect(provider.aliases("kauke.test").map(({ id, name }) => [id, name])).toEqual([[former?.id, "after"]]);
  });

  test("swaps its name with another one", async () => {
    const { provider, person } = await start();
    const [one, two] = [
      await person.createAlias({ alias: "one", forwardTo: "ann@mailbox.example" }),
      await person.createAlias({ alias: "two", forwardTo: "bob@mailbox.example" }),
    ];
    await untilSetUp(person);
    await change(person, one.id, { alias: "three" });
    await change(person, two.id, { alias: "one" });
    await change(person, one.id, { alias: "two" });
    await untilSetUp(person, 30_000);
    expect(provider.forwardsTo("one@kauke.test")).toEqual(["bob@mailbox.example"]);
    expect(provider.forwardsTo("two@kauke.test")).toEqual(["ann@mailbox.example"]);
    expect(provider.aliases("kauke.test")).toHaveLength(2);
  });

  test("is gone from the provider when it is deleted; while the provider refuses that, it is off", async () => {
    const { provider, person } = await start();
    const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
    await untilSetUp(person);
    provider.store.refusesDeletion = true;
    await person.call("DELETE", `/api/aliases/${alias.id}`);
    await expect.poll(() => provider.alias(addressOf(alias))).toMatchObject({ is_enabled: false });
    provider.store.refusesDeletion = false;
    await expect.poll(() => provider.alias(addressOf(alias))).toBeUndefined();
    await untilSetUp(person);
  });

  test("is off, asking senders to try again, while its mail is to be encrypted", async () => {
    const { provider, person, system } = await start();
    const key = await insertStoredKey(system.server.store, person.user.id);
    const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
    await untilSetUp(person);
    await change(person, alias.id, { sealTo: key.id });
    await untilSetUp(person);
    expect(provider.alias(addressOf(alias))).toMatchObject({ is_enabled: false, error_code_if_disabled: 421 });
    expect(await soleUnfinished(person)).toMatchObject({ aliasId: alias.id, state: "held", held: "encrypted" });
    await change(person, alias.id, { sealTo: "off" });
    await untilSetUp(person);
    expect(provider.forwardsTo(addressOf(alias))).toEqual(["ann@mailbox.example"]);
    expect(await soleUnfinished(person)).toBeUndefined();
  });
});

test("a hundred imported aliases are all there, and all gone with the account", async () => {
  const { provider, person, system } = await start();
  const names = Array.from({ length: 100 }, (_, number) => `shop-${String(number).padStart(3, "0")}`);
  const rows = names.map((name) => `${name}@kauke.test,,True,ann@mailbox.example`);
  const file = ["alias,note,enabled,mailboxes", ...rows].join("\r\n");
  const { importId } = (await (
    await fetch(`${system.url}/api/imports`, {
      method: "POST",
      headers: { cookie: person.cookie, "content-type": "application/octet-stream" },
      body: file,
    })
  ).json()) as { importId: string };
  await person.call("POST", `/api/imports/${importId}/run`);
  const stateNow = async () => (await person.call("GET", `/api/imports/${importId}`)).body;
  await expect.poll(stateNow).toMatchObject({ state: "done", made: 100 });
  await untilSetUp(person, 30_000);
  expect(
    provider
      .aliases("kauke.test")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
  expect(await person.call("DELETE", "/api/account")).toMatchObject({ status: 200 });
  await expect.poll(() => provider.aliases("kauke.test"), { timeout: 30_000 }).toEqual([]);
});

test("the SMTP password is set at the provider, replaced there, and useless once the credential is deleted", async () => {
  const { provider, person } = await start();
  const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
  const credential = await person.createSmtpCredential(alias.id);
  const passwordThere = () => provider.alias(addressOf(alias))?.password;
  await untilSetUp(person);
  expect(passwordThere()).toBe(credential.password);
  const path = `/api/smtp-credentials/${credential.id}/alias/${alias.id}`;
  const { body } = await person.call("PATCH", `${path}/regenerate`);
  await untilSetUp(person);
  const { password } = (body as { credential: { password: string } }).credential;
  expect([passwordThere(), password === credential.password]).toEqual([password, false]);
  await person.call("DELETE", path);
  await untilSetUp(person);
  expect(passwordThere()).not.toBe(password);
});

test("an unconfirmed mailbox is asked at once, gets nothing, and joins when it is confirmed", async () => {
  const mx = await FakeMx.start();
  closers.push(() => mx.close());
  const relay = { KAUKE_DELIVERY: "relay", KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}` };
  const { provider, person } = await start({ confirmation: true, env: relay });
  const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
  const [request] = await mx.waitForMessages(1);
  await untilSetUp(person);
  expect(provider.alias(addressOf(alias))).toMatchObject({ is_enabled: false, error_code_if_disabled: 421 });
  expect(await soleUnfinished(person)).toMatchObject({ state: "held", held: "unconfirmed" });
  const token = confirmationToken(request?.bytes ?? Buffer.alloc(0));
  expect(await person.call("POST", "/api/confirmation", { token, choice: "mine" })).toMatchObject({ status: 200 });
  await expect.poll(() => provider.forwardsTo(addressOf(alias))).toEqual(["ann@mailbox.example"]);
  // A second mailbox, which has not confirmed, is left out.
  await change(person, alias.id, { forwardTo: "ann@mailbox.example, bob@mailbox.example" });
  await untilSetUp(person);
  expect(provider.forwardsTo(addressOf(alias))).toEqual(["ann@mailbox.example"]);
  expect(mx.messages).toHaveLength(2);
});

test("an alias of somebody else at the provider is a conflict that is seen, and untouched until it is solved", async () => {
  const { provider, person } = await start();
  const foreign = { recipients: ["somebody@else.example"], description: "not ours" };
  provider.putAlias("mine@kauke.test", foreign);
  const alias = await person.createAlias({ alias: "mine", forwardTo: "ann@mailbox.example" });
  const seen = { aliasId: alias.id, state: "failed", problem: "conflict" };
  await expect.poll(() => soleUnfinished(person)).toMatchObject(seen);
  await change(person, alias.id, { forwardTo: "bob@mailbox.example" });
  await expect.poll(async () => (await soleUnfinished(person))?.state).toBe("failed");
  expect(provider.alias("mine@kauke.test")).toMatchObject(foreign);
  provider.removeAlias("mine@kauke.test");
  expect(await person.call("POST", `/api/aliases/${alias.id}/set-up`)).toMatchObject({ status: 200 });
  await untilSetUp(person);
  expect(provider.forwardsTo("mine@kauke.test")).toEqual(["bob@mailbox.example"]);
});

test("what the provider refuses is said in our words and tried again at once when a person asks for it", async () => {
  const { provider, person } = await start();
  provider.faultFor(({ method }) =>
    method === "POST"
      ? { kind: "status", status: 400, body: { message: "<b>Nein</b>, secret@provider.example" } }
      : null,
  );
  const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
  await expect.poll(() => soleUnfinished(person)).toMatchObject({ state: "failed", problem: "refused" });
  expect(JSON.stringify(await forwardingOf(person))).not.toMatch(/Nein|provider\.example/);
  provider.faultFor(() => null);
  await person.call("POST", `/api/aliases/${alias.id}/set-up`);
  await untilSetUp(person, 2000);
  expect(provider.forwardsTo(addressOf(alias))).toEqual(["ann@mailbox.example"]);
});

test("without the settings the same aliases forward by our engine; back at the provider, it has what changed", async () => {
  const dataDir = await makeDataDir();
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const mx = await FakeMx.start();
  closers.push(() => mx.close());
  const { provider, person, system } = await start({ env: { KAUKE_DATA_DIR: dataDir } });
  const alias = await person.createAlias({ forwardTo: "ann@mailbox.example" });
  const [paused, deleted] = [
    await person.createAlias({ forwardTo: "ann@mailbox.example" }),
    await person.createAlias({ forwardTo: "ann@mailbox.example" }),
  ];
  await untilSetUp(person);
  await system.close();

  const byEngine = await startSystem({ env: { ...relayTo(mx), KAUKE_FORWARDING: "engine", KAUKE_DATA_DIR: dataDir } });
  const message = "From: Bob <bob@example.net>\r\nSubject: hello\r\n\r\nhello\r\n";
  expect((await sendMail({ port: byEngine.mxPort, to: addressOf(alias), message })).last).toMatch(/^250 /);
  expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual(["ann@mailbox.example"]);
  const change = (method: string, path: string, body: object) =>
    fetch(`${byEngine.url}/api/aliases/${path}`, {
      method,
      headers: { cookie: person.cookie, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await change("PUT", alias.id, { forwardTo: "bob@mailbox.example" })).status).toBe(200);
  expect((await change("PATCH", `${paused.id}/toggle`, { active: false })).status).toBe(200);
  expect((await change("DELETE", deleted.id, {})).status).toBe(200);
  await byEngine.close();

  const again = await startSystem({
    env: { ...forwardThrough(provider), KAUKE_LIMITS: "off", KAUKE_DATA_DIR: dataDir },
  });
  closers.push(() => again.close());
  await expect.poll(() => provider.forwardsTo(addressOf(alias))).toEqual(["bob@mailbox.example"]);
  await expect.poll(() => provider.forwardsTo(addressOf(paused))).toEqual([]);
  await expect.poll(() => provider.aliases("kauke.test").length).toBe(2);
});
