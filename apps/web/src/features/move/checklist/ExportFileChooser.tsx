/** A password manager's file is read on this device only. */
import { useState } from "react";
import { useDomains } from "../../../api/aliases.ts";
import { t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { groupLogins, type LoginGroup } from "../export-file/login-groups.ts";
import { problemText, readExportFile } from "../export-file/read-export-file.ts";
import { FileDrop } from "../FileDrop.tsx";

interface Props {
  isReading: boolean;
  error: string | null;
  onFile: (file: File) => void;
  /** Absent for an empty checklist, where the chooser can't be closed. */
  onCancel?: (() => void) | undefined;
}

export function ExportFileChooser({ isReading, error, onFile, onCancel }: Props) {
  return (
    <div className="card-body">
      <FileDrop
        legend={t("Export of your password manager")}
        label={t("Export file")}
        accept=".json,.csv,.txt,.zip,application/json,text/csv,application/zip"
        {...{ isReading, error, onFile }}
        acts={
          onCancel === undefined ? null : (
            <Button look="quiet" onClick={onCancel}>
              {t("Cancel")}
            </Button>
          )
        }
      >
        <h3>{t("Find the sites in your password manager")}</h3>
        <p>
          {t(
            "Export your logins without encryption and drop the file here. It is read on this device and never sent: passwords are skipped, and you choose which sites and addresses go on the list. Delete the file afterwards.",
          )}
        </p>
        <p className="hint">
          {t(
            "Bitwarden (JSON, CSV), Proton Pass (ZIP, JSON, CSV), KeePass and KeePassXC (CSV), Chrome, Firefox and Safari (CSV), up to 32 MB.",
          )}
        </p>
      </FileDrop>
    </div>
  );
}

/** What is known from choosing the file to choosing its addresses; in memory only. */
interface ReadExport {
  program: string | null;
  entries: number;
  groups: LoginGroup[];
}

export function useExportFile() {
  const { data: domains = [] } = useDomains();
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [read, setRead] = useState<ReadExport | null>(null);
  const onFile = async (file: File) => {
    setIsReading(true);
    setError(null);
    const outcome = await readExportFile(file);
    setIsReading(false);
    if ("problem" in outcome) return setError(problemText(outcome.problem, outcome.program, file.name));
    const { program, entries, logins } = outcome.result;
    const groups = groupLogins(logins, { domains });
    if (groups.length === 0)
      return setError(t("No login in “{name}” has an e-mail address that needs a change.", { name: file.name }));
    setRead({ program, entries, groups });
  };
  const clear = () => {
    setRead(null);
    setError(null);
  };
  return { isReading, error, read, onFile: (file: File) => void onFile(file), clear };
}
