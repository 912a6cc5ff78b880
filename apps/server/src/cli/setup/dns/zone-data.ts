/** Reads record data in zone file syntax (RFC 1035 §5.1), which REST APIs use. */
import { isIP } from "node:net";
import type { DnsRecord } from "@kauke/mail-rfc";
import { canonical } from "./record-changes.ts";

export interface TypedData {
  name: string;
  type: string;
  data: string;
}

/** @param zone completes relative names @returns `null` for other types and for invalid data */
export function readZoneData({ name, type, data }: TypedData, zone: string): DnsRecord | null {
  const record = readRecord({ name, type, data }, (text) => (text.endsWith(".") ? text : `${text}.${zone}`));
  return record === null ? null : canonical(record);
}

function readRecord({ name, type, data }: TypedData, complete: (name: string) => string): DnsRecord | null {
  switch (type) {
    case "A":
      return isIP(data) === 4 ? { type, name, address: data } : null;
    case "AAAA":
      return isIP(data) === 6 ? { type, name, address: data } : null;
    case "CNAME":
      return { type, name, target: complete(data) };
    case "MX": {
      const [, preference, exchange] = /^(\d{1,5})\s+(\S+)$/.exec(data.trim()) ?? [];
      return exchange === undefined
        ? null
        : { type, name, preference: Number(preference), exchange: complete(exchange) };
    }
    case "TXT":
      return { type, name, text: readStrings(data) };
    default:
      return null;
  }
}

/** Joins the quoted strings of a TXT record; data without quotes is one string. */
export function readStrings(data: string): string {
  if (!data.startsWith('"')) return data;
  const strings = data.matchAll(/"((?:[^"\\]|\\.)*)"/gs);
  return [...strings]
    .map(([, inside = ""]) => inside.replace(/\\(\d{3}|.)/gs, (_, code: string) => unescaped(code)))
    .join("");
}

const unescaped = (code: string) => (code.length === 3 ? String.fromCharCode(Number(code)) : code);
