/** No inline script or style, no data: URL: pages run under `script-src 'self'; style-src 'self'`. */
import { fileURLToPath } from "node:url";
import { product } from "@kauke/contract";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.KAUKE_DEV_API ?? "http://127.0.0.1:3000";

/** One chunk, so that code generation is off before any schema is made. */
const zodChunk = { name: "zod", test: /[\\/](zod[\\/]v4[\\/]|app[\\/]zod-jitless)/ };

/** What every page loads first: one request instead of ten, cached across most changes. */
const baseChunk = {
  name: "base",
  test: new RegExp(
    [
      "node_modules/(?:react|react-dom|scheduler|wouter|regexparam|use-sync-external-store)/",
      "node_modules/lucide-react/dist/esm/icons/(?:arrow-up-right|search|x)\\.",
      "src/api/(?:api-error|client|connection)\\.ts",
      "src/api/session/(?:asked-ahead|lost-session|session|session-tabs)\\.ts",
      "src/app/(?:page-settings|path)\\.ts",
      "src/ui/(?:Mask|lucide-icon|store|toast-store|use-is-live|use-late|text/count-text)\\.ts",
      "packages/contract/src/(?:first-routes|limits|split-address)\\.ts",
    ].join("|"),
  ),
};

/** What the first view of every page for signed-in users needs: one request instead of twenty that depend on each other. */
const kitChunk = {
  name: "kit",
  test: new RegExp(
    [
      "node_modules/@tanstack/",
      "node_modules/lucide-react/dist/esm/icons/(?:arrow-right|check|chevron-down|circle-exclamation-point|clock|copy|download|forward)\\.",
      "node_modules/lucide-react/dist/esm/icons/(?:info|lock|lock-open|paperclip|pencil|pin|plus|send|trash|triangle-exclamation-point|webhook)\\.",
      "src/ui/(?:Controls|Field|LoadFailed|SubmitButton|use-part)\\.tsx",
      "src/ui/(?:panels|use-focus-kept|text/copy-text|text/refusal-text|text/time-text)\\.ts",
      "src/app/with-queries\\.",
      "src/features/(?:account/DeleteAccountCard|forwarding/NeedsEngine)\\.tsx",
      "packages/contract/src/(?:destinations|provider-problems|routes)\\.ts",
      "src/api/(?:account-settings|aliases|forwarding|mailboxes)\\.ts",
    ].join("|"),
  ),
};

/** Shared by pages that write, read and keep encrypted mail and keys. */
const mailChunk = {
  name: "mail",
  test: new RegExp(
    [
      "node_modules/lucide-react/dist/esm/icons/(?:eye|eye-off)\\.",
      "src/ui/(?:Card|FilePicker|KeyInput)\\.tsx",
      "src/ui/(?:files|use-list-focus)\\.ts",
      "src/drafts/",
      "src/features/encryption-keys/KeyOptions\\.tsx",
      "src/vault/vault-jobs\\.ts",
      "packages/contract/src/(?:draft-limits|email-job-facts)\\.ts",
      "src/api/(?:contacts|encryption-keys|session/ways-in)\\.ts",
    ].join("|"),
  ),
};

const unlockedChunk = {
  name: "unlocked",
  test: /src\/(?:vault\/(?:ask-worker|forget-decrypted|unlocked-keys|worker-url)|features\/decrypt\/incoming)\.ts/,
};

const dialogsChunk = {
  name: "dialogs",
  test: new RegExp(
    [
      "node_modules/@radix-ui/(?!react-(?:tabs|roving-focus|direction|use-is-hydrated|toast|visually-hidden)/)",
      "node_modules/(?:aria-hidden|react-remove-scroll)/",
      "src/ui/(?:Dialog|TypedConfirmDialog)\\.tsx",
    ].join("|"),
  ),
};

/** Shared by pages with forms. */
const formsChunk = {
  name: "forms",
  test: new RegExp(
    [
      "node_modules/(?:react-hook-form|@hookform)/",
      "packages/contract/src/(?:alias|labels|confirmations|email-jobs|encryption|key-id|account/(?:auth|sign-in))\\.ts",
      "src/features/(?:aliases/(?:create/shared-site|row/edit-body)|auth/password-form)\\.ts",
    ].join("|"),
  ),
};

/** Shared by the dashboard, the palette, and pages that list or create aliases. */
const aliasesChunk = {
  name: "aliases",
  test: new RegExp(
    [
      "src/api/labels\\.ts",
      "src/features/aliases/(?:alias-location|alias-text|new-alias|delete-aliases|switch-alias|undo-change|bulk/bulk-text|list/(?:list-view|use-list-view))\\.ts",
      "src/(?:api/alias-bulk|ui/undo-store)\\.ts",
      "src/features/aliases/create/(?:TypoNote|domain-typo|generated-format|read-typed|wanted-name)\\.ts",
      "src/(?:features/aliases/labels/LabelChip|ui/Pager)\\.tsx",
    ].join("|"),
  ),
};

/** Has Chromium compile the base chunk off the main thread while it arrives; others ignore it. */
const eagerCompileHint = ({ name }: { name: string }) =>
  name === baseChunk.name ? "//# allFunctionsCalledOnLoad" : "";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [
    react(),
    // Tailwind's optimizer would rewrite light-dark(), which dark bands need.
    tailwindcss({ optimize: false }),
    // In a build, scripts/draw-pages.mjs sets the titles.
    { name: "product-name", apply: "serve", transformIndexHtml: (html) => html.replaceAll("%PRODUCT%", product.name) },
  ],
  resolve: {
    alias: [
      {
        find: "../createLucideIcon.mjs",
        replacement: fileURLToPath(new URL("src/ui/lucide-icon.ts", import.meta.url)),
      },
    ],
  },
  ssr: { noExternal: ["lucide-react"] },
  worker: { format: "es" },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/preview/api": api } },
  build: {
    target: "es2024",
    // scripts/build-web.mjs keeps the last build's files for a day.
    emptyOutDir: false,
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The entry runs already when a chunk is imported; Firefox reports another preload of it as failed.
      resolveDependencies: (_, files) => files.filter((file) => !/^assets\/index-[^/]*\.js$/.test(file)),
    },
    // Tells scripts/draw-pages.mjs which chunks a page loads first.
    manifest: true,
    rolldownOptions: {
      // Without side effects, unused zod schemas stay out of the chunks.
      treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/]contract[\\/]/, sideEffects: false }] },
      output: {
        codeSplitting: {
          groups: [zodChunk, baseChunk, kitChunk, dialogsChunk, aliasesChunk, unlockedChunk, mailChunk, formsChunk],
        },
        postBanner: eagerCompileHint,
      },
    },
  },
});
