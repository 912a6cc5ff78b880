/** The operator retries and drops the queue of one destination host, beside a real delivery worker and without one. */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { relayTo, startSystem } from "@kauke/testkit/system";
import { afterAll, expect, test, vi } from "vitest";

afterAll(removeDataDirs);

const message = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";
/** Both hosts, and neither the sender's, take nothing for now. */
const away = {
  answer: ({ stage, line }: { stage: string; line: string }) =>
    stage === "rcpt" && /@[ab]\.example/.test(line) ? "450 4.2.1 later" : undefined,
};
const dropped = "the operator of this server took it out of the queue";

test("dropping a host's queue tells its owners and senders, and a retry of another host delivers its mail", async () => {
  const dns = createFakeDns({ "sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
  await using running = await startForwardingSystem({ dns, mx: away, env: { KAUKE_RETRY_SCHEDULE: "1h,1h" } });
  const { mx, system, person } = running;
  const { control, store } = system.server;
  const aliases = [
    await person.createAlias({ forwardTo: "jonas@a.example" }),
    await person.createAlias({ forwardTo: "rasa@b.example" }),
  ];
  for (const { alias } of aliases) {
    const { last } = await sendMail({
      port: system.mxPort,
      from: "ann@sender.example",
      to: `${alias}@kauke.test`,
      message,
    });
    expect(last).toMatch(/^250 /);
  }
  await vi.waitFor(async () => {
    const { hosts } = await control["queue-hosts"]({});
    expect(hosts.map(({ host, running, failure }) => [host, running, failure])).toEqual([
      ["a.example", 0, "there is no such mailbox"],
      ["b.example", 0, "there is no such mailbox"],
    ]);
  }, 10_000);
  const attempts = () => mx.commands.filter((line) => /^RCPT TO:<\w+@[ab]\./i.test(line)).length;
  const before = attempts();

  expect(await control["queue-drop"]({ host: "A.example" })).toBe(1);
  const [report] = await mx.waitForMessages(1);
  expect(report?.rcptTo).toEqual(["ann@sender.example"]);
  expect(String(report?.bytes)).toContain(`Final-Recipient: rfc822; ${aliases[0]?.alias}@kauke.test`);
  expect(String(report?.bytes)).toContain("Status: 5.3.0");
  expect(String(report?.bytes)).not.toMatch(/jonas|a\.example/);
  await vi.waitFor(async () => {
    const texts = (await person.notices()).map(({ text }) => text);
    expect(texts).toEqual([
      `Mail to ${aliases[0]?.alias}@kauke.test could not be delivered to jonas@a.example: ${dropped}.`,
    ]);
  });
  expect(attempts()).toBe(before);
  await vi.waitFor(async () => expect(await store.deliveries.count()).toBe(1));
  expect((await control["queue-hosts"]({})).hosts).toMatchObject([{ host: "b.example", open: 1 }]);

  mx.options = {};
  expect(await control["queue-retry"]({ host: "b.example" })).toBe(1);
  const [, delivered] = await mx.waitForMessages(2);
  expect(delivered?.rcptTo).toEqual(["rasa@b.example"]);
  await vi.waitFor(async () => expect((await control["queue-hosts"]({})).hosts).toEqual([]));
  expect((await control["acts-list"]({ isAll: false })).map(({ by, act, on }) => [by, act, on])).toEqual([
    ["command", "queue_retried", "b.example"],
    ["command", "queue_dropped", "a.example"],
  ]);
});

test("without a server the command only marks the mail, and the next start ends it without an attempt", async () => {
  const dataDir = await makeDataDir();
  await using mx = await FakeMx.start(away);
  const env = { ...relayTo(mx), KAUKE_DATA_DIR: dataDir, KAUKE_RETRY_SCHEDULE: "1h,1h" };
  let system = await startSystem({ env });
  const person = await registerPerson(system.url);
  const { alias } = await person.createAlias({ forwardTo: "jonas@a.example" });
  await sendMail({ port: system.mxPort, to: `${alias}@kauke.test`, message });
  await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(1), 10_000);
  await system.close();

  const kauke = (...args: string[]) => kaukeInTurns(args, { dataDir, env: relayTo(mx) });
  const shown = await kauke("queue");
  expect(shown.out).toMatch(/^a\.example +1 +0 .* there is no such mailbox$/m);
  expect(shown.out).not.toContain("@");
  expect((await kauke("queue", "drop", "a.example")).code).toBe(2);
  expect((await kauke("queue", "drop", "a.example", "--yes")).out).toBe("1 delivery is given up.\n");
  expect((await kauke("queue", "drop", "a.example", "--yes")).code).toBe(1);
  expect((await kauke("queue", "retry", "a.example")).err).toBe("No delivery waits for this host.\n");
  expect((await kauke("acts")).out).toMatch(/^\S+ \S+ {2}command +queue dropped +a\.example\n$/);

  mx.reset();
  system = await startSystem({ env });
  try {
    const { notices, deliveries } = system.server.store;
    await vi.waitFor(async () => expect(await deliveries.count()).toBe(0), 10_000);
    expect((await notices.listForUser(person.user.id)).map(({ text }) => text).join()).toContain(dropped);
    expect(mx.commands).toEqual([]);
  } finally {
    await system.close();
  }
}, 60_000);
