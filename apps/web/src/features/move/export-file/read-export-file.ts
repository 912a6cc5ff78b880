/** Reads an export file in a new worker, which is terminated as soon as it has replied. */

import { isNotLoaded, trustedWorkerUrl } from "../../../vault/worker-url.ts";
import type { ExportAnswer } from "./export.worker.ts";
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./export.worker.ts?worker&url";
import { EXPORT_MAX_BYTES } from "./export-bytes.ts";

/** Reads a password manager's export on this device. Nothing of the file is sent to the server. */
export function readExportFile(file: File): Promise<ExportAnswer> {
  if (file.size > EXPORT_MAX_BYTES) return Promise.resolve({ problem: "too_large", program: null });
  const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<ExportAnswer>();
  const fail = () => resolve({ problem: "damaged", program: null });
  worker.onerror = (event) => (isNotLoaded(event) ? resolve({ problem: "not_loaded", program: null }) : fail());
  worker.onmessageerror = fail;
  worker.onmessage = ({ data }: MessageEvent<ExportAnswer>) => resolve(data);
  worker.postMessage(file);
  return promise.finally(() => worker.terminate());
}
