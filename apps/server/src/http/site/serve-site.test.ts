import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PreviewState } from "../preview/preview-access.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

const logDays = 14;
const links = { docs: "", social: "", video: "", reviews: "", feedback: "", smtpGuide: "" };

let folder: string;
let server: TestServer;
let unbuilt: TestServer;
let previewState: PreviewState = "absent";
/** Pages for signed-in users that are prerendered up to where the content depends on the user. */
const begun = ["dashboard", "settings", "move", "compose", "decrypt"];
const head = "<!doctype html><title>Kauke</title><head></head>";
const shell = `${head}the plain shell`;
const drawn = (name: string) =>
  `${head}<h1>${name}</h1><a href="https://docs.link.invalid/">Docs</a><img src="https://origin.invalid/og.png">@first-domain.invalid of longest-domain.invalid, logs logs-kept.invalid`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kauke-site-"));
  const webRoot = join(folder, "dist");
  for (const name of ["assets", "pages", "former/assets"]) await mkdir(join(webRoot, name), { recursive: true });
  const files: [string, string | Buffer][] = [
    ["index.html", shell],
    ...["landing", "auth", "register", "about", "not-found", "preview-locked", ...begun].map(
      (name): [string, string] => [`pages/${name}.html`, drawn(name)],
    ),
    ["favicon.svg", "<svg/>"],
    [".secret", "hidden"],
    ["assets/app-1a2b.js", "export {};"],
    ["assets/big-3c4d.js", "0;".repeat(5000)],
    ["assets/big-3c4d.js.gz", gzipSync("0;".repeat(5000))],
    ["former/assets/old-5e6f.js", "0;".repeat(4000)],
    ["former/assets/old-5e6f.js.gz", gzipSync("0;".repeat(4000))],
    ["former/assets/app-1a2b.js", "throw 'former';"],
    ["../outside.txt", "outside"],
  ];
  for (const [name, content] of files) await writeFile(join(webRoot, name), content);
  server = await startTestServer({
    webRoot,
    preview: { stateOf: () => previewState, cookieFor: () => null },
    config: {
      publicUrl: new URL("https://kauke.example"),
      domains: ["mask.example", "longest-of-all.example"],
      logDays,
      links: { ...links, docs: 'https://docs.example/?a=1&b="<' },
    },
  });
  unbuilt = await startTestServer({ store: server.store, webRoot: join(folder, "missing") });
});
afterAll(async () => {
  await unbuilt.close();
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (url: string, headers = {}) => new Visitor(server).send({ method: "GET", url, headers });

/** The public URL is https, so the cookie has the __Host- prefix. */
const signedIn = { cookie: "__Host-sid=whatever" };

describe("pages", () => {
  const table: [path: string, drawn: string][] = [
    ["/", "landing"],
    ["/home", "landing"],
    ["/auth", "auth"],
    ["/register", "register"],
    ["/about", "about"],
    ["/dashboard", "auth"],
    ["/settings", "auth"],
    ["/compose", "auth"],
    ["/decrypt", "auth"],
    ["/HoMe/", "landing"],
    ["/DashBoard", "auth"],
    ["/ABOUT//", "about"],
    ["/auth?next=x", "auth"],
  ];
  it.each(table)("of the route table are prerendered for visitors without a session: %s", async (url, name) => {
    const { status, headers, body } = await get(url);
    expect([status, body]).toEqual([200, expect.stringContaining(`<h1>${name}</h1>`)]);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-cache");
    expect(headers.vary).toBe("Cookie, Accept-Encoding, Accept-Language");
  });

  it.each(table)(
    "with a session cookie are the prerendered beginning of the page, or the plain shell: %s",
    async (url) => {
      const { status, headers, body } = await get(url, signedIn);
      const own = begun.find((name) => url.toLowerCase() === `/${name}`);
      expect([status, body]).toEqual([
        200,
        expect.stringContaining(own === undefined ? "the plain shell" : `<h1>${own}`),
      ]);
      expect(String(body).match(/<h1>/g) ?? []).toHaveLength(own === undefined ? 0 : 1);
      expect(headers["cache-control"]).toBe("no-cache");
      expect(headers.vary).toBe("Cookie, Accept-Encoding, Accept-Language");
    },
  );

  it.each(["/privacy", "/terms", "/gdpr", "/transparency", `/confirm/${"a".repeat(32)}`])(
    "that are not prerendered are the plain shell: %s",
    async (url) => {
      expect(await get(url)).toMatchObject({ status: 200, body: expect.stringContaining("the plain shell") });
    },
  );

  it.each(["/nowhere", "/dashboard/x", "/index", "/apis", "/pages", "/pages/landing"])(
    "that do not exist are a 404: %s",
    async (url) => {
      expect(await get(url)).toMatchObject({ status: 404, body: expect.stringContaining("<h1>not-found</h1>") });
      expect(await get(url, signedIn)).toMatchObject({ status: 404, body: expect.stringContaining("plain shell") });
    },
  );

  it.each([
    ["open", "<h1>register</h1>"],
    ["invite", "the plain shell"],
    ["closed", "the plain shell"],
  ] as const)(
    "say who may register, and the form is prerendered only while that is everybody: %s",
    async (mode, text) => {
      const webRoot = join(folder, "dist");
      const other = await startTestServer({ store: server.store, webRoot, config: { registration: mode } });
      const { body } = await new Visitor(other).send({ method: "GET", url: "/register" });
      expect(body).toContain(`<meta name="registration" content="${mode}">`);
      expect(body).toContain(text);
      await other.close();
    },
  );

  it("contain the server's settings, in the prerendered text and for the app to read, and no placeholder", async () => {
    const { body } = await get("/about");
    const docs = "https://docs.example/?a=1&amp;b=&quot;&lt;";
    expect(body).toContain(`<a href="${docs}">`);
    expect(body).toContain('src="https://kauke.example/og.png"');
    expect(body).toContain("@mask.example of 22, logs 14 days");
    expect(body).toContain('<meta name="logs-kept" content="14 days">');
    expect(body).toContain('<meta name="domain" content="mask.example" data-longest="22">');
    const meta = /<meta name="links" content="([^"]*)">/.exec(String(body))?.[1] ?? "";
    const read = meta.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
    expect(JSON.parse(read)).toEqual({ ...links, docs: 'https://docs.example/?a=1&b="<' });
    expect(body).not.toContain(".invalid");
  });

  it.each([
    ["/", "https://kauke.example/"],
    ["/HOME", "https://kauke.example/"],
    ["/About/", "https://kauke.example/about"],
  ])("that are public have a canonical URL: %s", async (url, address) => {
    const { body } = await get(url);
    expect(body).toContain(`<link rel="canonical" href="${address}">`);
    expect(body).toContain(`<meta property="og:url" content="${address}">`);
    expect(body).not.toContain("noindex");
  });

  it.each(["/dashboard", "/Settings", "/compose", "/decrypt", "/nowhere", `/confirm/${"a".repeat(32)}`])(
    "that are private or do not exist must not be indexed: %s",
    async (url) => {
      const { body } = await get(url);
      expect(body).toContain('<meta name="robots" content="noindex">');
      expect(body).not.toContain("canonical");
    },
  );

  it("contain the public URL whatever the Host field, and nothing from that field", async () => {
    const hosts = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "javascript" };
    for (const url of ["/", "/about", "/robots.txt", "/sitemap.xml", "/nowhere"]) {
      const [usual, asked] = [await get(url), await get(url, hosts)];
      expect(asked.body).toBe(usual.body);
      expect(JSON.stringify(asked)).not.toContain("evil");
    }
  });

  it("are compressed for clients that accept it, and not sent again when unchanged", async () => {
    const { headers, body } = await get("/about", { "accept-encoding": "gzip, br" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(body).not.toContain("<h1>");
    expect((await get("/about", { "accept-encoding": "gzip;q=0" })).headers["content-encoding"]).toBeUndefined();
    const again = await get("/about", { "if-none-match": headers.etag });
    expect([again.status, again.body, again.headers.vary]).toEqual([
      304,
      "",
      "Cookie, Accept-Encoding, Accept-Language",
    ]);
    expect((await get("/about", { ...signedIn, "if-none-match": headers.etag })).status).toBe(200);
  });

  it("change when the build changes", async () => {
    const file = join(folder, "dist/pages/register.html");
    expect((await get("/register")).body).toContain("<h1>register</h1>");
    await writeFile(file, drawn("built anew"));
    await utimes(file, new Date(), new Date(Date.now() + 5000));
    expect((await get("/register")).body).toContain("<h1>built anew</h1>");
  });

  it("include the preview inbox only with access to it", async () => {
    previewState = "open";
    expect((await get("/Preview/")).status).toBe(200);
    previewState = "locked";
    for (const headers of [{}, signedIn]) {
      const locked = await get("/preview", headers);
      expect(locked).toMatchObject({ status: 403, body: expect.stringContaining("<h1>preview-locked</h1>") });
      expect(locked.headers["cache-control"]).toBe("no-store");
    }
    previewState = "absent";
    expect(await get("/preview")).toMatchObject({ status: 404, body: expect.stringContaining("the plain shell") });
  });

  it("answer HEAD without a body", async () => {
    const { status, headers, body } = await new Visitor(server).send({ method: "HEAD", url: "/dashboard" });
    const length = Buffer.byteLength(String((await get("/dashboard")).body));
    expect([status, body, headers["content-length"]]).toEqual([200, "", String(length)]);
  });

  it("say that the app is not built", async () => {
    const { status, headers, body } = await new Visitor(unbuilt).send({ method: "GET", url: "/" });
    expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(body).toContain("npm start");
  });
});

describe("files", () => {
  it("under /assets are cached permanently", async () => {
    const { status, headers, body } = await get("/assets/app-1a2b.js");
    expect([status, body]).toEqual([200, "export {};"]);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-type"]).toMatch(/javascript/);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("elsewhere must be revalidated", async () => {
    const { status, headers } = await get("/favicon.svg");
    expect([status, headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect((await get("/favicon.svg", { "if-none-match": headers.etag })).status).toBe(304);
  });

  it("are sent compressed if a compressed one exists", async () => {
    const { headers } = await get("/assets/big-3c4d.js", { "accept-encoding": "gzip, br" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(headers["cache-control"]).toContain("immutable");
  });

  it("of the last build are still sent under their path, compressed too, unless the present build has them", async () => {
    const { status, headers, body } = await get("/assets/old-5e6f.js");
    expect([status, body]).toEqual([200, "0;".repeat(4000)]);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const gzipped = await get("/assets/old-5e6f.js", { "accept-encoding": "gzip" });
    expect([gzipped.status, gzipped.headers["content-encoding"]]).toEqual([200, "gzip"]);
    expect((await get("/assets/app-1a2b.js")).body).toBe("export {};");
    expect((await get("/assets/old-0000.js")).status).toBe(404);
  });

  const missing =
    "/assets/none.js /assets/ /assets /index.html /pages/landing.html /PAGES/LANDING.HTML /pages/landing.%68tml /.secret /assets/../.secret /..%2foutside.txt /%2e%2e/outside.txt /assets/..%5c..%5coutside.txt /a%00.js /assets//app-1a2b.js //outside.txt /assets/..%2fpages%2flanding.htm%256c /assets/%252e%252e/index.html /assets/..%252f..%252foutside.txt /assets/..%2findex.%68tml /%69ndex.html /index.html%20.js /assets/..%2f%2esecret /assets/..%2findex.html%3fx.js /assets/..%2findex.html%23x.js".split(
      " ",
    );
  it.each(missing)("that do not exist or are not public are not found: %s", async (url) => {
    const { status, body } = await get(url);
    expect(status).toBe(url.includes("%00") ? 400 : 404);
    expect(String(body)).not.toMatch(/outside\n|hidden|plain shell|<h1>landing/);
  });

  it("that do not exist are the prerendered 404 page, and a line of text under /assets", async () => {
    for (const url of ["/nothing.txt", "/wp-login.php", "/index.html", "/none"]) {
      const { status, headers, body } = await get(url);
      expect([status, headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
      expect(body).toContain("not-found");
    }
    expect(await get("/assets/none.js")).toMatchObject({ status: 404, body: "Not found\n" });
  });

  it("for search engines contain absolute URLs", async () => {
    const robots = await get("/robots.txt");
    expect(robots.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(robots.body).toBe(
      "User-agent: *\nDisallow: /api/\nDisallow: /preview\n\nSitemap: https://kauke.example/sitemap.xml\n",
    );
    const sitemap = await get("/sitemap.xml");
    expect(sitemap.headers["content-type"]).toBe("application/xml; charset=utf-8");
    const paths = [...String(sitemap.body).matchAll(/<loc>https:\/\/kauke\.example(\/[\w/]*)<\/loc>/g)].map(
      ([, path]) => path,
    );
    expect(paths).toEqual([
      "/",
      "/auth",
      "/register",
      "/about",
      "/privacy",
      "/terms",
      "/gdpr",
      "/transparency",
      "/docs",
      "/docs/smtp",
      "/docs/clients",
      "/docs/moving",
    ]);
  });
});
