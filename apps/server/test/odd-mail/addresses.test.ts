/**
 * Addresses that other hosts assign and that grammars forbid: dots side by side or at an end (Japanese phones), local
 * parts above 64 octets (mailing services, trackers, forges). Taken, answered and given back in their very spelling.
 */

import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { fieldOf, headerText } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({
  "mobile.example": spf,
  "_dmarc.mobile.example": { txt: ["v=DMARC1; p=reject"] },
  "inbox.example": spf,
});
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => mx.reset());

const replyAddresses = (bytes: Buffer | undefined, name: string) =>
  fieldOf(bytes, name).match(/r(?:-[a-z2-7]{5}){4}@kauke\.test/g) ?? [];

const spellings = [
  "taro..yamada@mobile.example",
  "hanako.@mobile.example",
  ".hanako@mobile.example",
  '"taro..yamada"@mobile.example',
  `bounces+1234-${"a".repeat(74)}=me=example.org@mobile.example`,
  `${"b".repeat(256)}@mobile.example`,
];

test.each(spellings)(
  "mail of %s arrives under p=reject, and its answer goes to this very spelling",
  async (address) => {
    const { alias } = await person.createAlias({ forwardTo: "me@inbox.example" });
    const message = `From: Taro <${address}>\r\nReply-To: ${address}\r\nTo: ${alias}@kauke.test\r\nSubject: hi\r\n\r\nx\r\n`;
    const sent = await sendMail({ port: system.mxPort, from: address, to: `${alias}@kauke.test`, message });
    expect(sent.replies[0]).toMatch(/^250 /);
    expect(sent.last).toMatch(/^250 /);
    const [copy] = await mx.waitForMessages(1);
    expect(headerText(copy?.bytes)).toContain("dmarc=pass");
    expect(copy?.envelopeFrom.split("@")[0]?.length).toBeLessThanOrEqual(64);
    const [author = ""] = replyAddresses(copy?.bytes, "From");
    expect(replyAddresses(copy?.bytes, "Reply-To")).toEqual([author]);
    mx.reset();
    const answer = `From: me@inbox.example\r\nTo: ${author}\r\nSubject: Re: hi\r\n\r\nanswer\r\n`;
    expect(
      (await sendMail({ port: system.mxPort, from: "me@inbox.example", to: author, message: answer })).last,
    ).toMatch(/^250 /);
    const [answered] = await mx.waitForMessages(1);
    expect(answered?.rcptTo).toEqual([address]);
    expect(headerText(answered?.bytes)).toContain(address);
  },
);

test.each(["taro..yamada@mobile.example", "hanako.@mobile.example"])("an alias forwards to %s", async (forwardTo) => {
  const { alias } = await person.createAlias({ forwardTo });
  const message = "From: a@inbox.example\r\nSubject: hi\r\n\r\nx\r\n";
  await sendMail({ port: system.mxPort, from: "a@inbox.example", to: `${alias}@kauke.test`, message });
  expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual([forwardTo]);
});
