/** Card that downloads the account's aliases as files that other services import. */
import type { AliasExportFormat } from "@kauke/contract";
import { useId } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useAliasExport } from "../../api/imports.ts";
import { saveFile } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";

interface Row {
  format: AliasExportFormat;
  name: string;
  text: string;
  /** Whether the file will be opened in a spreadsheet, so that cells must not run as formulas. */
  isTable: boolean;
}

const formats: readonly Row[] = [
  {
    format: "simplelogin",
    name: "SimpleLogin",
    text: "CSV with alias, note, state and mailboxes.",
    isTable: true,
  },
  { format: "addy", name: "addy.io", text: "CSV with alias, description and recipients.", isTable: true },
  {
    format: "forward-email",
    name: "Forward Email",
    text: "One DNS line per domain, to paste as TXT records.",
    isTable: false,
  },
];

function FormatRow({ userId, format, name, text, isTable }: Row & { userId: string }) {
  const id = useId();
  const download = useAliasExport(userId);
  const save = (isSafe: boolean) =>
    download.mutate(
      { format, isSafe },
      {
        onSuccess: ({ fileName, text: content }) => {
          saveFile(fileName, content);
          showToast({ title: "Aliases downloaded", description: fileName });
        },
        onError: (error) => showFailure("Download failed", messageOf(error, "Failed to download your aliases")),
      },
    );
  const isPending = (isSafe: boolean) => download.isPending && download.variables?.isSafe === isSafe;
  return (
    <div className="card-body setting">
      <div>
        <h4 id={id}>{name}</h4>
        <p>{text}</p>
      </div>
      <div className="acts">
        {isTable ? (
          <SubmitButton
            type="button"
            className="btn-quiet"
            pending={isPending(true)}
            pendingLabel="Downloading..."
            label={`Download for spreadsheets, ${name}`}
            onClick={() => save(true)}
          >
            For spreadsheets
          </SubmitButton>
        ) : null}
        <SubmitButton
          type="button"
          className=""
          pending={isPending(false)}
          pendingLabel="Downloading..."
          label={`Download for ${name}`}
          onClick={() => save(false)}
        >
          Download
        </SubmitButton>
      </div>
    </div>
  );
}

export function MoveOutCard({ userId }: { userId: string }) {
  return (
    <section className="card" aria-labelledby="move-out">
      <div className="card-head">
        <h3 id="move-out">Move out</h3>
      </div>
      {formats.map((row) => (
        <FormatRow key={row.format} userId={userId} {...row} />
      ))}
      <div className="card-foot">
        <p className="hint">
          In the files for spreadsheets, cells that begin like a formula get an apostrophe. Another service would take
          it for a part of the text.
        </p>
      </div>
    </section>
  );
}
