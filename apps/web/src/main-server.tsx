/**
 * Prerenders pages to HTML when the app is built (`scripts/build-web.mjs`): the public pages as signed-out visitors see
 * them, and the beginning of the pages for signed-in users. Values that only the server knows are placeholders
 * (`pagePlaceholders`), which it fills in when it sends a page.
 */
import { pagePlaceholders, product } from "@kauke/contract";
import { StrictMode } from "react";
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
import { Mask } from "./ui/Mask.tsx";

/**
 * What the preview inbox shows to a browser without the token from the link printed at the start. An HTML document
 * without script.
 */
export function PreviewLockedPage() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <span className="label">403</span>
      <h1>Preview inbox</h1>
      <p className="muted">
        The preview inbox shows everybody's mail, so it opens with a link of its own. Open the one that the server
        printed when it started:
      </p>
      <p>
        <code>/preview?token=…</code>
      </p>
      <p className="muted">
        The token is also in the file <code>preview.token</code> of the data directory.
      </p>
      <a className="btn btn-primary mt-3" href="/">
        Back to start
      </a>
    </main>
  );
}

/** Site-wide metadata for the documents and the manifest. */
export const site = {
  name: product.name,
  description: pageDescription(null),
  origin: pagePlaceholders.origin,
  pictureWords: `${product.name}: one click, new identity. Your inbox stays safe.`,
  /** Background of the light theme (--color-canvas), which the app starts with. */
  canvas: "#f6f7f7",
};

export interface DrawnPage {
  /** Base name of the HTML file: `about`, `dashboard`; `index` is the plain shell that fits any path. */
  name: string;
  title: string;
  description: string;
  html: string;
  isDrawn: boolean;
  /** Source file of the chunk that a page for signed-in users loads next, as the build's manifest names it. */
  nextChunk?: string;
  /** `false` for a static page, which the app does not hydrate. */
  hasApp?: false;
}

/**
 * Prerenders one page.
 * @param isDrawn whether to draw the page as signed-out visitors see it, or as it looks while the session is unknown
 */
async function draw(screen: ScreenName | null, path: string, isDrawn = screen !== null): Promise<DrawnPage> {
  if (isDrawn && screen !== null) await loadScreen(screen);
  const { prelude } = await prerender(
    <StrictMode>
      <Router ssrPath={path}>
        <App isDrawn={isDrawn} />
      </Router>
    </StrictMode>,
    // Output without out-of-order chunks: React would move those into place by an inline script, which the CSP forbids.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER },
  );
  const html = await new Response(prelude).text();
  const name = screen ?? "index";
  return { name, title: pageTitle(screen), description: pageDescription(screen), html, isDrawn };
}

function sourceOf(screen: PersonalScreenName): string {
  return `src/pages/${screen.charAt(0).toUpperCase()}${screen.slice(1)}Page.tsx`;
}

async function drawPreviewLocked(): Promise<DrawnPage> {
  const { prelude } = await prerender(
    <StrictMode>
      <PreviewLockedPage />
    </StrictMode>,
  );
  const html = await new Response(prelude).text();
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
