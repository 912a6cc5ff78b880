/** The preview inbox (`KAUKE_DELIVERY=preview`) polls every 2 s while the page is visible. */
import type { PreviewMessage, PreviewReplyBody, PreviewSummary } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { request } from "./client.ts";

const ROOT = "/preview/api/messages";

/** @example previewUrl("a1", "/html") // "/preview/api/messages/a1/html" */
export function previewUrl(id: string, part = ""): string {
  return `${ROOT}/${encodeURIComponent(id)}${part}`;
}

/** Whether an error is a 404: the server has no preview inbox, or not this message. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export function usePreviewMessages() {
  return useQuery({
    queryKey: ["preview"],
    queryFn: async () => ((await (await request("GET", ROOT)).json()) as { messages: PreviewSummary[] }).messages,
    refetchInterval: (query) => (isMissing(query.state.error) ? false : 2000),
  });
}

export function usePreviewMessage(id: string) {
  return useQuery({
    queryKey: ["preview", id],
    queryFn: async () => (await (await request("GET", previewUrl(id))).json()) as PreviewMessage,
  });
}

export function useRawMessage(id: string) {
  return useQuery({
    queryKey: ["preview", id, "raw"],
    queryFn: async () => (await request("GET", previewUrl(id, "/raw"))).text(),
  });
}

export function useEmptyPreview() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request("DELETE", ROOT),
    onSuccess: () => client.setQueryData(["preview"], []),
  });
}

export function useReplyToPreview(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PreviewReplyBody) => request("POST", previewUrl(id, "/reply"), body),
    onSuccess: () => client.invalidateQueries({ queryKey: ["preview"], exact: true }),
  });
}
