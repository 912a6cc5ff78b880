import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/** Deletes a notice. @throws AppError `not_found` when it does not belong to this user */
export async function dismissNotice(
  deps: Pick<CoreDeps, "notices">,
  { userId, noticeId }: { userId: string; noticeId: string },
): Promise<void> {
  if (!(await deps.notices.delete(userId, noticeId))) throw new AppError("not_found", { message: "Notice not found" });
}
