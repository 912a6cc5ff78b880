import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineForwarding } from "../../core/forwarding/forwarding-provider.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { readAutodiscover } from "./mail-program-settings.ts";

let server: TestServer;
let visitor: Visitor;
beforeAll(async () => {
  const publicUrl = new URL("https://kauke.test");
  server = await startTestServer({ config: { publicUrl, publicUrlGiven: true } });
  visitor = new Visitor(server);
});
afterAll(() => server.close());

const get = (url: string, host = "kauke.test") => visitor.send({ method: "GET", url, headers: { host } });
const wellKnown = "/.well-known/autoconfig/mail/config-v1.1.xml";

/** Text of the elements of a document by Python's XML parser, each as `path=text`. */
function elementsOf(xml: string): string[] {
  const program = `
import sys, xml.etree.ElementTree as E
def walk(at, path):
  path = path + "/" + at.tag.split("}")[-1]
  if at.text and at.text.strip(): print(path + "=" + at.text.strip())
  for one in at: walk(one, path)
walk(E.fromstring(sys.stdin.buffer.read()), "")`;
  return execFileSync("python3", ["-c", program], { input: xml }).toString().trim().split("\n");
}

describe("autoconfig", () => {
  it("names servers, ports and how to sign in, for a parser of XML", async () => {
    const { status, body, headers } = await get(`${wellKnown}?emailaddress=shop%40kauke.test`);
    expect([status, headers["content-type"]]).toEqual([200, "application/xml; charset=utf-8"]);
    const elements = elementsOf(String(body)).map((line) => line.replace("/clientConfig/emailProvider/", ""));
    for (const line of [
      "domain=kauke.test",
      "incomingServer/hostname=smtp.kauke.test",
      "incomingServer/port=995",
      "incomingServer/socketType=SSL",
      "incomingServer/username=%EMAILADDRESS%",
      "outgoingServer/port=465",
      "outgoingServer/port=587",
      "outgoingServer/socketType=STARTTLS",
      "outgoingServer/authentication=password-cleartext",
    ])
      expect(elements).toContain(line);
  });

  it.each([
    [wellKnown, "kauke.test"],
    [`${wellKnown}?emailaddress=x@KAUKE.test`, "elsewhere.example"],
    ["/mail/config-v1.1.xml", "autoconfig.kauke.test"],
    ["/mail/config-v1.1.xml?emailaddress=", "AutoConfig.Kauke.test.:443"],
    ["/mail/config-v1.1.xml?emailaddress=%25EMAILADDRESS%25@kauke.test", "autoconfig.kauke.test"],
  ])("is served at %s of %s", async (url, host) => {
    const { status, body } = await get(url, host);
    expect([status, String(body).includes("<domain>kauke.test</domain>")]).toEqual([200, true]);
  });

  it.each([
    [`${wellKnown}?emailaddress=a@elsewhere.example`, "kauke.test"],
    [`${wellKnown}?emailaddress=a@kauke.test@x`, "kauke.test"],
    [`${wellKnown}?emailaddress=a%00@kauke.test`, "kauke.test"],
    [`${wellKnown}?emailaddress=${"a".repeat(400)}@kauke.test`, "kauke.test"],
    [wellKnown, "elsewhere.example"],
    ["/mail/config-v1.1.xml", "autoconfig.elsewhere.example"],
    ["/mail/config-v1.1.xml", "autoconfig.autoconfig.kauke.test"],
    ["/mail/config-v1.1.xml", "smtp.kauke.test"],
  ])("is not found at %s of %s", async (url, host) => {
    const { status, body } = await get(url, host);
    expect([status, String(body).includes("clientConfig")]).toEqual([404, false]);
  });

  it("does not tell which aliases exist", async () => {
    const person = await new Visitor(server).register();
    const { alias } = await person.createAlias();
    const { alias: paused, id } = await person.createAlias();
    await person.call("toggleAlias", { params: { aliasId: id }, body: { active: false } });
    const ask = async (name: string) => (await get(`${wellKnown}?emailaddress=${name}@kauke.test`)).body;
    expect(await ask(alias)).toBe(await ask("nobody-has-this"));
    expect(await ask(paused)).toBe(await ask("nobody-has-this"));
    expect(String(await ask(alias))).not.toContain(alias);
  });
});

const request = (address: string, schema = "outlook/responseschema/2006a") =>
  `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006"><Request>
<EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>http://schemas.microsoft.com/exchange/autodiscover/${schema}</AcceptableResponseSchema>
</Request></Autodiscover>`;

const post = (payload: string, { url = "/autodiscover/autodiscover.xml", type = "text/xml; charset=utf-8" } = {}) =>
  visitor.send({ method: "POST", url, payload, headers: { host: "autodiscover.kauke.test", "content-type": type } });

