import type { NoticeWire } from "@kauke/contract";
import type { Notice } from "../../core/notice.ts";

export function noticeToWire({ id, kind, aliasId, text, createdAt }: Notice): NoticeWire {
  return { id, kind, aliasId, text, createdAt: createdAt.toISOString() };
}
