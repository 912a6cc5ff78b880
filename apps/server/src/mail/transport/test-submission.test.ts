import { createServer as createPlainServer, type Server } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { expect, onTestFinished, test } from "vitest";
import { makeSelfSigned } from "../../platform/self-signed.ts";
import { testSubmission } from "./test-submission.ts";

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

const own = { cert: testCertificate, key: testKey };

function talking(replies: readonly string[], pair = own): Promise<number> {
  return portOf(
    createServer(pair, (socket: TLSSocket) => {
      const left = [...replies];
      socket.on("error", () => {});
      socket.write(left.shift() ?? "");
      socket.on("data", () => socket.write(left.shift() ?? ""));
    }),
  );
}

const login = { username: "shop@kauke.test", password: "secret" };
const ask = (port: number, serverName = "localhost", resolver = createFakeDns()) =>
  testSubmission({ serverName, host: "127.0.0.1", port, resolver }, login);

test("every stage is told", async () => {
  const port = await talking(["220 x\r\n", "250-x\r\n250 AUTH PLAIN\r\n", "235 2.7.0 Welcome\r\n"]);
  const resolver = createFakeDns({ localhost: { aaaa: ["::1"] } });
  const all = { name: "found", connection: "open", certificate: "self_signed", signIn: "accepted" };
  expect(await ask(port, "localhost", resolver)).toEqual(all);
});

test.each([
  ["a wrong password", "535 5.7.8 wrong\r\n", "refused"],
  ["a limit", "454 4.7.0 later\r\n", "later"],
  ["no reply that can be understood", "\x80\r\n", "later"],
])("%s", async (_, said, signIn) => {
  const replies = ["220 x\r\n", "250 x\r\n", said];
  const port = await portOf(
    createServer(own, (socket: TLSSocket) => {
      const left = [...replies];
      socket.on("error", () => {});
      socket.write(left.shift() ?? "");
      socket.on("data", () => {
        socket.write(left.shift() ?? "");
        if (left.length === 0) socket.end();
      });
    }),
  );
  expect(await ask(port)).toMatchObject({ name: "missing", connection: "open", signIn });
});

test("a certificate of another name, and one that is over", async () => {
  const day = 86_400_000;
  const pairOf = (host: string, from: number, to: number) =>
    makeSelfSigned({
      commonName: host,
      hosts: [host],
      notBefore: new Date(Date.now() + from * day),
      notAfter: new Date(Date.now() + to * day),
    });
  const replies = ["220 x\r\n", "250 x\r\n", "235 ok\r\n"];
  const other = await talking(replies, pairOf("other.example", -1, 9));
  expect((await ask(other, "smtp.kauke.test")).certificate).toBe("other_name");
  const over = await talking(replies, pairOf("smtp.kauke.test", -9, -1));
  expect((await ask(over, "smtp.kauke.test")).certificate).toBe("expired");
});

test("a port that is closed, speaks no TLS, greets otherwise, or floods", async () => {
  const gone = createPlainServer();
  const port = await portOf(gone);
  await new Promise((done) => gone.close(done));
  expect(await ask(port)).toEqual({ name: "missing", connection: "closed", certificate: null, signIn: null });
  const plain = await portOf(createPlainServer((socket) => void socket.on("error", () => {}).end("220 plain\r\n")));
  expect((await ask(plain)).connection).toBe("closed");
  for (const greeting of ["+OK POP3\r\n".repeat(2000), "421 too many\r\n"])
    expect(await ask(await talking([greeting]))).toMatchObject({ connection: "no_greeting", signIn: null });
});
