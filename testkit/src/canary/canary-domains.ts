/** Plants canaries in own domains of an account: in their names, in what DNS answers, and in aliases and mail on one. */
import type { AccountDomainWire, DomainRecordName } from "@kauke/contract";
import type { FakeDnsZone } from "../fakes/fake-dns.ts";
import { sendMail } from "../send-mail.ts";
import { type CanaryAccount, canaryAddress } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

interface DomainTarget {
  owner: CanaryAccount;
  zone: FakeDnsZone;
  mxPort: number;
}

/** One domain is proven and used, one has wrong records, one is removed. @returns SMTP reply to mail for the first */
export async function plantDomains(canaries: Canaries, { owner, zone, mxPort }: DomainTarget): Promise<string> {
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
  return (await sendMail({ port: mxPort, to, message, localAddress: canaryAddress })).last;
}

function recordOf({ records }: AccountDomainWire, name: DomainRecordName) {
  const record = records.find((one) => one.name === name);
  if (record === undefined) throw new Error(`no record ${name}`);
  return record;
}
