/** A forwarder under test: accepts mail for `rcptTo` on `port` and relays it to the sink's port. */
import { generateKeyPairSync } from "node:crypto";
import { type FakeDnsZone, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { type CpuMeter, openMeter } from "../cpu-meter.ts";

export interface ForwardSystem {
  name: string;
  /** Features of Kauke that are on; `peer` for another program, `ceiling` for the ceiling relay. */
  variant: OurVariant | "peer" | "ceiling";
  /** Number of processes that carry mail; `null` for a program that starts one for each task. */
  workers: number | null;
  port: number;
  rcptTo: string;
  /** Where `rcptTo` forwards to; `destination` by default. */
  destination?: string;
  meter: CpuMeter;
  /** Messages sent before the first measurement, so that code is compiled in every process, and connections are cached. */
  warmUp: number;
  close(): Promise<void>;
}

export interface OurSystem extends ForwardSystem {
  variant: OurVariant;
  /** Creates another alias with the same destination. @returns its address */
  makeAlias(): Promise<string>;
}

/** A peer that stores every message on disk, for comparison with the spool rows: CPU-s/1000 by message size. */
export interface DurablePeer {
  name: string;
  cpuBySize: Map<number, number>;
}

/**
 * Variants of Kauke. `plain`: not signed; `signed`: DKIM; `verified`: signed, and SPF, DKIM, DMARC and ARC checked on
 * arrival.
 */
export const systemVariants = ["plain", "signed", "verified"] as const;
export type SystemVariant = (typeof systemVariants)[number];

/**
 * Additional variants in the table of peers. `sealed`: verified, with the results sealed into an ARC set; `tls`:
 * signed, with the certificate that all systems use there; `spooled`: signed, every message is on disk before it is
 * acknowledged (KAUKE_ANSWER_SECONDS=0).
 */
export type OurVariant = SystemVariant | "sealed" | "tls" | "spooled";

export const destination = "user@out.test";

/** Seconds until the first retry: longer than it takes to accept the messages of one measurement. */
export const FIRST_RETRY_SECONDS = 10;

export interface OurOptions {
  sinkPort: number;
  /** Settings in addition to those of the variant. */
  env?: Record<string, string>;
  /** Name of the meter if it is not that of the variant, for a second system of the same variant. */
  meterName?: string;
  /** Runs the server on existing accounts. */
  accounts?: OurAccounts;
}

/** A server's existing accounts, and what it needs to deliver to them. */
export interface OurAccounts {
  dataDir: string;
  /** Address of one of their aliases, to which the sample message is sent. */
  rcptTo: string;
  /** Mailbox to which that alias forwards. */
  destination: string;
  /** DNS records in addition to those of the message's sender. */
  zone: FakeDnsZone;
}

/** Processes of Kauke that carry mail. */
export const ourWorkers = 1;

/**
 * Settings that acknowledge a message before it is delivered. Messages in flight then stay in memory together with
 * arriving ones, and the load generator cannot handle a 452, so the memory budget (four of the largest messages) is
 * raised.
 */
const answeredFirst = { KAUKE_ANSWER_SECONDS: "0", KAUKE_MAX_MESSAGE_BYTES: String(100 * 1_048_576) };

const checks = (variant: OurVariant) => (variant === "verified" || variant === "sealed" ? "on" : "off");

/** Sufficient for a first start on a machine with other load, where only smoke tests run. */
const START_TIMEOUT_MS = 300_000;

/**
 * Starts the whole server in its own process, with the embedded database, and one account with one alias unless it gets
 * existing ones.
 */
export async function startOurs(
  variant: OurVariant,
  { sinkPort, env = {}, meterName = variant, accounts }: OurOptions,
): Promise<OurSystem> {
  const dns = await startFakeDnsServer({ ...senderZone(), ...accounts?.zone });
  const server = await startServerProcess({
    readyTimeoutMs: START_TIMEOUT_MS,
    ...(accounts === undefined ? {} : { dataDir: accounts.dataDir }),
    env: {
      KAUKE_LIMITS: "off",
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${sinkPort}`,
      KAUKE_DKIM: variant === "plain" ? "off" : "on",
      KAUKE_AUTHENTICATION: checks(variant),
      KAUKE_ARC_SEAL: variant === "sealed" ? "always" : "off",
      KAUKE_DNS_SERVERS: dns.address,
      KAUKE_RETRY_SCHEDULE: `${FIRST_RETRY_SECONDS}s,1h`,
      ...(variant === "spooled" ? answeredFirst : {}),
      ...env,
    },
  });
  const meter = openMeter(`ours-${meterName}`);
  meter.join(server.pid);
  const person = accounts === undefined ? await registerPerson(server.url) : null;
  const makeAlias = async () => {
    if (person === null) throw new Error("no account to make an alias for");
    const { alias, domain } = await person.createAlias({ forwardTo: destination });
    return `${alias}@${domain}`;
  };
  return {
    name: "kauke",
    variant,
    workers: ourWorkers,
    port: server.mxPort,
    rcptTo: accounts?.rcptTo ?? (await makeAlias()),
    ...(accounts === undefined ? {} : { destination: accounts.destination }),
    meter,
    warmUp: variant === "spooled" ? 2000 : 4000,
    makeAlias,
    async close() {
      await server.stop();
      await dns.close();
      meter.close();
      await removeDataDirs();
    },
  };
}

/** DNS records of the message's sender: SPF that permits this machine, a DKIM key, a DMARC policy. */
function senderZone() {
  return {
    "remote.test": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
    [senderKeyName]: { txt: [senderKeyRecord()] },
    "_dmarc.remote.test": { txt: ["v=DMARC1; p=none"] },
  };
}

export const senderKeyName = "20230601._domainkey.remote.test";

export function senderKeyRecord(): string {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
}
