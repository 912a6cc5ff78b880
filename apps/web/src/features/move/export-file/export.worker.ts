/** Reads the export in a worker, so that the file's text never reaches the page's memory. */
import { readExportBytes } from "./export-bytes.ts";
import { ExportFileError, type ExportProblem, type PasswordExport } from "./password-export.ts";

export type ExportOutcome = { result: PasswordExport } | { problem: ExportProblem; program: string | null };

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data: file }: MessageEvent<File>) => {
  scope.postMessage(await outcomeOf(file));
};

async function outcomeOf(file: File): Promise<ExportOutcome> {
  try {
    return { result: await readExportBytes(new Uint8Array(await file.arrayBuffer())) };
  } catch (error) {
    if (error instanceof ExportFileError) return { problem: error.problem, program: error.program };
    return { problem: "damaged", program: null };
  }
}
