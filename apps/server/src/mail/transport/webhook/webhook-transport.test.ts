import { createServer } from "node:net";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { FakeWebhook, type FakeWebhookOptions } from "@kauke/testkit/fakes/fake-webhook";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { describe, expect, test } from "vitest";
import { parseAllowList } from "../address-guard.ts";
import { endingBy, postingBy } from "../outgoing-mail.testing.ts";
import type { WebhookCall } from "../transport.ts";
import { createWebhookTransport, type WebhookTransportOptions, webhookHeaders } from "./webhook-transport.ts";

const open = closeAfterEach();

async function fakeHook(options: FakeWebhookOptions = {}): Promise<FakeWebhook> {
  const hook = await FakeWebhook.start(options);
  open.push(() => hook.close());
  return hook;
}

const secret = Buffer.alloc(32, 7);
const call = (url: string, changes: Partial<WebhookCall> = {}): WebhookCall => ({
  url,
  id: "delivery-1",
  secret,
  body: Buffer.from('{"type":"email.received"}'),
  ...changes,
});

function transport(changes: Partial<WebhookTransportOptions> & { zone?: FakeDnsZone } = {}) {
  const { zone = {}, ...options } = changes;
  const made = createWebhookTransport({
    resolver: createFakeDns(zone),
    allow: parseAllowList(["127.0.0.1"]),
    ...options,
  });
  open.push(() => made.close());
  return postingBy(made);
}

const failed = (kind: string, code: string) => ({ kind, failure: { code } });

describe("a call", () => {
  test("is one signed POST with the exact body", async () => {
    const hook = await fakeHook();
    const now = new Date("2026-01-02T03:04:05Z");
    expect(await transport({ now: () => now }).post(call(`${hook.url}?a=b%20c`))).toEqual({ kind: "taken" });
    const [request] = hook.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hook?a=b%20c" });
    expect(request?.body.toString()).toBe('{"type":"email.received"}');
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Kauke",
      "content-length": "25",
      ...webhookHeaders(call(hook.url), now),
    });
  });

  test("over TLS needs a valid certificate", async () => {
    const hook = await fakeHook({ tls: { key: testKey, cert: testCertificate } });
    expect(await transport({ ca: testCertificate }).post(call(hook.url))).toEqual({ kind: "taken" });
    expect(await transport().post(call(hook.url))).toMatchObject(failed("deferred", "tls_failed"));
    const zone = { "wrong.test": { a: ["127.0.0.1"] }, "hooks.example.test": { a: ["127.0.0.1"] } };
    const named = (name: string) =>
      transport({ ca: testCertificate, zone }).post(call(hook.url.replace("127.0.0.1", name)));
    expect(await named("hooks.example.test")).toEqual({ kind: "taken" });
    expect(await named("wrong.test")).toMatchObject(failed("deferred", "tls_failed"));
  });

  test.each([
    [200, "taken", ""],
    [202, "taken", ""],
    [204, "taken", ""],
    [299, "taken", ""],
    [410, "refused", "webhook_gone"],
    [301, "deferred", "webhook_status"],
    [307, "deferred", "webhook_status"],
    [400, "deferred", "webhook_status"],
    [404, "deferred", "webhook_status"],
    [429, "deferred", "webhook_status"],
    [500, "deferred", "webhook_status"],
  ])("answered with status %i is %s %s", async (status, kind, code) => {
    const hook = await fakeHook({ statuses: [status] });
    const outcome = await transport().post(call(hook.url));
    expect(outcome).toMatchObject(code === "" ? { kind } : failed(kind, code));
  });

  test("never follows a redirect", async () => {
    const inside = await fakeHook();
    const hook = await fakeHook({ respond: (_, response) => response.writeHead(302, { location: inside.url }).end() });
    expect(await transport().post(call(hook.url))).toMatchObject(failed("deferred", "webhook_status"));
    expect(inside.requests).toEqual([]);
  });

  test("looks up the name again and opens a new connection for each delivery", async () => {
    const hook = await fakeHook();
    let address = "127.0.0.1";
    const made = transport({ zone: { "hooks.example.test": () => ({ a: [address] }) } });
    const url = hook.url.replace("127.0.0.1", "hooks.example.test");
    expect(await made.post(call(url))).toEqual({ kind: "taken" });
    expect(await made.post(call(url))).toEqual({ kind: "taken" });
    address = "127.0.0.9";
    expect(await made.post(call(url))).toMatchObject(failed("refused", "address_not_allowed"));
    expect(hook.requests).toHaveLength(2);
  });
});

