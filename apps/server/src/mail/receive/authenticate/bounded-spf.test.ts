/** SPF records beyond our limits are a permerror whatever they contain; records of real domains are within them. */
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { spf } from "mailauth";
import { describe, expect, it } from "vitest";
import { isReadableSpf, SPF_MACROS_MAX, SPF_RECORD_MAX, SPF_TERM_MAX, SPF_TERMS_MAX } from "./bounded-spf.ts";
import { MessageDns } from "./message-dns.ts";
import { checkSpf } from "./sender-checks.ts";

const values = { sender: "ann@sender.example", helo: "mail.sender.example", mta: "mx.kauke.test" };
const filled = (record: string, length: number) => `${record} x=`.padEnd(length, "x= ").slice(0, length);

async function resultOf(zone: FakeDnsZone, helo = values.helo): Promise<string> {
  const dns = new MessageDns(createFakeDns(zone), 10_000);
  const claim = { clientAddress: "192.0.2.1", helo, envelopeFrom: values.sender };
  const { result } = await checkSpf(claim, { spf }, { dns, mailHost: values.mta });
  dns.close();
  return result;
}

describe("an SPF record within the limits is evaluated", () => {
  it.each([
    "v=spf1 a mx ip4:192.0.2.0/24 include:_spf.sender.example -all",
    "v=spf1 exists:%{i}._spf.%{d} include:%{ir}.%{v}._ip.%{h}._ehlo.%{d}._spf.sender.example ~all",
    "v=spf1 redirect=%{l1r-}.%{o}._spf.%{d2}",
    `v=spf1 ${"ip4:192.0.2.128 ".repeat(200)}-all`,
  ])("as real domains publish them: %s", (record) => {
    expect(isReadableSpf(record, values)).toBe(true);
  });

  it("when other TXT records stand beside it, and its explanation (exp=) is not fetched", async () => {
    const dns = createFakeDns({
      "sender.example": { txt: ["proof=1", "v=spf10 +all", "v=SPF1 -all exp=why.sender.example", "x".repeat(9000)] },
      "why.sender.example": { txt: ["%{s}".repeat(2000)] },
    });
    const own = new MessageDns(dns, 10_000);
    const claim = { clientAddress: "192.0.2.1", helo: values.helo, envelopeFrom: values.sender };
    expect((await checkSpf(claim, { spf }, { dns: own, mailHost: values.mta })).result).toBe("fail");
    own.close();
  });
});

describe("an SPF record that would pass is a permerror when it exceeds a limit", () => {
  const start = "v=spf1 +ip4:192.0.2.1";
  it.each([
    ["longer than its bound", filled(start, SPF_RECORD_MAX + 1)],
    ["with a term longer than its bound", `${start} x=${"a".repeat(SPF_TERM_MAX)}`],
    ["with too many terms", `${start}${" x=".repeat(SPF_TERMS_MAX)}`],
    ["with too many macros", `${start}${" x=%{d}".repeat(SPF_MACROS_MAX + 1)}`],
    ["with macros that expand beyond their bound", `${start} x=${"%{S}".repeat(20)}${"%{h}".repeat(12)}`],
    ["with two redirects", `${start} redirect=a.example redirect=b.example`],
  ])("%s", async (_, record) => {
    const helo = "h".repeat(200);
    expect(await resultOf({ "sender.example": { txt: [record] } }, helo)).toBe("permerror");
    const included = { "sender.example": { txt: ["v=spf1 include:a.example +all"] }, "a.example": { txt: [record] } };
    expect(await resultOf(included, helo)).toBe("permerror");
    const redirected = { "sender.example": { txt: ["v=spf1 redirect=a.example"] }, "a.example": { txt: [record] } };
    expect(await resultOf(redirected, helo)).toBe("permerror");
  });

  it("and passes when it is exactly at the limits", async () => {
    const record = `${start} x=${"a".repeat(SPF_TERM_MAX - 2)}${" x=%{d}".repeat(SPF_MACROS_MAX)}`;
    expect(await resultOf({ "sender.example": { txt: [record] } })).toBe("pass");
    const terms = `${start}${" x=".repeat(SPF_TERMS_MAX - 1)}`;
    expect(await resultOf({ "sender.example": { txt: [terms] } })).toBe("pass");
  });
});
