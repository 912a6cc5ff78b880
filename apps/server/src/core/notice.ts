import { FixedWindows } from "../limits/rate.ts";
import { type Clock, type Logger, type Random, steadyMs } from "../runtime/ports.ts";
import { notFound } from "./app-error.ts";

export type NoticeKind =
  | "delivery_failed"
  | "not_confirmed"
  | "not_yours"
  | "not_sealed"
  | "first_proof"
  | "mailbox_suspended"
  | "complaint"
  | "answer_not_sent"
  | "appear_flood"
  | "domain_failing"
  | "domain_suspended"
  | "domain_closed"
  | "domain_claimed"
  | "domain_healed";

export interface Notice {
  id: string;
  userId: string;
  /**
   * `not_sealed`: mail is waiting to be encrypted. `complaint`: a reader marked forwarded mail as spam.
   * `answer_not_sent`: the owner's mail host was not told why. `appear_flood`: mail to guessed
   * names of a domain. `first_proof`: what that proof of the e-mail removed.
   * `domain_failing`, `domain_suspended`, `domain_closed`: what becomes of an own domain whose records are not right.
   * `domain_healed`: they are right again. `domain_claimed`: those of another account are right as well.
   */
  kind: NoticeKind;
  aliasId: string | null;
  /** Our own text; sealed at rest, because it may name the alias or a destination. */
  text: string;
  createdAt: Date;
}

export interface NoticeStore {
  listForUser(userId: string): Promise<Notice[]>;
  insert(notice: Notice): Promise<void>;
  delete(userId: string, noticeId: string): Promise<boolean>;
  deleteBefore(createdBefore: Date): Promise<number>;
}

export interface NoticeDeps {
  notices: Pick<NoticeStore, "insert">;
  clock: Clock;
  random: Random;
  logger: Logger;
}

const REMEMBERED_MAX = 10_000;

/** Stores at most one notice per key and window, which begins with the first. */
export class RepeatedNotices {
  readonly #deps: NoticeDeps;
  readonly #sent: FixedWindows;

  constructor(deps: NoticeDeps, windowSeconds: number) {
    this.#deps = deps;
    this.#sent = new FixedWindows({ max: 1, windowSeconds }, REMEMBERED_MAX);
  }

  /** Never throws: a notice that can't be stored is logged and does not count. */
  async add(key: string, notice: Pick<Notice, "userId" | "aliasId" | "kind" | "text">): Promise<void> {
    const { notices, clock, random, logger } = this.#deps;
    if (!this.#sent.take(key, steadyMs(clock))) return;
    try {
      await notices.insert({ ...notice, id: random.uuid(), createdAt: clock.now() });
    } catch {
      this.#sent.forget(key);
      logger.warn("notice_failed");
    }
  }
}

/** @throws AppError `not_found` when it does not belong to this user */
export async function dismissNotice(
  deps: { notices: NoticeStore },
  { userId, noticeId }: { userId: string; noticeId: string },
): Promise<void> {
  if (!(await deps.notices.delete(userId, noticeId))) throw notFound("Notice not found");
}
