/** Plants canaries in own domains of an account: in their names, in what DNS answers, and in aliases and mail on one. */
import type { AccountDomainWire, AliasWire, DomainRecordName } from "@kauke/contract";
import type { FakeDnsZone } from "../fakes/fake-dns.ts";
import type { FakeMx } from "../fakes/fake-mx.ts";
import { sendMail } from "../send-mail.ts";
import { type CanaryAccount, canaryAddress } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

interface DomainTarget {
  owner: CanaryAccount;
  /** E-mail of the owner, which is confirmed here. */
  email: string;
  zone: FakeDnsZone;
  /** Gets the message that asks for confirmation. */
  mx: FakeMx;
  mxPort: number;
}

/** One domain is proven and used, one has wrong records, one is removed. @returns SMTP reply to mail for the first */
export async function plantDomains(canaries: Canaries, target: DomainTarget): Promise<string> {
  const { owner, zone, mxPort } = target;
  const word = (label: string) => canaries.word(label);
  const path = "/api/account/domains";
  const add = (label: string) =>
    owner.call<AccountDomainWire>("POST", path, { domain: `${word(`domain-${label}`)}.example` });
  const check = ({ id }: AccountDomainWire) => owner.call<AccountDomainWire>("POST", `${path}/${id}/check`);

  const wrong = await add("wrong");
  zone[wrong.domain] = {
    mx: [[10, `${word("domain-other-mx")}.example`]],
    txt: [`v=spf1 include:${word("domain-spf")}.example -all`],
  };
  zone[recordOf(wrong, "ownership").host] = { txt: [word("domain-other-text")] };
  const seen = JSON.stringify(await check(wrong));
  for (const label of ["domain-other-mx", "domain-spf", "domain-other-text"])
    if (!seen.includes(word(label))) throw new Error(`the check did not see ${label}`);

  const removed = await add("removed");
  await owner.call("DELETE", `${path}/${removed.id}`);

  const own = await add("proven");
  const mx = recordOf(own, "mx");
  zone[mx.host] = { mx: [[mx.priority ?? 10, mx.value]] };
  const ownership = recordOf(own, "ownership");
  zone[ownership.host] = { txt: [ownership.value] };
  const reports = recordOf(own, "tls_rpt");
  zone[reports.host] = { txt: [`v=TLSRPTv1; rua=${word("domain-reports")}`] };
  const { state } = await check(own);
  if (state !== "proven") throw new Error(`the domain is ${state}`);
  for (const { name, value } of own.records)
    if (name === "ownership") canaries.watch("text of a domain's ownership record", value);
  await owner.call("PATCH", `${path}/${own.id}`, { displayName: word("domain-display-name") });
  const forwardTo = `${word("domain-mailbox")}@${word("domain-mailbox-domain")}.example`;
  const alias = { alias: word("domain-alias"), domain: own.domain, forwardTo };
  await owner.call("POST", `/api/aliases/${owner.id}`, alias);
  const message = `From: ann@outside.example\r\nSubject: ${word("domain-subject")}\r\n\r\n${word("domain-body")}\r\n`;
  const to = `${alias.alias}@${own.domain}`;
  const reply = (await sendMail({ port: mxPort, to, message, localAddress: canaryAddress })).last;
  await plantAppearing(canaries, own, target);
  return reply;
}

/** Mail from a proven sender makes two aliases, one of which is refused for good. */
async function plantAppearing(canaries: Canaries, { id, domain }: AccountDomainWire, target: DomainTarget) {
  const { owner, zone, mxPort } = target;
  await confirmEmail(target);
  const prefix = canaries.word("appear-prefix");
  const rules = { appear: "prefixes", prefixes: [prefix], neverNames: [canaries.word("appear-never")] };
  await owner.call("PATCH", `/api/account/domains/${id}`, rules);
  const organisation = `${canaries.word("appear-organisation")}.example`;
  zone[organisation] = { txt: [`v=spf1 ip4:${canaryAddress} -all`] };
  const from = `${canaries.word("appear-sender")}@${organisation}`;
  const message = `From: ${from}\r\nSubject: hi\r\n\r\nhi\r\n`;
  const to = [`${prefix}-kept@${domain}`, `${prefix}-refused@${domain}`];
  const { last } = await sendMail({ port: mxPort, from, to, message, localAddress: canaryAddress });
  const { aliases } = await owner.call<{ aliases: AliasWire[] }>("GET", `/api/aliases/${owner.id}`);
  const made = aliases.filter((alias) => alias.madeByMail?.organisation === organisation);
  if (made.length !== to.length) throw new Error(`mail made ${made.length} aliases: ${last}`);
  const refused = made.find(({ alias }) => alias.endsWith("-refused"));
  await owner.call("POST", `/api/aliases/${refused?.id}/refuse`);
}

async function confirmEmail({ owner, email, mx }: DomainTarget): Promise<void> {
  await owner.call("POST", "/api/mailboxes", { address: email });
  const linkIn = (bytes: Buffer) =>
    /\/confirm\/([a-z2-7]{32})\b/.exec(bytes.toString("latin1").replaceAll("=\r\n", ""));
  for (let arrived = mx.messages.length; ; arrived += 1) {
    const asked = mx.messages.find(({ rcptTo, bytes }) => rcptTo.includes(email) && linkIn(bytes) !== null);
    if (asked !== undefined) {
      await owner.call("POST", "/api/confirmation", { token: linkIn(asked.bytes)?.[1], choice: "mine" });
      return;
    }
    await mx.waitForMessages(arrived + 1);
  }
}

function recordOf({ records }: AccountDomainWire, name: DomainRecordName) {
  const record = records.find((one) => one.name === name);
  if (record === undefined) throw new Error(`no record ${name}`);
  return record;
}
