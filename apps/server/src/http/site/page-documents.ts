/** The web app's documents, prerendered or the plain shell; filled with settings and cached until they change. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  forwardingMeta,
  forwardingTexts,
  googleSignInMeta,
  type Language,
  linkPlaceholder,
  pagePlaceholders,
  registrationMeta,
  retentionDays,
} from "@kauke/contract";
import { listDomains } from "../../core/alias/alias.ts";
import type { ForwardingProvider } from "../../core/forwarding/forwarding-provider.ts";
import type { Config } from "../../settings/config.ts";

const packed = promisify(gzip);

export interface PageDocument {
  html: Buffer;
  gzipped: Buffer;
  /** Quoted entity tag (RFC 9110 §8.8.3). */
  etag: string;
}

interface Wanted {
  /** Name of a prerendered page, e.g. `about`; null for the plain shell of the web app. */
  drawn: string | null;
  canonicalPath: string | null;
  language: Language;
}

interface Kept {
  writtenAt: number;
  document: Promise<PageDocument>;
}

/** @returns a function that finds a page's document: the plain shell if not prerendered, null without a built app */
export function pageDocuments(webRoot: string, settings: SiteSettings) {
  const kept = new Map<string, Kept>();
  const read = async (file: string, { canonicalPath, language }: Wanted): Promise<PageDocument | null> => {
    const writtenAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (writtenAt === null) return null;
    const key = `${file} ${canonicalPath}`;
    const before = kept.get(key);
    if (before?.writtenAt === writtenAt) return before.document;
    const document = makeDocument(file, settings, {
      canonicalPath,
      sentences: await forwardingSentences(webRoot, language, settings.provider),
    });
    kept.set(key, { writtenAt, document });
    document.catch(() => kept.delete(key));
    return document;
  };
  return async (wanted: Wanted): Promise<PageDocument | null> => {
    const { drawn: asked, language } = wanted;
    // Whether the form is shown depends on the fragment of the address, which only the page itself sees.
    const drawn = asked === "register" && settings.registration !== "open" ? null : asked;
    const folder = language === "en" ? "pages" : join("pages", language);
    const page = drawn === null ? null : await read(join(webRoot, folder, `${drawn}.html`), wanted);
    return page ?? read(join(webRoot, language === "en" ? "" : folder, "index.html"), wanted);
  };
}

/** Sentences of the prerendered pages with what a server with a provider says instead. */
type Sentences = readonly (readonly [ours: string, theirs: string])[];

async function forwardingSentences(
  webRoot: string,
  language: Language,
  provider: SiteSettings["provider"],
): Promise<Sentences> {
  if (provider === null) return [];
  if (language === "en") return englishSentences(provider.name);
  const pairs = JSON.parse(await readFile(join(webRoot, "pages", language, "forwarding.json"), "utf8")) as Sentences;
  return pairs.map(([ours, theirs]) => [ours, theirs.replaceAll("{provider}", () => provider.name)]);
}

export function englishSentences(provider: string): Sentences {
  const theirs: Readonly<Record<string, string>> = forwardingTexts(provider);
  return Object.entries(forwardingTexts(null)).map(([name, ours]) => [ours, theirs[name] ?? ours]);
}

interface DocumentParts {
  canonicalPath: string | null;
  sentences: Sentences;
}

async function makeDocument(
  file: string,
  settings: SiteSettings,
  { canonicalPath, sentences }: DocumentParts,
): Promise<PageDocument> {
  const metas = `${pageAddress(settings, canonicalPath)}${pageMetas(settings)}</head>`;
  const text = fillPage(await readFile(file, "utf8"), settings, sentences).replace("</head>", () => metas);
  const html = Buffer.from(text);
  const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`;
  return { html, gzipped: await packed(html, { level: 9 }), etag };
}

function googleMeta(isOn: boolean): string {
  return `<meta name="${googleSignInMeta}" content="${isOn ? "on" : "off"}">`;
}

function providerMeta(provider: SiteSettings["provider"]): string {
  if (provider === null) return "";
  const [name, host] = [escapeAttribute(provider.name), escapeAttribute(provider.smtpHost)];
  return `<meta name="${forwardingMeta}" content="${name}" data-smtp-host="${host}">`;
}

export interface SiteSettings {
  links: Config["links"];
  domains: readonly string[];
  publicUrl: URL;
  hasGoogle: boolean;
  registration: Config["registration"];
  /** `null`: this server forwards by itself. */
  provider: ForwardingProvider["about"];
  /** Days for which logs are stored, for the Privacy Policy; null for the specification's number. */
  logDays: number | null;
}

/** The style sheet has rules for domains up to this length; longer ones are cut. */
const LONGEST_SHOWN = 40;

/** Meta elements that the web app reads (`page-settings.ts`, `figures.ts`, `registration-mode.ts`). */
export function pageMetas({ links, domains, hasGoogle, registration, provider, logDays }: SiteSettings): string {
  return [
    `<meta name="links" content="${escapeAttribute(JSON.stringify(links))}">`,
    `<meta name="domain" content="${firstDomain(domains)}" data-longest="${longestDomain(domains)}">`,
    `<meta name="logs-kept" content="${logsKept(logDays)}">`,
    googleMeta(hasGoogle),
    `<meta name="${registrationMeta}" content="${registration}">`,
    providerMeta(provider),
  ].join("");
}

/** @param canonicalPath e.g. `/about`; null for pages that must not be indexed */
export function pageAddress({ publicUrl }: SiteSettings, canonicalPath: string | null): string {
  if (canonicalPath === null) return '<meta name="robots" content="noindex">';
  const address = escapeAttribute(new URL(canonicalPath, publicUrl.origin).href);
  return `<link rel="canonical" href="${address}"><meta property="og:url" content="${address}">`;
}

export function fillPage(page: string, settings: SiteSettings, sentences: Sentences = []): string {
  const { links, domains, publicUrl, provider, logDays } = settings;
  const values: [placeholder: string, value: string][] = [
    ...Object.entries(links).map(([name, url]): [string, string] => [linkPlaceholder(name), url]),
    // Before the domain alone, which is part of it.
    [`smtp.${pagePlaceholders.domain}`, provider?.smtpHost ?? `smtp.${firstDomain(domains)}`],
    [pagePlaceholders.origin, publicUrl.origin],
    [pagePlaceholders.logsKept, logsKept(logDays)],
    [pagePlaceholders.domain, firstDomain(domains)],
    [pagePlaceholders.longestDomain, longestDomain(domains)],
  ];
  return values.reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, () => escapeAttribute(value)),
    sentences.reduce((text, [ours, theirs]) => text.replaceAll(escapeText(ours), () => escapeText(theirs)), page),
  );
}

function firstDomain(domains: readonly string[]): string {
  return listDomains(domains)[0] ?? "";
}

function longestDomain(domains: readonly string[]): string {
  return String(Math.min(LONGEST_SHOWN, Math.max(0, ...domains.map((domain) => domain.length))));
}

function logsKept(logDays: number | null): string {
  const days = logDays ?? retentionDays.technicalLogs;
  return `${days} ${days === 1 ? "day" : "days"}`;
}

/** As React writes text. */
function escapeText(text: string): string {
  return escapeAttribute(text).replaceAll("'", "&#x27;").replaceAll(">", "&gt;");
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
