/** Commands on own domains of accounts. They print a name only with `--show-names` or if the operator entered it. */
import { zoneFile } from "@kauke/contract/zone-file";
import type { DomainSummary, DomainZone } from "../control/control-protocol.ts";
import { type Command, jsonText, oneWord, print, refuse } from "./command.ts";
import { pagesById, printList } from "./print-list.ts";

export const domainsOwn: Command = {
  usage: "domains own",
  about: "lists own domains of accounts: id, account, state, when it was added and when the state ends, aliases",
  options: { "show-names": "also prints the domains' names" },
  async run({ access: open, values }) {
    const access = await open();
    const withName = values["show-names"] === true;
    const pages = pagesById((after) => access["domains-list"]({ after, withName }));
    return await printList({ pages, isJson: values.json === true, lineOf, none: "No account has added a domain." });
  },
};

const heading = `${"id".padEnd(36)}  ${"account".padEnd(36)}  state      added       until       aliases\n`;

function lineOf(
  { id, userId, state, createdAt, stateUntil, aliases, domain = "" }: DomainSummary,
  index: number,
): string {
  const [added, until] = [createdAt.slice(0, 10), (stateUntil ?? "-").slice(0, 10)];
  const line = `${id}  ${userId}  ${state.padEnd(9)}  ${added}  ${until.padEnd(10)}  ${String(aliases).padStart(7)}  ${oneWord(domain)}`;
  return `${index === 0 ? heading : ""}${line.trimEnd()}\n`;
}

export const domainsZone: Command = {
  usage: "domains zone <domain-or-id>",
  about: "the DNS records of an account's own domain, as a zone file",
  options: {},
  async run({ access, args: [domain = ""], values }) {
    const found = await (await access())["domains-zone"]({ domain });
    const one = found.length === 1 ? found[0] : found.find(({ state }) => state !== "new");
    if (one === undefined) return refuse(found.length === 0 ? noDomain : severalText(found), 1);
    return print(values.json === true ? jsonText(one) : zoneText(one));
  },
};

const zoneText = (one: DomainZone): string =>
  `; ${one.domain}: own domain ${one.id} of account ${one.userId}, ${one.state}\n${zoneFile(one)}`;

const noDomain = "No account has added this domain; `kauke domains own` prints the ids of those that are there.";

/** Each account has its own ownership record and keys, so that their records together are no zone. */
const severalText = (found: readonly DomainZone[]): string =>
  `${found.length} accounts have added this domain, and none has proven it. Give one of these ids:\n${found.map(({ id, userId }) => `${id}  of account ${userId}`).join("\n")}`;
