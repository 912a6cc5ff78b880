import { t } from "../../../texts/texts.ts";
import { isNotLoaded, trustedWorkerUrl } from "../../../vault/worker-url.ts";
import type { ExportOutcome } from "./export.worker.ts";
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./export.worker.ts?worker&url";
import { EXPORT_MAX_BYTES } from "./export-bytes.ts";
import type { ExportProblem } from "./password-export.ts";

/** Nothing of the file goes to the server. */
export function readExportFile(file: File): Promise<ExportOutcome> {
  if (file.size > EXPORT_MAX_BYTES) return Promise.resolve({ problem: "too_large", program: null });
  const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<ExportOutcome>();
  const fail = () => resolve({ problem: "damaged", program: null });
  worker.onerror = (event) => (isNotLoaded(event) ? resolve({ problem: "not_loaded", program: null }) : fail());
  worker.onmessageerror = fail;
  worker.onmessage = ({ data }: MessageEvent<ExportOutcome>) => resolve(data);
  worker.postMessage(file);
  return promise.finally(() => worker.terminate());
}

export function problemText(problem: ExportProblem, program: string | null, fileName: string): string {
  const values = { file: fileName };
  switch (problem) {
    case "encrypted":
      return program === null
        ? t(
            "“{file}” is encrypted, so this page cannot read it. Export again and choose the format without encryption, then delete that file.",
            values,
          )
        : t(
            "“{file}” is encrypted by {program}, so this page cannot read it. Export again and choose the format without encryption, then delete that file.",
            { ...values, program },
          );
    case "keepass_database":
      return t(
        "“{file}” is a KeePass database. Open it in KeePass or KeePassXC, export it as CSV and choose that file.",
        values,
      );
    case "xml":
      return t("“{file}” is an XML file. Export again and choose CSV or JSON.", values);
    case "aliases":
      return program === null
        ? t("“{file}” is a list of aliases, not of logins. Use it above, under Import aliases.", values)
        : t("“{file}” is a list of aliases from {program}, not of logins. Use it above, under Import aliases.", {
            ...values,
            program,
          });
    case "too_large":
      return t("“{file}” is too large. The maximum is 32 MB.", values);
    case "damaged":
      return t("“{file}” could not be read to its end. It may be damaged or cut off; export it again.", values);
    case "not_loaded":
      return t(
        "“{file}” was not read, because the code for it could not be loaded: either there is no connection, or this site was updated. Reload the page and choose the file again.",
        values,
      );
    case "empty":
      return t("There are no logins in “{file}”.", values);
    case "other":
      return t("“{file}” is not an export of a password manager that this page knows.", values);
  }
}
