import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { limitNames } from "../limits/named-limits.ts";
import { type Environment, SettingsError } from "./env.ts";
import { listenProblem, readConfig } from "./read-config.ts";

const folder = resolve("/srv/kauke");
const key = Buffer.alloc(32, 7).toString("base64");
const configOf = (environment: Environment) => readConfig(environment, folder, limitNames).config;

function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment, folder, limitNames);
  } catch (thrown) {
    if (thrown instanceof SettingsError) return thrown.problems;
    throw thrown;
  }
  return [];
}

test("without any setting every value has its documented default", () => {
  const config = configOf({});
  expect(config.http).toEqual({ host: "127.0.0.1", port: 3000 });
  expect([config.mx.port, config.submission.port, config.submissions.port]).toEqual([2525, 2587, 2465]);
  expect(config.metricsPort).toBeNull();
  expect(config.dataDir).toBe(join(folder, "data"));
  expect(config.databaseUrl).toBeNull();
  expect([...config.services]).toEqual(["api", "mx", "submission", "sender"]);
  expect(config.publicUrl.origin).toBe("http://localhost:3000");
  expect(config.publicUrlGiven).toBe(false);
  expect(config.domains).toEqual(["kauke.test", "slapta.test", "rukas.test", "tyla.test", "vejas.test"]);
  expect(config.mailHost).toBe("mail.kauke.test");
  expect(config.userDomains).toBe(5);
  expect(config.dkimEd25519).toBe(false);
  expect(config.dmarcReports).toBeNull();
  expect(config.dkim).toBe(true);
  expect(config.forwarding).toEqual({ kind: "engine" });
  expect(config.delivery).toEqual({ kind: "preview" });
  expect(config.undoSeconds).toBe(6);
  expect(config.maxMessageBytes).toBe(26_214_400);
  expect(config.retrySchedule.slice(0, 4)).toEqual([30, 120, 600, 1800]);
  expect(config.limits).toEqual(new Map());
  expect(config.google).toBeNull();
  expect(config.production).toBe(false);
});

test("https is off by default, and has its own port and origin when it is on", () => {
  expect(configOf({ KAUKE_HTTPS_PORT: "8443" }).https).toBeNull();
  expect(configOf({ KAUKE_HTTPS: "on" })).toMatchObject({ https: { host: "127.0.0.1", port: 443 } });
  expect(configOf({ KAUKE_HTTPS: "on" }).publicUrl.origin).toBe("https://localhost");
  expect(configOf({ KAUKE_HTTPS: "on", KAUKE_HTTPS_PORT: "8443" }).publicUrl.origin).toBe("https://localhost:8443");
  expect(problemsOf({ KAUKE_HTTPS: "on", KAUKE_PUBLIC_URL: "http://kauke.example" })).toEqual([
    "KAUKE_PUBLIC_URL must begin with https:// when KAUKE_HTTPS is on.",
  ]);
  expect(problemsOf({ KAUKE_HTTPS: "on", KAUKE_HTTPS_PORT: "3000" })).toEqual([
    "KAUKE_HTTPS_PORT must differ from KAUKE_HTTP_PORT.",
  ]);
});

test("a port that can't be listened on is reported with its setting", () => {
  const config = configOf({ KAUKE_HTTPS: "on" });
  const problem = (code: string, port: number) => listenProblem(Object.assign(new Error("x"), { code, port }), config);
  expect(problem("EACCES", 443)?.message).toMatch(/port 443: .*CAP_NET_BIND_SERVICE.*KAUKE_HTTPS_PORT\.$/);
  expect(problem("EADDRINUSE", 2525)?.message).toMatch(/^Port 2525 is taken .*KAUKE_MX_PORT\.$/);
  expect(problem("ENOENT", 443)).toBeNull();
});

