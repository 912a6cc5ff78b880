/** DNS look-ups of one message: a late answer fails only its own look-up. */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { expect, test } from "vitest";
import { MessageDns } from "./message-dns.ts";

const codeOf = (asked: Promise<string[]>) =>
  asked.then(
    (records) => records.join(),
    (thrown: { code: string }) => thrown.code,
  );

test("answers have the form of node:dns, and failures its error codes", async () => {
  const dns = new MessageDns(
    createFakeDns({ "a.example": { a: ["192.0.2.1"] }, "b.example": { fails: true } }),
    10_000,
  );
  expect(await codeOf(dns.ask("a.example"))).toBe("192.0.2.1");
  expect(await codeOf(dns.ask("a.example", "TXT"))).toBe("ENODATA");
  expect(await codeOf(dns.ask("c.example", "TXT"))).toBe("ENOTFOUND");
  expect(await codeOf(dns.ask("b.example", "TXT"))).toBe("ESERVFAIL");
  expect(await dns.answerTo("B.example", "TXT")).toEqual({ kind: "failed" });
  expect(await dns.answerTo("c.example", "TXT")).toEqual({ kind: "no_name" });
  expect(dns.wasCut).toBe(false);
  dns.close();
});

test("at the deadline pending look-ups fail, new ones are not started, and answers stay available", async () => {
  const fake = createFakeDns({ "a.example": { a: ["192.0.2.1"] }, "silent.example": { isSilent: true } });
  const dns = new MessageDns(fake, 50);
  expect(await codeOf(dns.ask("a.example"))).toBe("192.0.2.1");
  expect(await codeOf(dns.ask("silent.example"))).toBe("ETIMEOUT");
  expect(await codeOf(dns.ask("new.example"))).toBe("ETIMEOUT");
  expect(await codeOf(dns.ask("a.example"))).toBe("192.0.2.1");
  expect(dns.wasCut).toBe(true);
  expect(fake.questions).toEqual(["A a.example", "A silent.example"]);
  dns.close();
});

test("the deadline can be brought forward but not lifted", async () => {
  const dns = new MessageDns(createFakeDns({ "silent.example": { isSilent: true } }), 60_000);
  const began = performance.now();
  const asked = codeOf(dns.ask("silent.example"));
  dns.endIn(20);
  expect(await asked).toBe("ETIMEOUT");
  expect(performance.now() - began).toBeLessThan(10_000);
  dns.endIn(60_000);
  expect(await codeOf(dns.ask("new.example"))).toBe("ETIMEOUT");
  dns.close();
});
