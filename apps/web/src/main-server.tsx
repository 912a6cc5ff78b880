/** Prerenders pages at build time (`scripts/build-web.mjs`); the server fills in values (`pagePlaceholders`). */
import { pagePlaceholders, product } from "@kauke/contract";
import { type ComponentType, StrictMode } from "react";
import { prerender } from "react-dom/static";
import { Router } from "wouter";
import { App } from "./app/App.tsx";
import { loadScreen } from "./app/pages.tsx";
import {
  drawnScreens,
  type PersonalScreenName,
  pageDescription,
  pageTitle,
  personalScreens,
  type ScreenName,
} from "./app/screens.ts";
import { loadStaticSections } from "./features/landing/StaticSection.tsx";
import { OfflinePage } from "./pages/OfflinePage.tsx";
import { rich, t } from "./texts/texts.ts";
import { Mask } from "./ui/Mask.tsx";

/** The preview inbox for a browser without the token of the link printed at the start. No script. */
export function PreviewLockedPage() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <span className="label">403</span>
      <h1>{t("Preview inbox")}</h1>
      <p className="muted">
        {t(
          "The preview inbox shows everybody's mail, so it opens with a link of its own. Open the one that the server printed when it started:",
        )}
      </p>
      <p>
        <code>/preview?token=…</code>
      </p>
      <p className="muted">
        {rich("The token is also in the file <code>preview.token</code> of the data directory.", {
          code: (inner) => <code>{inner}</code>,
        })}
      </p>
      <a className="btn btn-primary mt-3" href="/">
        {t("Back to start")}
      </a>
    </main>
  );
}

/** Facts about the site for the HTML documents and the web app manifest. */
export const site = {
  name: product.name,
  description: pageDescription(null),
  origin: pagePlaceholders.origin,
  pictureWords: t("{product}: one click, new identity. Your inbox stays safe."),
  /** The light theme's --color-canvas, with which the app starts. */
  canvas: "#f6f7f7",
  /** The dark theme's. */
  darkCanvas: "#0b0c0d",
};

export interface DrawnPage {
  /** Name of the document, e.g. `about`; `index` is the plain shell for any path. */
  name: string;
  title: string;
  description: string;
  html: string;
  isDrawn: boolean;
  /** The source file of the page's own chunk, as the manifest names it. */
  nextChunk?: string;
  /** False: the page is not hydrated. */
  hasApp?: false;
}

/** @param isDrawn as signed-out visitors see it, or as it looks while the session is unknown */
async function draw(screen: ScreenName | null, path: string, isDrawn = screen !== null): Promise<DrawnPage> {
  if (isDrawn && screen !== null) await loadScreen(screen);
  const { prelude } = await prerender(
    <StrictMode>
      <Router ssrPath={path}>
        <App isDrawn={isDrawn} />
      </Router>
    </StrictMode>,
    // Out-of-order chunks would need an inline script, which the CSP forbids.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER },
  );
  const html = await new Response(prelude).text();
  const name = screen ?? "index";
  return { name, title: pageTitle(screen), description: pageDescription(screen), html, isDrawn };
}

function sourceOf(screen: PersonalScreenName): string {
  return `src/pages/${screen.charAt(0).toUpperCase()}${screen.slice(1)}Page.tsx`;
}

async function drawAlone(Page: ComponentType): Promise<string> {
  const { prelude } = await prerender(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
  return new Response(prelude).text();
}

/** For the service worker. */
export async function drawOfflinePage(): Promise<{ title: string; html: string }> {
  return { title: t("No connection — {product}"), html: await drawAlone(OfflinePage) };
}

async function drawPreviewLocked(): Promise<DrawnPage> {
  const html = await drawAlone(PreviewLockedPage);
  const [title, description] = [pageTitle("preview"), pageDescription("preview")];
  return { name: "preview-locked", title, description, html, isDrawn: true, hasApp: false };
}

export async function drawPages(): Promise<DrawnPage[]> {
  await loadStaticSections();
  const pages = [await draw(null, "/")];
  for (const [screen, path] of drawnScreens) pages.push(await draw(screen, path));
  for (const [screen, path] of personalScreens)
    pages.push({ ...(await draw(screen, path, false)), nextChunk: sourceOf(screen) });
  return [...pages, await drawPreviewLocked()];
}
