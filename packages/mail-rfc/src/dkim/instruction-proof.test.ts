import { describe, expect, test } from "vitest";
import { rawFields } from "../header/raw-fields.ts";
import { type InstructionProof, instructionProof } from "./instruction-proof.ts";
import { readSignatureField } from "./verify-signature.ts";

const now = Date.UTC(2026, 10, 27);
const seconds = (days: number) => now / 1000 + days * 86_400;
const at = (days: number) => new Date(now + days * 86_400_000);

function proof(tags: string, header: string): InstructionProof | null {
  const fields = rawFields(
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=a.example; s=s; ${tags}\r\n${header}`,
  );
  const [field] = fields;
  const signature = field === undefined ? null : readSignatureField(field);
  return signature === null ? null : instructionProof(signature, fields, now);
}

const plain = "From: a@a.example\r\nTo: r@k.example\r\n";
const made = `t=${seconds(0)}`;

describe("a signature proves an instruction", () => {
  test.each([
    ["if it covers To", `${made}; h=from:to; b=AA==`, plain, true],
    ["if it covers To and Cc", `${made}; h=from:to:cc; b=AA==`, `${plain}Cc: c@k.example\r\n`, true],
    ["if it covers both To fields", `${made}; h=from:to:to; b=AA==`, `${plain}To: c@k.example\r\n`, true],
    ["if there is no To or Cc, which then names nobody", `${made}; h=from; b=AA==`, "From: a@a.example\r\n", true],
    ["if it covers Subject", `${made}; h=from:to:subject; b=AA==`, `${plain}Subject: x\r\n`, true],
    ["not without Subject", `${made}; h=from:to; b=AA==`, `${plain}Subject: x\r\n`, false],
    ["not without To", `${made}; h=from; b=AA==`, plain, false],
    ["not without Cc", `${made}; h=from:to; b=AA==`, `${plain}Cc: c@k.example\r\n`, false],
    ["not with one To field of two", `${made}; h=from:to; b=AA==`, `${plain}To: c@k.example\r\n`, false],
    ["not with one Cc field of two", `${made}; h=from:to:cc; b=AA==`, `${plain}Cc: c@b\r\ncC : d@b\r\n`, false],
    ["not without a time", "h=from:to; b=AA==", plain, false],
    [
      "not with the time of a Date that is not signed",
      "h=from:to; b=AA==",
      `${plain}Date: ${at(0).toUTCString()}\r\n`,
      false,
    ],
    ["not with a Date that is no date", "h=from:to:date; b=AA==", `${plain}Date: soon\r\n`, false],
    ["not with two dates", "h=from:to:date; b=AA==", `${plain}Date: ${at(0).toUTCString()}\r\nDate: x\r\n`, false],
    ["not two days ahead", `t=${seconds(2)}; h=from:to; b=AA==`, plain, false],
    ["not after seven days", `t=${seconds(-7)}; h=from:to; b=AA==`, plain, false],
    ["not after it expired", `t=${seconds(-2)}; x=${seconds(-1)}; h=from:to; b=AA==`, plain, false],
  ])("%s", (_, tags, header, isProof) => {
    expect(proof(tags, header) !== null).toBe(isProof);
  });

  test.each([
    ["seven days after it was made", `t=${seconds(-1)}; h=from:to; b=AA==`, plain, 6],
    ["seven days after a signed Date", "h=from:to:date; b=AA==", `${plain}Date: ${at(-1).toUTCString()} (UTC)\r\n`, 6],
    ["when it expires, if that is earlier", `t=${seconds(0)}; x=${seconds(3)}; h=from:to; b=AA==`, plain, 3],
  ])("until %s", (_, tags, header, days) => {
    expect(proof(tags, header)?.endsAt).toEqual(at(days));
  });
});

describe("the id of a message", () => {
  const named = `${plain}Message-ID: <1@a.example>\r\nDate: ${at(0).toUTCString()}\r\n`;
  const all = `${made}; h=from:to:subject:message-id:date; bh=AAAA; b=AAAA`;

  test.each([
    ["another fold", all.replaceAll("; ", ";\r\n\t"), named],
    ["another spelling of the value", all.replace("b=AAAA", "b=AA AA===="), named],
    ["another value, of a second key", all.replace(" b=AAAA", " b=BBBB").replace("h=from:", "h=date:from:"), named],
    ["another time of signing", all.replace(made, `t=${seconds(-1)}`), named],
    ["a Message-ID added above", all, `Message-ID: <2@b.example>\r\n${named}`],
    ["a Message-ID and a Date added above", all, `Date: ${at(0).toUTCString()}\r\nMessage-ID: <2@b>\r\n${named}`],
    ["another blank in a field", all, named.replace("To: r@", "To:  r@")],
  ])("is the same with %s", (_, tags, header) => {
    expect(proof(tags, header)?.id).toBe(proof(all, named)?.id);
  });

  test.each([
    ["another body", all.replace("bh=AAAA", "bh=BBBB"), named],
    ["another author", all, named.replace("a@a", "b@a")],
    ["another recipient", all, named.replace("r@k", "s@k")],
    ["another Message-ID", all, named.replace("<1@", "<2@")],
    ["another Date, without a Message-ID", all.replace("message-id:", ""), named.replace("26 ", "25 ")],
  ])("differs with %s", (_, tags, header) => {
    expect(proof(tags, header)?.id).not.toBe(proof(all, named)?.id);
  });

  test("depends on the signature if neither Message-ID nor Date is signed", () => {
    const bare = `${made}; h=from:to; bh=AAAA; b=AAAA`;
    expect(proof(bare, named)?.id).toBe(proof(bare.replace("b=AAAA", "b=AA AA"), named)?.id);
    expect(proof(bare, named)?.id).not.toBe(proof(bare.replace(made, `t=${seconds(-1)}`), named)?.id);
  });
});
