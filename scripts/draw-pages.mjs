/**
 * `draw-pages.mjs FOLDER LANGUAGE`, run after both builds of the web app: puts each pre-rendered page into the built
 * document as dist/pages/NAME.html and the shell without a page into dist/index.html; in a language other than English
 * both are in dist/pages/LANGUAGE. With English, which comes last, the manifest and the service worker are written.
 * FOLDER holds the Node build of main-server.tsx.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { forwardingTexts } from "../packages/contract/src/forwarding-texts.ts";
import { readCatalogue, textFiles, translatedLanguages } from "./text-files.ts";

const web = join(dirname(dirname(fileURLToPath(import.meta.url))), "apps/web");
const dist = join(web, "dist");
const [, , builtPages, language] = process.argv;
const isEnglish = language === "en";
// Before the import, because texts are constants of modules.
if (!isEnglish) globalThis.kaukeTexts = readCatalogue(join(web, "src/texts"), language);
const { said } = await import("../apps/web/src/texts/said.ts");
const { drawOfflinePage, drawPages, site } = await import(pathToFileURL(join(builtPages, "main-server.js")).href);
const chunks = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const texts = isEnglish ? {} : textFiles(dist, language);
const template = readFileSync(join(dist, "index.html"), "utf8");

/** Chunk that listens for the keys of the command palette, which must work as soon as the page does. */
const KEYS_CHUNK = "src/app/shell/Anywhere.tsx";

/** What a page of the signed-in user shows first. */
const FIRST_DATA = {
  dashboard: ["/api/aliases/me"],
  compose: ["/api/aliases/me", "/api/aliases/me/with-smtp"],
};

/**
 * Chunks that a visitor's first page waits for. Another chunk appears among them when vite.config.ts assigns a module
 * to no chunk.
 */
const FIRST_CHUNKS = /^assets\/(?:index|base|rolldown-runtime)-/;
const unexpected = filesOf("index.html").filter((file) => !FIRST_CHUNKS.test(file));
if (unexpected.length > 0) throw new Error(`The first page waits for ${unexpected.join(", ")} too.`);

const folder = isEnglish ? "pages" : join("pages", language);
mkdirSync(join(dist, folder), { recursive: true });
for (const page of await drawPages()) {
  const file = page.name === "index" && isEnglish ? "index.html" : join(folder, `${page.name}.html`);
  writeFileSync(join(dist, file), documentOf(page));
}
const offlinePage = (tag) => join(dist, ".vite", `offline-${tag}.json`);
writeFileSync(offlinePage(language), JSON.stringify(await drawOfflinePage()));
if (isEnglish) {
  writeFileSync(join(dist, "manifest.webmanifest"), JSON.stringify(manifest()));
  const drawn = ["en", ...translatedLanguages].map((tag) => [tag, JSON.parse(readFileSync(offlinePage(tag), "utf8"))]);
  writeFileSync(join(dist, "sw.js"), worker(Object.fromEntries(drawn)));
  rmSync(join(dist, ".vite"), { recursive: true });
} else writeFileSync(join(dist, folder, "forwarding.json"), JSON.stringify(forwardingPairs()));

/** Each sentence about who forwards, as drawn and as it is with a provider, whose name the server puts in. */
function forwardingPairs() {
  const theirs = forwardingTexts("{provider}");
  return Object.entries(forwardingTexts(null)).map(([name, ours]) => [said(ours), said(theirs[name])]);
}

function documentOf({ name, title, description, html, isDrawn, nextChunk, hasApp = true }) {
  if (/<script|\sstyle=/i.test(html))
    throw new Error(`The page "${title}" contains something its content security policy forbids.`);
  return put(
    withLanguage(hasApp ? withApp(isDrawn, nextChunk, FIRST_DATA[name]) : withoutApp(template), name, isDrawn),
    ["%PRODUCT%", escapeText(title)],
    ["<!--head-->", headOf(title, description)],
    ['<div id="root"></div>', `<div id="root" data-drawn="${isDrawn ? "page" : "shell"}">${html}</div>`],
  );
}

/** Names the language, loads the texts that the page begins with before the app, and says where the others are. */
function withLanguage(document, name, isDrawn) {
  if (isEnglish) return document;
  const first = isDrawn ? ["public", ...(name.startsWith("docs") ? ["guides"] : [])] : ["public", "app"];
  const heads = Object.entries(texts).map(([part, address]) =>
    first.includes(part)
      ? `    <script defer src="${address}"></script>\n`
      : `    <meta name="texts-${part}" content="${address}">\n`,
  );
  return put(document, ['<html lang="en"', `<html lang="${language}"`]).replace(
    /^ *<script type="module"/m,
    (module) => heads.join("") + module,
  );
}

