import { limits } from "@kauke/contract/limits";
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { useAddToChecklist, useChecklist, useDeleteChecklist } from "../../../api/checklist.ts";
import { messageOf } from "../../../api/error-text.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Card } from "../../../ui/Card.tsx";
import { Button } from "../../../ui/Controls.tsx";
import { ConfirmDialog } from "../../../ui/Dialog.tsx";
import { failureOf, LoadFailed, Skeleton } from "../../../ui/LoadFailed.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { useFocusKept } from "../../../ui/use-focus-kept.ts";
import type { Login } from "../export-file/password-export.ts";
import { ChecklistItems } from "./ChecklistItems.tsx";
import { ChooseLogins } from "./ChooseLogins.tsx";
import { headingOf } from "./checklist-view.ts";
import { ExportFileChooser, useExportFile } from "./ExportFileChooser.tsx";

function useAddLogins(onDone: () => void) {
  const add = useAddToChecklist();
  const onAdd = (logins: readonly Login[]) =>
    add.mutate(
      logins.map(({ site, address: oldAddress }) => ({ site, oldAddress, aliasId: null })),
      {
        onSuccess: (added) => {
          const known = logins.length - added;
          showToast({
            title: plural(added, "{count} site added", "{count} sites added", { count: countText(added) }),
            ...(known > 0 && {
              description: plural(known, "{count} was on the list already", "{count} were on the list already", {
                count: countText(known),
              }),
            }),
          });
          onDone();
        },
      },
    );
  const error = add.isError ? messageOf(add.error, t("Failed to save the checklist")) : null;
  return { onAdd, pending: add.isPending, error, reset: add.reset };
}

function useDeletion() {
  const [asking, setAsking] = useState(false);
  const deletion = useDeleteChecklist();
  const onConfirm = () => {
    setAsking(false);
    deletion.mutate(undefined, {
      onSuccess: () => showToast({ title: t("Checklist deleted") }),
      onError: (error) => showFailure(t("Deletion Failed"), messageOf(error, t("Failed to delete the checklist"))),
    });
  };
  return { asking, setAsking, onConfirm };
}

function LoadingRows() {
  return (
    <ul className="checklist" aria-hidden="true">
      {[14, 9, 17].map((width) => (
        <li key={width}>
          <span className="tick" />
          <Skeleton w={`${width}ch`} />
          <Skeleton w="20ch" />
        </li>
      ))}
    </ul>
  );
}

export function ChecklistCard({ userId }: { userId: string }) {
  const titleId = useId();
  useFocusKept(titleId);
  const query = useChecklist();
  const rows = query.data;
  const file = useExportFile();
  const [isAdding, setIsAdding] = useState(false);
  const close = () => {
    file.clear();
    setIsAdding(false);
  };
  const { reset, ...adding } = useAddLogins(close);
  const deletion = useDeletion();
  const failure = failureOf(query);
  const isEmpty = rows !== undefined && rows.length === 0;
  const cancel = () => {
    reset();
    close();
  };
  return (
    <Card
      id={titleId}
      heading="h2"
      canFocus
      title={isEmpty || rows === undefined ? t("Change your address") : headingOf(rows, countText)}
      aside={
        rows === undefined || isEmpty || isAdding ? null : (
          <div className="right">
            <Button isSmall icon={Plus} onClick={() => setIsAdding(true)}>
              {t("Add sites")}
            </Button>
          </div>
        )
      }
      isBusy={rows === undefined && failure === null}
    >
      {failure === null ? null : (
        <LoadFailed title={t("Your checklist could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
      {rows === undefined && failure === null ? <LoadingRows /> : null}
      {rows === undefined || !(isEmpty || isAdding) ? null : file.read === null ? (
        <ExportFileChooser {...file} onCancel={isEmpty ? undefined : cancel} />
      ) : (
        <ChooseLogins {...file.read} {...adding} onCancel={cancel} />
      )}
      {rows === undefined || isEmpty ? null : (
        <>
          <ChecklistItems userId={userId} rows={rows} titleId={titleId} />
          <div className="card-foot">
            <p className="hint">
              {t(
                "Sealed on the server, with at most {checklistMax} sites. Nothing is changed at the sites themselves.",
                { checklistMax: countText(limits.checklistMax) },
              )}
            </p>
            <Button isSmall look="danger-line" onClick={() => deletion.setAsking(true)}>
              {t("Delete checklist")}
            </Button>
          </div>
        </>
      )}
      {deletion.asking ? (
        <ConfirmDialog
          title={t("Delete checklist")}
          description={t(
            "This deletes every site on the list, with its ticks. Aliases that you created for them stay.",
          )}
          label={t("Delete Checklist")}
          onConfirm={deletion.onConfirm}
          onClose={() => deletion.setAsking(false)}
        />
      ) : null}
    </Card>
  );
}
