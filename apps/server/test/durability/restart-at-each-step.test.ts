/**
 * The server is restarted, gracefully and with kill -9, while people are at every step of composing, deleting and
 * editing. Each row says where they were; what follows the restart is checked for each: what was undone did not happen,
 * what was done is done once, and what got no response can be sent again. What was typed is in the browser's drafts
 * (`e2e/any-page/nothing-lost.e2e.ts`).
 */
import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import type { AliasWire } from "@kauke/contract";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import {
  makeDataDir,
  quickServer,
  removeDataDirs,
  type ServerProcess,
  startServerProcess,
} from "@kauke/testkit/server-process";
import { relayTo } from "@kauke/testkit/system";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const UNDO_SECONDS = 6;
const TIMEOUT_MS = 120_000;

let mx: FakeMx;
beforeAll(async () => {
  mx = await FakeMx.start();
});
afterAll(async () => {
  await mx.close();
  await removeDataDirs();
});

/** A person with an alias that sends, whose calls go to the server that runs now. */
interface Scene {
  alias: AliasWire;
  address: string;
  /** Unlike any other scene's. */
  subject: string;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  upload(file: string): Promise<string>;
  /** Sends the first part of a file and no end. */
  beginUpload(): Promise<void>;
  aliases(): Promise<AliasWire[]>;
  /** The reply of the server for incoming mail to the alias. */
  rcptReply(address?: string): Promise<string>;
}

type After = () => Promise<void>;

interface Step {
  name: string;
  /** Whether it has to be over by the restart, and begins some seconds before the others. */
  isEarly?: boolean;
  /** @returns what to check after the restart */
  begin(scene: Scene): Promise<After>;
}

const soon = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 40_000, interval: 100 });
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const arrived = ({ subject }: Scene) =>
  mx.messages.flatMap(({ rcptTo, bytes }) => (bytes.includes(`\r\nSubject: ${subject}\r\n`) ? rcptTo : [])).toSorted();
const people = ["bcc@outside.example", "cc@outside.example", "to@outside.example"];
const letterOf = ({ subject, alias }: Scene, change: Record<string, unknown> = {}) => ({
  jobId: randomUUID(),
  to: "to@outside.example",
  cc: ["cc@outside.example"],
  bcc: ["bcc@outside.example"],
  subject,
  body: "Labas",
  fromAliasId: alias.id,
  ...change,
});
async function queue(scene: Scene, change: Record<string, unknown> = {}) {
  const letter = letterOf(scene, change);
  expect(await scene.call("POST", "/api/email-jobs", letter)).toMatchObject({ status: 201 });
  return letter;
}
const statusOf = async (scene: Scene, jobId: string) =>
  (await scene.call("GET", `/api/email-jobs/${jobId}/status`)).body["status"];
const undo = async (scene: Scene, jobId: string) =>
  (await scene.call("POST", `/api/email-jobs/${jobId}/cancel`)).status;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** Each recipient has one copy, and no other comes. */
async function seeSentOnce(scene: Scene, jobId: string) {
  await soon(async () => expect(await statusOf(scene, jobId)).toBe("sent"));
  await sleep(1);
  expect(arrived(scene)).toEqual(people);
}

/** Waits until the letter would have been sent. */
async function seeNotSent(scene: Scene, jobId: string) {
  expect(await statusOf(scene, jobId)).toBe("cancelled");
  await sleep(UNDO_SECONDS + 1);
  expect(arrived(scene)).toEqual([]);
}

