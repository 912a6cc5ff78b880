/**
 * Third-party mail programs submit every fixture: the body is sent byte for byte, and the header except for the fields
 * that we change.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { stuff } from "@kauke/mail-rfc";
import { bodyOf, lastingFields } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const vectors = new URL("../../../../test-vectors/eml/", import.meta.url);
/**
 * Fixtures that cannot arrive unchanged: those without a complete header, to which the programs add fields, and those
 * with calendars, which we change.
 */
const others = new Set(["headers-only.eml", "no-headers.eml", "body-at-once.eml", "calendar-invite.eml"]);
const fixtures = readdirSync(vectors).filter((name) => name.endsWith(".eml") && !others.has(name));
const folder = mkdtempSync(join(tmpdir(), "kauke-programs-"));

const { mx, system, person } = await setUpForwarding();
let to: string;

beforeAll(async () => {
  to = `${(await person.createAlias({ forwardTo: "jonas@inbox.example" })).alias}@kauke.test`;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Handover {
  /** Sender address, different for each program, to tell the copies apart. */
  from: string;
  file: string;
  port: number;
}

const smtplib = `
import smtplib, sys
port, to, *pairs = sys.argv[1:]
client = smtplib.SMTP("127.0.0.1", int(port))
for sender, path in zip(pairs[::2], pairs[1::2]):
    with open(path, "rb") as file:
        client.sendmail(sender, [to], file.read(), mail_options=["BODY=8BITMIME"])
client.quit()
`;

interface Program {
  path: string;
  send(mails: readonly Handover[]): Promise<void>;
  /** Whether the program is run once for each message, which takes a quarter of a second. */
  isSlow?: boolean;
}

const programs: Record<string, Program> = {
  swaks: {
    path: "/usr/bin/swaks",
    isSlow: true,
    send: oneByOne(async ({ from, file, port }) => {
      // With `--no-data-fixup` swaks sends the file unchanged, so the file must be dot-stuffed and end with the final
      // dot.
      const whole = `${file}.swaks`;
      writeFileSync(whole, Buffer.concat([stuff(readFileSync(file)), Buffer.from(".\r\n")]));
      const args = [
        "--server",
        `127.0.0.1:${port}`,
        "--from",
        from,
        "--to",
        to,
        "--no-data-fixup",
        "--data",
        `@${whole}`,
      ];
      await run("/usr/bin/swaks", args);
    }),
  },
  msmtp: {
    path: "/usr/bin/msmtp",
    send: oneByOne(async ({ from, file, port }) => {
      const rc = join(folder, "msmtprc");
      const settings = ["host 127.0.0.1", `port ${port}`, "tls on", "tls_certcheck off", "remove_bcc_headers off"];
      const text = ["account a", ...settings, "set_date_header off", "set_msgid_header off", "account default : a", ""];
      writeFileSync(rc, text.join("\n"), { mode: 0o600 });
      const child = run("/usr/bin/msmtp", ["-C", rc, "-f", from, to]);
      child.child.stdin?.end(readFileSync(file));
      await child;
    }),
  },
  curl: {
    path: "/usr/bin/curl",
    send: oneByOne(async ({ from, file, port }) => {
      const args = ["--silent", "--show-error", "--ssl-reqd", "--insecure", `smtp://127.0.0.1:${port}/client.example`];
      await run("/usr/bin/curl", [...args, "--mail-from", from, "--mail-rcpt", to, "--upload-file", file]);
    }),
  },
  "Python's smtplib": {
    path: "/usr/bin/python3",
    async send(mails) {
      const pairs = mails.flatMap(({ from, file }) => [from, file]);
      await run("/usr/bin/python3", ["-c", smtplib, String(system.mxPort), to, ...pairs]);
    },
  },
};

function oneByOne(send: (mail: Handover) => Promise<void>): Program["send"] {
  return async (mails) => {
    for (const mail of mails) await send(mail);
  };
}

describe.each(Object.entries(programs))("%s", (name, { path, send, isSlow = false }) => {
  const isThere = existsSync(path);
  if (!isThere) console.log(`${path} is not installed: its tests are skipped.`);

  test.skipIf(!isThere)("submits every fixture, and it is sent unchanged", { timeout: 120_000 }, async () => {
    const tried = isSlow && !isLongRun ? fixtures.filter((_, index) => index % 5 === 0) : fixtures;
    const { messages } = mx;
    messages.length = 0;
    const mails = tried.map((fixture, index) => {
      const file = join(folder, fixture);
      writeFileSync(file, readFileSync(new URL(fixture, vectors)));
      return { from: `f${index}@sender.example`, file, port: system.mxPort };
    });
    await send(mails);
    await mx.waitForMessages(tried.length);
    const changed = tried.filter((fixture, index) => {
      const sent = readFileSync(new URL(fixture, vectors));
      const bytes = messages.find((it) => it.envelopeFrom.includes(`=f${index}@`))?.bytes ?? Buffer.alloc(0);
      const hasSameFields = JSON.stringify(lastingFields(bytes, sent)) === JSON.stringify(lastingFields(sent));
      return !(hasSameFields && bodyOf(bytes).equals(bodyOf(sent)));
    });
    expect(changed, name).toEqual([]);
  });
});

describe("neomutt", () => {
  const isThere = spawnSync("/usr/bin/neomutt", ["-v"]).status === 0;
  if (!isThere) console.log("/usr/bin/neomutt is not installed: its tests are skipped.");

  test.skipIf(!isThere)("submits what it composes, attachment included", async () => {
    mx.messages.length = 0;
    const rc = join(folder, "neomuttrc");
    const settings = [
      `set smtp_url = "smtp://127.0.0.1:${system.mxPort}"`,
      "set ssl_starttls = no",
      "set ssl_force_tls = no",
      "set copy = no",
      "set use_envelope_from = yes",

      'set from = "ann@sender.example"',
      'set envelope_from_address = "ann@sender.example"',
      "set hostname = mutt.example",
      'set charset = "utf-8"',
    ];
    writeFileSync(rc, `${settings.join("\n")}\n`);
    const file = join(folder, "notes.bin");
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 256));
    writeFileSync(file, bytes);
    const child = run("/usr/bin/neomutt", ["-n", "-F", rc, "-s", "by neomutt – ąč", "-a", file, "--", to], {
      env: { ...process.env, HOME: folder, LANG: "C.UTF-8" },
    });
    child.child.stdin?.end(".one dot\nžinutė\n");
    await child;
    const [mail] = await mx.waitForMessages(1);
    const text = String(mail?.bytes);
    expect(text).toContain("Subject: by neomutt =?utf-8?");
    const attached = /filename="?notes\.bin"?[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/.exec(text)?.[1] ?? "";
    expect(Buffer.from(attached, "base64").equals(bytes)).toBe(true);
    expect(text).toMatch(/\r\n\.one dot\r\n/);
  });
});
