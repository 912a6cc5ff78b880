import type { ChangeLabelBody, CreateLabelBody, LabelWire } from "@kauke/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["labels"];

/** The account's labels, by name. @param isWanted false for accounts without labels, which need no request */
export function useLabels(isWanted: boolean) {
  return useQuery({ queryKey, queryFn: async () => (await call("listLabels")).labels, enabled: isWanted });
}

export function useLabelCalls() {
  const client = useQueryClient();
  const change = (next: (labels: LabelWire[]) => LabelWire[]) =>
    client.setQueryData<LabelWire[]>(queryKey, (labels) =>
      labels === undefined ? undefined : next(labels).toSorted(byName),
    );
  return {
    create: async (body: CreateLabelBody): Promise<LabelWire> => {
      const { label } = await call("createLabel", { body });
      change((labels) => [...labels, label]);
      return label;
    },
    change: async (labelId: string, body: ChangeLabelBody): Promise<LabelWire> => {
      const { label } = await call("changeLabel", { params: { labelId }, body });
      change((labels) => labels.map((old) => (old.id === labelId ? label : old)));
      return label;
    },
    remove: async (labelId: string): Promise<void> => {
      await call("deleteLabel", { params: { labelId } });
      change((labels) => labels.filter(({ id }) => id !== labelId));
    },
  };
}

const byName = (a: LabelWire, b: LabelWire): number => a.name.localeCompare(b.name);
