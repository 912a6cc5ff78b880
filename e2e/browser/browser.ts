/**
 * The browser of the journeys: the machine's Chromium, launched once per process, and visits in it. Each visit has a
 * profile of its own with a window size, a theme and optionally a signed-in person, and is watched for everything that
 * a healthy page never does.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../../scripts/find-chromium.ts";
import { trackRequests } from "./requests-done.ts";
import { type Watch, watchContext } from "./watch.ts";

export const widths = { phone: 390, desktop: 1440 } as const;
export const heights: Readonly<Record<number, number>> = { [widths.phone]: 844, [widths.desktop]: 900 };
const OTHER_HEIGHT_PX = 800;

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface VisitOptions {
  /** Window width in CSS pixels; 1440 by default. */
  width?: number;
  height?: number;
  /** Theme stored before the first page is loaded, as the toggle stores it; by default none. */
  theme?: "light" | "dark" | "system";
  /** Theme that the system prefers; light by default. */
  systemTheme?: "light" | "dark";
  /** Signed-in person: `name=value` of the session cookie. */
  as?: { cookie: string };
  /** Token of the preview inbox, set as if the link printed at the start had been opened. */
  previewToken?: string | null;
  hasTouch?: boolean;
  /** Language that the browser asks for; American English by default. */
  locale?: string;
  /**
   * Whether the page may have its service worker. It changes what is shown without a connection only, and requests that
   * pass through one can't be intercepted.
   */
  worker?: boolean;
  /**
   * Whether the page may move: toasts, dialogs, the landing page. Otherwise the visitor prefers reduced motion, which
   * takes a fifth less of the processor. Long runs always move.
   */
  moves?: boolean;
}

export interface Visit extends Watch {
  /** Origin of the server. */
  origin: string;
  page: Page;
  context: BrowserContext;
  close(): Promise<void>;
}

let launched: Promise<Browser> | null = null;

/** Launches the browser on first use, and again after it crashed. It closes with this process. */
export function openBrowser(): Promise<Browser> {
  return (launched ??= launch());
}

export async function closeBrowser(): Promise<void> {
  await (await launched)?.close();
  launched = null;
}

/** Arguments that Playwright passes to the browser by default, and that are left out. */
let ignoreDefaultArgs: string[] = [];

/** Shows scrollbars in pictures. Call this before the browser is first used. */
export function showScrollbars(): void {
  ignoreDefaultArgs = ["--hide-scrollbars"];
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("No Chromium found: install it or set CHROMIUM_PATH.");
  // Chromium's sandbox does not work for root.
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args: [...asRoot, ...flags], ignoreDefaultArgs });
  browser.on("disconnected", () => {
    launched = null;
  });
  return browser;
}

/** Opens a visit. @param origin origin of the server; paths are relative to it */
export async function openVisit(origin: string, options: VisitOptions = {}): Promise<Visit> {
  const { width = widths.desktop, height = heights[width] ?? OTHER_HEIGHT_PX, theme, as } = options;
  const browser = await openBrowser();
  const context = await browser.newContext({
    baseURL: origin,
    // The servers' own certificates are self-signed.
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    colorScheme: options.systemTheme ?? "light",
    hasTouch: options.hasTouch ?? false,
    locale: options.locale ?? "en-US",
    serviceWorkers: options.worker ? "allow" : "block",
    reducedMotion: (options.moves ?? isLongRun) ? "no-preference" : "reduce",
    storageState: {
      cookies: [],
      origins: theme === undefined ? [] : [{ origin, localStorage: [{ name: "theme", value: theme }] }],
    },
  });
  context.setDefaultTimeout(30_000);
  if (as !== undefined) await signInByCookie(context, { cookie: as.cookie, origin });
  if (options.previewToken) await context.addCookies([previewCookie(options.previewToken, origin)]);
  trackRequests(context);
  const watch = await watchContext(context, origin);
  const page = await context.newPage();
  return { ...watch, origin, page, context, close: () => context.close() };
}

/** Signs in by setting the session cookie. @param cookie its `name=value` */
export function signInByCookie(
  context: BrowserContext,
  { cookie, origin }: { cookie: string; origin: string },
): Promise<void> {
  return context.addCookies([cookieOf(cookie, origin)]);
}

/** The preview cookie as the link from the server's start sets it. */
function previewCookie(value: string, origin: string) {
  const { port, hostname: domain } = new URL(origin);
  const attributes = { path: "/preview", httpOnly: true, sameSite: "Strict" } as const;
  return { name: `kauke-preview-${port}`, value, domain, ...attributes };
}

function cookieOf(cookie: string, url: string): { name: string; value: string; url: string } {
  const split = cookie.indexOf("=");
  return { name: cookie.slice(0, split), value: cookie.slice(split + 1), url };
}
