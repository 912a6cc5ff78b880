/**
 * Builds the web app into dist. Development proxies the API to the server on its default port. No inline script or
 * style and no data: URL leaves this build, so that the pages run under `script-src 'self'; style-src 'self'`.
 */
import { fileURLToPath } from "node:url";
import { product } from "@kauke/contract";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.KAUKE_DEV_API ?? "http://127.0.0.1:3000";

/** One chunk of zod and zod-jitless.ts, so that its code generation is turned off before any schema is made. */
const zodChunk = { name: "zod", test: /[\\/](zod[\\/]v4[\\/]|app[\\/]zod-jitless)/ };

/**
 * One chunk of the modules that every page loads first: one request instead of ten, cached across most changes of our
 * code.
 */
const baseChunk = {
  name: "base",
  test: new RegExp(
    [
      "node_modules/(?:react|react-dom|scheduler|wouter|regexparam|use-sync-external-store)/",
      "node_modules/lucide-react/dist/esm/(?:shared/|context|Icon|createLucideIcon|icons/(?:arrow-up-right|x)\\.)",
      "src/api/(?:api-error|client|connection)\\.ts",
      "src/api/session/(?:asked-ahead|lost-session|session|session-tabs)\\.ts",
      "src/app/path\\.ts",
      "src/ui/(?:Mask|store|toast-store|use-is-live|use-late|text/count-text)\\.ts",
      "packages/contract/src/(?:limits|routes|split-address)\\.ts",
    ].join("|"),
  ),
};

/**
 * One chunk of the modules that pages for signed-in users share: one request instead of forty that depend on each
 * other.
 */
const kitChunk = {
  name: "kit",
  test: new RegExp(
    [
      "node_modules/@tanstack/",
      "node_modules/@radix-ui/(?!react-(?:tabs|roving-focus|direction|use-is-hydrated|toast|visually-hidden)/)",
      "node_modules/(?:aria-hidden|react-remove-scroll)/",
      "node_modules/lucide-react/dist/esm/icons/(?:arrow-right|check|chevron-down|circle-exclamation-point|clock|copy|download)\\.",
      "node_modules/lucide-react/dist/esm/icons/(?:eye|eye-off|info|lock|lock-open|trash|triangle-exclamation-point|webhook)\\.",
      "src/ui/(?:Controls|Dialog|Field|LoadFailed|SubmitButton|use-part)\\.tsx",
      "src/ui/text/(?:copy-text|time-text)\\.ts",
      "src/app/with-queries\\.",
      "src/api/(?:account-settings|aliases|encryption-keys|mailboxes)\\.ts",
    ].join("|"),
  ),
};

/** One chunk of the modules that pages with forms share. */
const formsChunk = {
  name: "forms",
  test: new RegExp(
    [
      "node_modules/(?:react-hook-form|@hookform)/",
      "packages/contract/src/(?:alias|labels|confirmations|email-jobs|encryption|key-id|account/(?:auth|sign-in))\\.ts",
      "src/features/aliases/(?:alias-text|list/list-view)\\.ts",
    ].join("|"),
  ),
};

/**
 * One chunk of the modules that the dashboard shares with the command palette and with pages that list or create
 * aliases.
 */
const aliasesChunk = {
  name: "aliases",
  test: new RegExp(
    [
      "src/api/labels\\.ts",
      "src/features/aliases/(?:alias-location|switch-alias|list/pending-deletion|list/use-list-view)\\.ts",
      "src/features/aliases/create/(?:domain-typo|generated-format|wanted-name)\\.ts",
      "src/ui/Pager\\.tsx",
    ].join("|"),
  ),
};

/**
 * A comment at the top of the base chunk, nearly all of whose functions are called on load: it has Chromium compile
 * them off the main thread while the file arrives, instead of one by one at their first call. Other browsers ignore it.
 */
const eagerCompileHint = ({ name }: { name: string }) =>
  name === baseChunk.name ? "//# allFunctionsCalledOnLoad" : "";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [
    react(),
    // Tailwind's own optimizer is off: for its browser targets it would rewrite light-dark(), which dark bands need.
    tailwindcss({ optimize: false }),
    // Sets the page title in development; in a build scripts/draw-pages.mjs sets the title of every page.
    { name: "product-name", apply: "serve", transformIndexHtml: (html) => html.replaceAll("%PRODUCT%", product.name) },
  ],
  worker: { format: "es" },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/preview/api": api } },
  build: {
    target: "es2024",
    // scripts/build-web.mjs keeps the files of the last build for a day.
    emptyOutDir: false,
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The manifest tells scripts/draw-pages.mjs which chunks a page loads first.
    manifest: true,
    rolldownOptions: {
      // The contract's modules have no side effects, so what a page doesn't use (zod schemas) is left out of its chunk.
      treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/]contract[\\/]/, sideEffects: false }] },
      output: {
        codeSplitting: { groups: [zodChunk, baseChunk, kitChunk, formsChunk, aliasesChunk] },
        postBanner: eagerCompileHint,
      },
    },
  },
});
