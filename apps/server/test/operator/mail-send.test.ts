/** `npm run mail:send` as a person uses it: a process of its own beside a server on free ports. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../../../scripts/mail-send.ts", import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), "kauke-mail-send-"));
let system: TestSystem;
let person: Person;

beforeAll(async () => {
  system = await startSystem({ env: { KAUKE_DATA_DIR: dataDir } });
  person = await registerPerson(system.url);
});

afterAll(async () => {
  await system.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs the command without any of this test's settings, so that it must find the ports itself. */
function mailSend(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env: Object.fromEntries(kept) }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

test("a file with LF line ends is accepted, at the ports of the server that runs on the data directory", async () => {
  const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const file = join(dataDir, "plain.eml");
  writeFileSync(file, "From: ann@example.org\nSubject: from a file\n\nfirst\r\nsecond\n.\nlast");
  const to = `${alias}@kauke.test`;
  const { code, out, err } = await mailSend("--to", to, "--eml", file, "--data", dataDir);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(`RCPT TO:<${to}>  250 2.1.5 Ok`);
  expect(out).toMatch(/^DATA {2}250 2\.0\.0 Ok /m);
  // The command requested the verdicts of the mail path's stages from the HTTP port of the same server.
  expect(out).toMatch(/^ {2}deliver {2}taken +jonas@inbox\.example$/m);
  const mail = (await system.server.preview?.list())?.find((it) => it.rcptTo === "jonas@inbox.example");
  expect(String(system.server.preview?.raw(mail?.id ?? ""))).toContain(
    "Subject: from a file\r\n\r\nfirst\r\nsecond\r\n.\r\nlast\r\n",
  );
});

test.each([["--help"], ["-h"]])("%s prints every option and sends nothing", async (option) => {
  const { code, out } = await mailSend(option);
  expect(code).toBe(0);
  for (const name of ["--to", "--from", "--eml", "--port", "--web", "--data"]) expect(out).toContain(`${name} <`);
});

test.each([
  [[], "Missing recipient. "],
  [["--to", "shop@kauke.test", "--eml", "/nowhere.eml"], "There is no readable file /nowhere.eml."],
  [["--to", "shop@kauke.test", "--port", "1", "--data", "/nowhere"], "Nothing answers SMTP on port 1."],
  [["--too", "shop@kauke.test"], "--too"],
])("%j prints one sentence and how to get help", async (args, sentence) => {
  const { code, err } = await mailSend(...args);
  expect(code).toBe(1);
  expect(err).toContain(sentence);
  expect(err).toContain("npm run mail:send -- --help");
});
