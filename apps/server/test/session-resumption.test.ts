/** TLS sessions of mail hosts that connect again, with several mail workers behind one port. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { startSystem } from "@kauke/testkit/system";
import { afterAll, expect, test } from "vitest";

const WORKERS = 3;
const system = await startSystem({ env: { KAUKE_WORKERS: String(WORKERS) } });
afterAll(() => system.close());

const say = async (socket: Socket, line: string) => {
  socket.write(`${line}\r\n`);
  return String((await once(socket, "data"))[0]);
};

/** Connects, upgrades to TLS and leaves. @returns whether the session was resumed, and one to resume next time */
async function visit(session?: Buffer): Promise<{ isResumed: boolean; session: Buffer | undefined }> {
  const plain = connect(system.mxPort, "127.0.0.1");
  await once(plain, "data");
  await say(plain, "EHLO client.example");
  expect(await say(plain, "STARTTLS")).toMatch(/^220 /);
  const secure = connectTls({ socket: plain, rejectUnauthorized: false, ...(session && { session }) });
  let latest: Buffer | undefined;
  secure.on("session", (given: Buffer) => (latest = given));
  await once(secure, "secureConnect");
  const isResumed = secure.isSessionReused();
  expect(await say(secure, "QUIT")).toMatch(/^221 /);
  secure.destroy();
  return { isResumed, session: latest };
}

test("a mail host resumes its TLS session whichever worker gets its next connection", async () => {
  let { session, isResumed } = await visit();
  expect(isResumed).toBe(false);
  for (let again = 0; again < 4 * WORKERS; again++) {
    ({ session = session, isResumed } = await visit(session));
    expect(isResumed).toBe(true);
  }
});