const composing: Step[] = [
  {
    name: "a file is uploaded",
    async begin(scene) {
      const id = await scene.upload("the file");
      return async () => {
        const { jobId } = await queue(scene, { attachments: [{ id, name: "a.txt", type: "text/plain" }] });
        await seeSentOnce(scene, jobId);
        const [copy] = mx.messages.filter(({ bytes }) => bytes.includes(scene.subject));
        expect(copy?.bytes.toString()).toContain(Buffer.from("the file").toString("base64"));
      };
    },
  },
  {
    name: "a file is being uploaded",
    async begin(scene) {
      await scene.beginUpload();
      return async () => {
        const id = await scene.upload("again");
        const { jobId } = await queue(scene, { attachments: [{ id, name: "a.txt", type: "text/plain" }] });
        await seeSentOnce(scene, jobId);
      };
    },
  },
  {
    name: "the letter is on its way to the server",
    async begin(scene) {
      const attachments = [{ id: await scene.upload("with it"), name: "a.txt", type: "text/plain" }];
      const letter = letterOf(scene, { attachments });
      void scene.call("POST", "/api/email-jobs", letter).catch(() => {});
      return async () => {
        const again = await scene.call("POST", "/api/email-jobs", letter);
        expect(again).toMatchObject({ status: 201, body: { jobId: letter.jobId } });
        await seeSentOnce(scene, letter.jobId);
      };
    },
  },
  {
    name: "the letter waits for the end of the undo time",
    async begin(scene) {
      const { jobId } = await queue(scene);
      return () => seeSentOnce(scene, jobId);
    },
  },
  {
    name: "the letter was undone",
    async begin(scene) {
      const { jobId } = await queue(scene);
      expect(await undo(scene, jobId)).toBe(200);
      return () => seeNotSent(scene, jobId);
    },
  },
  {
    name: "undo is on its way to the server",
    async begin(scene) {
      const { jobId } = await queue(scene, { scheduledAt: inSeconds(30) });
      void undo(scene, jobId).catch(() => {});
      return async () => {
        expect(await undo(scene, jobId)).toBe(200);
        await seeNotSent(scene, jobId);
      };
    },
  },
  {
    name: "the letter is scheduled, and is undone after the restart",
    async begin(scene) {
      const { jobId } = await queue(scene, { scheduledAt: inSeconds(3600) });
      return async () => {
        expect(await statusOf(scene, jobId)).toBe("pending");
        expect(await undo(scene, jobId)).toBe(200);
        await seeNotSent(scene, jobId);
      };
    },
  },
  {
    name: "the letter is scheduled for soon after the restart",
    async begin(scene) {
      const at = Date.now() + 12_000;
      const { jobId } = await queue(scene, { scheduledAt: new Date(at).toISOString() });
      return async () => {
        if (Date.now() < at - 1000) expect(arrived(scene)).toEqual([]);
        await seeSentOnce(scene, jobId);
        expect(Date.now()).toBeGreaterThanOrEqual(at);
      };
    },
  },
  {
    name: "the letter was sent",
    isEarly: true,
    async begin(scene) {
      const letter = await queue(scene);
      await seeSentOnce(scene, letter.jobId);
      return async () => {
        expect(await scene.call("POST", "/api/email-jobs", letter)).toMatchObject({ status: 201 });
        expect(await undo(scene, letter.jobId)).toBe(409);
        await sleep(UNDO_SECONDS + 1);
        await seeSentOnce(scene, letter.jobId);
      };
    },
  },
];

const bulk = (scene: Scene, aliasIds: readonly string[], change: unknown) =>
  scene.call("POST", "/api/aliases/bulk", { aliasIds, change });
const isListed = async (scene: Scene) => (await scene.aliases()).some(({ id }) => id === scene.alias.id);
const seeGone = (scene: Scene) =>
  soon(async () => {
    expect(await isListed(scene)).toBe(false);
    expect(await scene.rcptReply()).toMatch(/^550/);
  });
async function seeKept(scene: Scene) {
  await sleep(UNDO_SECONDS + 1);
  expect(await isListed(scene)).toBe(true);
  expect(await scene.rcptReply()).toMatch(/^250/);
}

const deleting: Step[] = [
  {
    name: "the alias is marked, and its undo time ends after the restart",
    async begin(scene) {
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 30 });
      return async () => {
        expect(await scene.rcptReply()).toMatch(/^250/);
        await seeGone(scene);
      };
    },
  },
  {
    name: "the alias is marked, and its undo time ends while the server is down",
    async begin(scene) {
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 1 });
      return () => seeGone(scene);
    },
  },
  {
    name: "the mark is on its way to the server",
    async begin(scene) {
      const mark = () => bulk(scene, [scene.alias.id], { delete: true, inSeconds: 5 });
      void mark().catch(() => {});
      return async () => {
        await mark();
        await seeGone(scene);
      };
    },
  },
  {
    name: "the alias is marked, and is kept after the restart",
    async begin(scene) {
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 60 });
      return async () => {
        expect((await bulk(scene, [scene.alias.id], { keep: true })).body).toEqual({ changed: 1, failed: [] });
        await seeKept(scene);
      };
    },
  },
  {
    name: "the deletion was undone",
    async begin(scene) {
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 4 });
      await bulk(scene, [scene.alias.id], { keep: true });
      return () => seeKept(scene);
    },
  },
  {
    name: "the alias was deleted after its undo time",
    isEarly: true,
    async begin(scene) {
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 1 });
      await seeGone(scene);
      return async () => {
        expect((await bulk(scene, [scene.alias.id], { keep: true })).body).toMatchObject({ changed: 0 });
        await seeGone(scene);
      };
    },
  },
  {
    name: "a letter from the alias waits, and the alias is marked",
    async begin(scene) {
      const { jobId } = await queue(scene, { scheduledAt: inSeconds(20) });
      await bulk(scene, [scene.alias.id], { delete: true, inSeconds: 2 });
      return async () => {
        await seeGone(scene);
        await seeNotSent(scene, jobId);
      };
    },
  },
];

const mine = async (scene: Scene) => (await scene.aliases()).find(({ id }) => id === scene.alias.id);