test("each setting is read into its place in the configuration", () => {
  const config = configOf({
    KAUKE_HOST: "::1",
    KAUKE_HTTP_PORT: "0",
    KAUKE_METRICS_PORT: "9100",
    KAUKE_DATA_DIR: "/var/lib/kauke",
    DATABASE_URL: "postgres://kauke@localhost/kauke",
    KAUKE_SECRET_KEY: key,
    KAUKE_SERVICES: "mx, sender",
    KAUKE_PUBLIC_URL: "https://Kauke.Example",
    KAUKE_REGISTRATION: "closed",
    KAUKE_TRUSTED_PROXIES: "10.0.0.0/8,::1",
    KAUKE_TLS_CERT: "tls/cert.pem",
    KAUKE_TLS_KEY: "/etc/key.pem",
    KAUKE_DOMAINS: "One.example,ąžuolas.lt",
    KAUKE_POSTMASTER: "Ops@Example.ORG",
    KAUKE_DMARC_REPORTS: "dmarc@example.org",
    KAUKE_DNS_SERVERS: "127.0.0.1:5353,[::1]:53,192.0.2.1",
    KAUKE_UNDO_SECONDS: "0",
    KAUKE_RETRY_SCHEDULE: "1s,2m",
    KAUKE_WEBHOOK_ALLOW: "Hooks.internal,127.0.0.0/8",
    KAUKE_MAX_MESSAGE_BYTES: "1048576",
    KAUKE_LIMITS: "alias_create=5/60,mail_alias=1/1",
    KAUKE_GOOGLE_CLIENT_ID: "id",
    KAUKE_GOOGLE_CLIENT_SECRET: "secret",
    KAUKE_GOOGLE_ISSUER: "http://127.0.0.1:9000/",
    KAUKE_LINK_DOCS: "https://docs.example/",
    KAUKE_LOG_DAYS: "14",
    NODE_ENV: "test",
  });
  expect(config.http).toEqual({ host: "::1", port: 0 });
  expect(config.metricsPort).toBe(9100);
  expect(config.dataDir).toBe(resolve("/var/lib/kauke"));
  expect(config.secretKey).toEqual(Buffer.alloc(32, 7));
  expect([...config.services]).toEqual(["mx", "sender"]);
  expect(config.publicUrl.origin).toBe("https://kauke.example");
  expect(config.publicUrlGiven).toBe(true);
  expect(config.registration).toBe("closed");
  expect(config.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
  expect(config.tls).toEqual({ certFile: join(folder, "tls/cert.pem"), keyFile: resolve("/etc/key.pem") });
  expect(config.domains[0]).toBe("one.example");
  expect(config.domains[1]).toMatch(/^xn--[a-z0-9-]+\.lt$/);
  expect(config.mailHost).toBe("mail.one.example");
  expect(config.postmaster?.toLowerCase()).toBe("ops@example.org");
  expect(config.dmarcReports).toBe("dmarc@example.org");
  expect(config.dnsServers).toEqual(["127.0.0.1:5353", "[::1]:53", "192.0.2.1:53"]);
  expect(config.undoSeconds).toBe(0);
  expect(config.retrySchedule).toEqual([1, 120]);
  expect(config.webhookAllow).toEqual(["hooks.internal", "127.0.0.0/8"]);
  expect(config.limits).toEqual(
    new Map([
      ["alias_create", { max: 5, windowSeconds: 60 }],
      ["mail_alias", { max: 1, windowSeconds: 1 }],
    ]),
  );
  expect(config.google).toEqual({ clientId: "id", clientSecret: "secret", issuer: "http://127.0.0.1:9000" });
  expect(config.links.docs).toBe("https://docs.example/");
  expect(config.logDays).toBe(14);
});

test("an issuer with a path keeps its trailing slash, which is part of its name", () => {
  const client = { KAUKE_GOOGLE_CLIENT_ID: "id", KAUKE_GOOGLE_CLIENT_SECRET: "secret" };
  for (const issuer of ["https://id.example/realm/", "https://id.example/realm"])
    expect(configOf({ ...client, KAUKE_GOOGLE_ISSUER: issuer }).google?.issuer).toBe(issuer);
});

test("a relay address implies relay delivery", () => {
  const { delivery } = configOf({ KAUKE_RELAY_URL: "smtp://user:pass@relay.example:587" });
  expect(delivery).toEqual({ kind: "relay", url: new URL("smtp://user:pass@relay.example:587") });
});

test("all limits can be switched off", () => {
  expect(configOf({ KAUKE_LIMITS: "off" }).limits).toBe("off");
});

test("own domains of accounts are a number, or switched off", () => {
  expect(configOf({ KAUKE_USER_DOMAINS: "12" }).userDomains).toBe(12);
  expect(configOf({ KAUKE_USER_DOMAINS: "off" }).userDomains).toBe(0);
});

test("trust in ARC seals can be switched off, or given to other domains", () => {
  expect(configOf({}).arcTrusted).toContain("google.com");
  expect(configOf({ KAUKE_ARC_TRUSTED: "off" }).arcTrusted).toEqual([]);
  expect(configOf({ KAUKE_ARC_TRUSTED: "List.Example,b.example" }).arcTrusted).toEqual(["list.example", "b.example"]);
});

const wrong: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["KAUKE_HOST", ["not a host", "-x", "a..b"]],
  ["KAUKE_HTTP_PORT", ["80x", "-1", "65536", "3.5", "0x50", "2525"]],
  ["KAUKE_HTTPS", ["yes", "1"]],
  ["KAUKE_HTTPS_PORT", ["https", "70000"]],
  ["KAUKE_MX_PORT", ["mx", "1e3"]],
  ["KAUKE_SUBMISSION_PORT", ["99999"]],
  ["KAUKE_SUBMISSIONS_PORT", [" 1 2"]],
  ["KAUKE_POP3S_PORT", ["OFF", "", "70000", "2465"]],
  ["KAUKE_METRICS_PORT", ["no", "3000"]],
  ["DATABASE_URL", ["mysql://x", "kauke"]],
  ["KAUKE_SECRET_KEY", ["short", key.slice(1), `${key}AA`, "!".repeat(44)]],
  ["KAUKE_SERVICES", ["web", "api,,mx", "api,api", "API"]],
  [
    "KAUKE_PUBLIC_URL",
    ["kauke.example", "ftp://kauke.example", "https://kauke.example/path", "https://u:p@kauke.example"],
  ],
  ["KAUKE_REGISTRATION", ["Open", "invited", "off"]],
  ["KAUKE_TRUSTED_PROXIES", ["proxy", "10.0.0.0/33", "::1/129", "10.0.0.1/8/8", "10.0.0.0/"]],
  ["KAUKE_DOMAINS", ["localhost", "a b.example", "kauke.test,", "127.0.0.1", "one.example,ONE.example", "-a.example"]],
  ["KAUKE_MAIL_HOST", ["mail", "mail..example", "mail.example:25"]],
  ["KAUKE_DMARC_REPORTS", ["reports", "a@b@c"]],
  ["KAUKE_POSTMASTER", ["postmaster", "a@b@c", "@example.org"]],
  ["KAUKE_FORWARDING", ["Engine", "forwardemail", "on"]],
  [
    "KAUKE_PROVIDER_URL",
    ["api.copy.example", "http://api.copy.example", "https://copy.example/v1", "https://u:p@copy.example"],
  ],
  ["KAUKE_PROVIDER_KEY", ["short", "with:a-colon", "with a blank", "ąžuolas-ąžuolas", "k".repeat(513)]],
  ["KAUKE_DELIVERY", ["Preview", "none", "relay", "provider"]],
  [
    "KAUKE_RELAY_URL",
    ["relay.example:25", "http://relay.example:25", "smtp://relay.example", "smtp://u@h:25", "smtp://h:25/x"],
  ],
  ["KAUKE_DNS_SERVERS", ["dns.example:53", "127.0.0.1:0", "127.0.0.1:70000", "::1:53x"]],
  ["KAUKE_USER_DOMAINS", ["0", "101", "-1", "on", "five", "1.5"]],
  ["KAUKE_UNDO_SECONDS", ["-1", "3601", "6s"]],
  ["KAUKE_ARC_SEAL", ["yes", "ON"]],
  ["KAUKE_ARC_TRUSTED", ["", "off,list.example", "localhost", "a@b.example"]],
  ["KAUKE_RETRY_SCHEDULE", ["soon", "30", "1s,,2s"]],
  ["KAUKE_WEBHOOK_ALLOW", ["http://hooks", "10.0.0.0/64", "a_b"]],
  ["KAUKE_MAX_MESSAGE_BYTES", ["0", "25M", "1073741825"]],
  [
    "KAUKE_LIMITS",
    [
      "on",
      "register",
      "register=1",
      "register=1/0",
      "register=x/1",
      "register=1/1,register=2/2",
      "Register=1/1",
      "login=1/1",
    ],
  ],
  ["KAUKE_GOOGLE_ISSUER", ["accounts.example", "http://accounts.example", "ftp://127.0.0.1"]],
  ["KAUKE_LINK_DOCS", ["docs", "javascript:alert(1)"]],
  ["KAUKE_LOG_DAYS", ["-1", "90d", "4000"]],
  ["KAUKE_LINK_SMTP_GUIDE", ["ftp://docs.example"]],
];

