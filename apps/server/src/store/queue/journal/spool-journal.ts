/**
 * The spool's journal: messages are appended to segments (files), with one fsync for all that arrive at about the same
 * time, and found by an index in memory. A segment is deleted once no message in it or in an older segment is needed.
 * When the journal is nearly full or a segment is an hour old, needed messages are moved to files of their own, so that
 * a message that waits long does not keep a whole segment. Marks about a message are in its segment or a later one.
 */
import type { InFlightMessage } from "../../../core/delivery/in-flight.ts";
import type { Logger } from "../../../core/ports.ts";
import type { KeyRing } from "../../sealing/server-keys.ts";
import type { InFlightFiles } from "../bodies/in-flight-files.ts";
import type { FileBodies } from "../bodies/message-bodies-files.ts";
import { openChunks } from "../bodies/read-chunks.ts";
import { CHUNK_BYTES, SEALED_CHUNK_BYTES } from "../bodies/sealed-chunks.ts";
import type { SpoolFiles } from "../bodies/spool-files.ts";
import { bodyRecord, inFlightRecord, markRecord, openRows, type SealedRecord } from "./record-parts.ts";
import { HEADER_BYTES, type MessageKind } from "./segment-format.ts";
import { Appender, type Segment } from "./segments.ts";

export interface JournalLimits {
  /** Size in bytes at which a segment is ended. */
  segmentBytes: number;
  /** Total size of all segments above which new messages are stored as files instead. */
  totalBytes: number;
  /**
   * Maximum bytes of a message in the journal: it is sealed in one turn of the event loop, and larger ones go to files.
   */
  messageBytes: number;
  /** Maximum messages in the journal, which has an entry in memory for each. */
  messages: number;
}

export const journalLimits: JournalLimits = {
  segmentBytes: 8 * 1_048_576,
  totalBytes: 128 * 1_048_576,
  messageBytes: 8 * CHUNK_BYTES,
  messages: 50_000,
};

/** Share of `totalBytes` or `messages` above which the messages of the oldest segments are moved to files. */
const FULL_SHARE = 0.75;
/** Number of messages that are moved to files concurrently. */
const MOVED_TOGETHER = 8;
/** Milliseconds until moving messages to files is tried again after a failure. */
const RETRY_MS = 1000;

export interface Entry {
  segment: Segment;
  at: number;
  kind: MessageKind;
  rowsBytes: number;
  bodyBytes: number;
  /**
   * Whether the message may also be in a file, because a move to a file was begun or may have been cut off by a kill.
   */
  mayHaveFile: boolean;
  /** Whether the message is being put into the queue; it is not moved to a file meanwhile. */
  isPinned: boolean;
  /** Resolves when the message has been moved to a file or could not be moved; `null` if it is not being moved. */
  moving: Promise<void> | null;
}

export interface SpoolJournalOptions {
  /** Directory of the segments that this process writes; no other process writes there. */
  directory: string;
  files: SpoolFiles;
  keys: KeyRing;
  /** Files to which messages are moved from the journal. */
  bodies: FileBodies;
  inFlight: InFlightFiles;
  limits: JournalLimits;
  now(): Date;
  logger: Logger | undefined;
  /** Segments and messages that earlier processes left; of each writer the oldest segment first. */
  recovered: { segments: Segment[]; entries: Map<string, Entry>; firstNumber: number };
}

