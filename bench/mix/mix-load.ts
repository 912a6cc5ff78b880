/**
 * Load of the default mix: many senders, each from its own address, write to many aliases, one message per connection
 * with STARTTLS.
 * A sending host resumes its TLS session, as Debian's Postfix and other mail hosts with a session cache do.
 * Generator and TLS sink are our own and run in this process, so rates are less reliable than CPU figures.
 */
import type { MailLoad, SendJob } from "../mail-job.ts";
import { inSessions, type OneMessage, sendOne, type TlsSessions } from "../own-load.ts";
import { MailMix, type MixCounts, type MixEnvelope } from "./mail-mix.ts";
import { aliasName, senderOf } from "./mix-names.ts";
import { mixedMessages } from "./mixed-message.ts";

export interface MixLoadOptions {
  /** Domain of the aliases. */
  domain: string;
  startSink: MailLoad["startSink"];
}

export interface MixLoad extends MailLoad {
  /** Counts of all messages that were prepared, i.e. without the warm-up. */
  counts: MixCounts;
}

const WARMING_BYTES = 4096;

type MixJob = SendJob & Pick<MixLoadOptions, "domain"> & { tlsSessions: TlsSessions };

export function mixLoad({ domain, startSink }: MixLoadOptions): MixLoad {
  const mix = new MailMix();
  const counts: MixCounts = { messages: 0, cold: 0, newSenders: 0 };
  let prepared: OneMessage[] | null = null;
  const tlsSessions: TlsSessions = new Map();
  const make = (envelopes: readonly MixEnvelope[], job: SendJob) =>
    messagesOf(envelopes, { ...job, domain, tlsSessions });
  const sendAll = (messages: readonly OneMessage[], sessions: number) =>
    inSessions(Math.min(sessions, messages.length), messages, sendOne);
  return {
    name: "our own generator",
    counts,
    startSink,
    async prepare(job) {
      const draw = mix.draw(job.count);
      for (const figure of ["messages", "cold", "newSenders"] as const) counts[figure] += draw.counts[figure];
      prepared = await make(draw.messages, job);
      await sendAll(await make(draw.warming, { ...job, sizeBytes: WARMING_BYTES }), job.sessions);
      return draw.warming.length;
    },
    async send(job) {
      const messages = prepared ?? (await make(mix.draw(job.count).messages, job));
      prepared = null;
      await sendAll(messages, job.sessions);
    },
  };
}

function messagesOf(
  envelopes: readonly MixEnvelope[],
  { port, sizeBytes, domain, tlsSessions }: MixJob,
): Promise<OneMessage[]> {
  const make = mixedMessages(sizeBytes);
  return Promise.all(
    envelopes.map(async ({ sender, alias }) => {
      const from = senderOf(sender);
      const rcptTo = `${aliasName(alias)}@${domain}`;
      const message = await make(from, rcptTo);
      const { address: envelopeFrom, helo, clientAddress: localAddress } = from;
      return { port, envelopeFrom, rcptTo, helo, message, isSecure: true, localAddress, tlsSessions };
    }),
  );
}
