/**
 * A person who writes letters with several recipients and attachments while the server is killed again and again:
 * repeats what got no response, undoes some, and records what the server promised of each.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Dice } from "./kill-moments.ts";

export interface Letter {
  jobId: string;
  subject: string;
  to: string[];
  cc: string[];
  bcc: string[];
  files: { name: string; bytes: Buffer }[];
  /** Milliseconds after the server took it until the person undoes it; `null`: the letter is left alone. */
  undoAfterMs: number | null;
  /** `undone` once the server said that it is cancelled; until then a killed server may have left it in any state. */
  state: "writing" | "queued" | "undone" | "too late";
}

/** Where the server is; calls wait for the next one while it is down. */
export class ServerPlace {
  #url: Promise<string>;
  #isUp: (url: string) => void = () => {};

  constructor() {
    this.#url = this.#next();
  }

  get url(): Promise<string> {
    return this.#url;
  }

  up(url: string): void {
    this.#isUp(url);
    this.#url = Promise.resolve(url);
  }

  down(): void {
    this.#url = this.#next();
  }

  #next(): Promise<string> {
    return new Promise((resolve) => {
      this.#isUp = resolve;
    });
  }
}

export interface LetterWriterOptions {
  place: ServerPlace;
  cookie: string;
  aliasId: string;
  dice: Dice;
}

interface Reply {
  status: number;
  body: { attachmentId?: string; jobId?: string; status?: string; code?: string };
}

const AFTER_FAILURE_MS = 50;
/** Largest attachment in bytes. */
const FILE_MAX = 60_000;

export class LetterWriter {
  readonly letters: Letter[] = [];
  readonly #options: LetterWriterOptions;
  /** Responses that the server sent to requests that were repeated, by status. */
  repeated = 0;

  constructor(options: LetterWriterOptions) {
    this.#options = options;
  }

  /** Resolves once the server has said what became of the letter, however often it was killed meanwhile. */
  async write(): Promise<Letter> {
    const letter = this.#make();
    this.letters.push(letter);
    const attachments = [];
    for (const { name, bytes } of letter.files) {
      const { body } = await this.#until(201, "POST", "/api/email-attachments", bytes);
      attachments.push({ id: body.attachmentId, name });
    }
    const { jobId, subject, to, cc, bcc } = letter;
    const request = { jobId, subject, to, cc, bcc, attachments, body: subject, fromAliasId: this.#options.aliasId };
    await this.#until(201, "POST", "/api/email-jobs", request);
    letter.state = "queued";
    if (letter.undoAfterMs === null) return letter;
    await sleep(letter.undoAfterMs);
    const { status } = await this.#repeat("POST", `/api/email-jobs/${jobId}/cancel`, undefined, [200, 409]);
    letter.state = status === 200 ? "undone" : "too late";
    return letter;
  }

  async statusOf({ jobId }: Letter): Promise<string> {
    return (await this.#until(200, "GET", `/api/email-jobs/${jobId}/status`)).body.status ?? "";
  }

  #make(): Letter {
    const { dice } = this.#options;
    const number = this.letters.length + 1;
    const some = (kind: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${kind}${at}.of${number}@outside.example`);
    return {
      jobId: randomUUID(),
      subject: `Letter ${number}`,
      to: some("to", dice.between(1, 2)),
      cc: some("cc", dice.between(0, 2)),
      bcc: some("bcc", dice.between(0, 2)),
      files: Array.from({ length: dice.between(0, 2) }, (_, at) => ({
        name: `file-${number}-${at}.bin`,
        bytes: randomBytes(dice.between(1, FILE_MAX)),
      })),
      undoAfterMs: dice.between(1, 3) === 1 ? dice.between(0, 1300) : null,
      state: "writing",
    };
  }

  async #until(status: number, method: string, path: string, sent?: unknown): Promise<Reply> {
    return await this.#repeat(method, path, sent, [status]);
  }

  /** Repeats a request until one of these responses arrives. @throws if the server refuses it for good */
  async #repeat(method: string, path: string, sent: unknown, wanted: readonly number[]): Promise<Reply> {
    for (;;) {
      const reply = await this.#call(method, path, sent).catch(() => null);
      if (reply !== null && wanted.includes(reply.status)) return reply;
      if (reply !== null && reply.status < 500 && reply.status !== 429)
        throw new Error(`${method} ${path} was refused: ${reply.status} ${JSON.stringify(reply.body)}`);
      this.repeated += 1;
      await sleep(AFTER_FAILURE_MS);
    }
  }

  async #call(method: string, path: string, sent: unknown): Promise<Reply> {
    const url = await this.#options.place.url;
    const isFile = sent instanceof Uint8Array;
    const type = isFile ? "application/octet-stream" : "application/json";
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { cookie: this.#options.cookie, ...(sent === undefined ? {} : { "content-type": type }) },
      ...(sent === undefined ? {} : { body: isFile ? new Uint8Array(sent) : JSON.stringify(sent) }),
    });
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  }
}

/** A copy of a message that a mail host accepted. */
export interface Arrival {
  recipient: string;
  message: string;
  at: number;
}

export interface LetterComparison {
  /** Recipients of letters that were not undone and got nothing. */
  lost: string[];
  /** Recipients of letters that the server said were undone. */
  sentThoughUndone: string[];
  /** Recipients that got more than one copy. */
  repeated: { recipient: string; at: number[] }[];
  /** Copies that name a hidden recipient, or other recipients or files than the letter. */
  damaged: string[];
}

export const recipientsOf = ({ to, cc, bcc }: Letter): string[] => [...to, ...cc, ...bcc];

/** Compares what the server promised with what arrived. @param read parses a message */
export async function compareLetters(
  letters: readonly Letter[],
  arrivals: readonly Arrival[],
  read: (message: string) => Promise<ReadLetter>,
): Promise<LetterComparison> {
  const byRecipient = Map.groupBy(arrivals, ({ recipient }) => recipient);
  const of = (recipient: string) => byRecipient.get(recipient) ?? [];
  const all = letters.flatMap((letter) => recipientsOf(letter).map((recipient) => ({ letter, recipient })));
  const damaged: string[] = [];
  for (const { letter, recipient } of all)
    for (const { message } of of(recipient))
      if (!isWhole(letter, await read(message), message)) damaged.push(recipient);
  return {
    lost: all.flatMap(({ letter, recipient }) =>
      letter.state !== "undone" && of(recipient).length === 0 ? [recipient] : [],
    ),
    sentThoughUndone: all.flatMap(({ letter, recipient }) =>
      letter.state === "undone" && of(recipient).length > 0 ? [recipient] : [],
    ),
    repeated: all.flatMap(({ recipient }) =>
      of(recipient).length > 1 ? [{ recipient, at: of(recipient).map(({ at }) => at) }] : [],
    ),
    damaged,
  };
}

export interface ReadLetter {
  subject: string;
  to: string[];
  cc: string[];
  files: { name: string; bytes: Uint8Array }[];
}

function isWhole(letter: Letter, read: ReadLetter, message: string): boolean {
  const digests = (files: ReadLetter["files"]) =>
    files.map(({ name, bytes }) => `${name} ${createHash("sha256").update(bytes).digest("hex")}`).join();
  return (
    read.subject === letter.subject &&
    read.to.join() === letter.to.join() &&
    read.cc.join() === letter.cc.join() &&
    digests(read.files) === digests(letter.files) &&
    letter.bcc.every((hidden) => !message.includes(hidden))
  );
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
