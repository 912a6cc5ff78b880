/**
 * Draws public pages to text when the app is built (`scripts/build-web.mjs`), for visitors who aren't signed in. What only the
 * server knows stands in them as the placeholders of `pagePlaceholders`, which it fills in as it sends the page.
 */
import { pagePlaceholders, product } from "@kauke/contract";
import { StrictMode } from "react";
import { prerender } from "react-dom/static";
import { Router } from "wouter";
import { App } from "./app/App.tsx";
import { pageDescription, pageTitle } from "./app/page-heads.ts";
import { loadScreen } from "./app/pages.tsx";
import { drawnScreens, type PersonalScreenName, personalScreens, type ScreenName } from "./app/screens.ts";
import { loadStill } from "./features/landing/Still.tsx";
import { PreviewLockedPage } from "./pages/PreviewLockedPage.tsx";

/** What the documents and the manifest say of the whole site. */
export const site = {
  name: product.name,
  description: pageDescription(null),
  origin: pagePlaceholders.origin,
  pictureWords: `${product.name}: one click, new identity. Your inbox stays safe.`,
  /** The page's ground in the light theme, which the app starts with: --color-canvas. */
  canvas: "#f6f7f7",
};

export interface DrawnPage {
  /** Of the file: `about`, `dashboard`; the plain shell, which fits any path, is `index`. */
  name: string;
  title: string;
  description: string;
  html: string;
  isDrawn: boolean;
  /** Source of the chunk that a page for signed-in people goes on with, as the build's manifest names it. */
  goesOnWith?: string;
  /** Left out where the page stands as it is drawn: no app takes it over. */
  hasApp?: false;
}

/** @param isDrawn false: as it looks until it is known who is there */
async function draw(screen: ScreenName | null, path: string, isDrawn = screen !== null): Promise<DrawnPage> {
  if (isDrawn && screen !== null) await loadScreen(screen);
  const { prelude } = await prerender(
    <StrictMode>
      <Router ssrPath={path}>
        <App isDrawn={isDrawn} />
      </Router>
    </StrictMode>,
    // Everything in its place at once: parts sent later would need inline script.
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
  await loadStill();
  const pages = [await draw(null, "/")];
  for (const [screen, path] of drawnScreens) pages.push(await draw(screen, path));
  for (const [screen, path] of personalScreens)
    pages.push({ ...(await draw(screen, path, false)), goesOnWith: sourceOf(screen) });
  return [...pages, await drawPreviewLocked()];
}