for (const [name, values] of wrong) {
  test.each(values)(`an invalid ${name} stops the start with an error that names it: %s`, (text) => {
    const problems = problemsOf({ [name]: text });
    expect(problems.join("\n")).toContain(name);
    expect(problems.every((problem) => /^[A-Z0-9_]+ .+\.$/.test(problem))).toBe(true);
  });
}

test("several processes are for PostgreSQL; elsewhere a number above 1 is warned of and has no effect", () => {
  const DATABASE_URL = "postgres://kauke@localhost/kauke";
  const shared = { DATABASE_URL, KAUKE_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"), KAUKE_DELIVERY: "direct" };
  expect(readConfig(shared, "/srv", limitNames).config.workers).toBe(1);
  expect(readConfig({ ...shared, KAUKE_WORKERS: "3" }, "/srv", limitNames)).toMatchObject({
    config: { workers: 3 },
    warnings: [],
  });
  const alone = { KAUKE_DELIVERY: "direct", KAUKE_WORKERS: "3" };
  for (const settings of [alone, { ...shared, KAUKE_WORKERS: "3", KAUKE_DELIVERY: "preview" }]) {
    const { config, warnings } = readConfig(settings, "/srv", limitNames);
    expect(config.workers).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^KAUKE_WORKERS has no effect with the (?:embedded database|preview inbox): /),
    ]);
  }
  expect(readConfig({ ...alone, KAUKE_WORKERS: "1" }, "/srv", limitNames).warnings).toEqual([]);
});

