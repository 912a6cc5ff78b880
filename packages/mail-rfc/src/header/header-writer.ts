/** Writes the header block of a message that is made from a received one: fields kept byte for byte, and new ones. */
import { BARE_BREAK, cleanField } from "../address/address-header.ts";
import { bytesAsText, type FieldText } from "./header-field.ts";
import type { HeaderField } from "./headers.ts";

export interface WrittenHeader {
  /** Header block in wire form, without the blank line. */
  header: Buffer;
  /** Its fields, as `readHeader` would read them. */
  fields: readonly HeaderField[];
}

const NO_BYTES = Buffer.alloc(0);

export class HeaderWriter {
  /** The fields written so far, one character per byte, but for those of the current run. */
  #text = "";
  readonly #fields: HeaderField[] = [];
  readonly #received: string;
  /** Whether the received header has no bare line breaks, so that no field needs to be cleaned. */
  readonly #isClean: boolean;
  /** Adjacent received fields, which are copied together. */
  #run = { start: 0, end: 0 };

  /** @param received header block from which fields are kept; needed only for `keep` */
  constructor(received: Buffer = NO_BYTES) {
    this.#received = received.toString("latin1");
    this.#isClean = this.#received.endsWith("\r\n") && !BARE_BREAK.test(this.#received);
  }

  /** Copies a received field; bare line breaks in it become spaces. */
  keep({ name, start, end }: HeaderField): void {
    if (!this.#isClean) return this.#add(name, cleanField(this.#received.slice(start, end)));
    if (this.#run.end !== start) {
      this.#endRun();
      this.#run.start = start;
    }
    this.#run.end = end;
    this.#note(name, end - start);
  }

  /** @param name field name in lower case @param text the whole field; nothing is written if it is empty */
  write(name: string, text: FieldText): void {
    if (text === "") return;
    this.#endRun();
    this.#add(name, bytesAsText(text));
  }

  /** @returns the fields of this block and then those of another one, which must not be used any more */
  followedBy(other: HeaderWriter): WrittenHeader {
    this.#endRun();
    other.#endRun();
    const offset = this.#text.length;
    for (const field of other.#fields) {
      field.start += offset;
      field.end += offset;
    }
    return { header: Buffer.from(this.#text + other.#text, "latin1"), fields: [...this.#fields, ...other.#fields] };
  }

  #add(name: string, text: string): void {
    this.#note(name, text.length);
    this.#text += text;
  }

  #note(name: string, length: number): void {
    const start = this.#fields.at(-1)?.end ?? 0;
    this.#fields.push({ name, start, end: start + length });
  }

  #endRun(): void {
    this.#text += this.#received.slice(this.#run.start, this.#run.end);
    this.#run = { start: 0, end: 0 };
  }
}
