/**
 * The browser of the journeys: the machine's Chromium, launched once per process, and visits in it. Each visit is a profile of
 * its own with a window size, a theme and perhaps somebody signed in, watched for everything a healthy page never does.
 */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../scripts/find-chromium.ts";
import { type Watch, watchContext } from "./watch.ts";

export const widths = { phone: 390, desktop: 1440 } as const;
export const heights: Readonly<Record<number, number>> = { [widths.phone]: 844, [widths.desktop]: 900 };
const otherHeight = 800;

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface VisitOptions {
  /** CSS pixels; 1440 unless told. */
  width?: number;
  height?: number;
  /** Stored before the first page, as the toggle would; else whatever the app starts with. */
  theme?: "light" | "dark" | "system";
  /** What the system prefers; light unless told. */
  systemTheme?: "light" | "dark";
  /** Somebody signed in: `name=value` of the session cookie. */
  as?: { cookie: string };
  hasTouch?: boolean;
}

export interface Visit extends Watch {
  page: Page;
  context: BrowserContext;
  close(): Promise<void>;
}

let launched: Promise<Browser> | null = null;

/** Launches the browser when it is first asked for. */
export function openBrowser(): Promise<Browser> {
  return (launched ??= launch());
}

export async function closeBrowser(): Promise<void> {
  await (await launched)?.close();
  launched = null;
}

function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("No Chromium found: install it, or set CHROMIUM_PATH.");
  // Chromium's sandbox does not run for root.
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args: [...asRoot, ...flags] });
}

/** @param origin of the server; paths are relative to it */
export async function openVisit(origin: string, options: VisitOptions = {}): Promise<Visit> {
  const { width = widths.desktop, height = heights[width] ?? otherHeight, theme, as } = options;
  const browser = await openBrowser();
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height },
    colorScheme: options.systemTheme ?? "light",
    hasTouch: options.hasTouch ?? false,
    storageState: {
      cookies: [],
      origins: theme === undefined ? [] : [{ origin, localStorage: [{ name: "theme", value: theme }] }],
    },
  });
  context.setDefaultTimeout(30_000);
  if (as !== undefined) await context.addCookies([cookieOf(as.cookie, origin)]);
  const watch = await watchContext(context, origin);
  const page = await context.newPage();
  return { ...watch, page, context, close: () => context.close() };
}

function cookieOf(cookie: string, url: string): { name: string; value: string; url: string } {
  const split = cookie.indexOf("=");
  return { name: cookie.slice(0, split), value: cookie.slice(split + 1), url };
}
