/** The latest messages of `KAUKE_DELIVERY=preview`, in memory only and parsed when viewed. */

import { randomUUID } from "node:crypto";
import type { PreviewMessage, PreviewStage, PreviewSummary } from "@kauke/contract";
import type { Attachment, Email } from "postal-mime";
import PostalMime from "postal-mime";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import type { Clock } from "../../runtime/ports.ts";

export interface PreviewArrival {
  envelopeFrom: string;
  rcptTo: string;
  raw: Buffer;
  origin?: PreviewOrigin;
}

/** The received message that this one is a copy of. */
export interface PreviewOrigin {
  /** Key of its `MailTrace`. */
  messageId: string;
  alias: string;
}

export interface PreviewFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

interface Entry extends PreviewArrival {
  id: string;
  receivedAt: Date;
  summary: Promise<PreviewSummary> | null;
}

export class PreviewInbox {
  readonly #clock: Clock;
  readonly #room: { messages: number; bytes: number };
  readonly #trace: Pick<MailTrace, "get"> | null;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(
    clock: Clock,
    room: { messages: number; bytes: number } = bounds.previewInbox,
    trace: Pick<MailTrace, "get"> | null = null,
  ) {
    this.#clock = clock;
    this.#room = room;
    this.#trace = trace;
  }

  /** Evicts the oldest messages above the limits; drops a message above the size limit. */
  add(arrival: PreviewArrival): void {
    const entry: Entry = { ...arrival, id: randomUUID(), receivedAt: this.#clock.now(), summary: null };
    this.#entries.set(entry.id, entry);
    this.#bytes += entry.raw.length;
    const { messages, bytes } = this.#room;
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size <= messages && this.#bytes <= bytes) return;
      this.#entries.delete(oldest.id);
      this.#bytes -= oldest.raw.length;
    }
  }

  list(): Promise<PreviewSummary[]> {
    const summary = (entry: Entry) => (entry.summary ??= parse(entry.raw).then((email) => summaryOf(entry, email)));
    return Promise.all([...this.#entries.values()].reverse().map(summary));
  }

  /** @returns `null` for an unknown id, as in the other methods with an id */
  async get(id: string): Promise<PreviewMessage | null> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    const stages = entry.origin === undefined ? null : this.#trace?.get(entry.origin.messageId);
    return { ...messageOf(entry, await parse(entry.raw)), stages: [...(stages ?? [])] };
  }

  /** A message's HTML with inline images as `data:` URLs, or `null`. A stranger wrote it: serve it sandboxed only. */
  async html(id: string): Promise<string | null> {
    const email = await this.#parsed(id);
    return email?.html === undefined ? null : withInlineImages(email.html, email.attachments);
  }

  arrival(id: string): PreviewArrival | null {
    return this.#entries.get(id) ?? null;
  }

  raw(id: string): Buffer | null {
    return this.#entries.get(id)?.raw ?? null;
  }

  async file(id: string, index: number): Promise<PreviewFile | null> {
    const attachment = (await this.#parsed(id))?.attachments[index];
    return attachment === undefined ? null : fileOf(attachment, index);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  async #parsed(id: string): Promise<Email | null> {
    const raw = this.raw(id);
    return raw === null ? null : parse(raw);
  }
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, { forceRfc822Attachments: true });
  } catch {
    return null;
  }
}

function summaryOf(entry: Entry, email: Email | null): PreviewSummary {
  return {
    id: entry.id,
    receivedAt: entry.receivedAt.toISOString(),
    envelopeFrom: entry.envelopeFrom,
    rcptTo: entry.rcptTo,
    from: authorOf(email),
    subject: email?.subject ?? "",
    alias: entry.origin?.alias ?? null,
    sizeBytes: entry.raw.length,
    attachments: email?.attachments.length ?? 0,
  };
}

function authorOf(email: Email | null): string {
  const from = email?.from;
  if (from === undefined) return "";
  if (from.address === undefined || from.address === "") return from.name;
  return from.name === "" ? from.address : `${from.name} <${from.address}>`;
}

function messageOf(entry: Entry, email: Email | null): Omit<PreviewMessage, "stages"> {
  return {
    ...summaryOf(entry, email),
    headers: email?.headers.map(({ originalKey, value }) => ({ name: originalKey, value })) ?? [],
    text: email?.text ?? null,
    hasHtml: email?.html !== undefined,
    files: (email?.attachments ?? []).map((attachment, index) => {
      const { filename, contentType, bytes } = fileOf(attachment, index);
      return { index, filename, contentType, sizeBytes: bytes.length };
    }),
  };
}

function fileOf({ filename, mimeType, content }: Attachment, index: number): PreviewFile {
  const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
  return { filename: filename ?? `part-${index + 1}`, contentType: mimeType, bytes };
}

function withInlineImages(html: string, attachments: readonly Attachment[]): string {
  return attachments.reduce((shown, attachment, index) => {
    const id = attachment.contentId?.replace(/^<|>$/g, "");
    if (id === undefined || id === "" || !/^image\/[a-z0-9.+-]+$/.test(attachment.mimeType)) return shown;
    const { contentType, bytes } = fileOf(attachment, index);
    return shown.replaceAll(`cid:${id}`, () => `data:${contentType};base64,${bytes.toString("base64")}`);
  }, html);
}

export type TraceStep = PreviewStage;

const MESSAGES_MAX = 200;

export class MailTrace {
  readonly #byMessage = new BoundedMap<string, TraceStep[]>(MESSAGES_MAX);

  add(messageId: string, step: TraceStep): void {
    const steps = this.#byMessage.get(messageId) ?? [];
    steps.push(step);
    this.#byMessage.set(messageId, steps);
  }

  get(messageId: string): readonly TraceStep[] | null {
    return this.#byMessage.get(messageId) ?? null;
  }
}