export class SpoolJournal {
  readonly #options: SpoolJournalOptions;
  readonly #limits: JournalLimits;
  readonly #appender: Appender;
  readonly #entries: Map<string, Entry>;
  /** All segments, oldest first. */
  readonly #segments: Segment[];
  /** Bytes of messages that are being written and not yet part of a segment's size. */
  #arrivingBytes = 0;
  #emptying: Promise<void> | null = null;
  readonly #deletions = new Set<Promise<void>>();
  #emptyAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpoolJournalOptions) {
    const { directory, files, limits, now, recovered } = options;
    this.#options = options;
    this.#limits = limits;
    this.#entries = recovered.entries;
    this.#segments = recovered.segments;
    this.#appender = new Appender({
      directory,
      files,
      segmentBytes: limits.segmentBytes,
      firstNumber: recovered.firstNumber,
      now,
      onSegment: (segment) => void this.#segments.push(segment),
    });
    this.#deleteUnneeded();
  }

  get sizeBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  }

  /** Number of messages in the journal. */
  get size(): number {
    return this.#entries.size;
  }

  /** Ids of the messages in flight in the journal. */
  inFlight(): string[] {
    return [...this.#entries].filter(([, entry]) => entry.kind === "inFlight").map(([messageId]) => messageId);
  }

  /**
   * Whether the journal holds a message as this kind. A message can be a body in the journal and in flight in a file.
   */
  has(messageId: string, kind: MessageKind): boolean {
    return this.#entries.get(messageId)?.kind === kind;
  }

  hasRoomFor(bytes: number): boolean {
    const { messageBytes, totalBytes, messages } = this.#limits;
    if (bytes > messageBytes || this.#entries.size >= messages) return false;
    return this.sizeBytes + this.#arrivingBytes + bytes <= totalBytes;
  }

  /** Stores a body; resolves when it is on stable storage. @throws AppError `spool_failed` */
  async putBody(messageId: string, parts: readonly Buffer[]): Promise<void> {
    await this.#put(messageId, "body", bodyRecord(this.#options.keys, messageId, parts));
  }

  /** Stores a message in flight; resolves when it is on stable storage. @throws AppError `spool_failed` */
  async putInFlight(message: InFlightMessage): Promise<void> {
    await this.#put(message.message.id, "inFlight", inFlightRecord(this.#options.keys, message));
  }

  /** Reads a body. @returns `undefined` if the journal does not hold the message, `null` if it is damaged */
  async readBody(messageId: string): Promise<Buffer | null | undefined> {
    const entry = this.#entries.get(messageId);
    if (entry === undefined) return undefined;
    const sealed = await read(entry, HEADER_BYTES + entry.rowsBytes, entry.bodyBytes);
    return openChunks(this.#options.keys, messageId, sealed);
  }

  /** Reads the first chunk of a body. @returns `undefined` if it is not in the journal, `null` if it is damaged */
  async readBodyStart(messageId: string): Promise<Buffer | null | undefined> {
    const entry = this.#entries.get(messageId);
    if (entry === undefined) return undefined;
    if (entry.bodyBytes > SEALED_CHUNK_BYTES) return (await this.readBody(messageId))?.subarray(0, CHUNK_BYTES) ?? null;
    return await this.readBody(messageId);
  }

  /** Reads a message in flight. @returns `null` if the journal does not hold it or it is damaged */
  async readInFlight(messageId: string): Promise<InFlightMessage | null> {
    const { keys } = this.#options;
    const entry = this.#entries.get(messageId);
    if (entry?.kind !== "inFlight") return null;
    const bytes = await read(entry, HEADER_BYTES, entry.rowsBytes + entry.bodyBytes);
    const rows = openRows(keys, messageId, bytes.subarray(0, entry.rowsBytes));
    const wire = openChunks(keys, messageId, bytes.subarray(entry.rowsBytes));
    return rows === null || wire === null ? null : { ...rows, wire };
  }

  /**
   * Makes a message in flight the body of a queued message.
   * @param insertRows inserts and commits the message's rows
   * @returns false if the journal does not hold the message in flight; then nothing was done
   * @throws the error of `insertRows`; then the message is still in flight
   */
  async enqueue(messageId: string, insertRows: () => Promise<unknown>): Promise<boolean> {
    await this.#entries.get(messageId)?.moving;
    const entry = this.#entries.get(messageId);
    if (entry?.kind !== "inFlight") return false;
    entry.isPinned = true;
    try {
      await insertRows();
      entry.kind = "body";
      // If the mark is lost, the next start finds the rows in the database, unless the message was delivered by then.
      await this.#mark("queued", messageId).catch(() => {});
    } finally {
      entry.isPinned = false;
    }
    return true;
  }

  /**
   * Removes a message.
   * @returns false if the caller has to remove a file: not held as this kind, or maybe in a file too
   */
  async remove(messageId: string, kind: MessageKind): Promise<boolean> {
    const entry = this.#entries.get(messageId);
    if (entry?.kind !== kind) return false;
    this.#drop(messageId, entry);
    if (!entry.segment.isRemoved) {
      const marked = this.#mark("done", messageId);
      // A queued message is needed only as long as it has rows, so the caller need not wait for the mark of a body.
      if (entry.kind === "inFlight") await marked;
      else marked.catch(() => {});
    }
    return !entry.mayHaveFile;
  }

  /** Moves a message in flight that can't be opened to a file, still sealed, so that it can be examined. */
  async setAside(messageId: string): Promise<void> {
    const entry = this.#entries.get(messageId);
    if (entry === undefined) return;
    const bytes = await read(entry, HEADER_BYTES, entry.rowsBytes + entry.bodyBytes);
    await this.#options.inFlight.keepDamaged(messageId, bytes);
    await this.#mark("done", messageId);
    if (this.#entries.get(messageId) === entry) this.#drop(messageId, entry);
  }

  /**
   * In segments begun at `before` or earlier: deletes bodies without rows and moves other messages to files, so that
   * the segments can be deleted, and with them deleted mail and data sealed with old keys.
   * @returns number of deleted bodies
   */
  async sweep(isKnown: (messageId: string) => Promise<boolean>, before: Date): Promise<number> {
    let removed = 0;
    for (const [messageId, entry] of this.#entries) {
      if (entry.kind !== "body" || entry.segment.createdAt > before || (await isKnown(messageId))) continue;
      await this.remove(messageId, "body");
      removed++;
    }
    await this.#emptyOldest((segment) => segment.createdAt <= before);
    return removed;
  }

  /** Waits for writes in progress, then closes the segments. */
  async close(): Promise<void> {
    await this.#appender.settled();
    await this.#emptying;
    await this.#appender.settled();
    this.#appender.endSegment();
    this.#deleteUnneeded();
    await Promise.all(this.#deletions);
    for (const { file } of this.#segments) await file.close().catch(() => {});
  }

  async #put(messageId: string, kind: MessageKind, record: SealedRecord): Promise<void> {
    const { rowsBytes, bodyBytes } = record;
    this.#arrivingBytes += rowsBytes + bodyBytes;
    try {
      const { segment, at } = await this.#appender.append(record);
      const entry = { segment, at, kind, rowsBytes, bodyBytes };
      const former = this.#entries.get(messageId);
      if (former !== undefined) this.#drop(messageId, former);
      this.#entries.set(messageId, { ...entry, mayHaveFile: false, isPinned: false, moving: null });
    } finally {
      this.#arrivingBytes -= rowsBytes + bodyBytes;
    }
    if (this.#emptying === null && this.#isNearlyFull() && performance.now() >= this.#emptyAgainAt)
      void this.#emptyOldest(() => this.#isNearlyFull());
  }

  #isNearlyFull(): boolean {
    const { totalBytes, messages } = this.#limits;
    return this.sizeBytes > totalBytes * FULL_SHARE || this.#entries.size > messages * FULL_SHARE;
  }

  async #mark(kind: "queued" | "done", messageId: string): Promise<void> {
    await this.#appender.append(markRecord(this.#options.keys, kind, messageId));
  }

  #drop(messageId: string, entry: Entry): void {
    this.#entries.delete(messageId);
    entry.segment.live--;
    this.#deleteUnneeded();
  }

  #deleteUnneeded(): void {
    for (;;) {
      const [oldest] = this.#segments;
      if (oldest === undefined || oldest.live > 0 || oldest === this.#appender.active) return;
      this.#segments.shift();
      oldest.isRemoved = true;
      const closed = oldest.readers === 0 ? oldest.file.close() : Promise.resolve();
      const deleted = closed.then(() => this.#options.files.remove(oldest.path)).catch(() => {});
      this.#deletions.add(deleted);
      void deleted.then(() => this.#deletions.delete(deleted));
    }
  }

  /**
   * Moves the messages of the oldest segment to files, and of the next one, as long as `isDue` is true. Never throws.
   */
  #emptyOldest(isDue: (segment: Segment) => boolean): Promise<void> {
    const empty = async () => {
      try {
        for (let oldest = this.#segments[0]; oldest !== undefined && isDue(oldest); oldest = this.#segments[0]) {
          if (oldest === this.#appender.active) this.#appender.endSegment();
          await this.#empty(oldest);
          this.#deleteUnneeded();
          if (this.#segments[0] !== oldest) continue;
          // The segment is still needed: one of its messages is being written or put into the queue.
          this.#emptyAgainAt = performance.now() + RETRY_MS;
          return;
        }
      } catch (thrown) {
        this.#emptyAgainAt = performance.now() + RETRY_MS;
        const stack = thrown instanceof Error ? thrown.name : typeof thrown;
        this.#options.logger?.warn("journal_not_emptied", { stack });
      }
    };
    const before = this.#emptying ?? Promise.resolve();
    const emptying = before.then(empty).finally(() => {
      if (this.#emptying === emptying) this.#emptying = null;
    });
    this.#emptying = emptying;
    return emptying;
  }

  async #empty(segment: Segment): Promise<void> {
    const inside = [...this.#entries].filter(([, entry]) => entry.segment === segment && !entry.isPinned);
    for (let from = 0; from < inside.length; from += MOVED_TOGETHER)
      await Promise.all(inside.slice(from, from + MOVED_TOGETHER).map((it) => this.#moveToFile(...it)));
  }

  async #moveToFile(messageId: string, entry: Entry): Promise<void> {
    if (this.#entries.get(messageId) !== entry || entry.isPinned) return;
    const moved = this.#copyToFile(messageId, entry);
    entry.moving = moved.catch(() => {});
    try {
      await moved;
      // If the message was removed during the move, its new file has to be removed too.
      if (this.#entries.get(messageId) === entry) this.#drop(messageId, entry);
      else await this.#removeFile(messageId, entry.kind);
    } finally {
      entry.moving = null;
    }
  }

  async #copyToFile(messageId: string, entry: Entry): Promise<void> {
    const { bodies, inFlight } = this.#options;
    entry.mayHaveFile = true;
    if (entry.kind === "body") {
      await bodies.putSealed(messageId, await read(entry, HEADER_BYTES + entry.rowsBytes, entry.bodyBytes));
    } else {
      const message = await this.readInFlight(messageId);
      if (message !== null) await inFlight.keep(message);
      else await inFlight.keepDamaged(messageId, await read(entry, HEADER_BYTES, entry.rowsBytes + entry.bodyBytes));
    }
    await this.#mark("done", messageId);
  }

  async #removeFile(messageId: string, kind: MessageKind): Promise<void> {
    if (kind === "body") await this.#options.bodies.delete(messageId);
    else await this.#options.inFlight.forget(messageId);
  }
}

/** Reads a part of a record; `from` is an offset from the start of the record's header. */
async function read({ segment, at }: Entry, from: number, length: number): Promise<Buffer> {
  segment.readers++;
  try {
    return await segment.file.readAt(at + from, length);
  } finally {
    segment.readers--;
    if (segment.isRemoved && segment.readers === 0) void segment.file.close().catch(() => {});
  }
}
