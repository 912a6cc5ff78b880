/**
 * A webhook that answers 410 is paused: it is no longer called, its owner is notified, and it is resumed when the
 * alias' destinations are saved again.
 */
import type { AliasWire } from "@kauke/contract";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test, vi } from "vitest";

const { mx, hook, system, person } = await setUpForwarding({ env: { KAUKE_RETRY_SCHEDULE: "2s,2s,2s" } });

beforeEach(() => hook.reset());

async function send({ alias }: AliasWire, from = "ann@sender.example") {
  const to = `${alias}@kauke.test`;
  const message = `From: ${from}\r\nTo: ${to}\r\nSubject: hi\r\n\r\nhello\r\n`;
  return (await sendMail({ port: system.mxPort, from, to, message })).last;
}

const now = async ({ id }: AliasWire) => (await person.listAliases()).find((it) => it.id === id);
const noticesOf = async ({ id }: AliasWire) =>
  (await person.notices()).filter((it) => it.aliasId === id).map((it) => it.text);
const save = ({ id, forwardTo }: AliasWire) => person.call("PUT", `/api/aliases/${id}`, { forwardTo });

test("after one answer of 410 it is no longer called; the alias' mailbox gets its mail as before", async () => {
  hook.options = { statuses: [410] };
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  expect(alias).not.toHaveProperty("pausedWebhooks");
  expect(await send(alias)).toMatch(/^250 /);
  expect(await now(alias)).toMatchObject({ forwardTo: alias.forwardTo, active: true, pausedWebhooks: [hook.url] });
  expect(await noticesOf(alias)).toEqual([
    `Mail to ${alias.alias}@kauke.test could not be delivered to ${hook.url}: it answered that it is gone for good (410). ` +
      "It is paused until you save where the alias forwards again.",
  ]);
  const before = mx.messages.length;
  expect(await send(alias)).toMatch(/^250 /);
  expect([hook.requests.length, mx.messages.length]).toEqual([1, before + 1]);
});

test("saved again, even unchanged, it is called again; pausing and activating the alias alone does not resume it", async () => {
  hook.options = { statuses: [410] };
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  await send(alias);
  for (const active of [false, true]) await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active });
  expect(await now(alias)).toMatchObject({ active: true, pausedWebhooks: [hook.url] });
  await send(alias);
  expect(hook.requests.length).toBe(1);
  expect((await save(alias)).body).not.toHaveProperty("pausedWebhooks");
  await send(alias);
  expect(hook.requests.length).toBe(2);
});

test("an alias without another destination rejects mail before its body, until it is saved again", async () => {
  hook.options = { statuses: [410] };
  const alias = await person.createAlias({ forwardTo: hook.url });
  const refusal = "550 5.7.1 Mail is refused where this alias leads";
  expect([await send(alias), await send(alias)]).toEqual([refusal, refusal]);
  expect(hook.requests.length).toBe(1);
  expect(await noticesOf(alias)).toHaveLength(1);
  await save(alias);
  expect(await send(alias)).toMatch(/^250 /);
});

test("mail queued for it fails without another call", async () => {
  hook.options = { statuses: [503, 410] };
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  expect([await send(alias), await send(alias)]).toEqual([
    expect.stringMatching(/^250 /),
    expect.stringMatching(/^250 /),
  ]);
  expect(await system.server.store.deliveries.countForAlias(alias.id)).toBe(1);
  await vi.waitFor(async () => expect(await system.server.store.deliveries.countForAlias(alias.id)).toBe(0), {
    timeout: 10_000,
  });
  expect(hook.requests.length).toBe(2);
});