test.each(["0", "65", "two"])("KAUKE_WORKERS=%s is refused", (KAUKE_WORKERS) => {
  expect(() => readConfig({ KAUKE_WORKERS }, "/srv", limitNames)).toThrow(SettingsError);
});

test("preview delivery is refused in production", () => {
  expect(problemsOf({ NODE_ENV: "production" }).join()).toContain("KAUKE_DELIVERY");
  expect(problemsOf({ NODE_ENV: "production", KAUKE_DELIVERY: "direct" })).toEqual([]);
});

const provider = { KAUKE_FORWARDING: "forward-email", KAUKE_PROVIDER_KEY: "key-of-the-account" };

test("two settings have a provider forward the aliases' mail, and send the mail that leaves", () => {
  const { forwarding, delivery } = configOf(provider);
  expect(forwarding).toEqual({
    kind: "forward-email",
    url: new URL("https://api.forwardemail.net"),
    key: "key-of-the-account",
  });
  expect(delivery).toEqual({ kind: "provider" });
  expect(problemsOf({ ...provider, NODE_ENV: "production" })).toEqual([]);
});

test.each([
  ["preview", { KAUKE_DELIVERY: "preview" }],
  ["direct", { KAUKE_DELIVERY: "direct" }],
  ["provider", { KAUKE_DELIVERY: "provider" }],
  ["relay", { KAUKE_RELAY_URL: "smtp://relay.example:25" }],
  ["relay", { KAUKE_DELIVERY: "relay", KAUKE_RELAY_URL: "smtp://relay.example:25" }],
])("with a provider, mail may still leave by %s", (kind, settings) => {
  expect(configOf({ ...provider, ...settings }).delivery.kind).toBe(kind);
});

