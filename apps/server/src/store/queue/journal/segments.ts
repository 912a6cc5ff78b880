/**
 * Appends records to the segments (files) of the spool's journal. Records that arrive during a write share the next
 * write and fsync. If a write or fsync fails, its records are rejected, and later records go to a new segment.
 */
import { dirname, join } from "node:path";
import { AppError } from "../../../core/app-error.ts";
import { keyPrefix } from "../../sealing/reseal.ts";
import type { SpoolFile, SpoolFiles } from "../bodies/spool-files.ts";
import { SEGMENT_START_BYTES } from "./segment-format.ts";

/** Maximum bytes of one write, unless a single record is larger. */
const BATCH_BYTES = 4 * 1_048_576;
/** Milliseconds to wait after a write, so that more records share the next one. */
const GATHER_MS = 2;
const NAME_DIGITS = 10;
const SEGMENT_NAME = /^\d{10}$/;

export interface Segment {
  path: string;
  number: number;
  file: SpoolFile;
  sizeBytes: number;
  createdAt: Date;
  /** Number of messages in the segment that are still needed or being written; at 0 the segment may be deleted. */
  live: number;
  /** Number of reads of the segment in progress; its file is not closed before they end. */
  readers: number;
  isRemoved: boolean;
}

export interface Place {
  segment: Segment;
  /** Position of the record's header in the segment. */
  at: number;
}

export interface RecordToAppend {
  parts: readonly Buffer[];
  /** Whether the record needs an fsync before it counts as written: true for a message, false for a mark. */
  isSynced: boolean;
  /** Id of the key that sealed the record; for a mark, which is not sealed, id of the current sealing key. */
  keyId: number;
}

interface WaitingRecord extends RecordToAppend {
  sizeBytes: number;
  resolve(place: Place): void;
  reject(thrown: unknown): void;
}

export interface AppenderOptions {
  directory: string;
  files: SpoolFiles;
  segmentBytes: number;
  firstNumber: number;
  now(): Date;
  /** Called with every new segment, while it is still empty. */
  onSegment(segment: Segment): void;
}

export const segmentPath = (directory: string, number: number) =>
  join(directory, String(number).padStart(NAME_DIGITS, "0"));

/** Numbers of the segments in a directory, in ascending order. */
export async function segmentNumbers(files: SpoolFiles, directory: string): Promise<number[]> {
  const names = (await files.list(directory)).filter((name) => SEGMENT_NAME.test(name));
  return names.map(Number).toSorted((a, b) => a - b);
}

export class Appender {
  readonly #options: AppenderOptions;
  #next: number;
  #active: Segment | null = null;
  #waiting: WaitingRecord[] = [];
  #running: Promise<void> | null = null;
  #made: Promise<void> | null = null;

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#next = options.firstNumber;
  }

  /** The segment that records are appended to; `null` if the next record begins a new segment. */
  get active(): Segment | null {
    return this.#active;
  }

  /**
   * Appends one record.
   * @returns place of the record, once it is on stable storage (if `isSynced`) or written without an fsync
   * @throws AppError `spool_failed`; the record is not in the journal then
   */
  append({ parts, isSynced, keyId }: RecordToAppend): Promise<Place> {
    return new Promise((resolve, reject) => {
      const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
      this.#waiting.push({ parts, sizeBytes, isSynced, keyId, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Ends the current segment, so that the next record begins a new one. */
  endSegment(): void {
    this.#active = null;
  }

  /** Resolves when all records appended so far are written or have failed. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // No caller waits long for a mark, so if there are only marks, they wait for more records.
    if (!this.#waiting.some((it) => it.isSynced)) await pause(GATHER_MS);
    while (this.#waiting.length > 0) {
      await this.#write(this.#takeBatch());
      await pause(GATHER_MS);
    }
    this.#running = null;
  }

  /** Takes the records of the next write, at least one. */
  #takeBatch(): WaitingRecord[] {
    let bytes = 0;
    const over = this.#waiting.findIndex(({ sizeBytes }) => {
      bytes += sizeBytes;
      return bytes > BATCH_BYTES;
    });
    return this.#waiting.splice(0, over < 0 ? this.#waiting.length : Math.max(over, 1));
  }

  async #write(batch: readonly WaitingRecord[]): Promise<void> {
    const messages = batch.filter((it) => it.isSynced).length;
    let segment: Segment | null = null;
    try {
      // Records are appended in the order of sealing, so the key of the first record is the segment's oldest.
      segment = this.#active ?? (await this.#begin((batch[0] as WaitingRecord).keyId));
      // Counted before the write, so that the segment is not deleted during it.
      segment.live += messages;
      await segment.file.writeAll(batch.flatMap(({ parts }) => parts));
      if (messages > 0) await segment.file.sync();
    } catch (cause) {
      if (segment !== null) await this.#giveUp(segment, messages);
      for (const record of batch) record.reject(new AppError("spool_failed", {}, cause));
      return;
    }
    for (const record of batch) {
      record.resolve({ segment, at: segment.sizeBytes });
      segment.sizeBytes += record.sizeBytes;
    }
    if (segment.sizeBytes >= this.#options.segmentBytes) this.endSegment();
  }

  async #begin(keyId: number): Promise<Segment> {
    const { directory, files, now, onSegment } = this.#options;
    await (this.#made ??= this.#makeDirectory());
    const number = this.#next++;
    const path = segmentPath(directory, number);
    const file = await files.create(path);
    try {
      await file.writeAll([keyPrefix(keyId)]);
      await files.syncDirectory(directory);
    } catch (thrown) {
      await file.close().catch(() => {});
      await files.remove(path).catch(() => {});
      throw thrown;
    }
    const base = { path, number, file, createdAt: now() };
    const segment: Segment = { ...base, sizeBytes: SEGMENT_START_BYTES, live: 0, readers: 0, isRemoved: false };
    this.#active = segment;
    onSegment(segment);
    return segment;
  }

  async #makeDirectory(): Promise<void> {
    const { directory, files } = this.#options;
    try {
      await files.makeDirectory(directory);
      // The three parent directories (journal, spool, data directory) may be new too, so their entries are synced.
      for (let path = directory, level = 0; level < 3; level++) await files.syncDirectory((path = dirname(path)));
    } catch (thrown) {
      this.#made = null;
      throw thrown;
    }
  }

  /** Ends a segment whose last write failed, and truncates it, so that no later start finds the rejected records. */
  async #giveUp(segment: Segment, messages: number): Promise<void> {
    segment.live -= messages;
    if (this.#active === segment) this.endSegment();
    await segment.file.truncate(segment.sizeBytes).catch(() => {});
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
