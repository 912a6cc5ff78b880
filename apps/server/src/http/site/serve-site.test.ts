import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let folder: string;
let server: TestServer;
let unbuilt: TestServer;
let mayOpenPreview = false;
const page = "<!doctype html><title>Kauke</title>";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kauke-site-"));
  const webRoot = join(folder, "dist");
  await mkdir(join(webRoot, "assets"), { recursive: true });
  const files: [string, string | Buffer][] = [
    ["index.html", page],
    ["favicon.svg", "<svg/>"],
    [".secret", "hidden"],
    ["assets/app-1a2b.js", "export {};"],
    ["assets/big-3c4d.js", "0;".repeat(5000)],
    ["assets/big-3c4d.js.gz", gzipSync("0;".repeat(5000))],
    ["../outside.txt", "outside"],
  ];
  for (const [name, content] of files) await writeFile(join(webRoot, name), content);
  server = await startTestServer({ webRoot, mayOpenPreview: () => mayOpenPreview });
  unbuilt = await startTestServer({ store: server.store, webRoot: join(folder, "missing") });
});
afterAll(async () => {
  await unbuilt.close();
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (url: string, headers = {}) => new Visitor(server).send({ method: "GET", url, headers });

describe("pages", () => {
  const known = ["/", "/home", "/auth", "/register", "/dashboard", "/settings", "/compose", "/decrypt", "/about"];
  it.each([...known, "/privacy", "/terms", "/gdpr", "/transparency", "/DashBoard", "/settings/", "/auth?next=x"])(
    "of the route table answer the app: %s",
    async (url) => {
      const { status, headers, body } = await get(url);
      expect([status, body]).toEqual([200, page]);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-cache");
    },
  );

  it.each(["/nowhere", "/dashboard/x", "/index", "/apis", "/preview"])(
    "that are none answer the app with 404: %s",
    async (url) => {
      expect(await get(url)).toMatchObject({ status: 404, body: page });
    },
  );

  it("have the preview inbox among them only for those who may see it", async () => {
    mayOpenPreview = true;
    expect((await get("/Preview/")).status).toBe(200);
    mayOpenPreview = false;
    expect((await get("/preview")).status).toBe(404);
  });

  it("answer HEAD without a body", async () => {
    const { status, headers, body } = await new Visitor(server).send({ method: "HEAD", url: "/dashboard" });
    expect([status, body, headers["content-length"]]).toEqual([200, "", String(page.length)]);
  });

  it("say plainly that the app is not built", async () => {
    const { status, headers, body } = await new Visitor(unbuilt).send({ method: "GET", url: "/" });
    expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(body).toContain("npm start");
  });
});

describe("files", () => {
  it("under /assets are kept for ever", async () => {
    const { status, headers, body } = await get("/assets/app-1a2b.js");
    expect([status, body]).toEqual([200, "export {};"]);
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers["content-type"]).toMatch(/javascript/);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("elsewhere are asked for again", async () => {
    const { status, headers } = await get("/favicon.svg");
    expect([status, headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect((await get("/favicon.svg", { "if-none-match": headers.etag })).status).toBe(304);
  });

  it("go out packed where a packed one lies beside them", async () => {
    const { headers } = await get("/assets/big-3c4d.js", { "accept-encoding": "gzip, br" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(headers["cache-control"]).toContain("immutable");
  });

  const missing =
    "/assets/none.js /assets/ /assets /robots.txt /.secret /assets/../.secret /..%2foutside.txt /%2e%2e/outside.txt /assets/..%5c..%5coutside.txt /a%00.js /assets//app-1a2b.js //outside.txt".split(
      " ",
    );
  it.each(missing)("that are not there, or not for you, are not found: %s", async (url) => {
    const { status, body } = await get(url);
    expect(status).toBe(url.includes("%00") ? 400 : 404);
    expect(String(body)).not.toMatch(/outside\n|hidden/);
  });
});
