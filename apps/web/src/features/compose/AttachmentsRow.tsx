import { limits } from "@kauke/contract";
import { Paperclip, RotateCcw, X } from "lucide-react";
import { useId, useRef } from "react";
import { t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { FieldError } from "../../ui/Field.tsx";
import { fileSizeText } from "../../ui/text/time-text.ts";
import { useListFocus } from "../../ui/use-list-focus.ts";
import { fileProblem, hasFile, type LetterFile, useFileWorks } from "./attachments.ts";

interface Props {
  files: readonly LetterFile[];
  isEncrypted: boolean;
  error: string | undefined;
  onAdd: (files: readonly File[]) => void;
  onRemove: (file: LetterFile) => void;
  onRetry: (file: LetterFile) => void;
}

function stateText(file: LetterFile, isEncrypted: boolean, share: number | null | undefined): string {
  if (share === null) return t("Encrypting...");
  if (share !== undefined) return `${Math.round(share * 100)} %`;
  if (isEncrypted) return t("Sent as {name}.age", { name: file.name });
  return file.attachmentId === null ? "" : t("Attached");
}

type RowProps = Omit<Props, "files" | "error" | "onAdd"> & { file: LetterFile };

function Row({ file, isEncrypted, onRemove, onRetry }: RowProps) {
  const work = useFileWorks()[file.key];
  const problem = fileProblem(file, isEncrypted);
  const share = work?.error === null ? work.share : undefined;
  return (
    <li className={problem === null ? undefined : "wrong"}>
      <Paperclip className="i" aria-hidden />
      <div>
        <b>{file.name}</b>
        <span>
          {fileSizeText(file.sizeBytes)}
          {problem === null ? ` · ${stateText(file, isEncrypted, share)}` : null}
        </span>
        {problem === null ? null : (
          <span className="wrong-text" role="alert">
            {problem}
          </span>
        )}
        {share === undefined ? null : (
          <progress aria-label={t("Upload of {name}", { name: file.name })} max={1} value={share ?? undefined} />
        )}
      </div>
      {work?.error && hasFile(file.key) ? (
        <IconButton
          icon={RotateCcw}
          label={t("Try again")}
          fullLabel={t("Try {name} again", { name: file.name })}
          onClick={() => onRetry(file)}
        />
      ) : null}
      <IconButton
        icon={X}
        label={t("Remove")}
        fullLabel={t("Remove {name}", { name: file.name })}
        onClick={() => onRemove(file)}
      />
    </li>
  );
}

export function AttachmentsRow(props: Props) {
  const { files, error, onAdd, ...row } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const attach = useRef<HTMLDivElement>(null);
  const listFocus = useListFocus(() => attach.current?.querySelector("button"));
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <div className="attachments">
      {files.length === 0 ? null : (
        <ul aria-label={t("Attachments")} {...listFocus}>
          {files.map((file) => (
            <Row key={file.key} file={file} {...row} />
          ))}
        </ul>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
      <div className="attach" ref={attach}>
        <Button
          isSmall
          look="quiet"
          icon={Paperclip}
          disabled={files.length >= limits.attachmentsMax}
          onClick={() => input.current?.click()}
        >
          {t("Attach Files")}
        </Button>
        <span className="hint" role="status">
          {files.length === 0
            ? t("or drop or paste them here")
            : t("{count} of {most}, {size}", {
                count: files.length,
                most: limits.attachmentsMax,
                size: fileSizeText(total),
              })}
        </span>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("Files to attach")}
        onChange={({ currentTarget }) => {
          onAdd([...(currentTarget.files ?? [])]);
          // Emptied, so that choosing the same file again fires a change event.
          currentTarget.value = "";
        }}
      />
    </div>
  );
}
