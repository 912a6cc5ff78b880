/** A request's client and browser. `X-Forwarded-For` counts only from the proxies in `KAUKE_TRUSTED_PROXIES`. */
import { BlockList, isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import { clientNetwork } from "../../limits/party.ts";
import type { Logger } from "../../runtime/ports.ts";
import type { SocketGuard } from "../socket-guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    clientIp: string;
  }
}

type IsTrustedProxy = (address: string) => boolean;

/** @param cidrs addresses or networks of proxies, e.g. `["10.0.0.0/8", "::1"]` @throws Error for anything else */
export function trustedProxyCheck(cidrs: readonly string[]): false | IsTrustedProxy {
  if (cidrs.length === 0) return false;
  const trusted = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    const family = familyOf(network);
    if (family === null) throw new Error("KAUKE_TRUSTED_PROXIES contains something that is not a network");
    trusted.addSubnet(network, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && trusted.check(address, family);
  };
}

interface Forwarded {
  socketAddress: string;
  /** `X-Forwarded-For`, in which each proxy has appended the address that it was called from. */
  field: string | undefined;
  isTrustedProxy: IsTrustedProxy;
}

/**
 * The client's address is the last one that no trusted proxy has. Those before it are not read, because the client may
 * have written them; for the same reason an entry that can't be read ends the search.
 * @returns `isReadable`: false if a trusted proxy wrote something else than an address, so that the client counts as
 * that proxy
 */
export function forwardedClient({ socketAddress, field = "", isTrustedProxy }: Forwarded) {
  const entries = field.split(",").filter((entry) => entry.trim() !== "");
  let address = socketAddress;
  while (entries.length > 0 && isTrustedProxy(address)) {
    const next = addressIn(entries.pop() ?? "");
    if (next === null) return { address, isReadable: false };
    address = next;
  }
  return { address, isReadable: true };
}

/** Proxies write an address bare, quoted, in brackets, with a port. @returns e.g. `192.0.2.9`; `null` for `unknown` */
function addressIn(entry: string): string | null {
  const plain = entry
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
  const inBrackets = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(plain)?.[1];
  const forms = inBrackets === undefined ? [plain, plain.replace(/:\d{1,5}$/, "")] : [inBrackets];
  return forms.find((form) => isIP(form) !== 0) ?? null;
}

interface ClientFinding {
  isTrustedProxy: (address: string) => boolean;
  guard: Pick<SocketGuard, "assign">;
  logger: Logger;
}

/** Counts a proxy's socket for its client. Logs once if a proxy's field can't be read: its clients share a limit. */
export function findClients(app: FastifyInstance, { isTrustedProxy, guard, logger }: ClientFinding): void {
  let isLogged = false;
  app.decorateRequest("clientIp", "");
  app.addHook("onRequest", async (request) => {
    const { socket, headers } = request.raw;
    const field = headers["x-forwarded-for"];
    const { address, isReadable } = forwardedClient({
      socketAddress: socket.remoteAddress ?? "",
      field: Array.isArray(field) ? field.join(",") : field,
      isTrustedProxy,
    });
    request.clientIp = address;
    if (!isReadable && !isLogged) logger.warn("forwarded_for_unreadable");
    isLogged ||= !isReadable;
    if (!guard.assign(socket, address)) throw new AppError("busy");
  });
}

/** Network that a request counts against, e.g. `192.0.2.7`, `2001:db8:0:7`; `unknown` without an IP address. */
export function clientAddress({ clientIp }: Pick<FastifyRequest, "clientIp">): string {
  return clientNetwork(clientIp);
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}

type Named = readonly [name: string, pattern: RegExp];

/** Order matters: most browsers also claim to be Chrome or Safari. */
const browsers: readonly Named[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPT|OPX|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

const systems: readonly Named[] = [
  ["iPhone", /\b(?:iPhone|iPod)\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b|\bX11\b/],
];

const READ_CHARACTERS = 512;

/** A browser in words of our tables only: nothing of the field is stored. E.g. `Firefox on Linux`; `null`: unknown. */
export function deviceName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? "").slice(0, READ_CHARACTERS);
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  if (system === null) return browser;
  return browser === null ? `A browser on ${system}` : `${browser} on ${system}`;
}

function nameIn(table: readonly Named[], text: string): string | null {
  return table.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
