import { CircleAlert, FileUp } from "lucide-react";
import { type ReactNode, useId } from "react";
import { t } from "../../texts/texts.ts";
import { FilePicker } from "../../ui/FilePicker.tsx";
import { dropHandlers } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";

export function FormError({ id, children }: { id?: string; children: string | null }) {
  if (children === null) return null;
  return (
    <p className="error" id={id} role="alert">
      <CircleAlert className="i" aria-hidden />
      <span>{children}</span>
    </p>
  );
}

interface Props {
  legend: string;
  label: string;
  accept?: string;
  isReading: boolean;
  error: string | null;
  onFile: (file: File) => void;
  /** Buttons beside the one that opens the file picker. */
  acts?: ReactNode;
  children: ReactNode;
}

export function FileDrop({ legend, label, accept, isReading, error, onFile, acts, children }: Props) {
  const id = useId();
  return (
    <fieldset
      className="drop"
      aria-describedby={error === null ? id : `${id} ${id}-error`}
      {...dropHandlers((file) => isReading || onFile(file))}
    >
      <legend className="sr">{legend}</legend>
      <FileUp className="i i-20" aria-hidden />
      <div id={id}>{children}</div>
      <FormError id={`${id}-error`}>{error}</FormError>
      <div className="acts">
        <FilePicker label={label} accept={accept} onFile={onFile}>
          {(open) => (
            <SubmitButton type="button" pending={isReading} pendingLabel={t("Reading...")} onClick={open}>
              {t("Choose a file")}
            </SubmitButton>
          )}
        </FilePicker>
        {acts}
      </div>
    </fieldset>
  );
}
