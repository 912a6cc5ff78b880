/** Files uploaded for messages that are being composed. */
export interface EmailAttachment {
  id: string;
  userId: string;
  sizeBytes: number;
  createdAt: Date;
}

/** Attachments that no message has taken yet. */
export interface HeldAttachments {
  count: number;
  bytes: number;
  allBytes: number;
  accounts: number;
}

export interface EmailAttachmentStore {
  insert(attachment: EmailAttachment): Promise<void>;
  /** The account's own among these. */
  find(userId: string, ids: readonly string[]): Promise<EmailAttachment[]>;
  held(userId: string): Promise<HeldAttachments>;
  /** With their files. @returns how many there were */
  delete(userId: string, ids: readonly string[]): Promise<number>;
  deleteBefore(createdBefore: Date): Promise<number>;
  isKnown(id: string): Promise<boolean>;
}

/** Octets of base64 lines that carry three quarters of them: 76 characters and a line break for 57 octets. */
export const encodedBytes = (sizeBytes: number): number => Math.ceil(sizeBytes / 57) * 78;

export const largestAttachment = (maxMessageBytes: number): number => Math.floor(maxMessageBytes / 78) * 57;

/** Uploads of this process that are not stored yet: their bytes count in the shares from the first one on. */
export class UploadsInFlight {
  readonly #bytes = new Map<string, number[]>();

  /** @returns function to call when the upload has ended */
  enter(userId: string, bytes: number): () => void {
    const own = this.#bytes.get(userId) ?? [];
    this.#bytes.set(userId, [...own, bytes]);
    return () => {
      const left = [...(this.#bytes.get(userId) ?? [])];
      left.splice(left.indexOf(bytes), 1);
      if (left.length === 0) this.#bytes.delete(userId);
      else this.#bytes.set(userId, left);
    };
  }

  get bytes(): number {
    return sum([...this.#bytes.values()].flat());
  }

  bytesOf(userId: string): number {
    return sum(this.#bytes.get(userId) ?? []);
  }

  countOf(userId: string): number {
    return this.#bytes.get(userId)?.length ?? 0;
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
