/**
 * kill -9 while letters with several recipients and attachments are uploaded, queued, undone and sent: each recipient
 * of a letter that stands gets it whole, and nobody gets one that was undone. Sent by SMTP, a copy may arrive twice if
 * the kill fell between the host's reply and our record of it; a provider takes each copy once.
 */
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Dice, dice } from "@kauke/testkit/kill/kill-moments";
import {
  type Arrival,
  compareLetters,
  LetterWriter,
  type ReadLetter,
  recipientsOf,
  ServerPlace,
} from "@kauke/testkit/kill/letter-writer";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { makeDataDir, quickServer, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { relayTo } from "@kauke/testkit/system";
import PostalMime from "postal-mime";
import { afterAll, expect, test, vi } from "vitest";

const TIMEOUT_MS = rounds(600_000, 3_600_000);
const ROUNDS = rounds(4, 60);
const LETTERS_PER_ROUND = 8;
/** Milliseconds from a server's start until it is killed. */
const LIVES_MS = [50, 1500] as const;
/** A process that took longer from a host's reply to its record was not merely cut off between them. */
const RECORD_MAX_MS = 5000;
const DRAIN_MS = 60_000;

afterAll(removeDataDirs);

/** Writes letters through a server that is killed in every round but the last. @param arrivals so far, as a live list */
async function run(env: Record<string, string>, { arrivals, rolled }: { arrivals: () => Arrival[]; rolled: Dice }) {
  const dataDir = await makeDataDir();
  const start = () =>
    startServerProcess({
      dataDir,
      program: quickServer,
      env: { KAUKE_LIMITS: "off", KAUKE_UNDO_SECONDS: "1", KAUKE_RETRY_SCHEDULE: "1s,1s,1s", ...env },
    });
  let server = await start();
  const person = await registerPerson(server.url);
  const { id: aliasId } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await person.createSmtpCredential(aliasId);
  const place = new ServerPlace();
  const writer = new LetterWriter({ place, cookie: person.cookie, aliasId, dice: rolled });
  const written: Promise<unknown>[] = [];
  const kills: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    place.up(server.url);
    for (let count = 0; count < LETTERS_PER_ROUND; count += 1) written.push(writer.write());
    if (round === ROUNDS) break;
    await new Promise((resolve) => setTimeout(resolve, rolled.between(...LIVES_MS)));
    place.down();
    kills.push(Date.now());
    await server.kill();
    server = await start();
  }
  try {
    await Promise.all(written);
    const standing = writer.letters.filter(({ state }) => state !== "undone");
    await vi
      .waitFor(
        () => {
          const reached = new Set(arrivals().map(({ recipient }) => recipient));
          expect(standing.flatMap(recipientsOf).filter((recipient) => !reached.has(recipient))).toEqual([]);
        },
        { timeout: DRAIN_MS, interval: 100 },
      )
      .catch(() => {});
    const undone = writer.letters.filter(({ state }) => state === "undone");
    expect(await Promise.all(undone.map((letter) => writer.statusOf(letter)))).toEqual(undone.map(() => "cancelled"));
    const standingStates = () => Promise.all(standing.map((letter) => writer.statusOf(letter)));
    return { writer, kills, standing, undone, standingStates, close: () => server.kill() };
  } catch (thrown) {
    await server.kill();
    throw thrown;
  }
}

async function readLetter(message: string): Promise<ReadLetter> {
  const { subject = "", to = [], cc = [], attachments } = await PostalMime.parse(message);
  const addresses = (list: typeof to) => list.map(({ address = "" }) => address);
  const files = attachments.map(({ filename, content }) => ({
    name: filename ?? "",
    bytes: new Uint8Array(content as ArrayBuffer),
  }));
  return { subject, to: addresses(to), cc: addresses(cc), files };
}

function seeded(name: string): Dice {
  const rolled = dice();
  process.stdout.write(`${name}: KAUKE_TEST_SEED=${rolled.seed}\n`);
  return rolled;
}

