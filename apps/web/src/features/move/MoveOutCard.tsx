/** Exports the account's aliases, in the formats of other services. */
import type { AliasExportFormat } from "@kauke/contract";
import { messageOf } from "../../api/error-text.ts";
import { useAliasExport } from "../../api/imports.ts";
import { t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { saveFile } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";

interface Row {
  format: AliasExportFormat;
  name: string;
  text: string;
  /** The format is a table, whose cells must not run as formulas. */
  isTable: boolean;
}

const formats: readonly Row[] = [
  { format: "simplelogin", name: "SimpleLogin", text: t("CSV with alias, note, state and mailboxes."), isTable: true },
  { format: "addy", name: "addy.io", text: t("CSV with alias, description and recipients."), isTable: true },
  {
    format: "forward-email",
    name: "Forward Email",
    text: t("One DNS line per domain, to paste as TXT records."),
    isTable: false,
  },
];

function FormatRow({ userId, format, name, text, isTable }: Row & { userId: string }) {
  const download = useAliasExport(userId);
  const save = (isSafe: boolean) =>
    download.mutate(
      { format, isSafe },
      {
        onSuccess: ({ fileName, text: content }) => {
          saveFile(fileName, content);
          showToast({ title: t("Aliases downloaded"), description: fileName });
        },
        onError: (error) => showFailure(t("Download failed"), messageOf(error, t("Failed to download your aliases"))),
      },
    );
  const button = (isSafe: boolean) => ({
    type: "button" as const,
    pending: download.isPending && download.variables?.isSafe === isSafe,
    pendingLabel: t("Downloading..."),
    onClick: () => save(isSafe),
  });
  return (
    <Setting title={name} text={text}>
      <div className="acts">
        {isTable ? (
          <SubmitButton
            className="btn-quiet"
            label={t("Download for spreadsheets, {name}", { name })}
            {...button(true)}
          >
            {t("For spreadsheets")}
          </SubmitButton>
        ) : null}
        <SubmitButton label={t("Download for {name}", { name })} {...button(false)}>
          {t("Download")}
        </SubmitButton>
      </div>
    </Setting>
  );
}

export function MoveOutCard({ userId }: { userId: string }) {
  return (
    <Card id="move-out" title={t("Move out")}>
      {formats.map((row) => (
        <FormatRow key={row.format} userId={userId} {...row} />
      ))}
      <div className="card-foot">
        <p className="hint">
          {t(
            "In the files for spreadsheets, cells that begin like a formula get an apostrophe. Another service would take it for a part of the text.",
          )}
        </p>
      </div>
    </Card>
  );
}
