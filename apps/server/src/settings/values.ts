/** Parsers of single settings: text in, typed value out, `SettingProblem` for invalid text, which it never quotes. */
import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { MailSyntaxError, parseAddress, parseRetrySchedule } from "@kauke/mail-rfc";
import type { Config } from "./config.ts";
import { SettingProblem } from "./env.ts";

export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new SettingProblem(`must be a whole number from ${min} to ${max}`);
  };
}

/** Port number; 0 lets the system choose a free one. */
export const port = integer(0, 65_535);

/** `null` for `off`. */
export const portOrOff = (text: string): number | null => (text === "off" ? null : port(text));

/** 0 for `off`. */
export const countOrOff =
  (max: number) =>
  (text: string): number =>
    text === "off" ? 0 : integer(1, max)(text);

export function oneOf<T extends string>(...choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new SettingProblem(`must be one of ${choices.join(", ")}`);
    return found;
  };
}

export function commaList<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => {
    const items = text.split(",").map((item) => item.trim());
    if (items.includes("")) throw new SettingProblem("must be a list with commas between its items");
    const values = items.map(parse);
    if (new Set(values).size !== values.length) throw new SettingProblem("must not name anything twice");
    return values;
  };
}

export function listenHost(text: string): string {
  if (isIP(text) !== 0 || isHostName(text)) return text;
  throw new SettingProblem("must be an IP address or a host name");
}

/** Converts a domain to lower case and ASCII, e.g. `ąžuolas.lt` → `xn--uolas-j2a70b.lt`; at least two labels. */
export function domainName(text: string): string {
  const name = domainToASCII(text).toLowerCase();
  if (isHostName(name) && name.includes(".") && isIP(name) === 0) return name;
  throw new SettingProblem("must hold domain names such as example.org");
}

export const domainsOrOff = (text: string): readonly string[] => (text === "off" ? [] : commaList(domainName)(text));

function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label));
}

/** IP address or range, e.g. `10.0.0.0/8`, `::1` or `192.0.2.1`. */
export function addressRange(text: string): string {
  const [address = "", bits, rest] = text.split("/");
  const family = isIP(address);
  const maxBits = family === 6 ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
  if (family === 0 || !isPrefix || rest !== undefined) throw new SettingProblem("must hold addresses or CIDR ranges");
  new BlockList().addSubnet(address, Number(bits ?? maxBits), family === 6 ? "ipv6" : "ipv4");
  return text;
}

export function hostOrRange(text: string): string {
  if (!text.includes("/") && isIP(text) === 0 && isHostName(text)) return text.toLowerCase();
  try {
    return addressRange(text);
  } catch {
    throw new SettingProblem("must hold host names, addresses or CIDR ranges");
  }
}

/** @returns `address:port`, IPv6 in brackets; port 53 when none is given */
export function dnsServer(text: string): string {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const family = isIP(address);
  const number = Number(portText ?? 53);
  if (family === 0 || number < 1 || number > 65_535)
    throw new SettingProblem("must hold addresses such as 192.0.2.1:53");
  return family === 6 ? `[${address}]:${number}` : `${address}:${number}`;
}

/** An origin: scheme, host and optional port, nothing after it. */
export function origin(text: string): URL {
  const url = parseUrl(text, "must be an origin such as https://kauke.example");
  const isBare =
    url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isBare && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw new SettingProblem("must be an origin such as https://kauke.example");
}

/** Origin of an API that gets a key: `http://` for loopback only. */
export function providerUrl(text: string): URL {
  const url = origin(text);
  if (url.protocol === "https:" || isLoopback(url.hostname)) return url;
  throw new SettingProblem("must be an https address");
}

/** User name of the Basic authentication, so without colon; visible ASCII. */
export function providerKey(text: string): string {
  if (/^[!-9;-~]{8,512}$/.test(text)) return text;
  throw new SettingProblem("must be 8 to 512 visible characters without a colon");
}

export function webLink(text: string): string {
  const url = parseUrl(text, "must be an http(s) address");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new SettingProblem("must be an http(s) address");
  return url.href;
}

/** @param host name or address; IPv6 with or without brackets */
export const isLoopback = (host: string): boolean => /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/i.test(host);

/** URL of an OpenID issuer; `http://` for loopback only, for tests. A trailing slash belongs to an issuer's name. */
export function issuer(text: string): string {
  const url = parseUrl(text, "must be an https address");
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
    return url.pathname === "/" ? text.replace(/\/$/, "") : text;
  throw new SettingProblem("must be an https address (http only on loopback)");
}

export function databaseUrl(text: string): string {
  const url = parseUrl(text, "must begin with postgres://");
  if (url.protocol === "postgres:" || url.protocol === "postgresql:") return text;
  throw new SettingProblem("must begin with postgres://");
}

export function relayUrl(text: string): URL {
  const form = "must be smtp://[user:password@]host:port or smtps://…";
  const url = parseUrl(text, form);
  const isPlain = ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "";
  const isWhole =
    url.hostname !== "" && url.port !== "" && url.port !== "0" && (url.username === "") === (url.password === "");
  if ((url.protocol === "smtp:" || url.protocol === "smtps:") && isPlain && isWhole) return url;
  throw new SettingProblem(form);
}

function parseUrl(text: string, problem: string): URL {
  if (!URL.canParse(text)) throw new SettingProblem(problem);
  return new URL(text);
}

export function mailbox(text: string): string {
  return fromMailSyntax("must be an e-mail address", () => {
    const { canonical } = parseAddress(text);
    return canonical;
  });
}

export function retrySchedule(text: string): number[] {
  return fromMailSyntax("must be waiting times such as 30s,2m,1h,2d", () => parseRetrySchedule(text));
}

function fromMailSyntax<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) throw new SettingProblem(problem);
    throw thrown;
  }
}

/** A key of 32 bytes in either base64 alphabet, with or without padding. */
export function secretKey(text: string): Buffer {
  const key = Buffer.from(text, "base64");
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
  if (isBase64 && key.length === 32) return key;
  throw new SettingProblem("must be 32 bytes in base64");
}

/** Rate limits: `off`, or counts per seconds such as `alias_create=20/3600`. @param names those that may occur */
export const limitsOf =
  (names: readonly string[]) =>
  (text: string): Config["limits"] => {
    if (text === "off") return "off";
    const changes = commaList(limitChange)(text);
    const found = new Map(changes);
    if (found.size !== changes.length) throw new SettingProblem("must not name anything twice");
    const isKnown = [...found.keys()].every((name) => names.includes(name));
    if (!isKnown) throw new SettingProblem(`must name limits that exist: ${names.join(", ")}`);
    return found;
  };

function limitChange(text: string): [string, { max: number; windowSeconds: number }] {
  const [, name, max, windowSeconds] = /^([a-z][a-z0-9_]*)=(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (name === undefined || Number(windowSeconds) === 0) {
    throw new SettingProblem("must be off, or a list of name=count/seconds");
  }
  return [name, { max: Number(max), windowSeconds: Number(windowSeconds) }];
}
