/**
 * Sends one message to the local MX and prints the verdict of each stage of the mail path and where the message went.
 * The ports come from the server that runs on the data directory, otherwise from the settings; `--help` lists the
 * options.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatDate } from "@kauke/mail-rfc";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { limitNames } from "@kauke/server/limits/named-limits";
import { readConfigOrExit } from "@kauke/server/settings/read-config";
import { sendMail } from "@kauke/testkit/send-mail";
import { repositoryRoot } from "./source-files.ts";

const usage = `Sends one message to the server on this machine and shows what became of it.

npm run mail:send -- --to <address> [options]

  --to <address>    an alias, e.g. shop@kauke.test; may be given several times
  --from <address>  the sender (ann@example.org)
  --eml <file>      the message as a file, with line ends of any kind; without it a short one is written
  --port <port>     SMTP port (that of the running server, else KAUKE_MX_PORT)
  --web <origin>    web server that is asked for the verdicts (the running one, else KAUKE_HTTP_PORT)
  --data <folder>   data directory of the server (KAUKE_DATA_DIR, else data)
  --help            this text
`;

interface Outgoing {
  to: readonly string[];
  from: string;
  eml: string | undefined;
}

interface Server {
  port: number;
  web: string;
  dataDir: string;
}

/** Thrown for wrong arguments or a missing prerequisite; only its message is printed, without a stack trace. */
class UsageError extends Error {}

function readArguments() {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({
      options: {
        to: { type: "string", multiple: true },
        from: { type: "string", default: "ann@example.org" },
        help: { type: "boolean", short: "h", default: false },
        eml: text,
        port: text,
        web: text,
        data: text,
      },
    });
    return values;
  } catch (thrown) {
    throw new UsageError((thrown as Error).message);
  }
}

/**
 * Finds the ports: a server that runs on the data directory has written them there, whoever started it and with
 * whatever settings.
 */
async function findServer(given: { port?: string; web?: string; data?: string }): Promise<Server> {
  const config = readConfigOrExit(repositoryRoot(), limitNames);
  const dataDir = given.data === undefined ? config.dataDir : resolve(given.data);
  const path = controlPath(dataDir);
  const facts =
    path === null
      ? null
      : await controlClient(path)
          .facts({})
          .catch(() => null);
  const { mx = config.mx.port, http = config.http.port } = facts?.ports ?? {};
  return { port: Number(given.port ?? mx), web: given.web ?? `http://127.0.0.1:${http}`, dataDir };
}

function ownMessage(from: string, to: string): Buffer {
  const lines = [
    `From: Ann Example <${from}>`,
    `To: <${to}>`,
    "Subject: A message to try it out",
    `Date: ${formatDate(new Date())}`,
    `Message-ID: <${Date.now()}.try@example.org>`,
    "MIME-Version: 1.0",
    'Content-Type: text/plain; charset="utf-8"',
    "",
    "This went in over SMTP and came out where the alias leads.",
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}

/** Converts line ends to CRLF: most files have others, and the MX rejects those (RFC 5321 §2.3.8). */
async function readMessage(file: string): Promise<Buffer> {
  const bytes = await readFile(file).catch(() => {
    throw new UsageError(`There is no readable file ${file}.`);
  });
  return Buffer.from(bytes.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n"), "latin1");
}

async function send({ to, from, eml }: Outgoing, server: Server): Promise<void> {
  const message = eml === undefined ? ownMessage(from, to[0] ?? "") : await readMessage(eml);
  const mail = { port: server.port, from, to, message, params: "BODY=8BITMIME SMTPUTF8" };
  const { replies } = await sendMail(mail).catch(() => {
    throw new UsageError(`Nothing answers SMTP on port ${server.port}. Is Kauke running (npm start)?`);
  });
  console.log(`MAIL FROM:<${from}>  ${replies[0]}`);
  for (const [index, rcpt] of to.entries()) console.log(`RCPT TO:<${rcpt}>  ${replies[index + 1]}`);
  for (const reply of replies.slice(to.length + 1)) console.log(`DATA  ${reply}`);
  const messageId = /^250 2\.0\.0 Ok (\S+)$/.exec(replies.at(-1) ?? "")?.[1];
  if (messageId !== undefined) await printTrace(messageId, server);
}

async function printTrace(messageId: string, { web, dataDir }: Server): Promise<void> {
  // The server shows its handling of a message to whoever can read this token in the data directory.
  const token = await readFile(join(dataDir, "preview.token"), "utf8").catch(() => "");
  const headers = { "x-preview-token": token.trim() };
  const answer = await fetch(`${web}/preview/api/traces/${messageId}`, { headers }).catch(() => null);
  if (answer === null || !answer.ok) {
    console.log(
      "The stages are shown in preview mode only, and only if you can read preview.token in the data directory.",
    );
    return;
  }
  const { steps } = (await answer.json()) as { steps: { stage: string; verdict: string; detail: string }[] };
  console.log("");
  for (const { stage, verdict, detail } of steps) console.log(`  ${stage.padEnd(8)} ${verdict.padEnd(18)} ${detail}`);
}

async function main(): Promise<number> {
  try {
    const { help, to = [], from, eml, ...given } = readArguments();
    if (help) {
      console.log(usage);
      return 0;
    }
    if (to.length === 0) throw new UsageError("Missing recipient. Example: npm run mail:send -- --to shop@kauke.test");
    await send({ to, from, eml }, await findServer(given));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    console.error(`${thrown.message}\nMore: npm run mail:send -- --help`);
    return 1;
  }
}

process.exitCode = await main();
