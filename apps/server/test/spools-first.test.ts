/** The override the benchmarks use: everything goes through the spool and is tried once, from there. */
import { failingDisk } from "@kauke/testkit/failing-disk";
import { FakeMx } from "@kauke/testkit/fake-mx";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { startSystem } from "@kauke/testkit/system";
import { afterAll, expect, test, vi } from "vitest";

afterAll(removeDataDirs);

test("a server that spools first asks no destination before the message is on disk, and then asks it once", async () => {
  await using mx = await FakeMx.start();
  const disk = failingDisk();
  const system = await startSystem({
    env: {
      KAUKE_DATA_DIR: await makeDataDir(),
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`,
      KAUKE_LIMITS: "off",
    },
    overrides: { spoolsFirst: true, store: { disk: disk.disk } },
  });
  try {
    const person = await registerPerson(system.url);
    const { id, alias, domain } = await person.createAlias({ forwardTo: "user@out.test" });
    const mail = {
      port: system.mxPort,
      from: "sender@remote.test",
      to: `${alias}@${domain}`,
      message: Buffer.from("From: sender@remote.test\r\nSubject: hello\r\n\r\nhello\r\n"),
    };
    disk.failing = { call: "sync", code: "EIO" };
    const refused = await sendMail(mail);
    const asked = mx.connections;
    disk.failing = null;
    const taken = await sendMail(mail);
    await mx.waitForMessages(1);
    await vi.waitFor(async () => expect(await system.server.store.deliveries.countForAlias(id)).toBe(0));
    expect({ refused: refused.last.slice(0, 3), asked, taken: taken.last.slice(0, 3) }).toEqual({
      refused: "451",
      asked: 0,
      taken: "250",
    });
    expect(mx.commands.filter((it) => it.startsWith("MAIL FROM"))).toHaveLength(1);
  } finally {
    await system.close();
  }
});