const editing: Step[] = [
  {
    name: "the alias was paused",
    async begin(scene) {
      await scene.call("PATCH", `/api/aliases/${scene.alias.id}/toggle`, { active: false });
      return async () => expect(await mine(scene)).toMatchObject({ active: false });
    },
  },
  {
    name: "the alias was paused, and that was undone",
    async begin(scene) {
      for (const active of [false, true])
        await scene.call("PATCH", `/api/aliases/${scene.alias.id}/toggle`, { active });
      return async () => expect(await mine(scene)).toMatchObject({ active: true, forwardTo: scene.alias.forwardTo });
    },
  },
  {
    name: "the alias has other destinations",
    async begin(scene) {
      const forwardTo = "rasa@inbox.example, jonas@inbox.example";
      await scene.call("PUT", `/api/aliases/${scene.alias.id}`, { forwardTo });
      return async () => expect(await mine(scene)).toMatchObject({ forwardTo });
    },
  },
  {
    name: "other destinations are on their way to the server",
    async begin(scene) {
      const forwardTo = "rasa@inbox.example, jonas@inbox.example";
      const save = () => scene.call("PUT", `/api/aliases/${scene.alias.id}`, { forwardTo });
      void save().catch(() => {});
      return async () => {
        expect([forwardTo, scene.alias.forwardTo]).toContain((await mine(scene))?.forwardTo);
        expect((await save()).status).toBe(200);
        expect(await mine(scene)).toMatchObject({ forwardTo });
      };
    },
  },
];

class RestartedServer {
  server!: ServerProcess;
  readonly #steps: readonly Step[];
  readonly #checks = new Map<Step, After>();
  #count = 0;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  async run(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const dataDir = await makeDataDir();
    const env = { ...relayTo(mx), KAUKE_LIMITS: "off", KAUKE_UNDO_SECONDS: String(UNDO_SECONDS) };
    const start = () => startServerProcess({ dataDir, program: quickServer, env });
    this.server = await start();
    const [early = [], late = []] = [true, false].map((isEarly) =>
      this.#steps.filter((step) => (step.isEarly ?? false) === isEarly),
    );
    const begin = async (scenes: Map<Step, Scene>) => {
      const begun = [...scenes].map(async ([step, scene]) => this.#checks.set(step, await step.begin(scene)));
      await Promise.all(begun);
    };
    const scenesOf = async (steps: readonly Step[]) =>
      new Map(await Promise.all(steps.map(async (step) => [step, await this.#scene(signal)] as const)));
    await begin(await scenesOf(early));
    await begin(await scenesOf(late));
    if (signal === "SIGKILL") await this.server.kill();
    else expect(await this.server.stop(signal)).toBe(0);
    this.server = await start();
  }

  check(step: Step): Promise<void> {
    const check = this.#checks.get(step);
    if (check === undefined) throw new Error("the step was not begun");
    return check();
  }

  async #scene(signal: string): Promise<Scene> {
    const person = await registerPerson(this.server.url);
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    await person.createSmtpCredential(alias.id);
    const call = this.#caller(person);
    const address = `${alias.alias}@${alias.domain}`;
    const file = { "content-type": "application/octet-stream" };
    return {
      alias,
      address,
      subject: `${signal} ${++this.#count}`,
      call: (method, path, body) =>
        body === undefined
          ? call(method, path)
          : call(method, path, JSON.stringify(body), { "content-type": "application/json" }),
      upload: async (content) => {
        const { status, body } = await call("POST", "/api/email-attachments", content, file);
        expect(status).toBe(201);
        return String(body["attachmentId"]);
      },
      beginUpload: () => this.#beginUpload(person, file),
      aliases: async () =>
        (await call("GET", `/api/aliases/${person.user.id}`)).body["aliases"] as unknown as AliasWire[],
      rcptReply: async (to = address) => {
        const sent = await sendMail({ port: this.server.mxPort, to, message: "Subject: x\r\n\r\nx\r\n" });
        return sent.replies[1] ?? "";
      },
    };
  }

  #caller({ cookie }: Person) {
    return async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
      const init = { method, headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) };
      const response = await fetch(`${this.server.url}${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
  }

  /** Resolves once the first part is on its way; the connection ends with the server. */
  async #beginUpload({ cookie }: Person, headers: Record<string, string>): Promise<void> {
    const path = "/api/email-attachments";
    const sent = httpRequest(`${this.server.url}${path}`, { method: "POST", headers: { cookie, ...headers } });
    sent.on("error", () => {});
    await new Promise<void>((resolve) => sent.write(Buffer.alloc(100_000), () => resolve()));
  }
}

describe.each(["SIGTERM", "SIGKILL"] as const)("after %s", (signal) => {
  const groups = { composing, deleting, editing };
  const restarted = new RestartedServer(Object.values(groups).flat());
  beforeAll(() => restarted.run(signal), TIMEOUT_MS);
  afterAll(() => restarted.server.kill());

  for (const [group, steps] of Object.entries(groups))
    describe.concurrent(`while ${group}, when`, () => {
      test.for(steps)("$name", { timeout: TIMEOUT_MS }, (step) => restarted.check(step));
    });
});
