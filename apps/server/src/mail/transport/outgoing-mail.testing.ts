import type { OutgoingMail } from "./transport.ts";

/** A small message that needs no SMTP extension. */
export const outgoingMail = (): OutgoingMail => ({
  envelopeFrom: "a@from.example",
  rcptTo: "b@to.example",
  wireParts: [Buffer.from("Subject: hi\r\n\r\nhello\r\n")],
  sizeBytes: 22,
  eightBit: false,
  smtpUtf8: false,
});
