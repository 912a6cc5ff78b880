/**
 * External addresses: footer, feedback and the guide for mail programs. The server may put its settings
 * (`KAUKE_LINK_*`) into the page as `<meta name="links" content='{"docs":"https://…"}'>`; links missing there keep
 * their defaults. By default the two guides are pages of this server.
 */
import { docsPath, linkPlaceholder, pagePlaceholders, smtpGuidePath } from "@kauke/contract";

const defaults = {
  docs: docsPath,
  social: "https://social.kauke.test/",
  video: "https://video.kauke.test/",
  reviews: "https://reviews.kauke.test/",
  feedback: "https://feedback.kauke.test/",
  smtpGuide: smtpGuidePath,
  age: "https://age-encryption.org/",
};

/** Path of this server's guide for password managers, browser extensions and apps that use an API key. */
export const clientsGuidePath = "/docs/clients";

type Links = typeof defaults;

/** Reads the links from the page's settings. Only http and https addresses with known names are used. */
export function parseLinks(text: string): Links {
  const links = { ...defaults };
  try {
    const given = JSON.parse(text) as Record<string, unknown>;
    for (const name of Object.keys(defaults) as (keyof Links)[]) {
      const url = given[name];
      if (typeof url === "string" && /^https?:\/\//i.test(url)) links[name] = url;
    }
  } catch {
    // The page has no valid settings for links: use the defaults.
  }
  return links;
}

/**
 * The links of pages prerendered at build time: placeholders, which the server replaces by its settings when it sends a
 * page. The link `age` has no setting.
 */
function placeholders(): Links {
  const names = Object.keys(defaults).filter((name) => name !== "age");
  return { ...defaults, ...Object.fromEntries(names.map((name) => [name, linkPlaceholder(name)])) };
}

export function readLinks(): Links {
  if (import.meta.env.SSR) return placeholders();
  return parseLinks(document.querySelector<HTMLMetaElement>('meta[name="links"]')?.content ?? "");
}

/**
 * The alias domain that pages name while the list of domains is not loaded: the list's first. The server puts it into
 * the page as `<meta name="domain" content="kauke.test" data-longest="10">`, together with the length of the longest
 * domain.
 */
export interface SiteDomain {
  domain: string;
  /** Characters of the longest domain, as text; the hero's font size depends on it. */
  longest: string;
}

const unknown = "kauke.test";

export function readSiteDomain(): SiteDomain {
  if (import.meta.env.SSR) return { domain: pagePlaceholders.domain, longest: pagePlaceholders.longestDomain };
  const meta = document.querySelector<HTMLMetaElement>('meta[name="domain"]');
  const domain = meta?.content || unknown;
  return { domain, longest: meta?.dataset.longest ?? String(domain.length) };
}
