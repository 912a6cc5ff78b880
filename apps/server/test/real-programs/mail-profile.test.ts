/** A mail program that set itself up from a profile sends as the alias, and the test of the connection says the same. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { expect, test } from "vitest";

const run = promisify(execFile);
const resolver = createFakeDns({ "smtp.kauke.test": { a: ["127.0.0.1"] } });
const { mx, system, person } = await setUpForwarding({ env: { KAUKE_LIMITS: "off" }, overrides: { resolver } });

/** Reads a profile from standard input and sends with its values, by Python's plistlib, poplib and smtplib. */
const program = `
import plistlib, poplib, smtplib, ssl, sys
at = plistlib.loads(sys.stdin.buffer.read())["PayloadContent"][0]
context = ssl._create_unverified_context()
box = poplib.POP3_SSL("127.0.0.1", int(sys.argv[1]), context=context, timeout=20)
box.user(at["IncomingMailServerUsername"]); box.pass_(at["IncomingPassword"])
assert box.stat() == (0, 0)
box.quit()
smtp = smtplib.SMTP_SSL("127.0.0.1", int(sys.argv[2]), context=context, timeout=20)
smtp.login(at["OutgoingMailServerUsername"], at["IncomingPassword"])
sender = at["EmailAddress"]
smtp.sendmail(sender, ["ann@outside.example"], f"From: {sender}\\r\\nTo: ann@outside.example\\r\\nSubject: hello\\r\\n\\r\\nthe text")
smtp.quit()`;

test("from link to sent message", async () => {
  const { id } = await person.createAlias({ forwardTo: "jonas.real@inbox.example" });
  const { username, password } = await person.createSmtpCredential(id);
  const made = await person.call("POST", `/api/smtp-credentials/alias/${id}/profile`);
  const { url } = made.body as { url: string };
  const profile = await (await fetch(`${system.url}${new URL(url).pathname}`)).text();
  const python = run("python3", ["-c", program, String(system.pop3sPort), String(system.submissionsPort)]);
  python.child.stdin?.end(profile);
  await python;
  await expect.poll(() => mx.messages.length).toBe(1);
  expect(mx.messages[0]?.bytes.toString()).toContain(`From: ${username}`);

  const tested = await person.call("POST", `/api/smtp-credentials/alias/${id}/test`);
  const local = { name: "found", connection: "open", certificate: "self_signed" };
  expect(tested).toEqual({ status: 200, body: { ...local, signIn: "accepted" } });
  await person.call("PATCH", `/api/aliases/${id}/toggle`, { active: false });
  expect((await person.call("POST", `/api/smtp-credentials/alias/${id}/test`)).body).toEqual({
    ...local,
    signIn: "paused",
  });
  const logged = JSON.stringify(system.log.events);
  for (const secret of [password, username, new URL(url).pathname]) expect(logged).not.toContain(secret);
});
