/** Uploads by XMLHttpRequest: `fetch` reports no progress of what is sent. */

import { t } from "../texts/texts.ts";
import { ApiError, toApiError, unreachable } from "./api-error.ts";
import { call } from "./client.ts";
import { markSignedOut, readCookieVersion } from "./session/lost-session.ts";

export interface Upload {
  attachmentId: string;
  sizeBytes: number;
}

interface Options {
  signal: AbortSignal;
  /** Called with the share that was sent, from 0 to 1. */
  onProgress: (share: number) => void;
}

/** @throws ApiError; `AbortError` if aborted */
export function uploadAttachment(file: Blob, { signal, onProgress }: Options): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const request = new XMLHttpRequest();
  const sentWith = readCookieVersion();
  request.open("POST", "/api/email-attachments");
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  request.onerror = () => reject(new ApiError({ status: 0, message: unreachable }));
  request.onabort = () => reject(new DOMException(t("The upload was cancelled"), "AbortError"));
  request.onload = () => {
    const { status, statusText, responseText } = request;
    if (status === 401) markSignedOut(sentWith);
    if (status === 201) resolve(JSON.parse(responseText) as Upload);
    else reject(toApiError(status, statusText, responseText));
  };
  signal.addEventListener("abort", () => request.abort(), { once: true });
  request.send(file);
  return promise;
}

/** A file that nobody deletes goes after a day, so a failure is ignored. */
export function discardUpload(attachmentId: string): void {
  void call("deleteEmailAttachment", { params: { attachmentId } }).catch(() => {});
}
