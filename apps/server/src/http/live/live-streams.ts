/**
 * Open event streams. Changes of an account are gathered until it is quiet, and sent as one event. One timer serves all
 * streams; a stream whose client does not read gets nothing until it does, and then all that was gathered.
 */
import { LIVE_LATER, type LiveKind, liveKinds } from "@kauke/contract";
import type { LiveChange } from "../../core/live-changes.ts";
import { bounds } from "../../limits/table.ts";

/** The part of a response that a stream uses; HTTP/1.1 and HTTP/2 have it. */
export interface StreamResponse {
  write(text: string): boolean;
  end(text?: string): unknown;
  on(event: "close" | "drain" | "error", listener: () => void): unknown;
}

export interface LiveStream {
  readonly userId: string;
  readonly response: StreamResponse;
  /** Whether the login session is over. @param isSuspected it may have ended before its time */
  isOver(isSuspected: boolean): Promise<boolean>;
}

interface OpenStream extends LiveStream {
  isFull: boolean;
  waiting: Set<LiveKind> | null;
  /** Set when the notification that the session ended may have been missed: the next heartbeat asks the store. */
  isSuspect: boolean;
}

interface Gathered {
  kinds: Set<LiveKind>;
  firstAt: number;
  lastAt: number;
}

type Rules = { [Name in keyof typeof bounds.liveStreams]: number };

const everything: ReadonlySet<LiveKind> = new Set(liveKinds);
const BEAT = ":\n\n";
const TICK_MS = 100;

export class LiveStreams {
  readonly #rules: Rules;
  /** Streams by account, the oldest first. */
  readonly #accounts = new Map<string, Set<OpenStream>>();
  readonly #gathered = new Map<string, Gathered>();
  #size = 0;
  #tick: NodeJS.Timeout | null = null;
  #beat: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(rules: Partial<Rules> = {}) {
    this.#rules = { ...bounds.liveStreams, ...rules };
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a response whose head has been written. */
  open(given: LiveStream): void {
    const { userId, response } = given;
    if (this.#isClosed) return void response.end();
    const stream: OpenStream = { ...given, isFull: false, waiting: null, isSuspect: false };
    if ((this.#accounts.get(userId)?.size ?? 0) >= this.#rules.account) this.#giveWay(this.#accounts.get(userId));
    else if (this.#size >= this.#rules.all) this.#giveWay(this.#busiest());
    const own = this.#accounts.get(userId) ?? new Set();
    this.#accounts.set(userId, own.add(stream));
    this.#size++;
    response.on("close", () => this.#forget(stream));
    response.on("error", () => {});
    response.on("drain", () => drained(stream));
    send(stream, BEAT);
    this.#beat ??= setInterval(() => this.#beatAll(), this.#rules.beatMs).unref();
    // The session may have ended before the stream was noted.
    void this.#endIfOver(stream, true);
  }

  tell(change: LiveChange | "all"): void {
    const now = performance.now();
    if (change === "all") {
      for (const userId of this.#accounts.keys()) this.#gather(userId, everything, now);
      for (const stream of this.#all()) stream.isSuspect = true;
      return;
    }
    const streams = this.#accounts.get(change.userId);
    if (streams === undefined) return;
    if (change.kind === "sessions") for (const stream of streams) void this.#endIfOver(stream, true);
    this.#gather(change.userId, [change.kind], now);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#tick !== null) clearInterval(this.#tick);
    if (this.#beat !== null) clearInterval(this.#beat);
    for (const stream of this.#all()) stream.response.end();
  }

  *#all(): Generator<OpenStream> {
    for (const streams of this.#accounts.values()) yield* streams;
  }

  #busiest(): Set<OpenStream> | undefined {
    let busiest: Set<OpenStream> | undefined;
    for (const streams of this.#accounts.values()) if (streams.size > (busiest?.size ?? 0)) busiest = streams;
    return busiest;
  }

  #giveWay(streams: Set<OpenStream> = new Set()): void {
    const [oldest] = streams;
    if (oldest === undefined) return;
    this.#forget(oldest);
    oldest.response.end(`data: ${LIVE_LATER}\n\n`);
  }

  #forget(stream: OpenStream): void {
    const own = this.#accounts.get(stream.userId);
    if (own?.delete(stream) !== true) return;
    this.#size--;
    if (own.size === 0) this.#accounts.delete(stream.userId);
    if (this.#size > 0 || this.#beat === null) return;
    clearInterval(this.#beat);
    this.#beat = null;
  }

  #gather(userId: string, kinds: Iterable<LiveKind>, now: number): void {
    const gathered = this.#gathered.get(userId) ?? { kinds: new Set(), firstAt: now, lastAt: now };
    for (const kind of kinds) gathered.kinds.add(kind);
    gathered.lastAt = now;
    this.#gathered.set(userId, gathered);
    this.#tick ??= setInterval(() => this.#sendDue(), TICK_MS).unref();
  }

  #sendDue(): void {
    const now = performance.now();
    const { quietMs, longestMs } = this.#rules;
    for (const [userId, { kinds, firstAt, lastAt }] of this.#gathered) {
      if (now - lastAt < quietMs && now - firstAt < longestMs) continue;
      this.#gathered.delete(userId);
      for (const stream of this.#accounts.get(userId) ?? []) tellStream(stream, kinds);
    }
    if (this.#gathered.size > 0 || this.#tick === null) return;
    clearInterval(this.#tick);
    this.#tick = null;
  }

  #beatAll(): void {
    for (const stream of this.#all()) {
      void this.#endIfOver(stream, false);
      // What was sent last is still unread: a slow client's connection is closed by the limits of all responses.
      if (!stream.isFull) send(stream, BEAT);
    }
  }

  async #endIfOver(stream: OpenStream, isSuspected: boolean): Promise<void> {
    const asks = isSuspected || stream.isSuspect;
    stream.isSuspect = false;
    const isOver = await stream.isOver(asks).catch(() => null);
    if (isOver === true) stream.response.end();
    else if (isOver === null) stream.isSuspect = true;
  }
}

function send(stream: OpenStream, text: string): void {
  stream.isFull = !stream.response.write(text);
}

function tellStream(stream: OpenStream, kinds: ReadonlySet<LiveKind>): void {
  if (stream.isFull) stream.waiting = new Set([...(stream.waiting ?? []), ...kinds]);
  else send(stream, `data: ${[...kinds].join(" ")}\n\n`);
}

function drained(stream: OpenStream): void {
  stream.isFull = false;
  const { waiting } = stream;
  stream.waiting = null;
  if (waiting !== null) tellStream(stream, waiting);
}
