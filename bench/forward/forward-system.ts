/** A forwarder under test: it takes mail for `rcptTo` on `port` and relays it to the sink's port. */
import { generateKeyPairSync } from "node:crypto";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { type CpuMeter, openMeter } from "../cpu-meter.ts";

export interface ForwardSystem {
  name: string;
  /** What of ours is on; `peer`: somebody else's program. */
  variant: OurVariant | "peer";
  port: number;
  rcptTo: string;
  meter: CpuMeter;
  /** Messages before the first measurement: compiled code, cached connections. */
  warmUp: number;
  close(): Promise<void>;
}

export interface OurSystem extends ForwardSystem {
  variant: OurVariant;
  pid: number;
  /** @returns the address of one more alias with the same destination */
  makeAlias(): Promise<string>;
}

/** The peer keeps every message on disk: what the spool rows are compared with, CPU-s/1000 by message size. */
export interface DurablePeer {
  name: string;
  cpuBySize: Map<number, number>;
}

/** `plain`: not signed; `signed`: DKIM; `verified`: signed, and SPF, DKIM, DMARC and ARC checked on arrival. */
export const variants = ["plain", "signed", "verified"] as const;
export type Variant = (typeof variants)[number];

/**
 * In the table of peers besides: `sealed`: checked, and the findings sealed into an ARC set; `tls`: signed, with the certificate
 * every system has there; `spooled`: signed, every message is on disk before it is answered (KAUKE_ANSWER_SECONDS=0).
 */
export type OurVariant = Variant | "sealed" | "tls" | "spooled";

export const destination = "user@out.test";

/** Wait before the first retry: longer than the acceptance of one measurement takes. */
export const spoolRestSeconds = 10;

export interface OurOptions {
  sinkPort: number;
  /** Settings on top. */
  env?: Record<string, string>;
  /** Another one than the variant, when there are two of them. */
  meterName?: string;
}

/**
 * What is under way stays in memory besides what arrives, and the generator takes no 452 for an answer: the room for messages
 * (four of the largest) is made wider.
 */
const answeredFirst = { KAUKE_ANSWER_SECONDS: "0", KAUKE_MAX_MESSAGE_BYTES: String(100 * 1_048_576) };

const checks = (variant: OurVariant) => (variant === "verified" || variant === "sealed" ? "on" : "off");

/** Our whole server in a process of its own, with the embedded database, one account and one alias. */
export async function startOurs(
  variant: OurVariant,
  { sinkPort, env = {}, meterName = variant }: OurOptions,
): Promise<OurSystem> {
  const dns = await startFakeDnsServer(senderZone());
  const server = await startServerProcess({
    env: {
      KAUKE_LIMITS: "off",
      KAUKE_DELIVERY: "relay",
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${sinkPort}`,
      KAUKE_DKIM: variant === "plain" ? "off" : "on",
      KAUKE_AUTHENTICATION: checks(variant),
      KAUKE_ARC_SEAL: variant === "sealed" ? "on" : "off",
      KAUKE_DNS_SERVERS: dns.address,
      KAUKE_RETRY_SCHEDULE: `${spoolRestSeconds}s,1h`,
      ...(variant === "spooled" ? answeredFirst : {}),
      ...env,
    },
  });
  const meter = openMeter(`ours-${meterName}`);
  meter.join(server.pid);
  const person = await registerPerson(server.url);
  const makeAlias = async () => {
    const { alias, domain } = await person.createAlias({ forwardTo: destination });
    return `${alias}@${domain}`;
  };
  return {
    ...{
      name: "kauke",
      variant,
      port: server.mxPort,
      rcptTo: await makeAlias(),
      meter,
      warmUp: variant === "spooled" ? 1000 : 2000,
      makeAlias,
    },
    pid: server.pid,
    async close() {
      await server.stop();
      await dns.close();
      meter.close();
      await removeDataDirs();
    },
  };
}

/** What the sender of our message publishes: SPF that allows this machine, a key for its signature, a DMARC policy. */
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
