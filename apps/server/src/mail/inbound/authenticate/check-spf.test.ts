/** SPF records beyond our limits are a permerror whatever they contain; records of real domains are within them. */
import {
  isWithinExpansion,
  parseSpfRecord,
  SPF_MACROS_MAX,
  SPF_RECORD_MAX,
  SPF_TERM_MAX,
  SPF_TERMS_MAX,
} from "@kauke/mail-rfc";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { describe, expect, it } from "vitest";
import { checkSpf } from "./check-spf.ts";
import { MessageDns } from "./message-dns.ts";

const values = { sender: "ann@sender.example", helo: "mail.sender.example" };
const filled = (record: string, length: number) => `${record} x=`.padEnd(length, "x= ").slice(0, length);

async function resultOf(zone: FakeDnsZone, helo = values.helo): Promise<string> {
  const dns = new MessageDns(createFakeDns(zone), 10_000);
  const claim = { clientAddress: "192.0.2.1", helo, envelopeFrom: values.sender };
  const { result } = await checkSpf(claim, dns);
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
    const parsed = parseSpfRecord(record);
    expect(parsed !== null && isWithinExpansion(parsed, values)).toBe(true);
  });

  it("when other TXT records stand beside it, and its explanation (exp=) is not fetched", async () => {
    const dns = createFakeDns({
      "sender.example": { txt: ["proof=1", "v=spf10 +all", "v=SPF1 -all exp=why.sender.example", "x".repeat(9000)] },
      "why.sender.example": { txt: ["%{s}".repeat(2000)] },
    });
    const own = new MessageDns(dns, 10_000);
    const claim = { clientAddress: "192.0.2.1", helo: values.helo, envelopeFrom: values.sender };
    expect((await checkSpf(claim, own)).result).toBe("fail");
    expect(dns.questions).toEqual(["TXT sender.example"]);
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

describe("a DNS look-up that fails or is late makes the result a temperror, never a pass", () => {
  const passes = "v=spf1 a:a.example exists:e.example mx:m.example include:i.example ip4:192.0.2.1 -all";
  const found: FakeDnsZone = {
    "sender.example": { txt: [passes] },
    "a.example": { a: ["192.0.2.2"] },
    "e.example": { aaaa: ["2001:db8::1"] },
    "m.example": { mx: [[5, "h.example"]] },
    "h.example": { a: ["192.0.2.3"] },
    "i.example": { txt: ["v=spf1 -all"] },
  };

  it("and the message passes when all are answered", async () => {
    expect(await resultOf(found)).toBe("pass");
  });

  it.each(Object.keys(found))("of %s", async (name) => {
    expect(await resultOf({ ...found, [name]: { fails: true } })).toBe("temperror");
    const dns = new MessageDns(createFakeDns({ ...found, [name]: { isSilent: true } }), 20);
    const claim = { clientAddress: "192.0.2.1", helo: values.helo, envelopeFrom: values.sender };
    expect((await checkSpf(claim, dns)).result).toBe("temperror");
    expect(dns.wasCut).toBe(true);
    dns.close();
  });
});

describe("the result names the identity that was checked", () => {
  it.each([
    ["ann@Sender.Example", "mail.example", "sender.example", "ann@Sender.Example", "mail.example"],
    ["", "Mail.Sender.Example", "mail.sender.example", "postmaster@Mail.Sender.Example", "Mail.Sender.Example"],
    ["", "192.0.2.1", "[192.0.2.1]", "postmaster@[192.0.2.1]", "[192.0.2.1]"],
    ["", "", "[192.0.2.1]", "postmaster@[192.0.2.1]", "[192.0.2.1]"],
    ["ann@žuvis.example", "mail.example", "xn--uvis-kbb.example", "ann@žuvis.example", "mail.example"],
  ])("for sender <%s> and HELO %s", async (envelopeFrom, helo, domain, sender, heloFound) => {
    const dns = new MessageDns(createFakeDns({}), 10_000);
    const found = await checkSpf({ clientAddress: "192.0.2.1", helo, envelopeFrom }, dns);
    expect(found).toEqual({ result: "none", domain, sender, helo: heloFound });
    dns.close();
  });
});
