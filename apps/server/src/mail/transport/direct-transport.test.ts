/** MTA-STS in direct delivery (RFC 8461 §5); delivery without a policy is tested in transports.test.ts. */
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { type FakeStsHost, startFakeStsHost, stsFile } from "@kauke/testkit/fakes/fake-sts-host";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllowList } from "./address-guard.ts";
import { createDirectTransport } from "./direct-transport.ts";
import { outgoingMail, sendingBy } from "./outgoing-mail.testing.ts";

const tls = { key: testKey, cert: testCertificate };
const tlsFailed = { kind: "deferred", failure: { code: "tls_failed", enhancedStatus: "4.7.5" } };
const mail = outgoingMail({ rcptTo: "b@example.test" });
let policyHost: FakeStsHost;
const open = closeAfterEach();

beforeAll(async () => {
  policyHost = await startFakeStsHost();
});
afterAll(() => policyHost.close());

/**
 * A mail host at 127.0.0.1 that is MX under each of `names`, best first, and a transport that knows only this domain.
 */
async function setUp(policy: string, names: readonly string[], options: FakeMxOptions = { tls }) {
  policyHost.answer.file = policy;
  const mx = await FakeMx.start(options);
  const zone: FakeDnsZone = {
    "example.test": { mx: names.map((name, index) => [index, name] as const) },
    "mta-sts.example.test": { a: ["127.0.0.1"] },
    "_mta-sts.example.test": { txt: ["v=STSv1; id=1"] },
  };
  for (const name of names) zone[name] = { a: ["127.0.0.1"] };
  const counted: string[] = [];
  const transport = createDirectTransport({
    resolver: createFakeDns(zone),
    allow: parseAllowList(["127.0.0.1"]),
    port: mx.port,
    stsPort: policyHost.port,
    mailHost: "mail.kauke.test",
    extraCa: testCertificate,
    onPolicy: (mode, result) => counted.push(`${mode} ${result}`),
  });
  open.push(
    () => mx.close(),
    () => transport.close(),
  );
  return { mx, transport: sendingBy(transport), counted };
}

test("with an enforced policy mail goes to a listed host with a valid certificate", async () => {
  const { mx, transport, counted } = await setUp(stsFile("enforce", ["*.example.test"]), ["mx.example.test"]);
  expect(await transport.send(mail)).toEqual({ kind: "taken" });
  expect(mx.messages[0]?.isSecure).toBe(true);
  expect(counted).toEqual(["enforce listed"]);
});

const stripped: FakeMxOptions = {};
const refusing: FakeMxOptions = {
  tls,
  answer: ({ stage }) => (stage === "starttls" ? "454 4.7.0 not now" : undefined),
};

test.each<[string, string, FakeMxOptions]>([
  ["a certificate of another name", "mx.elsewhere.test", { tls }],
  ["no STARTTLS", "mx.example.test", stripped],
  ["STARTTLS refused", "mx.example.test", refusing],
])("with an enforced policy %s defers the mail, and nothing is sent in the clear", async (_, name, options) => {
  const { mx, transport } = await setUp(stsFile("enforce", [name]), [name], options);
  expect(await transport.send(mail)).toEqual(tlsFailed);
  expect(mx.connections).toBe(1);
  expect(mx.commands.filter((it) => /^(MAIL|RCPT|DATA)/.test(it))).toEqual([]);
});

test("without a policy the same host gets mail over TLS with the wrong certificate", async () => {
  const { mx, transport, counted } = await setUp("", ["mx.elsewhere.test"]);
  expect(await transport.send(mail)).toEqual({ kind: "taken" });
  expect(mx.messages[0]?.isSecure).toBe(true);
  expect(counted).toEqual([]);
});

test("with an enforced policy no connection is made to a host that is not listed", async () => {
  const { mx, transport, counted } = await setUp(stsFile("enforce", ["other.example.test"]), ["mx.example.test"]);
  expect(await transport.send(mail)).toEqual(tlsFailed);
  expect(mx.connections).toBe(0);
  expect(counted).toEqual(["enforce not_listed"]);
});

test("with an enforced policy the listed host gets the mail, even when an unlisted one is preferred", async () => {
  const names = ["forged.elsewhere.test", "mx.example.test"];
  const { mx, transport } = await setUp(stsFile("enforce", ["mx.example.test"]), names);
  expect(await transport.send(mail)).toEqual({ kind: "taken" });
  expect(mx.connections).toBe(1);
});

test("a policy in testing mode changes nothing and is counted", async () => {
  const policy = stsFile("testing", ["other.example.test"]);
  const { mx, transport, counted } = await setUp(policy, ["mx.example.test"], stripped);
  expect(await transport.send(mail)).toEqual({ kind: "taken" });
  expect(mx.messages[0]?.isSecure).toBe(false);
  expect(counted).toEqual(["testing not_listed"]);
});