function withApp(isDrawn, nextChunk, firstData = []) {
  if (isDrawn) return withLowPriorityScripts(template);
  if (nextChunk === undefined) return template;
  const document = withBaseFirst(withStyleSheetFirst(template));
  const withData = withDataPreloads(document, ["/api/auth/session", ...firstData]);
  return withFontsLast(withChunkPreloads(withChunkPreloads(withData, nextChunk), KEYS_CHUNK));
}

/** All that is requested shares a slow line: the app begins to run while the page's own chunks still arrive. */
function withBaseFirst(document) {
  const [base] = /^ *<link rel="modulepreload"[^>]* href="\/assets\/base-[^>]*>\n/m.exec(document) ?? [];
  if (base === undefined) throw new Error("The built document does not preload the base chunk.");
  return document.replace(base, "").replace("</title>\n", (title) => title + base);
}

function withFontsLast(document) {
  const fonts = document.match(/^ *<link rel="preload"[^>]* as="font"[^>]*>\n/gm) ?? [];
  const rest = fonts.reduce((text, font) => text.replace(font, ""), document);
  return rest.replace("  </head>", (end) => fonts.join("") + end);
}

/**
 * Adds preloads of the requests that ask who is signed in and for that user's data, so that they run before the app
 * has loaded: `api/client.ts` makes the same requests and gets the preloaded responses. Only for documents sent to
 * visitors with a session: others get errors as responses, and Firefox reports preloads that fail.
 */
function withDataPreloads(document, paths) {
  const preloads = paths.map((path) => `    <link rel="preload" href="${path}" as="fetch" crossorigin>\n`);
  return document.replace("</title>\n", (title) => title + preloads.join(""));
}

/** Adds preloads of the chunks that the app loads once it knows who is signed in, after all that it needs before. */
function withChunkPreloads(document, source) {
  const links = filesOf(source)
    .filter((file) => !document.includes(file))
    .map((file) => {
      return `    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">\n`;
    });
  return document.replace("  </head>", () => `${links.join("")}  </head>`);
}

/** @returns the files of a chunk and of everything it imports */
function filesOf(source, seen = new Set()) {
  if (seen.has(source)) return [];
  seen.add(source);
  const chunk = chunks[source];
  if (chunk === undefined) throw new Error(`The build has no chunk for ${source}.`);
  return [chunk.file, ...(chunk.imports ?? []).flatMap((imported) => filesOf(imported, seen))];
}

/** Removes the app's module scripts and their preloads; the style sheet and the theme script stay. */
function withoutApp(document) {
  const left = withLowPriorityScripts(document).replaceAll(
    /^ *<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\/script>)?\n/gm,
    "",
  );
  if (left.includes('type="module"')) throw new Error("The document still loads the app's scripts.");
  return left;
}

/**
 * Lowers the priority of the app's scripts below that of the style sheet: a pre-rendered page is complete without its
 * scripts.
 */
function withLowPriorityScripts(document) {
  return withStyleSheetFirst(document)
    .replace('<script type="module"', '<script type="module" fetchpriority="low"')
    .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"');
}

/**
 * Loads the style sheet before everything else and typefaces after it: text is readable in the fallback typeface, which
 * has the same metrics.
 */
function withStyleSheetFirst(document) {
  const sheet = /^ *<link rel="stylesheet"[^>]*>\n/m.exec(document)?.[0];
  if (sheet === undefined) throw new Error("The built document has no style sheet.");
  return document
    .replace(sheet, "")
    .replace(/^ *<script src="\/theme\.js"/m, (theme) => sheet + theme)
    .replaceAll(/<link rel="preload"(?=[^>]* as="font")/g, '<link rel="preload" fetchpriority="low"');
}

function headOf(title, description) {
  const named = [
    ["description", description],
    ["twitter:card", "summary_large_image"],
  ];
  const properties = [
    ["og:type", "website"],
    ["og:site_name", site.name],
    ["og:title", title],
    ["og:description", description],
    ["og:image", `${site.origin}/og.png`],
    ["og:image:width", "1200"],
    ["og:image:height", "630"],
    ["og:image:alt", site.pictureWords],
  ];
  return [
    ...named.map(([name, content]) => `<meta name="${name}" content="${escapeText(content)}" />`),
    ...properties.map(([name, content]) => `<meta property="${name}" content="${escapeText(content)}" />`),
  ].join("\n    ");
}

