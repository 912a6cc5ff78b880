/**
 * What the owner sends a mail worker at its start. It contains neither the database's address nor the wrapping key,
 * because a worker reads what strangers send.
 */
import { createPrivateKey } from "node:crypto";
import type { DkimKey } from "@kauke/mail-rfc";
import type { Config, DeliveryMode } from "../config.ts";
import type { ConfirmationSettings } from "../core/destination/destination.ts";
import type { MailPorts } from "../start-mail.ts";

/** The settings in structured-cloneable form. */
type SentConfig = Omit<Config, "publicUrl" | "delivery"> & {
  databaseUrl: null;
  secretKey: null;
  google: null;
  publicUrl: string;
  delivery: { kind: DeliveryMode["kind"]; url: string | null };
};

type SentDkimKey = Omit<DkimKey, "privateKey"> & { privateKey: Buffer };

/** Purposes of the keyed hashes that the mail path makes. */
export const workerHmacPurposes = ["srs", "fingerprint", "abuse"] as const;

export interface WorkerSetup {
  /** Number of the worker, from 1. */
  number: number;
  config: SentConfig;
  /** Ports to listen on; for those that are `null` the settings apply. */
  ports: MailPorts;
  isDatabaseShared: boolean;
  /** Whether the store keeps messages in flight; only the embedded one does. */
  hasInFlight: boolean;
  hmacKeys: [purpose: (typeof workerHmacPurposes)[number], key: Buffer][];
  dkimKeys: SentDkimKey[];
  /** Keys of TLS session tickets, so that a client resumes its session in whichever worker gets its connection. */
  ticketKeys: Buffer;
  confirmation: ConfirmationSettings | null;
  /** Whether the preview inbox and its trace exist in the owner. */
  hasPreview: boolean;
}

export function sendConfig(config: Config): SentConfig {
  const { publicUrl, delivery } = config;
  const url = delivery.kind === "relay" ? delivery.url.href : null;
  const sent = { ...config, publicUrl: publicUrl.href, delivery: { kind: delivery.kind, url } };
  return { ...sent, databaseUrl: null, secretKey: null, google: null };
}

/** @param ports ports that replace those of the settings, unless `null` */
export function receiveConfig({ publicUrl, delivery, ...rest }: SentConfig, ports: MailPorts): Config {
  const at = (name: keyof MailPorts) => ({ ...rest[name], port: ports[name] ?? rest[name].port });
  return {
    ...rest,
    mx: at("mx"),
    submission: at("submission"),
    submissions: at("submissions"),
    publicUrl: new URL(publicUrl),
    delivery: deliveryOf(delivery),
  };
}

function deliveryOf({ kind, url }: SentConfig["delivery"]): DeliveryMode {
  return kind === "relay" ? { kind, url: new URL(url ?? "") } : { kind };
}

export function sendDkimKey({ privateKey, ...rest }: DkimKey): SentDkimKey {
  return { ...rest, privateKey: privateKey.export({ format: "der", type: "pkcs8" }) };
}

export function receiveDkimKey({ privateKey, ...rest }: SentDkimKey): DkimKey {
  return { ...rest, privateKey: createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" }) };
}
