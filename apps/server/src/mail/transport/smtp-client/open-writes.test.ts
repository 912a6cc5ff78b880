/** A message's memory may be freed only if no socket still reads it, whatever the peer replies. */
import { expect, test } from "vitest";
import { outgoingMail } from "../outgoing-mail.testing.ts";
import type { SmtpChannel } from "./smtp-channel.ts";
import { SmtpConnection, smtpTimeouts } from "./smtp-connection.ts";

const extensions = { pipelining: true, size: false, maxSizeBytes: null, eightBitMime: true, smtpUtf8: false };
const replies = { taken: [250, 250, 354, 250], busy: [250, 250, 354, 421] };

/** Sends a mail over a channel that replies with the given codes. */
async function sendOver({ isFlushed, codes }: { isFlushed: boolean; codes: readonly number[] }, mail = outgoingMail()) {
  const left = [...codes];
  const channel: Partial<SmtpChannel> = {
    isAlive: true,
    isFlushed,
    abortWith: () => () => {},
    write: () => {},
    reply: () => ({ code: left.shift() ?? 0, enhancedStatus: null, lines: [""] }),
    writeBody: async () => true,
    quit: () => {},
  };
  await new SmtpConnection(channel as SmtpChannel, extensions as never, smtpTimeouts).send(mail);
  return mail;
}

test("a body that the system has taken over is read by no connection any more", async () => {
  expect((await sendOver({ isFlushed: true, codes: replies.taken })).openWrites).toBe(0);
});

test("a peer that replies before it has read the body still gets it from this memory", async () => {
  expect((await sendOver({ isFlushed: false, codes: replies.taken })).openWrites).toBe(1);
});

test("a second host that took the whole message does not hide that the first one may still read it", async () => {
  const mail = await sendOver({ isFlushed: false, codes: replies.busy });
  await sendOver({ isFlushed: true, codes: replies.taken }, mail);
  expect(mail.openWrites).toBe(1);
});

test("a message refused before its body was asked for was never read", async () => {
  expect((await sendOver({ isFlushed: true, codes: [250, 550, 503] })).openWrites).toBeUndefined();
});
