/** Imports of aliases from other services, and exports in their formats. While an import runs it is read every second. */
import type { AliasExportFormat, ImportFromServiceBody, ImportResult, ImportWire } from "@kauke/contract";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fileNameIn } from "./account-export.ts";
import { refetchAliases } from "./aliases.ts";
import { call, callUnread } from "./client.ts";

const queryKey = ["imports"] as const;
const POLL_MS = 1000;

export const isInProgress = (state: ImportWire["state"]): boolean => state === "running" || state === "undoing";

/** Imports of the last day, newest first. */
export function useImports() {
  return useQuery({ queryKey, queryFn: async () => (await call("listImports")).imports });
}

export interface RowsWanted {
  /** Page number from 0. */
  page: number;
  result: ImportResult | undefined;
}

/** One import with a page of its rows. */
export function useImport(importId: string, { page, result }: RowsWanted, enabled = true) {
  return useQuery({
    enabled,
    queryKey: [...queryKey, importId, page, result ?? "all"],
    queryFn: () => call("getImport", { params: { importId }, query: { page, result } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isInProgress(data.state) ? POLL_MS : false),
  });
}

/** What a dry run is made of: a file, or an account at a service. */
export type ImportSource = { file: File; domain: string | undefined } | { service: ImportFromServiceBody };

/** The calls that change imports; each refetches them. */
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
    mutationFn: (importId: string) => call("deleteImport", { params: { importId } }),
    // Only the list is fetched again: the deleted import itself would be answered 404.
    onSuccess: (_, importId) =>
      client.setQueryData<ImportWire[]>(queryKey, (imports) => imports?.filter((it) => it.importId !== importId)),
    onError: () => client.invalidateQueries({ queryKey, exact: true }),
  });
  return { create, run, undo, remove, refetchAliases: () => refetchAliases(client, userId) };
}

/** Every row with this result, page after page, up to a number of rows. */
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
  /** Whether cells that a spreadsheet would run as formulas get a quote before them. */
  isSafe: boolean;
}

/** Reads the account's aliases as a file for another service. */
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
