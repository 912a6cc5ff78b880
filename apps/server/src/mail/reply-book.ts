/**
 * Keeps what stands behind the reply addresses of a forwarded message, before the message leaves: an answer must find its way.
 * Remembers what it has kept, so that mail from known correspondents costs no query.
 */
import { replyRowId, sealCorrespondent } from "@kauke/mail-rfc";
import type { Clock } from "../core/ports.ts";
import type { ReplyPath, ReplyPathStore } from "../core/reply-path/reply-path.ts";

export interface Correspondent {
  address: string;
  name: string | null;
  /** Of their reply address. */
  token: string;
}

const maxRemembered = 50_000;

export class ReplyBook {
  readonly #store: Pick<ReplyPathStore, "ensure">;
  readonly #clock: Clock;
  readonly #kept = new Set<string>();

  constructor(store: Pick<ReplyPathStore, "ensure">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** One statement for all that is new; nothing when nothing is. @throws when the store can't keep them */
  async keep(copies: readonly { aliasId: string; correspondents: readonly Correspondent[] }[]) {
    const paths: ReplyPath[] = [];
    const tokens: string[] = [];
    for (const { aliasId, correspondents } of copies) {
      for (const { token, ...mailbox } of correspondents) {
        if (this.#kept.has(token)) continue;
        tokens.push(token);
        paths.push({ id: replyRowId(token), aliasId, sealed: sealCorrespondent(token, mailbox) });
      }
    }
    if (paths.length === 0) return;
    await this.#store.ensure(paths, this.#clock.now());
    for (const token of tokens) this.#remember(token);
  }

  #remember(token: string): void {
    const oldest = this.#kept.values().next().value;
    if (this.#kept.size >= maxRemembered && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.add(token);
  }
}
