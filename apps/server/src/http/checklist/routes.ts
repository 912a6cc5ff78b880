import { addToChecklist, changeChecklist, deleteChecklist } from "../../core/checklist.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import type { HandlersOf } from "../handler.ts";

export function checklistHandlers(
  deps: CoreDeps,
): HandlersOf<"listChecklist" | "addToChecklist" | "changeChecklist" | "deleteChecklist"> {
  return {
    listChecklist: async ({ userId }) => ({ rows: await deps.checklist.list(userId) }),
    addToChecklist: async ({ userId, body }) => ({ added: await addToChecklist(deps, { userId, ...body }) }),
    changeChecklist: async ({ userId, body }) => ({ changed: await changeChecklist(deps, { userId, ...body }) }),
    async deleteChecklist({ userId }) {
      await deleteChecklist(deps, userId);
      return { message: "Checklist deleted" };
    },
  };
}
