import { networkInterfaces } from "node:os";
import { isPublicAddress } from "../../mail/transport/address-guard.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import { domainsText } from "../control/print-domains.ts";
import { dnsPlan } from "../dns-plan.ts";
import { type Command, jsonText, print } from "./command.ts";

export const domains: Command = {
  usage: "domains",
  about: "the DNS records to publish, as a zone file",
  options: {},
  async run({ access, values }) {
    const facts = await (await access()).facts({});
    return print(values.json === true ? jsonText(dnsPlan(facts)) : domainsText(facts, publicAddresses(facts)));
  },
};

/** Public addresses of this machine; empty behind network address translation. */
function publicAddresses({ host }: ServerFacts): string[] {
  if (isPublicAddress(host)) return [host];
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.filter((it) => !it.internal && isPublicAddress(it.address)).map((it) => it.address);
}
