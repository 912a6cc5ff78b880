import { describe, expect, test } from "vitest";
import { outgoingMail } from "../outgoing-mail.testing.ts";
import type { OutgoingMail } from "../transport.ts";
import { envelopeCommands, noExtensions, readExtensions } from "./smtp-connection.ts";

const everything = { ...noExtensions, pipelining: true, eightBitMime: true, smtpUtf8: true, size: true };

const said = (changes: Partial<OutgoingMail>, peer = everything) => {
  const result = envelopeCommands(outgoingMail({ sizeBytes: 1000, ...changes }), peer);
  if (result.kind === "commands") return [result.mail, result.rcpt];
  return result.outcome.kind === "refused"
    ? `${result.outcome.failure.code} ${result.outcome.failure.enhancedStatus}`
    : "";
};

describe("envelope commands for a peer", () => {
  test("use parameters when offered and needed", () => {
    expect(said({})).toEqual(["MAIL FROM:<a@from.example> SIZE=1000\r\n", "RCPT TO:<b@to.example>\r\n"]);
    expect(said({ eightBit: true })?.[0]).toBe("MAIL FROM:<a@from.example> SIZE=1000 BODY=8BITMIME\r\n");
    expect(said({ smtpUtf8: true })?.[0]).toBe("MAIL FROM:<a@from.example> SIZE=1000 BODY=8BITMIME SMTPUTF8\r\n");
  });

  test("have no parameters for a peer without extensions, even with 8-bit bytes", () => {
    expect(said({ eightBit: true, smtpUtf8: true }, noExtensions)?.[0]).toBe("MAIL FROM:<a@from.example>\r\n");
  });

  test("keep the null sender", () => {
    expect(said({ envelopeFrom: "" })?.[0]).toBe("MAIL FROM:<> SIZE=1000\r\n");
  });

  test("refuse a message over the peer's size limit before a byte is sent", () => {
    expect(said({ sizeBytes: 1001 }, { ...everything, maxSizeBytes: 1000 })).toBe("too_large 5.3.4");
    expect(said({ sizeBytes: 1000 }, { ...everything, maxSizeBytes: 1000 })).toHaveLength(2);
  });

  test("convert an international domain to ASCII without SMTPUTF8, but not a local part", () => {
    const plain = { ...everything, smtpUtf8: false };
    expect(said({ rcptTo: "b@bücher.example" }, plain)?.[1]).toBe("RCPT TO:<b@xn--bcher-kva.example>\r\n");
    expect(said({ rcptTo: "bü@to.example" }, plain)).toBe("not_supported 5.6.7");
    expect(said({ envelopeFrom: "ü@from.example" }, plain)).toBe("not_supported 5.6.7");
    expect(said({ rcptTo: "bü@bücher.example" })).toEqual([
      "MAIL FROM:<a@from.example> SIZE=1000 BODY=8BITMIME SMTPUTF8\r\n",
      "RCPT TO:<bü@bücher.example>\r\n",
    ]);
  });

  test.each([
    "b@to.example>\r\nRCPT TO:<c@to.example",
    "b c@to.example",
    "b@to.example\n",
    "b\u0000@to.example",
    "b@",
    "@x",
    "<b@to.example>",
    "",
  ])("refuse %j as a recipient", (rcptTo) => {
    expect(said({ rcptTo })).toBe("mailbox_unknown 5.1.3");
  });

  test("refuse a sender that would end the line, but not a quoted one", () => {
    expect(said({ envelopeFrom: "a@x>\r\nDATA\r\n" })).toBe("refused_by_policy 5.1.7");
    expect(said({ envelopeFrom: '"a b>\\""@from.example' })?.[0]).toContain('<"a b>\\""@from.example>');
  });
});

test("EHLO replies are parsed in any case, order and older syntax", () => {
  const lines = [
    "mx.example greets you",
    "size 1000",
    "PIPELINING",
    "AUTH=LOGIN",
    "auth plain LOGIN",
    "8BitMime",
    "STARTTLS",
  ];
  const found = readExtensions({ code: 250, enhancedStatus: null, lines });
  expect(found).toMatchObject({
    pipelining: true,
    eightBitMime: true,
    smtpUtf8: false,
    startTls: true,
    maxSizeBytes: 1000,
  });
  expect([...found.authMechanisms]).toEqual(["PLAIN", "LOGIN"]);
  expect(readExtensions({ code: 250, enhancedStatus: null, lines: ["PIPELINING", "SIZE 0"] })).toMatchObject({
    pipelining: false,
    size: true,
    maxSizeBytes: null,
  });
});
