/** Sends one message over SMTP with dot-stuffing, and returns every reply of the server. */
import { stuff } from "@kauke/mail-rfc";
import { smtpTalk } from "./smtp-talk.ts";

export interface MailToSend {
  port: number;
  from?: string;
  to: string | readonly string[];
  /** The whole message with CRLF line ends, not dot-stuffed. */
  message: Buffer | string;
  helo?: string;
  /** Parameters of MAIL FROM, e.g. `BODY=8BITMIME`. */
  params?: string;
  localAddress?: string;
}

export interface SendResult {
  /** Replies to MAIL, each RCPT and, if the transaction got that far, DATA and the final dot. */
  replies: string[];
  /** The last reply, e.g. `250 2.0.0 Ok …`. */
  last: string;
}

export async function sendMail(mail: MailToSend): Promise<SendResult> {
  const talk = await smtpTalk(mail.port, "127.0.0.1", mail.localAddress);
  const replies: string[] = [];
  const say = async (line: string) => {
    const answer = await talk.ask(line);
    replies.push(answer);
    return answer;
  };
  await talk.ask(`EHLO ${mail.helo ?? "client.example"}`);
  await say(`MAIL FROM:<${mail.from ?? "ann@example.org"}>${mail.params === undefined ? "" : ` ${mail.params}`}`);
  const rcpts = typeof mail.to === "string" ? [mail.to] : mail.to;
  for (const rcpt of rcpts) await say(`RCPT TO:<${rcpt}>`);
  if (replies.slice(1).some((answer) => answer.startsWith("2")) && (await say("DATA")).startsWith("354")) {
    const bytes = stuff(Buffer.from(mail.message));
    talk.send(bytes);
    await say(bytes.subarray(-2).toString("latin1") === "\r\n" || bytes.length === 0 ? "." : "\r\n.");
  }
  talk.send("QUIT\r\n");
  talk.close();
  return { replies, last: replies.at(-1) as string };
}
