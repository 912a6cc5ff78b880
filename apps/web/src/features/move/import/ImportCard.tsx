import { type ImportWire, importFormatNames } from "@kauke/contract";
import { useId } from "react";
import { useDomains } from "../../../api/aliases.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Card } from "../../../ui/Card.tsx";
import { Button } from "../../../ui/Controls.tsx";
import { failureOf, LoadFailed, Skeleton } from "../../../ui/LoadFailed.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { timeText } from "../../../ui/text/time-text.ts";
import { useFocusKept } from "../../../ui/use-focus-kept.ts";
import { ImportReport } from "./ImportReport.tsx";
import { ImportRows } from "./ImportRows.tsx";
import { SourceForm } from "./SourceForm.tsx";
import { useImportFlow } from "./use-import-flow.ts";

const titles = {
  planned: t("What would happen"),
  running: t("Importing aliases"),
  done: t("Import finished"),
  undoing: t("Undoing the import"),
  undone: t("Import undone"),
} as const;

function Loading() {
  return (
    <div className="card-body" aria-hidden="true">
      <Skeleton w="24ch" />
    </div>
  );
}

interface EarlierProps {
  imports: readonly ImportWire[];
  onOpen: (importId: string) => void;
}

/** Finished imports of the last day that the user has closed. */
function EarlierImports({ imports, onOpen }: EarlierProps) {
  if (imports.length === 0) return null;
  return (
    <ul className="earlier" aria-label={t("Earlier imports")}>
      {imports.map(({ importId, format, made, createdAt }) => (
        <li key={importId}>
          <p>
            <b>{importFormatNames[format]}</b>
            {plural(made, ", {time}: {count} alias created", ", {time}: {count} aliases created", {
              time: timeText(createdAt),
              count: countText(made),
            })}
          </p>
          <Button
            isSmall
            look="quiet"
            aria-label={t("Open the import of {time}", { time: timeText(createdAt) })}
            onClick={() => onOpen(importId)}
          >
            {t("Open")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

export function ImportCard({ userId }: { userId: string }) {
  const titleId = useId();
  useFocusKept(titleId);
  const { data: domains = [] } = useDomains();
  const { list, shown, rows, source, steps, onOpen } = useImportFlow(userId);
  const failure = failureOf(list);
  return (
    <Card
      id={titleId}
      heading="h2"
      canFocus
      title={shown === undefined ? t("Import aliases") : titles[shown.state]}
      aside={shown === undefined ? null : <span className="tag">{importFormatNames[shown.format]}</span>}
      isBusy={list.data === undefined && failure === null}
    >
      {failure !== null ? (
        <LoadFailed title={t("Your imports could not be loaded")} error={failure} onRetry={list.refetch} />
      ) : list.data === undefined ? (
        <Loading />
      ) : shown === undefined ? (
        <>
          <SourceForm domains={domains} {...source} />
          <EarlierImports imports={list.data} onOpen={onOpen} />
        </>
      ) : (
        <>
          <ImportReport shown={shown} {...steps} />
          <ImportRows key={shown.importId} shown={shown} wanted={rows.wanted} onWanted={rows.setWanted} />
        </>
      )}
    </Card>
  );
}
