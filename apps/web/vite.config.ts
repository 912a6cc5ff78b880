/**
 * Builds the web app into dist. Development proxies the API to the server on its default port. No inline script or style
 * and no data: URL leaves this build, so that the pages run under `script-src 'self'; style-src 'self'`.
 */
import { fileURLToPath } from "node:url";
import { product } from "@kauke/contract";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = process.env.KAUKE_DEV_API ?? "http://127.0.0.1:3000";

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
    rolldownOptions: {
      // The contract only describes: what a page doesn't name (zod schemas on public pages) is left out of its chunk.
      treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/]contract[\\/]/, sideEffects: false }] },
      // zod and the switch that turns its code generation off are one chunk, so that no schema is made before it.
      output: { codeSplitting: { groups: [{ name: "zod", test: /[\\/](zod[\\/]v4[\\/]|app[\\/]zod-jitless)/ }] } },
    },
  },
});
