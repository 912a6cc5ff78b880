import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEsmtpParams } from "./esmtp-params.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";

describe("parseEsmtpParams", () => {
  it("reads every parameter of MAIL", () => {
    const text = "SIZE=1024 body=8bitmime SMTPUTF8 RET=hdrs ENVID=QQ+2B314 AUTH=ann+3Dlee@example.org";
    expect(parseEsmtpParams(text, "MAIL")).toEqual({
      size: 1024,
      body: "8BITMIME",
      smtpUtf8: true,
      ret: "HDRS",
      envid: "QQ+314",
      auth: "ann=lee@example.org",
      unknown: [],
    });
  });

  it("reads every parameter of RCPT", () => {
    expect(parseEsmtpParams("NOTIFY=SUCCESS,failure ORCPT=RFC822;ann+2Bx@example.org", "RCPT")).toEqual({
      smtpUtf8: false,
      notify: ["SUCCESS", "FAILURE"],
      orcpt: { type: "rfc822", address: "ann+x@example.org" },
      unknown: [],
    });
  });

  it("accepts an empty text, and AUTH with an empty address", () => {
    expect(parseEsmtpParams("", "MAIL")).toEqual({ smtpUtf8: false, unknown: [] });
    expect(parseEsmtpParams("  AUTH=<> ", "MAIL").auth).toBe("");
    expect(parseEsmtpParams("ORCPT=utf-8;žuvis@example.org", "RCPT").orcpt?.address).toBe("žuvis@example.org");
  });

  it("names parameters that the command does not know, so that they can be refused", () => {
    expect(parseEsmtpParams("XCLIENT=a=b NOTIFY=NEVER SIZE=1", "MAIL").unknown).toEqual(["XCLIENT", "NOTIFY"]);
    expect(parseEsmtpParams("SIZE=1", "RCPT").unknown).toEqual(["SIZE"]);
    expect(parseEsmtpParams("constructor=1 toString", "RCPT").unknown).toEqual(["CONSTRUCTOR", "TOSTRING"]);
  });

  it("reads a size beyond 2^53 as the largest safe number", () => {
    expect(parseEsmtpParams("SIZE=99999999999999999999", "MAIL").size).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ["=1", "parameter_syntax"],
    ["SIZE=", "parameter_syntax"],
    ["-A=1", "parameter_syntax"],
    ["A_B=1", "parameter_syntax"],
    ["A=a\u0001", "parameter_syntax"],
    ["A=\ufffd", "parameter_syntax"],
    ["SIZE=1\tBODY=7BIT", "parameter_syntax"],
    ["SIZE=1 size=2", "parameter_repeated"],
    ["X-A X-A", "parameter_repeated"],
    ["SIZE", "parameter_value"],
    ["SIZE=-1", "parameter_value"],
    ["SIZE=1e3", "parameter_value"],
    ["SIZE=100000000000000000000", "parameter_value"],
    ["BODY", "parameter_value"],
    ["BODY=9BIT", "parameter_value"],
    ["SMTPUTF8=1", "parameter_value"],
    ["RET=BOTH", "parameter_value"],
    ["ENVID=a+2b", "parameter_value"],
    ["ENVID=a+", "parameter_value"],
    [`ENVID=${"a".repeat(101)}`, "parameter_value"],
  ])("refuses MAIL %s with %s", (text, reason) => {
    expect(() => parseEsmtpParams(text, "MAIL")).toThrow(new MailSyntaxError(reason as "parameter_value"));
  });

  it.each([
    "NOTIFY",
    "NOTIFY=NEVER,SUCCESS",
    "NOTIFY=DELAY,DELAY",
    "NOTIFY=SUCCESS,",
    "ORCPT=ann@example.org",
    "ORCPT=rfc822;a+zz",
  ])("refuses RCPT %s", (text) => {
    expect(() => parseEsmtpParams(text, "RCPT")).toThrow(new MailSyntaxError("parameter_value"));
  });

  it("throws nothing but MailSyntaxError", () => {
    const piece = fc.constantFrom(
      "SIZE",
      "BODY",
      "RET",
      "ENVID",
      "NOTIFY",
      "ORCPT",
      "AUTH",
      "=",
      ";",
      ",",
      " ",
      "+",
      "+41",
      "9",
      "ą",
      "\0",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, fc.constantFrom("MAIL" as const, "RCPT" as const), (input, command) => {
        try {
          parseEsmtpParams(input, command);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MailSyntaxError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("reads 64 KiB of anything quickly", () => {
    for (const unit of ["A ", "A=+", "+41", "NOTIFY=NEVER,", "ORCPT=a;+"]) {
      const began = performance.now();
      try {
        parseEsmtpParams(unit.repeat(65_536 / unit.length), "RCPT");
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(MailSyntaxError);
      }
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});
