import { X509Certificate } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { afterEach, describe, expect, it } from "vitest";
import { makeSelfSigned } from "../../platform/self-signed.ts";
import { dnsPlan } from "../dns-plan.ts";
import { checkCertificate, checkPorts } from "./port-checks.ts";

/**
 * Certificate for mail.kauke.example and smtp.kauke.example, valid until 2126, issued by an authority that no longer
 * exists.
 */
const issued = `-----BEGIN CERTIFICATE-----
MIIBtTCCAVugAwIBAgIUEh+ZqfoXFajGD2f6Daqr1FLIVJcwCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUS2F1a2UgdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMTA1MTA4
WhgPMjEyNjEwMjgxMDUxMDhaMB0xGzAZBgNVBAMMEm1haWwua2F1a2UuZXhhbXBs
ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHFoPkukEohGyVLUpKUSMswP9Bv5
uo/9mVp4PZvi3zMHrYDsvYBeKVwqeBKZBaIoa4qy4/9R2hKNR+rhdisj+P+jdTBz
MDEGA1UdEQQqMCiCEm1haWwua2F1a2UuZXhhbXBsZYISc210cC5rYXVrZS5leGFt
cGxlMB0GA1UdDgQWBBQkitSLQ3FDhv/TmRlaxZ9ylKQa8jAfBgNVHSMEGDAWgBSe
c34zknNAGk/ny+rQ1/7PA1arIDAKBggqhkjOPQQDAgNIADBFAiAIconLZM6Ff/WL
/EPhBajx7je5j+eH+hCxcp3GDb8pKAIhAIlYl1IGqv5aGufCB4q3Dsc0HCSAmrpW
dUIlB0YFr0wk
-----END CERTIFICATE-----
`;

const now = new Date("2026-11-21T12:00:00Z");
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);

describe("a certificate", () => {
  const target = { host: "127.0.0.1", port: 25, serverName: "mail.kauke.example", isTlsAtOnce: false, now };
  const selfSigned = (validDays: number, host = target.serverName) =>
    makeSelfSigned({ commonName: "x", hosts: [host], notBefore: days(-400), notAfter: days(validDays) }).cert;
  it.each([
    ["of an authority is fine", issued, { isTrusted: true }, "ok"],
    ["that is nearly over is told in time", issued, { isTrusted: true, now: new Date("2126-10-20T00:00:00Z") }, "warn"],
    ["that is over must be renewed", issued, { isTrusted: false, now: new Date("2127-01-01T00:00:00Z") }, "fix"],
    ["without its chain is told", issued, { isTrusted: false }, "warn"],
    ["of another name must be replaced", issued, { isTrusted: true, serverName: "mx.other.example" }, "fix"],
    ["signed by itself is told", selfSigned(300), { isTrusted: false }, "warn"],
    ["signed by itself and over must be renewed", selfSigned(-1), { isTrusted: false }, "fix"],
    ["signed by itself for another name must be replaced", selfSigned(300, "a.example"), { isTrusted: false }, "fix"],
  ])("%s", (_, pem, change, state) => {
    const result = checkCertificate(new X509Certificate(pem), { ...target, ...change });
    expect([result.state, result.check]).toEqual([state, "certificate"]);
  });
});

describe("a port", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function portOf(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return (server.address() as AddressInfo).port;
  }

  /** A server that answers each line according to its first word. */
  function talking(greeting: string, answers: Record<string, string>) {
    return (socket: Socket) => {
      socket.on("error", () => {});
      socket.write(greeting);
      socket.on("data", (line) => socket.write(answers[String(line).slice(0, 4)] ?? "500 What?\r\n"));
    };
  }

  async function stateOf(ports: Record<string, number>, pop3sPort: number | null = null): Promise<string[]> {
    const publicUrl = "https://localhost";
    const ofMail = { mailHost: "localhost", delivery: "preview" as const, services: ["submission"], pop3sPort };
    const facts = { host: "127.0.0.1", ports, publicUrl, ...ofMail };
    const plan = dnsPlan({
      domains: ["example.test"],
      mailHost: "localhost",
      dkim: [],
      ownCertificate: false,
      publicUrl: "http://localhost:3000",
      publicUrlGiven: false,
      dmarcReports: null,
      pop3sPort,
    });
    const results = await checkPorts(facts, plan, now);
    return results.map((it) => `${it.state} ${it.check} ${it.subject.replace(/\b\d+$/, "N")}`);
  }

  it("without a listener has to be fixed", async () => {
    const server = createServer();
    const port = await portOf(server);
    await new Promise((done) => server.close(done));
    expect(await stateOf({ mx: port, http: port })).toEqual(["fix port http N", "fix port mx N"]);
  });

  it("of another program, or of a server that is too busy, has to be fixed", async () => {
    const port = await portOf(createServer(talking("421 4.7.0 Too many\r\n", {})));
    expect(await stateOf({ mx: port })).toEqual(["fix port mx N"]);
  });

  it("without STARTTLS has to be fixed", async () => {
    const port = await portOf(createServer(talking("220 x\r\n", { EHLO: "250-x\r\n250 SIZE\r\n" })));
    expect(await stateOf({ mx: port })).toEqual(["fix port mx N"]);
  });

  it("whose handshake fails has to be fixed", async () => {
    const answers = { EHLO: "250-x\r\n250 STARTTLS\r\n", STAR: "220 go\r\nnonsense\r\n" };
    const port = await portOf(createServer(talking("220 x\r\n", answers)));
    expect(await stateOf({ submission: port })).toEqual(["fix port submission N"]);
  });

  it("for POP3 that greets, or that could not be opened, is told", async () => {
    const greeting = (socket: TLSSocket) => void socket.end("+OK ready\r\n");
    const port = await portOf(createTlsServer({ cert: testCertificate, key: testKey }, greeting));
    expect(await stateOf({ pop3s: port }, port)).toEqual(["ok port pop3s N", "warn certificate smtp.example.test N"]);
    expect(await stateOf({}, 995)).toEqual(["warn port pop3s N"]);
  });

  it("that closes at once has to be fixed", async () => {
    const port = await portOf(createServer((socket) => socket.destroy()));
    expect(await stateOf({ mx: port, submissions: port })).toEqual(["fix port mx N", "fix port submissions N"]);
  });

  it("for https is checked for its certificate, and the http port for where it redirects", async () => {
    const https = await portOf(createTlsServer({ cert: testCertificate, key: testKey }));
    const leading = (location: string) =>
      portOf(createHttpServer(({ url }, response) => response.writeHead(url === "/" ? 308 : 200, { location }).end()));
    const right = ["ok port http N", "ok redirect http N", "ok port https N", "warn certificate localhost N"];
    expect(await stateOf({ https, http: await leading("https://localhost/") })).toEqual(right);
    const wrong = await stateOf({ https, http: await leading("https://other.example/") });
    expect(wrong).toEqual(right.with(1, "fix redirect http N"));
    const none = await portOf(createServer((socket) => socket.destroy()));
    expect(await stateOf({ https: none })).toEqual(["fix port https N"]);
  });

  it("with implicit TLS is ok, and its certificate is checked for the name that users get", async () => {
    const tls = createTlsServer({ cert: testCertificate, key: testKey }, talking("220 x\r\n", { QUIT: "221 bye\r\n" }));
    const port = await portOf(tls);
    expect(await stateOf({ submissions: port })).toEqual([
      "ok port submissions N",
      "warn certificate smtp.example.test N",
    ]);
  });
});
