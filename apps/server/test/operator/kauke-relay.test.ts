/**
 * What an operator sees of a relay that does not accept our mail: the log of a real server, its metric, and `kauke
 * doctor`.
 */

import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, ordinaryExtensions } from "@kauke/testkit/fakes/fake-mx";
import { registerPerson } from "@kauke/testkit/person";
import { runKauke } from "@kauke/testkit/programs/run-kauke";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, expect, it } from "vitest";

afterAll(removeDataDirs);

it("a wrong password at the relay is logged, counted, and reported by doctor until it is right", {
  timeout: 120_000,
}, async () => {
  let isRight = false;
  await using mx = await FakeMx.start({
    extensions: [...ordinaryExtensions, "AUTH PLAIN"],
    answer: ({ stage }) => (stage === "auth" && !isRight ? "535 5.7.8 wrong password for secret-user" : undefined),
  });
  await using dns = await startFakeDnsServer();
  const dataDir = await makeDataDir();
  const env = {
    KAUKE_RELAY_URL: `smtp://secret-user:secret-word@127.0.0.1:${mx.port}`,
    KAUKE_DNS_SERVERS: dns.address,
    KAUKE_AUTHENTICATION: "off",
    KAUKE_LIMITS: "off",
  };
  const server = await startServerProcess({ dataDir, env });
  try {
    const person = await registerPerson(server.url);
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const message = "From: ann@example.org\r\nSubject: hi\r\n\r\nbody\r\n";
    const { last } = await sendMail({ port: server.mxPort, to: `${alias.alias}@kauke.test`, message });
    expect(last).toMatch(/^250 /);
    expect(server.output()).toMatch(/"event":"relay_refused","code":"login_failed","status":535/);
    const dead = await runKauke(["doctor"], { dataDir, env });
    expect(dead.code).toBe(1);
    expect(dead.out).toMatch(/^fix +relay connection +It refused the login \(reply 535\), so no mail leaves: correct/m);
    isRight = true;
    const alive = await runKauke(["doctor"], { dataDir, env });
    expect(alive.out).toMatch(/^ok +relay connection +It accepts our login and our sender \(reply 250\)/m);
    expect(`${dead.out}${alive.out}${server.output()}`).not.toMatch(/secret-/);
  } finally {
    await server.stop();
  }
});

it("a relay whose name the configured name servers do not know is reported, and those servers were queried", {
  timeout: 120_000,
}, async () => {
  await using dns = await startFakeDnsServer();
  const dataDir = await makeDataDir();
  const env = { KAUKE_RELAY_URL: "smtp://relay.invalid.example:25", KAUKE_DNS_SERVERS: dns.address };
  const server = await startServerProcess({ dataDir, env });
  const { out } = await runKauke(["doctor"], { dataDir, env });
  await server.stop();
  expect(out).toMatch(/^fix +relay connection +It can't be reached, so no mail leaves: check host and port/m);
  expect(dns.questions).toContain("A relay.invalid.example");
});