test.each<[string, Environment, string]>([
  [
    "a provider without its key",
    { KAUKE_FORWARDING: "forward-email" },
    "KAUKE_PROVIDER_KEY must be set when KAUKE_FORWARDING is forward-email.",
  ],
  [
    "delivery by a provider that does not forward",
    { KAUKE_DELIVERY: "provider", KAUKE_PROVIDER_KEY: "key-of-the-account" },
    "KAUKE_FORWARDING must be forward-email when KAUKE_DELIVERY is provider.",
  ],
  [
    "a key with a colon",
    { ...provider, KAUKE_PROVIDER_KEY: "key:of-the-account" },
    "KAUKE_PROVIDER_KEY must be 8 to 512 visible characters without a colon.",
  ],
  [
    "a provider without https",
    { ...provider, KAUKE_PROVIDER_URL: "http://api.copy.example" },
    "KAUKE_PROVIDER_URL must be an https address.",
  ],
  [
    "preview in production",
    { ...provider, NODE_ENV: "production", KAUKE_DELIVERY: "preview" },
    "KAUKE_DELIVERY must be relay, direct or provider when NODE_ENV is production: preview delivers nothing.",
  ],
])("%s is refused", (_, environment, problem) => {
  expect(problemsOf(environment)).toEqual([problem]);
});

test("a provider's key alone changes nothing", () => {
  expect(configOf({ KAUKE_PROVIDER_KEY: "key-of-the-account" }).forwarding).toEqual({ kind: "engine" });
});

test.each(["http://127.0.0.1:4000", "http://localhost:4000", "http://[::1]:4000"])(
  "a provider at %s is allowed",
  (url) => {
    expect(configOf({ ...provider, KAUKE_PROVIDER_URL: url }).forwarding).toMatchObject({ url: new URL(url) });
  },
);

test("an explicit delivery that contradicts the relay address is refused", () => {
  const environment = { KAUKE_DELIVERY: "preview", KAUKE_RELAY_URL: "smtp://relay.example:25" };
  expect(problemsOf(environment).join()).toContain("KAUKE_RELAY_URL");
});

test("leaving out a service requires PostgreSQL, and PostgreSQL requires the key", () => {
  expect(problemsOf({ KAUKE_SERVICES: "api" }).join()).toContain("DATABASE_URL");
  expect(problemsOf({ DATABASE_URL: "postgres://h/k" }).join()).toContain("KAUKE_SECRET_KEY");
  expect(problemsOf({ KAUKE_SERVICES: "api", DATABASE_URL: "postgres://h/k", KAUKE_SECRET_KEY: key })).toEqual([]);
});