describe("autodiscover", () => {
  it.each(["/autodiscover/autodiscover.xml", "/Autodiscover/Autodiscover.xml", "/AutoDiscover/AutoDiscover.XML"])(
    "tells Outlook servers and ports at %s, and returns the address that was asked for",
    async (url) => {
      const { status, body, headers } = await post(request("Shop.x1@Kauke.test"), { url });
      expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
      const account = elementsOf(String(body)).map((line) => line.replace("/Autodiscover/Response/Account/", ""));
      for (const line of [
        "AccountType=email",
        "Action=settings",
        "Protocol/Type=POP3",
        "Protocol/Port=995",
        "Protocol/Type=SMTP",
        "Protocol/Port=465",
        "Protocol/Server=smtp.kauke.test",
        "Protocol/LoginName=Shop.x1@Kauke.test",
        "Protocol/SPA=off",
      ])
        expect(account).toContain(line);
    },
  );

  it.each(["application/xml", "text/xml", "text/plain", "application/octet-stream"])("takes %s", async (type) => {
    expect((await post(request("a@slapta.test"), { type })).body).toContain("<LoginName>a@slapta.test</LoginName>");
  });

  it("does not tell which aliases exist", async () => {
    const { alias } = await (await new Visitor(server).register()).createAlias();
    const ask = async (name: string) => String((await post(request(`${name}@kauke.test`))).body).replaceAll(name, "x");
    expect(await ask(alias)).toBe(await ask("nobody-has-this"));
  });

  it("is not found for other domains, and has no ActiveSync", async () => {
    expect((await post(request("a@elsewhere.example"))).status).toBe(404);
    const phone = await post(request("a@kauke.test", "mobilesync/responseschema/2006"));
    expect(elementsOf(String(phone.body))).toContain("/Autodiscover/Response/Error/ErrorCode=601");
  });

  const hostile: readonly [string, string][] = [
    ["nothing", ""],
    ["no XML", "EMailAddress=a@kauke.test"],
    ["an entity", `<!DOCTYPE a [<!ENTITY x "a@kauke.test">]>${request("&x;")}`],
    ["an external entity", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${request("&x;@kauke.test")}`],
    ["markup in the address", request("a@kauke.test<LoginName>b</LoginName>").replace("</EMail", "<")],
    ["CDATA", request("<![CDATA[a@kauke.test]]>")],
    ["a quoted address", request('"a"@kauke.test')],
    ["JSON", '{"EMailAddress":"a@kauke.test"}'],
    ["a long address", request(`${"a".repeat(300)}@kauke.test`)],
  ];
  it.each(hostile)("gets no settings for %s", async (_, payload) => {
    const { status, body } = await post(payload);
    expect([status, elementsOf(String(body)).includes("/Autodiscover/Response/Error/ErrorCode=600")]).toEqual([
      200,
      true,
    ]);
    expect(String(body)).not.toMatch(/LoginName|passwd|ENTITY/);
  });

  it("refuses large bodies, and answers GET and JSON without settings", async () => {
    expect((await post(request("a@kauke.test") + " ".repeat(9000))).status).toBe(413);
    expect((await post("{}", { type: "application/json" })).body).toContain("<ErrorCode>600</ErrorCode>");
    expect((await get("/Autodiscover/Autodiscover.xml", "autodiscover.kauke.test")).body).toContain("<ErrorCode>600<");
  });

  it("takes linear time over hostile text", () => {
    for (const piece of ["<a:EMailAddress", "<EMailAddress>", "<EMailAddress>  ", "<EMailAddress>a@b"]) {
      const text = piece.repeat(8192 / piece.length);
      const began = performance.now();
      readAutodiscover(text);
      expect(performance.now() - began).toBeLessThan(100);
    }
  });
});

it("without POP3, or with a forwarding provider, nothing is served", async () => {
  const about = { name: "Forward Email", smtpHost: "smtp.provider.example" };
  const config = { publicUrl: new URL("https://kauke.test"), publicUrlGiven: true };
  const others = [{ config: { ...config, pop3s: null } }, { config, forwarding: { ...engineForwarding, about } }];
  for (const options of others) {
    const other = await startTestServer({ store: server.store, ...options });
    const asked = new Visitor(other);
    const headers = { host: "kauke.test", "content-type": "text/xml" };
    expect((await asked.send({ method: "GET", url: wellKnown, headers })).status).toBe(404);
    const url = "/autodiscover/autodiscover.xml";
    expect((await asked.send({ method: "POST", url, payload: request("a@kauke.test"), headers })).status).toBe(404);
    await other.close();
  }
});
