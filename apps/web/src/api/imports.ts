/** What a running import has done is told by events of the server. */
import type { AliasExportFormat, ImportFromServiceBody, ImportResult, ImportWire } from "@kauke/contract";
import { keepPreviousData, useMutation, useMutationState, useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "./aliases.ts";
import { call, callUnread } from "./client.ts";

const queryKey = ["imports"] as const;

export const isInProgress = (state: ImportWire["state"]): boolean => state === "running" || state === "undoing";

export function useImports() {
  return useQuery({ queryKey, queryFn: async () => (await call("listImports")).imports });
}

export interface RowsWanted {
  /** Page number, from 0. */
  page: number;
  result: ImportResult | undefined;
}

const removalKey = ["remove-import"] as const;

export function useImport(importId: string, { page, result }: RowsWanted, enabled = true) {
  // The event of a deletion may come before its response, while the import is still shown; the import would be a 404.
  const removed = useMutationState({
    filters: { mutationKey: removalKey },
    select: ({ state }) => (state.status === "error" ? null : state.variables),
  });
  return useQuery({
    enabled: enabled && !removed.includes(importId),
    queryKey: [...queryKey, importId, page, result ?? "all"],
    queryFn: () => call("getImport", { params: { importId }, query: { page, result } }),
    placeholderData: keepPreviousData,
  });
}

type ImportSource = { file: File; domain: string | undefined } | { service: ImportFromServiceBody };

export function useImportCalls(userId: string) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey });
  const create = useMutation({
    mutationFn: (source: ImportSource) =>
      "file" in source
        ? call("createImport", { bytes: source.file, query: { domain: source.domain } })
        : call("createImportFromService", { body: source.service }),
    onSettled,
  });
  const run = useMutation({ mutationFn: (importId: string) => call("runImport", { params: { importId } }), onSettled });
  const undo = useMutation({
    mutationFn: (importId: string) => call("undoImport", { params: { importId } }),
    onSettled,
  });
  const remove = useMutation({
    mutationKey: removalKey,
    mutationFn: (importId: string) => call("deleteImport", { params: { importId } }),
    // Refetches only the list of imports: the deleted import itself would be a 404.
    onSuccess: (_, importId) =>
      client.setQueryData<ImportWire[]>(queryKey, (imports) => imports?.filter((other) => other.importId !== importId)),
    onError: () => client.invalidateQueries({ queryKey, exact: true }),
  });
  return { create, run, undo, remove, refetchAliases: () => refetchAliases(client, userId) };
}

/** Reads an import's rows page by page, at most `max` of them. */
export async function readRows(importId: string, result: ImportResult, max: number) {
  const read = (page: number) => call("getImport", { params: { importId }, query: { page, result } });
  const first = await read(0);
  const rows = [...first.page.rows];
  for (let page = 1; page < first.page.count && rows.length < max; page += 1)
    rows.push(...(await read(page)).page.rows);
  return rows.slice(0, max);
}

interface ExportWanted {
  format: AliasExportFormat;
  /** Puts a quote before cells that a spreadsheet would run as formulas. */
  isSafe: boolean;
}

export function useAliasExport(userId: string) {
  return useMutation({
    mutationFn: async ({ format, isSafe }: ExportWanted) => {
      const query = { safe: isSafe ? ("spreadsheet" as const) : undefined };
      const response = await callUnread("exportAliases", { params: { userId, format }, query });
      const fileName = fileNameIn(response.headers.get("content-disposition"), `aliases-${format}.txt`);
      return { fileName, text: await response.text() };
    },
  });
}

/** @example fileNameIn('attachment; filename="kauke-2026.json"', "x") // "kauke-2026.json" */
function fileNameIn(disposition: string | null, fallback: string): string {
  return /filename="([\w.-]+)"/.exec(disposition ?? "")?.[1] ?? fallback;
}

export function useAccountExport() {
  return useMutation({
    mutationFn: async () => {
      const response = await callUnread("exportAccount");
      const fileName = fileNameIn(response.headers.get("content-disposition"), "kauke-account.json");
      // Parsing the export detects a truncated response, so that no incomplete file is saved.
      const data: unknown = await response.json();
      return { fileName, text: `${JSON.stringify(data, null, 2)}\n` };
    },
  });
}
