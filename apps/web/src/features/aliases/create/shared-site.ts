/**
 * A site that somebody shared with the installed app: `/dashboard?title=…&text=…&url=…`, or `/dashboard?new` without one.
 * Its host name waits in this tab's storage until the form for a new alias takes it, through a sign-in too.
 */
import { limits } from "@kauke/contract/limits";
import { normalizePath } from "../../../app/path.ts";

const KEY = "shared-site";
/** In this order; programs put the address into any of them. */
const fields = ["url", "text", "title"] as const;
const FIELD_MAX = 4096;
const HOST = /^(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** @returns the host name, `""` if the address asks for a new alias without naming a site, `null` if it does not ask */
export function readShared(search: string): string | null {
  const asked = new URLSearchParams(search);
  if (![...fields, "new"].some((name) => asked.has(name))) return null;
  const hosts = fields.map((name) => hostIn((asked.get(name) ?? "").slice(0, FIELD_MAX)));
  return hosts.find((host) => host !== "") ?? "";
}

/** @example hostIn("Nice shoes https://www.shop.example/cart?id=7") // "shop.example" */
function hostIn(text: string): string {
  const [url = ""] = /https?:\/\/[^\s<>"']+/i.exec(text) ?? [];
  if (!URL.canParse(url)) return "";
  const host = new URL(url).hostname.replace(/\.$/, "").replace(/^www\d?\.(?=[^.]+\.)/, "");
  return host.length <= limits.siteMax && HOST.test(host) ? host : "";
}

/** Without storage it lasts until the tab is reloaded. */
let held: string | null = null;

function inStorage<T>(act: (storage: Storage) => T): T | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}

/** The shared site, once. */
export function takeSharedSite(): string | null {
  const stored = inStorage((storage) => storage.getItem(KEY));
  inStorage((storage) => storage.removeItem(KEY));
  const found = held ?? stored;
  held = null;
  return found === null || found === "" || HOST.test(found) ? found : null;
}

function takeFromAddress(): void {
  const { pathname, search } = window.location;
  const found = normalizePath(pathname) === "/dashboard" ? readShared(search) : null;
  if (found === null) return;
  window.history.replaceState(window.history.state, "", pathname);
  held = found;
  inStorage((storage) => storage.setItem(KEY, found));
}

if (typeof window !== "undefined") takeFromAddress();