function manifest() {
  const icon = (src, sizes, purpose = "any") => ({ src, sizes, type: "image/png", purpose });
  const shortcut = (name, url) => ({ name, url, icons: [icon("/icon-192.png", "192x192")] });
  return {
    name: site.name,
    short_name: site.name,
    description: site.description,
    lang: "en",
    id: "/",
    scope: "/",
    start_url: "/dashboard",
    display: "standalone",
    categories: ["productivity", "security", "utilities"],
    background_color: site.canvas,
    theme_color: site.canvas,
    color_scheme_dark: { background_color: site.darkCanvas, theme_color: site.darkCanvas },
    icons: [
      { src: "/favicon.svg", sizes: "any", type: "image/svg+xml" },
      icon("/icon-192.png", "192x192"),
      icon("/icon-512.png", "512x512"),
      icon("/icon-maskable-192.png", "192x192", "maskable"),
      icon("/icon-maskable-512.png", "512x512", "maskable"),
    ],
    shortcuts: [
      shortcut("New alias", "/dashboard?new"),
      shortcut("Write a letter", "/compose"),
      shortcut("Decrypt", "/decrypt"),
    ],
    share_target: {
      action: "/dashboard",
      method: "GET",
      enctype: "application/x-www-form-urlencoded",
      params: { title: "title", text: "text", url: "url" },
    },
  };
}

/** The service worker with the page that it shows offline, in each language: one document without other files. */
function worker(drawn) {
  const read = (file) => readFileSync(join(web, file), "utf8");
  const style = withFonts(withTokens(read("offline/page.css"), read("src/styles/theme.css")));
  const scripts = [read("public/theme.js"), read("offline/retry.js")];
  const icon = encodeURIComponent(read("public/favicon.svg").trim());
  const document = ([tag, { title, html }]) => `<!doctype html>
<html lang="${tag}" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${site.canvas}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${site.darkCanvas}">
<title>${escapeText(title)}</title>
<link rel="icon" href="data:image/svg+xml,${icon}">
<style>${style}</style>
<script>${scripts[0]}</script>
</head>
<body>${html}<script>${scripts[1]}</script></body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(" ")}`,
    `style-src ${hashSource(style)}`,
    "img-src data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  const pages = Object.fromEntries(Object.entries(drawn).map((entry) => [entry[0], document(entry)]));
  return put(read("offline/worker.js"), ['"%PAGES%"', JSON.stringify(pages)], ['"%POLICY%"', JSON.stringify(policy)]);
}

/** Adds the theme's values of the custom properties that occur in a style sheet. */
function withTokens(sheet, theme) {
  const own = new Set([...sheet.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  const names = [...new Set([...sheet.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))];
  const values = names
    .filter((name) => !own.has(name))
    .map((name) => {
      const value = new RegExp(`\\s${name}: ([^;]+);`).exec(theme);
      if (value === null) throw new Error(`The theme has no ${name}.`);
      return `${name}: ${value[1]};`;
    });
  return `:root { ${values.join(" ")} }\n${sheet.replaceAll(/\/\*.*?\*\/\n?/gs, "")}`;
}

/** Adds the typefaces, which the browser has from an earlier page; otherwise the text shows in another one. */
function withFonts(sheet) {
  const faces = ["geist-latin-wght-normal", "geist-latin-ext-wght-normal"];
  const rules = /@font-face \{[^}]*\}/g;
  const all = readFileSync(join(web, "src/styles/fonts.css"), "utf8").match(rules) ?? [];
  const found = faces.map((face) => {
    const rule = all.find((one) => one.includes(`/${face}.woff2`));
    const file = chunks[`src/styles/fonts/${face}.woff2`]?.file;
    if (rule === undefined || file === undefined) throw new Error(`The build has no typeface ${face}.`);
    return rule.replace(`./fonts/${face}.woff2`, `/${file}`);
  });
  return [...found, sheet].join("\n");
}

/** For a content security policy. */
function hashSource(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** @param pairs texts to be replaced wherever they occur, each with its replacement @throws Error if one is missing */
function put(text, ...pairs) {
  return pairs.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The built document does not contain ${from}.`);
    return before.replaceAll(from, () => to);
  }, text);
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