test("with a forwarding provider no mail is taken here, and all mail leaves through it", () => {
  const provider = { KAUKE_FORWARDING: "forward-email", KAUKE_PROVIDER_KEY: "key-of-the-test" };
  const { config } = readConfig(provider, "/srv", limitNames);
  expect([[...config.services], config.delivery]).toEqual([["api", "sender"], { kind: "provider" }]);
  expect(problemsOf({ ...provider, KAUKE_SERVICES: "api,sender" })).toEqual([]);
  expect(problemsOf({ ...provider, KAUKE_SERVICES: "api,sender,mx" })).toEqual([
    "KAUKE_SERVICES must leave out mx when KAUKE_FORWARDING is forward-email: the provider does that.",
  ]);
  expect(problemsOf({ ...provider, KAUKE_SERVICES: "api" }).join()).toContain("DATABASE_URL");
});

test.each(["KAUKE_TLS_CERT", "KAUKE_TLS_KEY"])("%s without its counterpart is refused", (name) => {
  expect(problemsOf({ [name]: "file.pem" })).toHaveLength(1);
});

test.each(["KAUKE_GOOGLE_CLIENT_ID", "KAUKE_GOOGLE_CLIENT_SECRET"])("%s without its counterpart is refused", (name) => {
  expect(problemsOf({ [name]: "x" })).toHaveLength(1);
});

test("two listeners may both use port 0, but not the same other port", () => {
  expect(problemsOf({ KAUKE_MX_PORT: "0", KAUKE_SUBMISSION_PORT: "0" })).toEqual([]);
  expect(problemsOf({ KAUKE_MX_PORT: "3000" })).toEqual(["KAUKE_MX_PORT must differ from KAUKE_HTTP_PORT."]);
});

test("all problems are reported at once", () => {
  expect(problemsOf({ KAUKE_HTTP_PORT: "x", KAUKE_DOMAINS: "y", KAUKE_LIMITS: "z" })).toHaveLength(3);
});

test("an unknown KAUKE_ variable causes a warning and does not stop the start", () => {
  const { warnings } = readConfig({ KAUKE_HTPT_PORT: "80", PATH: "/bin" }, folder, limitNames);
  expect(warnings).toEqual(["KAUKE_HTPT_PORT is not a setting of Kauke and has no effect."]);
});

test("in production, disabled limits and example domains cause warnings", () => {
  const environment = { NODE_ENV: "production", KAUKE_DELIVERY: "direct", KAUKE_LIMITS: "off" };
  expect(readConfig(environment, folder, limitNames).warnings).toHaveLength(2);
});

test("no value makes reading fail in any other way, and no message quotes it", () => {
  const names = wrong.map(([name]) => name);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string({ unit: "grapheme", minLength: 12 }), (name, text) => {
      for (const problem of problemsOf({ [name]: text })) expect(problem).not.toContain(text);
    }),
    { numRuns: 2000 },
  );
});

test("a postmaster on one of our own domains is refused, since its mail would loop", () => {
  expect(problemsOf({ KAUKE_POSTMASTER: "op@Kauke.test" })[0]).toMatch(/^KAUKE_POSTMASTER /);
  expect(problemsOf({ KAUKE_POSTMASTER: "op@inbox.example" })).toEqual([]);
});

test("an unknown limit is reported with the list of existing ones, without being quoted", () => {
  expect(problemsOf({ KAUKE_LIMITS: "mail_alais=1/1" })).toEqual([
    expect.stringMatching(/^KAUKE_LIMITS must name limits that exist: .*\balias_create\b.*\bmail_alias\b.*\.$/),
  ]);
});

test("POP3 is at 995 beside submission at 465, else at 2995, and can be off", () => {
  const portOf = (env: Record<string, string>) => readConfig(env, "/srv", limitNames).config.pop3s?.port ?? null;
  expect(portOf({})).toBe(2995);
  expect(portOf({ KAUKE_SUBMISSIONS_PORT: "465" })).toBe(995);
  expect(portOf({ KAUKE_POP3S_PORT: "1995" })).toBe(1995);
  expect(portOf({ KAUKE_POP3S_PORT: "off", KAUKE_SUBMISSIONS_PORT: "465" })).toBeNull();
});
