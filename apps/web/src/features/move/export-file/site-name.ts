/**
 * Finds a short name for the site of a login: a host name or an entry's name, never a whole URL, which can contain
 * secrets.
 */
import { limits } from "@kauke/contract/limits";

const androidApp = /^android(?:app)?:\/\/(?:[^@/]*@)?([\w.]+)/;

/**
 * Name of the site of a password manager's entry.
 * @param urls URLs of the entry, e.g. `https://www.shop.example/login?next=…`, `shop.example`, `android://…@app`
 * @param name the entry's own name, used if no URL names a site
 * @returns e.g. `shop.example`; `null` if neither URLs nor name tell the site
 */
export function siteNameOf(urls: readonly string[], name: string): string | null {
  for (const url of urls) {
    const host = hostOf(url.trim());
    if (host !== null) return host;
  }
  const plain = name.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim();
  return plain === "" ? null : plain.slice(0, limits.siteMax).trimEnd();
}

function hostOf(url: string): string | null {
  const app = androidApp.exec(url)?.[1];
  if (app !== undefined) return app.slice(0, limits.siteMax);
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^:/]+:\d+(?:\/|$)/.test(url) ? url : `https://${url}`;
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return null;
  const host = new URL(whole).hostname.replace(/^\*\./, "").replace(/^www\d?\.(?=[^.]+\.)/, "");
  // Some programs also store regular expressions as URLs; those are no names of hosts.
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(host) || host.startsWith(".")) return null;
  return host === "" || host.length > limits.siteMax || !/[.:]|^localhost$/.test(host) ? null : host;
}

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
/** First parts of Android package names, which are host names in reverse order, e.g. `com.example.app`. */
const appName = /^(?:com|org|net|io)\.[^.]+\./i;

/** URL of a site of the checklist; `null` if its name is no host name. */
export function siteLink(site: string): string | null {
  return hostName.test(site) && !appName.test(site) ? `https://${site}` : null;
}