type Run = Awaited<ReturnType<typeof run>>;

function figuresOf({ writer, kills, undone }: Run, arrivals: readonly Arrival[], repeated: number) {
  const ofUndo = writer.letters.filter(({ undoAfterMs }) => undoAfterMs !== null);
  return {
    kills: kills.length,
    letters: writer.letters.length,
    recipients: writer.letters.flatMap(recipientsOf).length,
    files: writer.letters.flatMap(({ files }) => files).length,
    undone: `${undone.length} of ${ofUndo.length}`,
    "requests repeated": writer.repeated,
    arrivals: arrivals.length,
    "arrived twice": repeated,
  };
}

test("by SMTP no letter is lost, none that was undone is sent, and a copy repeats only for a kill while it was sent", {
  timeout: TIMEOUT_MS,
}, async () => {
  const mx = await FakeMx.start();
  const arrivals: Arrival[] = [];
  // Messages have no time of their own; those that came since the last look arrived just now.
  const look = () => {
    for (const { rcptTo, bytes } of mx.messages.splice(0))
      for (const recipient of rcptTo) arrivals.push({ recipient, message: bytes.toString("latin1"), at: Date.now() });
    return arrivals;
  };
  const looking = setInterval(look, 5);
  const name = "kill -9, composed mail by SMTP";
  const result = await run(relayTo(mx), { arrivals: look, rolled: seeded(name) });
  try {
    await vi.waitFor(async () => expect(new Set(await result.standingStates())).toEqual(new Set(["sent"])), {
      timeout: DRAIN_MS,
      interval: 200,
    });
    const { repeated, ...compared } = await compareLetters(result.writer.letters, look(), readLetter);
    printFigures(name, figuresOf(result, arrivals, repeated.length));
    expect(compared).toEqual({ lost: [], sentThoughUndone: [], damaged: [] });
    const isExplained = (first: number, second: number) =>
      result.kills.some((kill) => first <= kill + RECORD_MAX_MS && kill - first < RECORD_MAX_MS && kill <= second);
    const unexplained = repeated.filter(({ at }) =>
      at.some((second, index) => index > 0 && !isExplained(at[index - 1] ?? 0, second)),
    );
    expect(unexplained).toEqual([]);
  } finally {
    clearInterval(looking);
    await result.close();
    await mx.close();
  }
});

test("by a provider each recipient of a letter gets it exactly once, and nobody gets one that was undone", {
  timeout: TIMEOUT_MS,
}, async () => {
  const fake = await FakeForwardEmail.start({ domains: ["kauke.test"] });
  fake.store.limits.createEmail = 1_000_000;
  const limit = { kind: "status", status: 200, body: { count: 0, limit: 1_000_000 } } as const;
  fake.faultFor(({ path }) => (path === "/v1/emails/limit" ? limit : null));
  const arrivals = () =>
    fake.emails.flatMap(({ envelope, message, createdAt }) =>
      envelope.to.map((recipient) => ({ recipient, message, at: createdAt.getTime() })),
    );
  const name = "kill -9, composed mail by a provider";
  const settings = {
    KAUKE_FORWARDING: "forward-email",
    KAUKE_PROVIDER_URL: fake.url,
    KAUKE_PROVIDER_KEY: fake.key,
    KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
  };
  const result = await run(settings, { arrivals, rolled: seeded(name) });
  try {
    const { repeated, ...compared } = await compareLetters(result.writer.letters, arrivals(), readLetter);
    printFigures(name, figuresOf(result, arrivals(), repeated.length));
    expect({ ...compared, repeated }).toEqual({ lost: [], sentThoughUndone: [], damaged: [], repeated: [] });
    expect(fake.violations.filter((text) => text.includes("/v1/emails"))).toEqual([]);
  } finally {
    await result.close();
    await fake.close();
  }
});
