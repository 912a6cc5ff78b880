import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { parseEnhancedStatus, parseReply, parseReplyLine, replyClass } from "./status-code.ts";

describe("parseReply", () => {
  it("reads a reply of one line", () => {
    expect(parseReply("250 2.1.5 Recipient taken\r\n")).toEqual({
      code: 250,
      enhancedStatus: "2.1.5",
      lines: ["Recipient taken"],
    });
  });

  it("reads a reply of several lines", () => {
    expect(parseReply("550-5.1.1 No such\r\n550 5.1.1 mailbox")).toEqual({
      code: 550,
      enhancedStatus: "5.1.1",
      lines: ["No such", "mailbox"],
    });
  });

  it("does not take EHLO keywords for an enhanced status", () => {
    expect(parseReply("250-mx.example.org\r\n250-SIZE 1000\r\n250 PIPELINING")).toEqual({
      code: 250,
      enhancedStatus: null,
      lines: ["mx.example.org", "SIZE 1000", "PIPELINING"],
    });
  });

  it.each(["250", "250 ", "354 go", "421-a\n421 b"])("accepts %j", (text) => {
    expect(parseReply(text).code).toBe(Number(text.slice(0, 3)));
  });

  it.each([
    "",
    "25 a",
    "2500 a",
    "250-a",
    "250-a\r\n251 b",
    "250 a\r\n250 b",
    "650 a",
    "150 a",
    "250\ta",
    " 250 a",
    "abc d",
    "250-a\r\n\r\n250 b",
  ])("refuses %j", (text) => {
    expect(() => parseReply(text)).toThrow(new MailSyntaxError("reply_syntax"));
  });

  it("throws nothing but MailSyntaxError", () => {
    const piece = fc.constantFrom("250", "550", "-", " ", "5.1.1", "\r\n", "\n", "a", "\0");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join("")),
        ),
        (text) => {
          try {
            parseReply(text);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(MailSyntaxError);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

it("a reply line is parsed into code, text and whether another line follows", () => {
  expect(parseReplyLine("250-SIZE 1000")).toEqual({ code: 250, hasMore: true, text: "SIZE 1000" });
  expect(parseReplyLine("250 OK")).toEqual({ code: 250, hasMore: false, text: "OK" });
  expect(parseReplyLine("221")).toEqual({ code: 221, hasMore: false, text: "" });
});

describe("parseEnhancedStatus", () => {
  it.each([
    ["5.1.1 no", 550, "5.1.1"],
    ["4.7.999", 451, "4.7.999"],
    ["5.1.1", undefined, "5.1.1"],
    ["5.1.1 no", 451, null],
    ["5.01.1 no", 550, null],
    ["5.1.1000 no", 550, null],
    ["5.1.1no", 550, null],
    ["3.1.1 no", 354, null],
    ["no 5.1.1", 550, null],
  ])("reads %j after %s as %s", (text, code, status) => {
    expect(parseEnhancedStatus(text, code)).toBe(status);
  });
});

it("codes fall into four classes", () => {
  expect([250, 354, 451, 550].map(replyClass)).toEqual(["done", "more", "transient", "permanent"]);
});
