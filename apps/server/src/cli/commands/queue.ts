/** Commands on the queue by destination host. They never print a mailbox, an alias or the mail. */
import type { QueueOfHostWire } from "@kauke/contract";
import { bounds } from "../../limits/table.ts";
import { type Command, finish, jsonText, minuteOf, oneWord, print, refuse } from "./command.ts";

export const queue: Command = {
  usage: "queue",
  about: "lists the queued deliveries by destination host: how many, since when, why they wait",
  options: {},
  async run({ access, values }) {
    const { hosts, isPartial } = await (await access())["queue-hosts"]({});
    if (values.json === true) return print(jsonText({ hosts, isPartial }));
    if (hosts.length === 0) return print("The queue is empty.\n");
    const { deliveries, hosts: most } = bounds.queueByHost;
    const rest = isPartial
      ? `\nNot all: only the ${deliveries} deliveries due first, and at most ${most} hosts.\n`
      : "";
    const width = Math.max(...hosts.map(({ host }) => oneWord(host).length));
    const heading = `${"host".padEnd(width)}   open  running  oldest            next              last failure\n`;
    return print(`${heading}${hosts.map((one) => lineOf(one, width)).join("")}${rest}`);
  },
};

const countOf = (count: number) => (count === 1 ? "1 delivery is" : `${count} deliveries are`);

function lineOf({ host, open, running, oldestAt, nextAt, failure }: QueueOfHostWire, width: number): string {
  const counts = `${String(open).padStart(5)}  ${String(running).padStart(7)}`;
  const times = `${minuteOf(oldestAt)}  ${minuteOf(nextAt)}`;
  return `${oneWord(host).padEnd(width)}  ${counts}  ${times}  ${failure ?? "-"}\n`;
}

export const queueRetry: Command = {
  usage: "queue retry <host>",
  about: "tries the waiting deliveries to a host now; this uses up none of their retries",
  options: {},
  async run({ access, args: [host = ""], values }) {
    const changed = await (await access())["queue-retry"]({ host });
    if (values.json === true) return print(jsonText({ changed }));
    return finish(changed > 0, `${countOf(changed)} tried now.`, "No delivery waits for this host.");
  },
};

export const queueDrop: Command = {
  usage: "queue drop <host>",
  about: "gives up the waiting deliveries to a host; owners and senders are told as of any failed delivery",
  options: { yes: "confirms that the mail is not delivered" },
  async run({ access, args: [host = ""], values }) {
    if (values.yes !== true)
      return refuse("This gives up the mail that waits for this host, for good. Add --yes to confirm.");
    const changed = await (await access())["queue-drop"]({ host });
    if (values.json === true) return print(jsonText({ changed }));
    return finish(changed > 0, `${countOf(changed)} given up.`, "No delivery waits for this host.");
  },
};
