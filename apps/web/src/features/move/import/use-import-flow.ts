import { type ImportFromServiceBody, type ImportWire, limits } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { aliasesQuery } from "../../../api/aliases.ts";
import { useAddToChecklist } from "../../../api/checklist.ts";
import { messageOf } from "../../../api/error-text.ts";
import {
  isInProgress,
  type RowsWanted,
  readRows,
  useImport,
  useImportCalls,
  useImports,
} from "../../../api/imports.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { fileSizeText } from "../../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { createdText, deletedText, importFailureText, siteOfTwin } from "./import-text.ts";

const allRows: RowsWanted = { page: 0, result: undefined };

/** When an import ends, refetches the aliases and shows a toast. */
function useEnd(shown: ImportWire | undefined, refetchAliases: () => Promise<void>): void {
  const before = useRef<string>(undefined);
  const key = shown === undefined ? undefined : `${shown.importId} ${shown.state}`;
  useEffect(() => {
    const [importId, state] = (before.current ?? " ").split(" ");
    before.current = key;
    if (shown === undefined || importId !== shown.importId || !isInProgress(state as ImportWire["state"])) return;
    if (isInProgress(shown.state)) return;
    void refetchAliases();
    const isUndone = shown.state === "undone";
    showToast({
      title: isUndone ? t("Import undone") : t("Import finished"),
      description: isUndone ? deletedText(shown.undone) : createdText(shown.made),
    });
  }, [key, shown, refetchAliases]);
}

/** Addresses that became an alias on another domain go to the checklist. */
function useAddTwins(userId: string) {
  const client = useQueryClient();
  const add = useAddToChecklist();
  const [isAdding, setIsAdding] = useState(false);
  const addTwins = async (importId: string) => {
    setIsAdding(true);
    try {
      const aliases = await client.fetchQuery(aliasesQuery(userId));
      const ids = new Map(aliases.map(({ id, alias, domain }) => [`${alias}@${domain}`.toLowerCase(), id]));
      const twins = await readRows(importId, "twin", limits.checklistMax);
      const rows = twins.map((row) => ({
        site: siteOfTwin(row).slice(0, limits.siteMax),
        oldAddress: row.address,
        aliasId: ids.get((row.becomes ?? "").toLowerCase()) ?? null,
      }));
      const added = await add.mutateAsync(rows);
      showToast({
        title: plural(added, "{count} site added to the checklist", "{count} sites added to the checklist", {
          count: countText(added),
        }),
      });
    } catch (error) {
      showFailure(t("Checklist not saved"), messageOf(error, t("Failed to save the checklist")));
    } finally {
      setIsAdding(false);
    }
  };
  return { isAdding, addTwins: (importId: string) => void addTwins(importId) };
}

const tooLargeText = ({ name }: File) =>
  t("“{name}” is too large. The maximum is {size}.", { name, size: fileSizeText(limits.importFileMaxBytes) });

export function useImportFlow(userId: string) {
  const list = useImports();
  const calls = useImportCalls(userId);
  const [chosenId, setChosenId] = useState<string>();
  const [closedIds, setClosedIds] = useState<ReadonlySet<string>>(new Set());
  const [wanted, setWanted] = useState(allRows);
  const [error, setError] = useState<string | null>(null);
  const open = list.data?.filter(({ importId }) => !closedIds.has(importId));
  const listed = open?.find(({ importId }) => importId === chosenId) ?? open?.[0];
  const watched = useImport(listed?.importId ?? "", wanted, listed !== undefined);
  const shown = listed === undefined ? undefined : (newest(watched.data, listed) ?? listed);
  useEnd(shown, calls.refetchAliases);
  const twins = useAddTwins(userId);
  const create = (source: Parameters<typeof calls.create.mutate>[0], fileName: string | null) => {
    setError(null);
    setWanted(allRows);
    calls.create.mutate(source, {
      onSuccess: ({ importId }) => setChosenId(importId),
      onError: (failure) => setError(importFailureText(failure, fileName)),
    });
  };
  const onFile = (file: File, domain: string | undefined) => {
    if (file.size > limits.importFileMaxBytes) return setError(tooLargeText(file));
    create({ file, domain }, file.name);
  };
  const failed = (title: string) => (failure: Error) => showFailure(title, messageOf(failure, t("Please try again.")));
  const withId = (act: (importId: string) => void) => () => shown !== undefined && act(shown.importId);
  return {
    list,
    shown,
    rows: { wanted, setWanted },
    source: {
      pending: calls.create.isPending,
      error,
      onFile,
      onService: (service: ImportFromServiceBody) => create({ service }, null),
    },
    steps: {
      isStarting: calls.run.isPending,
      isUndoing: calls.undo.isPending,
      isAdding: twins.isAdding,
      onRun: withId((id) => calls.run.mutate(id, { onError: failed(t("Import Failed")) })),
      onUndo: withId((id) => calls.undo.mutate(id, { onError: failed(t("Undo Failed")) })),
      onAddTwins: withId(twins.addTwins),
      onClose: withId((id) => {
        setWanted(allRows);
        // A finished import is only hidden: a deleted one can't be undone.
        if (shown?.state === "done") setClosedIds((before) => new Set([...before, id]));
        else calls.remove.mutate(id, { onError: failed(t("Deletion Failed")) });
      }),
    },
    onOpen: (importId: string) => {
      setWanted(allRows);
      setChosenId(importId);
      setClosedIds((before) => new Set([...before].filter((id) => id !== importId)));
    },
  };
}

/** `null` while the previous import's rows are still shown. */
function newest(watched: ImportWire | undefined, listed: ImportWire): ImportWire | null {
  return watched?.importId === listed.importId ? watched : null;
}