describe("no attack URL reaches the internal network", () => {
  test("known spellings of internal addresses are refused, with a server listening there", async () => {
    const hook = await fakeHook();
    let asked = 0;
    const zone: FakeDnsZone = {
      "inside.test": { a: ["127.0.0.1"] },
      "mixed.test": { a: ["8.8.8.8", "127.0.0.1"] },
      "mixed6.test": { a: ["127.0.0.1"], aaaa: ["2606:4700::1111"] },
      "mapped.test": { aaaa: ["::ffff:127.0.0.1"] },
      // DNS rebinding: public when the alias was saved, internal when the mail arrives.
      "rebinding.test": () => ({ a: [asked++ === 0 ? "8.8.8.8" : "127.0.0.1"] }),
    };
    const resolver = createFakeDns(zone);
    await resolver.resolve4("rebinding.test");
    const made = createWebhookTransport({ resolver, allow: parseAllowList([]), totalMs: 1000 });
    open.push(() => made.close());
    const hosts = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "0177.0.0.1",
      "017700000001",
      "0.0.0.0",
      "0",

      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[0:0:0:0:0:ffff:127.0.0.1]",
      "①②⑦.⓪.⓪.①",
      "127。0。0。1",
      "127.0.0.1.",
      "localhost",
      "localhost.",
      "LocalHost",
      "a.localhost",
      "inside.test",
      "inside.test.",
      "rebinding.test",
      "mixed.test",
      "mixed6.test",
      "mapped.test",
    ];
    for (const host of hosts) {
      const outcome = await postingBy(made).post(call(`http://${host}:${hook.port}/`));
      expect([host, outcome]).toMatchObject([host, failed("refused", "address_not_allowed")]);
    }
    expect(hook.requests).toEqual([]);
  });

  test("other schemes and well-known ports of other services are refused", async () => {
    for (const url of ["http://8.8.8.8:25/", "https://8.8.8.8:22/", "ftp://8.8.8.8/", "gopher://x.test/", "nonsense"])
      expect(await transport().post(call(url))).toMatchObject(failed("refused", "address_not_allowed"));
  });
});

describe("a failed call is tried again", () => {
  test("when the port is closed or the name is unknown", async () => {
    const hook = await fakeHook();
    const { url } = hook;
    await hook.close();
    open.length = 0;
    expect(await transport().post(call(url))).toMatchObject(failed("deferred", "unreachable"));
    expect(await transport().post(call("http://missing.test/"))).toMatchObject(failed("deferred", "dns_failed"));
    const zone = { "broken.test": { fails: true } };
    expect(await transport({ zone }).post(call("http://broken.test/"))).toMatchObject(failed("deferred", "dns_failed"));
  });

  test("when the receiver closes the connection, or does not speak HTTP", async () => {
    for (const word of ["", "220 mail.example ESMTP\r\n"]) {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.end(word);
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      open.push(async () => server.close());
      const { port } = server.address() as { port: number };
      expect(await transport().post(call(`http://127.0.0.1:${port}/`))).toMatchObject(
        failed("deferred", "connection_lost"),
      );
    }
  });

  test("when the response is missing or arrives too slowly", async () => {
    const silent = await fakeHook({ respond: () => {} });
    expect(await transport({ stageMs: 50 }).post(call(silent.url))).toMatchObject(failed("deferred", "timed_out"));
    const dripping = await fakeHook({
      respond: (_, response) => {
        const drip = setInterval(() => response.writeProcessing(), 10);
        response.on("close", () => clearInterval(drip));
      },
    });
    const outcome = await transport({ stageMs: 1000, totalMs: 80 }).post(call(dripping.url));
    expect(outcome).toMatchObject(failed("deferred", "timed_out"));
  });

  test("when a signal aborts it", async () => {
    const silent = await fakeHook({ respond: () => {} });
    expect(await transport().post(call(silent.url), endingBy(AbortSignal.timeout(30)))).toMatchObject(
      failed("deferred", "timed_out"),
    );
    expect(await transport().post(call(silent.url), endingBy(AbortSignal.abort()))).toMatchObject({ kind: "deferred" });
  });
});

test("an endless response is cut off after 64 KiB, and its status counts", async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const hook = await fakeHook({
    respond: (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      };
      response.on("drain", more).on("close", closed.resolve);
      more();
    },
  });
  expect(await transport().post(call(hook.url))).toEqual({ kind: "taken" });
  await closed.promise;
  // Bytes that were in socket buffers when the connection was closed count as written.
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

// The worked example of the Standard Webhooks specification, verified with `openssl dgst -sha256 -mac HMAC`.
test("signing the published example gives the published signature", () => {
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const sentAt = new Date(1614265330 * 1000 + 999);
  expect(webhookHeaders({ id, secret, body: Buffer.from('{"test": 2432232314}') }, sentAt)).toEqual({
    "webhook-id": id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
