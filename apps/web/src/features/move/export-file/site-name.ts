/** Name of a login's site, never a whole URL, which can contain secrets. */
import { limits } from "@kauke/contract/limits";

const androidApp = /^android(?:app)?:\/\/(?:[^@/]*@)?([\w.]+)/;

/** @param urls e.g. `https://shop.example/login?next=…`, `android://…@app` @param name used if no URL names a site */
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
  // Some programs store regular expressions as URLs.
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(host) || host.startsWith(".")) return null;
  return host === "" || host.length > limits.siteMax || !/[.:]|^localhost$/.test(host) ? null : host;
}

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
/** Package names are reversed host names, e.g. `com.example.app`. */
const appName = /^(?:com|org|net|io)\.[^.]+\./i;

/** Link to a site; `null` if its name is no host name. */
export function siteLink(site: string): string | null {
  return hostName.test(site) && !appName.test(site) ? `https://${site}` : null;
}
