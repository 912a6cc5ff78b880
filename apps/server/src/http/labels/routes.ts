import type { LabelWire } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { changeLabel, createLabel, deleteLabel, type Label } from "../../core/label.ts";
import type { HandlersOf } from "../handler.ts";

type LabelCalls = "listLabels" | "createLabel" | "changeLabel" | "deleteLabel";

const toWire = ({ id, name, colour }: Label): LabelWire => ({ id, name, colour });

export function labelHandlers(deps: CoreDeps): HandlersOf<LabelCalls> {
  return {
    async listLabels({ userId }) {
      return { labels: (await deps.labels.listForUser(userId)).map(toWire) };
    },
    async createLabel({ userId, body }) {
      return { label: toWire(await createLabel(deps, { userId, ...body })) };
    },
    async changeLabel({ userId, params, body }) {
      return { label: toWire(await changeLabel(deps, { userId, ...params }, body)) };
    },
    async deleteLabel({ userId, params }) {
      await deleteLabel(deps, { userId, ...params });
      return { message: "Label deleted" };
    },
  };
}
