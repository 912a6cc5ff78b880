import type { NoticeWire } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { dismissNotice, type Notice } from "../../core/notice.ts";
import type { HandlersOf } from "../handler.ts";

export function noticeHandlers(deps: CoreDeps): HandlersOf<"listNotices" | "dismissNotice"> {
  return {
    async listNotices({ userId }) {
      const notices = await deps.notices.listForUser(userId);
      return { notices: notices.map(noticeToWire) };
    },
    async dismissNotice({ userId, params }) {
      await dismissNotice(deps, { userId, ...params });
      return { message: "Notice dismissed" };
    },
  };
}

function noticeToWire({ id, kind, aliasId, text, createdAt }: Notice): NoticeWire {
  return { id, kind, aliasId, text, createdAt: createdAt.toISOString() };
}
