/**
 * Sends one message to the local MX and prints what each stage of the mail path made of it and where it went:
 * `npm run mail:send -- --to shop@kauke.test [--from ann@example.org] [--eml message.eml]`.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { formatDate } from "@kauke/mail-rfc";
import { sendMail } from "@kauke/testkit/send-mail";

const { values } = parseArgs({
  options: {
    to: { type: "string", multiple: true },
    from: { type: "string", default: "ann@example.org" },
    eml: { type: "string" },
    port: { type: "string", default: process.env.KAUKE_MX_PORT ?? "2525" },
    web: { type: "string", default: `http://127.0.0.1:${process.env.KAUKE_HTTP_PORT ?? "3000"}` },
  },
});

function ownMessage(from: string, to: string): string {
  return [
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
  ].join("\r\n");
}

async function main(to: string[]): Promise<void> {
  const message = values.eml === undefined ? ownMessage(values.from, to[0] as string) : readFileSync(values.eml);
  const { replies } = await sendMail({
    port: Number(values.port),
    from: values.from,
    to,
    message,
    params: "BODY=8BITMIME SMTPUTF8",
  });
  console.log(`MAIL FROM:<${values.from}>  ${replies[0]}`);
  for (const [index, rcpt] of to.entries()) console.log(`RCPT TO:<${rcpt}>  ${replies[index + 1]}`);
  for (const reply of replies.slice(to.length + 1)) console.log(`DATA  ${reply}`);
  const messageId = /^250 2\.0\.0 Ok (\S+)$/.exec(replies.at(-1) ?? "")?.[1];
  if (messageId !== undefined) await printTrace(messageId);
}

async function printTrace(messageId: string): Promise<void> {
  const answer = await fetch(`${values.web}/preview/api/traces/${messageId}`).catch(() => null);
  if (answer === null || !answer.ok) {
    console.log("The stages are shown in preview mode only.");
    return;
  }
  const { steps } = (await answer.json()) as { steps: { stage: string; verdict: string; detail: string }[] };
  console.log("");
  for (const { stage, verdict, detail } of steps) console.log(`  ${stage.padEnd(8)} ${verdict.padEnd(18)} ${detail}`);
}

if (values.to === undefined) {
  console.error("Say where to: npm run mail:send -- --to shop@kauke.test");
  process.exitCode = 2;
} else {
  await main(values.to).catch(() => {
    console.error(`Nothing answers SMTP on port ${values.port}. Is Kauke running (npm start)?`);
    process.exitCode = 1;
  });
}
