import type { MailTransport, OngoingAttempt, OutgoingMail, WebhookTransport } from "./transport.ts";

/** A small message that needs no SMTP extension. */
export const outgoingMail = (changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
  envelopeFrom: "a@from.example",
  rcptTo: "b@to.example",
  wire: () => [Buffer.from("Subject: hi\r\n\r\nhello\r\n")],
  sizeBytes: 22,
  eightBit: false,
  smtpUtf8: false,
  ...changes,
});

/** An attempt that may use every host, and that nothing stops. */
export const ongoingAttempt = (changes: Partial<OngoingAttempt> = {}): OngoingAttempt => ({
  signal: new AbortController().signal,
  party: "",
  network: changes.party ?? "",
  reachPeer: () => true,
  reachProvider: () => true,
  wait: () => {},
  sendEnd: () => {},
  ...changes,
});

/** An attempt that ends when the signal aborts. */
export const endingBy = (signal: AbortSignal): OngoingAttempt => ongoingAttempt({ signal });

/** Sends by a transport, and returns the outcome only. */
export const sendingBy = (transport: Pick<MailTransport, "send">) => ({
  send: async (mail = outgoingMail(), attempt = ongoingAttempt()) => (await transport.send(mail, attempt)).outcome,
});

/** Calls webhooks by a transport, and returns the outcome only. */
export const postingBy = (transport: Pick<WebhookTransport, "post">) => ({
  post: async (call: Parameters<WebhookTransport["post"]>[0], attempt = ongoingAttempt()) =>
    (await transport.post(call, attempt)).outcome,
});
