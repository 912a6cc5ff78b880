/**
 * Everything outside a machine under test, as a process of its own in a network of its own: name server (Knot),
 * certificate issuer (pebble), and one mail host with the operator's and a stranger's mailbox.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { judgedMessage } from "@kauke/testkit/programs/judged-message";
import { startKnot } from "@kauke/testkit/programs/knot";
import { startPebble } from "@kauke/testkit/programs/pebble";
import { authorSigner } from "@kauke/testkit/sign-as-author";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";

/** Addresses are public ones, because the server connects to no others; nothing leaves the two networks. */
export const outside = {
  machine: "11.0.0.1",
  services: "11.0.0.2",
  mailHost: "11.0.0.3",
  domain: "kauke.example",
  operator: "you@elsewhere.example.test",
  stranger: "ann@elsewhere.example.test",
} as const;

export interface MailToMachine {
  from: string;
  to: string;
  /** Header fields and body, with CRLF. */
  message: string;
}

export interface PageRequest {
  host: string;
  port?: number;
  path: string;
  method?: string;
  cookie?: string;
  body?: unknown;
}

export interface PageResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const calls = {
  /** What somebody knows who has registered the domain, and the roots to trust. */
  about: async ({ knot, pebble }: World) => ({
    credential: `${knot.key.name}:${knot.key.secret}`,
    directoryUrl: pebble.directoryUrl,
    roots: `${pebble.ca}${await pebble.root()}`,
  }),
  /** Signed mail to port 25, refused unless the certificate is valid for the MX name. @returns the last reply */
  send: async ({ pebble, signer }: World, { from, to, message }: MailToMachine) => {
    const talk = await smtpTalk(25, outside.machine, outside.mailHost);
    await talk.ask("EHLO mail.example.test");
    await talk.ask("STARTTLS");
    await talk.startTls({ servername: `mail.${outside.domain}`, ca: await pebble.root() });
    for (const line of ["EHLO mail.example.test", `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, "DATA"]) {
      const reply = await talk.ask(line);
      if (/^[45]/.test(reply)) return reply;
    }
    talk.send(`${signer.sign(message)}\r\n`);
    return await talk.ask(".");
  },
  /** The messages that arrived so far. */
  mail: async ({ mailHost }: World) =>
    mailHost.messages.map(({ bytes, isSecure, rcptTo, envelopeFrom }) => ({
      isSecure,
      rcptTo,
      envelopeFrom,
      text: bytes.toString("utf8"),
    })),
  /** The operator replies to a message that arrived, with that message attached as their host judged it. */
  replyWithAttached: async (world: World, subject: string) => {
    const got = world.mailHost.messages.find(({ bytes }) => bytes.includes(`Subject: ${subject}`));
    const from = /^From: .*?<([^>]+)>/ms.exec(got?.bytes.toString("utf8") ?? "")?.[1];
    if (got === undefined || from === undefined) throw new Error("there is no such message");
    const there = {
      ip: outside.machine,
      helo: `mail.${outside.domain}`,
      mta: "mail.example.test",
      dnsServer: outside.services,
    };
    const message = forwardTo(from, subject, await judgedMessage({ ...got, ...there }));
    return await calls.send(world, { from: outside.operator, to: from, message });
  },
  /** From now on the mail host takes mail, or has no time for it. */
  takeMail: async ({ mailHost }: World, takes: boolean) => {
    mailHost.options = {
      ...mailHost.options,
      answer: ({ stage }) => (takes || stage !== "rcpt" ? undefined : "451 4.3.2 later"),
    };
  },
  /** Where a page that is asked for by http leads. */
  redirect: async (_: World, url: string) => {
    const { host, pathname } = new URL(url);
    const options = { host: outside.machine, path: pathname, headers: { host }, agent: false };
    const [response] = (await once(requestPlain(options).end(), "response")) as [IncomingMessage];
    response.destroy();
    return response.headers.location ?? null;
  },
  /** A page by https, whose certificate must be valid. */
  page: async ({ pebble }: World, asked: PageRequest) => await pageOf(asked, await pebble.root()),
} as const;

type Calls = typeof calls;
interface World {
  knot: Awaited<ReturnType<typeof startKnot>>;
  pebble: Awaited<ReturnType<typeof startPebble>>;
  mailHost: FakeMx;
  signer: ReturnType<typeof authorSigner>;
}

export class Outside {
  readonly #child: ChildProcess;
  #last = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param network its name in `ip netns` */
  static async start(network: string): Promise<Outside> {
    const args = ["netns", "exec", network, process.execPath, fileURLToPath(import.meta.url)];
    const outside = new Outside(spawn("ip", args, { stdio: ["ignore", "inherit", "inherit", "ipc"] }));
    await once(outside.#child, "message");
    return outside;
  }

  ask<N extends keyof Calls>(
    call: N,
    ...[given]: Parameters<Calls[N]> extends [World, infer Given] ? [Given] : []
  ): Promise<Awaited<ReturnType<Calls[N]>>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const listen = (reply: Reply) => {
        if (reply.id !== id) return;
        this.#child.off("message", listen);
        if (reply.problem === undefined) resolve(reply.value as Awaited<ReturnType<Calls[N]>>);
        else reject(new Error(reply.problem));
      };
      this.#child.on("message", listen);
      this.#child.send({ id, call, given });
    });
  }

  close(): void {
    this.#child.kill("SIGTERM");
  }
}

interface Asked {
  id: number;
  call: keyof Calls;
  given: never;
}

interface Reply {
  id: number;
  value?: unknown;
  problem?: string;
}

/** A message attached (RFC 2046 §5.2.1). */
function forwardTo(to: string, subject: string, attached: string): string {
  const header = [
    `From: ${outside.operator}`,
    `To: ${to}`,
    `Subject: Re: ${subject}`,
    `Date: ${new Date().toUTCString()}`,
    "Message-ID: <reply@elsewhere.example.test>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="parts"',
  ];
  const text = ["--parts", "Content-Type: text/plain", "", "Here it is.", ""];
  const parts = [...text, "--parts", "Content-Type: message/rfc822", "", attached, "--parts--", ""];
  return [...header, "", ...parts].join("\r\n");
}

function pageOf(
  { host, port = 443, path, method = "GET", cookie, body }: PageRequest,
  ca: string,
): Promise<PageResponse> {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(cookie === undefined ? {} : { cookie }),
  };
  const options = { host: outside.machine, servername: host, port, path, method, ca, agent: false };
  return new Promise((resolve, reject) => {
    const call = request({ ...options, headers: { host, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    call.on("error", reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function world(): Promise<World> {
  const signer = authorSigner("elsewhere.example.test");
  const { name, txt } = signer.record;
  const knot = await startKnot(
    {
      [outside.domain]: [],
      "example.test": [
        `acme A ${outside.services}`,
        `mail A ${outside.mailHost}`,
        "elsewhere MX 10 mail",
        `elsewhere TXT "v=spf1 ip4:${outside.mailHost} -all"`,
        '_dmarc.elsewhere TXT "v=DMARC1; p=reject"',
        `${name}. TXT ${txt
          .flatMap((text) => text.match(/.{1,250}/g) ?? [])
          .map((text) => `"${text}"`)
          .join(" ")}`,
      ],
      "0.0.11.in-addr.arpa": [`1 PTR mail.${outside.domain}.`, "3 PTR mail.example.test."],
    },
    { host: outside.services, port: 53 },
  );
  const at = { host: outside.services, name: "acme.example.test", dnsServer: `${outside.services}:53` };
  const pebble = await startPebble(80, 443, at);
  const tls = { cert: testCertificate, key: testKey };
  return { knot, pebble, signer, mailHost: await FakeMx.start({ host: outside.mailHost, port: 25, tls }) };
}

/** Answers calls until the test's process ends it. */
async function serve(send: (reply: Reply) => unknown): Promise<void> {
  const started = await world();
  const close = () => Promise.all([started.knot.close(), started.pebble.close(), started.mailHost.close()]);
  process.once("SIGTERM", () => void close().then(() => process.exit(0)));
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.on("message", ({ id, call, given }: Asked) => {
    const run = calls[call] as (world: World, given: unknown) => Promise<unknown>;
    const failed = (thrown: unknown) => void send({ id, problem: String(thrown) });
    run(started, given).then((value) => void send({ id, value }), failed);
  });
  send({ id: 0 });
}

if (process.send !== undefined && import.meta.main) await serve(process.send.bind(process));
