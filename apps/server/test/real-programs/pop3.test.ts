/** The always empty POP3 mailbox, read by curl and by Python's poplib with the credentials of an alias. */
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import type { TalkLogin } from "@kauke/testkit/smtp-talk";
import { startSystem } from "@kauke/testkit/system";
import { beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const { mx, system, person } = await setUpForwarding({ env: { KAUKE_LIMITS: "smtp_login_ip=4/600" } });

let aliasId: string;
let login: TalkLogin & { id: string };
beforeAll(async () => {
  aliasId = (await person.createAlias({ forwardTo: "jonas.real@inbox.example" })).id;
  login = await person.createSmtpCredential(aliasId);
});

const curl = (password: string, ...more: string[]) =>
  run("curl", ["-sk", "-u", `${login.username}:${password}`, ...more, `pop3s://127.0.0.1:${system.pop3sPort}/`]);

const lastUse = async () => {
  const { body } = await person.call("GET", `/api/smtp-credentials/alias/${aliasId}`);
  return (body as { credentials: { lastUsedOn: string | null }[] }).credentials[0]?.lastUsedOn;
};

test("curl lists an empty mailbox by each way to sign in, and the day of that is shown", async () => {
  expect(await lastUse()).toBeNull();
  for (const more of [[], ["--login-options", "AUTH=PLAIN"], ["--sasl-ir"]])
    expect((await curl(login.password, ...more)).stdout.trim()).toBe("");
  await expect.poll(lastUse).toBe(new Date().toISOString().slice(0, 10));
});

test("poplib reads it as an empty mailbox, although the alias gets mail", async () => {
  const program = `
import poplib, ssl, sys
ssl_context = ssl._create_unverified_context()
box = poplib.POP3_SSL("127.0.0.1", ${system.pop3sPort}, context=ssl_context, timeout=20)
box.user(sys.argv[1]); box.pass_(sys.stdin.readline().strip())
assert box.stat() == (0, 0) and box.list()[1] == [] and box.uidl()[1] == [], box.stat()
assert "USER" in box.capa()
for call in (box.retr, box.dele):
  try: call(1); raise SystemExit("a message")
  except poplib.error_proto: pass
box.noop(); box.rset(); print(box.quit().decode())`;
  const python = run("python3", ["-c", program, login.username]);
  python.child.stdin?.end(`${login.password}\n`);
  expect((await python).stdout.trim()).toBe("+OK Bye");
});

test("wrong passwords count as those of submission, the right one works on, and no password is logged", async () => {
  for (let n = 0; n < 6; n++) await expect(curl("of-nobody-1234")).rejects.toMatchObject({ code: 67 });
  expect((await curl(login.password)).stdout.trim()).toBe("");
  const logged = JSON.stringify(system.log.events);
  for (const secret of [login.password, "of-nobody-1234", login.username]) expect(logged).not.toContain(secret);
});

test("a paused alias and a deleted credential do not sign in", async () => {
  await person.call("PATCH", `/api/aliases/${aliasId}/toggle`, { active: false });
  await expect(curl(login.password)).rejects.toMatchObject({ code: 67 });
  await person.call("DELETE", `/api/smtp-credentials/${login.id}/alias/${aliasId}`);
  await expect(curl(login.password)).rejects.toMatchObject({ code: 67 });
});

test("a server whose POP3 port is taken starts without it, and `off` leaves it out", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const without = await startSystem({ env: { KAUKE_POP3S_PORT: String(port) } });
  expect([without.pop3sPort, without.submissionsPort > 0]).toEqual([0, true]);
  const fields = { code: "EADDRINUSE", port };
  expect(without.log.events).toContainEqual({ level: "warn", event: "pop3s_not_listening", fields });
  await without.close();
  taken.close();
  const off = await startSystem({ env: { KAUKE_POP3S_PORT: "off" } });
  expect([off.pop3sPort, off.log.events.filter(({ level }) => level !== "info")]).toEqual([0, []]);
  const path = "/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=a@kauke.test";
  expect([(await fetch(`${off.url}${path}`)).status, (await fetch(`${system.url}${path}`)).status]).toEqual([404, 200]);
  await off.close();
  expect(mx.messages).toEqual([]);
});
