import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { AliasImportError } from "./foreign-alias.ts";
import { type ClientResponse, openService, type ServiceClient } from "./import-from-service.ts";

const apiKey = "secret-key-of-another-service";

/** A fake service that answers each path with JSON or a status code and records the requests. */
function service(answers: Record<string, object | number | string>, pageCount: number | null = null) {
  const asked: Parameters<ServiceClient["get"]>[0][] = [];
  const get = async (request: Parameters<ServiceClient["get"]>[0]): Promise<ClientResponse | "refused" | "failed"> => {
    asked.push(request);
    const answer = answers[`${request.url.origin}${request.url.pathname}${request.url.search}`] ?? 404;
    if (answer === "refused" || answer === "failed") return answer;
    async function* body() {
      if (typeof answer !== "number") yield Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));
    }
    return { status: typeof answer === "number" ? answer : 200, pageCount, retryAfterSeconds: null, body: body() };
  };
  return { asked, serviceFetch: { get }, now: () => 0 };
}

async function read(input: Parameters<typeof openService>[0], parts: ReturnType<typeof service>) {
  const rows = [];
  for await (const { address, destinations, active, isDeleted } of openService(input, parts).rows)
    rows.push({ address, destinations, active, isDeleted });
  return rows;
}

const refusal = async (input: Parameters<typeof openService>[0], parts: ReturnType<typeof service>) => {
  const thrown = await (async () => read(input, parts))().then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AliasImportError)) throw new Error("it was read", { cause: thrown });
  expect(JSON.stringify([thrown.message, thrown.stack])).not.toContain(apiKey);
  return thrown;
};

const addyPage = (page: number) =>
  `/api/v1/aliases?page%5Bnumber%5D=${page}&page%5Bsize%5D=100&filter%5Bdeleted%5D=with`;
const addyAlias = (index: number) => ({
  email: `a${index}@addy.example`,
  local_part: `a${index}`,
  domain: "addy.example",
  active: true,
  recipients: [{ email: "ann@people.example" }],
  deleted_at: index === 0 ? "2026-01-01 00:00:00" : null,
});

describe("aliases of an account at another service", () => {
  it("addy.io: all pages are read, with recipients and deleted aliases", async () => {
    const data = (from: number, count: number) => ({
      data: Array.from({ length: count }, (_, index) => addyAlias(from + index)),
    });
    const addy = service({
      [`https://app.addy.io${addyPage(1)}`]: data(0, 100),
      [`https://app.addy.io${addyPage(2)}`]: data(100, 3),
    });
    const rows = await read({ service: "addy", apiKey }, addy);
    expect(rows).toHaveLength(103);
    expect(rows[0]).toEqual({
      address: "a0@addy.example",
      destinations: ["ann@people.example"],
      active: true,
      isDeleted: true,
    });
    expect(addy.asked.map((one) => one.headers.authorization)).toEqual([`Bearer ${apiKey}`, `Bearer ${apiKey}`]);
    expect(addy.asked.every((one) => !one.url.href.includes(apiKey))).toBe(true);
  });

  it("keeps little of a hostile server's response in memory, and stops after the maximum number of rows", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const lists = `[${"[],".repeat(20_000)}1]`;
    const page = (element: string, count: number) => `{"data":[${Array(count).fill(element).join(",")}]}`;
    const url = `https://addy.people.example${addyPage(1)}`;
    const input = { service: "addy", baseUrl: "https://addy.people.example", apiKey } as const;
    const hostile = service({ [url]: page(`{"email":"a@x.example","other":${lists}}`, 99) });
    collect();
    const before = process.memoryUsage().heapUsed;
    for await (const { row } of openService(input, hostile).rows) {
      if (row !== 99) continue;
      collect();
      expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(8);
    }
    const long = service({ [url]: page("{}", 50_001) });
    expect((await refusal(input, long)).reason).toBe("too_large");
  });

  it("self-hosted addy.io: read over https only", async () => {
    const own = service({ [`https://addy.people.example${addyPage(1)}`]: { data: [addyAlias(1)] } });
    expect(await read({ service: "addy", baseUrl: "https://addy.people.example/", apiKey }, own)).toHaveLength(1);
    for (const baseUrl of [
      "http://addy.people.example",
      "https://user:x@addy.people.example",
      "https://addy.people.example/path",
      "https://addy.people.example/?x",
      "ftp://addy.people.example",
      "addy",
    ])
      expect((await refusal({ service: "addy", baseUrl, apiKey }, own)).field).toBe("baseUrl");
    expect(own.asked).toHaveLength(1);
    const inside = service({ [`https://addy.lan${addyPage(1)}`]: "refused" });
    expect((await refusal({ service: "addy", baseUrl: "https://addy.lan", apiKey }, inside)).field).toBe("baseUrl");
  });

  it("Firefox Relay: random masks and masks of the user's own domain are read", async () => {
    const mask = (address: string) => ({ full_address: address, enabled: true, description: "", generated_for: "" });
    const relay = service({
      "https://relay.firefox.com/api/v1/relayaddresses/": [mask("a@mozmail.com")],
      "https://relay.firefox.com/api/v1/domainaddresses/": [mask("b@ann.mozmail.com")],
    });
    expect((await read({ service: "relay", apiKey }, relay)).map((one) => one.address)).toEqual([
      "a@mozmail.com",
      "b@ann.mozmail.com",
    ]);
    expect(relay.asked[0]?.headers.authorization).toBe(`Token ${apiKey}`);
    const elsewhere = { service: "relay" as const, baseUrl: "https://evil.example", apiKey };
    expect((await refusal(elsewhere, relay)).field).toBe("baseUrl");
  });

  it("Forward Email: every page of every domain is read", async () => {
    const forwardEmail = service(
      {
        "https://api.forwardemail.net/v1/domains?page=1&limit=1000": [{ name: "own.example" }],
        "https://api.forwardemail.net/v1/domains/own.example/aliases?page=1&limit=1000": [
          { name: "a", recipients: ["ann@people.example"], is_enabled: false, domain: "5f" },
        ],
        "https://api.forwardemail.net/v1/domains/own.example/aliases?page=2&limit=1000": [
          { name: "b", recipients: [], is_enabled: true },
        ],
        "https://api.forwardemail.net/v1/domains?page=2&limit=1000": [{ name: "other.example" }],
        "https://api.forwardemail.net/v1/domains/other.example/aliases?page=1&limit=1000": [{ name: "c" }],
        "https://api.forwardemail.net/v1/domains/other.example/aliases?page=2&limit=1000": [],
      },
      2,
    );
    expect(await read({ service: "forward-email", apiKey }, forwardEmail)).toEqual([
      { address: "a@own.example", destinations: ["ann@people.example"], active: false, isDeleted: false },
      { address: "b@own.example", destinations: [], active: true, isDeleted: false },
      { address: "c@other.example", destinations: [], active: true, isDeleted: false },
    ]);
    const basic = `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
    expect(forwardEmail.asked[0]?.headers.authorization).toBe(basic);
  });

  it("an error says what went wrong, and does not contain the key", async () => {
    const url = `https://app.addy.io${addyPage(1)}`;
    const of = (answer: object | number | string) => refusal({ service: "addy", apiKey }, service({ [url]: answer }));
    expect((await of(401)).field).toBe("apiKey");
    for (const answer of [302, 404, 429, 500, "failed", "<html>", '{"data":[', "[".repeat(1000)])
      expect((await of(answer)).reason).toBe("unavailable");
  });
});
