/** The server may set the links by `<meta name="links" content='{"docs":"https://…"}'>` (`KAUKE_LINK_*`). */
import { docsPath, forwardingMeta, linkPlaceholder, pagePlaceholders, smtpGuidePath } from "@kauke/contract";

const defaults = {
  docs: docsPath,
  social: "https://social.kauke.test/",
  video: "https://video.kauke.test/",
  reviews: "https://reviews.kauke.test/",
  feedback: "https://feedback.kauke.test/",
  smtpGuide: smtpGuidePath,
  age: "https://age-encryption.org/",
};

export const clientsGuidePath = "/docs/clients";

type Links = typeof defaults;

/** Reads the operator's links, ignoring unknown names and addresses that are not http or https. */
export function parseLinks(text: string): Links {
  const links = { ...defaults };
  try {
    const given = JSON.parse(text) as Record<string, unknown>;
    for (const name of Object.keys(defaults) as (keyof Links)[]) {
      const url = given[name];
      if (typeof url === "string" && /^https?:\/\//i.test(url)) links[name] = url;
    }
  } catch {
    // Without valid settings the default links apply.
  }
  return links;
}

/** Prerendered pages have placeholders, which the server fills in. `age` has no setting. */
function placeholders(): Links {
  const names = Object.keys(defaults).filter((name) => name !== "age");
  return { ...defaults, ...Object.fromEntries(names.map((name) => [name, linkPlaceholder(name)])) };
}

/** The meta element with one of the server's settings. */
export const findMeta = (name: string): HTMLMetaElement | null => document.querySelector(`meta[name="${name}"]`);

export function readLinks(): Links {
  if (import.meta.env.SSR) return placeholders();
  return parseLinks(findMeta("links")?.content ?? "");
}

/** The first domain, by `<meta name="domain" content="kauke.test" data-longest="10">`, until all have loaded. */
export interface SiteDomain {
  domain: string;
  /** Length of the longest domain, as text; the hero's font size depends on it. */
  longest: string;
}

const unknown = "kauke.test";

export function readSiteDomain(): SiteDomain {
  if (import.meta.env.SSR) return { domain: pagePlaceholders.domain, longest: pagePlaceholders.longestDomain };
  const meta = findMeta("domain");
  const domain = meta?.content || unknown;
  return { domain, longest: meta?.dataset.longest ?? String(domain.length) };
}

export interface SiteProvider {
  name: string;
  smtpHost: string;
}

/** The server's forwarding provider, by `<meta name="forwarding" content="Forward Email" data-smtp-host="smtp.…">`. */
export function readProvider(): SiteProvider | null {
  if (import.meta.env.SSR) return null;
  const meta = findMeta(forwardingMeta);
  return meta && { name: meta.content, smtpHost: meta.dataset.smtpHost ?? "" };
}
