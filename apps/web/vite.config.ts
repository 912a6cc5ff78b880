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

/** zod and the switch that turns its code generation off are one chunk, so that no schema is made before it. */
const zodChunk = { name: "zod", test: /[\\/](zod[\\/]v4[\\/]|app[\\/]zod-jitless)/ };

/** What every page begins with is one request instead of ten, and stays the same when only our own code has changed. */
const baseChunk = {
  name: "base",
  test: new RegExp(
    [
      "node_modules/(?:react|react-dom|scheduler|wouter|regexparam|use-sync-external-store)/",
      "node_modules/lucide-react/dist/esm/(?:shared/|context|Icon|createLucideIcon|icons/(?:arrow-up-right|x)\\.)",
      "src/api/(?:api-error|changes-nothing|client|connection|count-event)\\.ts",
      "src/api/session/(?:asked-ahead|lost-session|session|session-tabs|stored-session)\\.ts",
      "src/ui/(?:Mask|toast-store|use-is-live)\\.ts",
      "packages/contract/src/(?:limits|routes|split-address)\\.ts",
    ].join("|"),
  ),
};

/** What the pages of a signed-in person share: one request instead of forty small ones that wait for each other. */
const kitChunk = {
  name: "kit",
  test: new RegExp(
    [
      "node_modules/@tanstack/",
      "node_modules/@radix-ui/(?!react-(?:tabs|roving-focus|direction|use-is-hydrated|toast|visually-hidden)/)",
      "node_modules/(?:aria-hidden|react-remove-scroll)/",
      "node_modules/lucide-react/dist/esm/icons/(?:arrow-right|check|chevron-down|circle-exclamation-point|clock|copy|download)\\.",
      "node_modules/lucide-react/dist/esm/icons/(?:eye|eye-off|info|lock|lock-open|trash|triangle-exclamation-point|webhook)\\.",
      "src/ui/(?:Dialog|Field|IconButton|LoadFailed|Select|SubmitButton|Switch)\\.tsx",
      "src/ui/open-panels\\.ts",
      "src/ui/text/(?:copy-text|countdown-text|time-text)\\.ts",
      "src/app/(?:with-queries|query-client)\\.",
      "src/api/(?:account-settings|aliases|confirmations|encryption-keys|session/auth)\\.ts",
    ].join("|"),
  ),
};

/** What their forms share. */
const formsChunk = {
  name: "forms",
  test: new RegExp(
    [
      "node_modules/(?:react-hook-form|@hookform)/",
      "packages/contract/src/(?:alias|confirmations|email-jobs|encryption|key-id|account/(?:auth|sign-in))\\.ts",
      "src/features/aliases/alias-text\\.ts",
    ].join("|"),
  ),
};

/**
 * What every page begins with is run nearly whole: said at the top of a file, Chromium compiles it beside the main
 * thread while it arrives, instead of function by function when they are first called. Others take it for the comment
 * it is.
 */
const compileAtOnce = ({ name }: { name: string }) => (name === baseChunk.name ? "//# allFunctionsCalledOnLoad" : "");

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [
    react(),
    // Not optimised here: its targets would rewrite light-dark(), and the dark bands inside the light theme with it.
    tailwindcss({ optimize: false }),
    // A build leaves it to scripts/draw-pages.mjs, which titles every page by itself.
    { name: "product-name", apply: "serve", transformIndexHtml: (html) => html.replaceAll("%PRODUCT%", product.name) },
  ],
  worker: { format: "es" },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/preview/api": api } },
  build: {
    target: "es2024",
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Which chunks a page begins with, for scripts/draw-pages.mjs.
    manifest: true,
    rolldownOptions: {
      // The contract only describes: what a page doesn't name (zod schemas on public pages) is left out of its chunk.
      treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/]contract[\\/]/, sideEffects: false }] },
      output: { codeSplitting: { groups: [zodChunk, baseChunk, kitChunk, formsChunk] }, postBanner: compileAtOnce },
    },
  },
});
