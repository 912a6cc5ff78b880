/** Asks for a password manager's export, chosen with a button or dropped. The file is read on this device only. */
import { CircleAlert, FileUp } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useDomains } from "../../../api/aliases.ts";
import { dropHandlers } from "../../../ui/files.ts";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { groupLogins, type LoginGroup } from "../export-file/login-groups.ts";
import { problemText, readExportFile } from "../export-file/read-export-file.ts";

interface Props {
  isReading: boolean;
  error: string | null;
  onFile: (file: File) => void;
  /** Closes the file chooser; absent if it can't be closed, because the checklist is empty. */
  onCancel?: (() => void) | undefined;
}

export function ExportFileChooser({ isReading, error, onFile, onCancel }: Props) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="card-body">
      <fieldset
        className="drop"
        aria-describedby={error === null ? id : `${id} ${id}-error`}
        {...dropHandlers((file) => isReading || onFile(file))}
      >
        <legend className="sr">Export of your password manager</legend>
        <FileUp className="i i-20" aria-hidden />
        <div id={id}>
          <h3>Find the sites in your password manager</h3>
          <p>
            Export your logins without encryption and drop the file here. It is read on this device and never sent:
            passwords are skipped, and you choose which sites and addresses go on the list. Delete the file afterwards.
          </p>
          <p className="hint">
            Bitwarden (JSON, CSV), Proton Pass (ZIP, JSON, CSV), KeePass and KeePassXC (CSV), Chrome, Firefox and Safari
            (CSV), up to 32 MB.
          </p>
        </div>
        {error === null ? null : (
          <p className="error" id={`${id}-error`} role="alert">
            <CircleAlert className="i" aria-hidden />
            <span>{error}</span>
          </p>
        )}
        <div className="acts">
          <SubmitButton
            type="button"
            pending={isReading}
            pendingLabel="Reading..."
            onClick={() => picker.current?.click()}
          >
            Choose a file
          </SubmitButton>
          {onCancel === undefined ? null : (
            <button type="button" className="btn btn-quiet" onClick={onCancel}>
              Cancel
            </button>
          )}
        </div>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label="Export file"
          accept=".json,.csv,.txt,.zip,application/json,text/csv,application/zip"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) onFile(file);
            // Empty the file input, so that choosing the same file again fires a change event.
            currentTarget.value = "";
          }}
        />
      </fieldset>
    </div>
  );
}

/** State of a password manager's export from the chosen file to the choice of addresses. It is kept in memory only. */

interface ReadExport {
  program: string;
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
    const answer = await readExportFile(file);
    setIsReading(false);
    if ("problem" in answer) return setError(problemText(answer.problem, answer.program, file.name));
    const { program, entries, logins } = answer.result;
    const groups = groupLogins(logins, { domains });
    if (groups.length === 0) return setError(`No login in “${file.name}” has an e-mail address that needs a change.`);
    setRead({ program, entries, groups });
  };
  const clear = () => {
    setRead(null);
    setError(null);
  };
  return { isReading, error, read, onFile: (file: File) => void onFile(file), clear };
}
