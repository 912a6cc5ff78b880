/**
 * Reads the segments that earlier processes left in the spool's journal: `spool/journal/<writer>/<number>`, one
 * directory for each writing process. A mark may be in the directory of another writer than the message it is about.
 */
import { join } from "node:path";
import type { Logger } from "../../../core/ports.ts";
import type { SpoolFiles } from "../bodies/spool-files.ts";
import { type FoundRecord, findRecords } from "./segment-format.ts";
import { type Segment, segmentNumbers, segmentPath } from "./segments.ts";
import type { Entry } from "./spool-journal.ts";

export interface RecoveredJournal {
  segments: Segment[];
  entries: Map<string, Entry>;
  /** Number that the next segment of `writer` gets. */
  firstNumber: number;
}

export interface RecoverOptions {
  /** The journal's directory, which contains one directory for each writer. */
  root: string;
  /** Name of the directory that this process writes to. */
  writer: string;
  files: SpoolFiles;
  now(): Date;
  logger: Logger | undefined;
}

/** Reads the segments of all writers. No writer may be running. */
export async function recoverJournal({ root, writer, files, now, logger }: RecoverOptions): Promise<RecoveredJournal> {
  const recovered: RecoveredJournal = { segments: [], entries: new Map(), firstNumber: 1 };
  const marks: FoundRecord[] = [];
  for (const name of (await files.list(root)).toSorted()) {
    const directory = join(root, name);
    for (const number of await segmentNumbers(files, directory)) {
      if (name === writer) recovered.firstNumber = number + 1;
      const path = segmentPath(directory, number);
      const read = await readSegment(files, { path, number, createdAt: (await files.modifiedAt(path)) ?? now() });
      if (read === null) continue;
      if (read.isDamaged) logger?.warn("journal_segment_incomplete", { id: String(number) });
      recovered.segments.push(read.segment);
      for (const record of read.records) if (!apply(recovered.entries, record, read.segment)) marks.push(record);
    }
  }
  for (const mark of marks) apply(recovered.entries, mark, null);
  return recovered;
}

async function readSegment(files: SpoolFiles, place: Pick<Segment, "path" | "number" | "createdAt">) {
  const file = await files.openToRead(place.path);
  if (file === null) return null;
  const bytes = await file.read(await file.sizeBytes());
  const segment: Segment = { ...place, file, sizeBytes: bytes.length, live: 0, readers: 0, isRemoved: false };
  return { segment, ...findRecords(bytes) };
}

/**
 * Applies a record to the index of messages found so far.
 * @param segment the record's segment; `null` for a mark that is applied once more after all segments were read
 * @returns false for a mark about a message that was not found yet
 */
function apply(entries: Map<string, Entry>, record: FoundRecord, segment: Segment | null): boolean {
  const { kind, messageId, at, rowsBytes, bodyBytes } = record;
  const entry = entries.get(messageId);
  if (kind === "queued" || kind === "done") {
    if (entry === undefined) return false;
    if (kind === "queued") entry.kind = "body";
    else {
      entries.delete(messageId);
      entry.segment.live--;
    }
    return true;
  }
  if (segment === null) return true;
  if (entry !== undefined) entry.segment.live--;
  segment.live++;
  const found = { segment, at, kind, rowsBytes, bodyBytes };
  entries.set(messageId, { ...found, mayHaveFile: true, isPinned: false, moving: null });
  return true;
}
