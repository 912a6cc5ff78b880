/** The card "Import aliases": from the choice of a source over the dry run to the result and its undo. */
import { importFormatNames } from "@kauke/contract";
import { useId } from "react";
import { messageOf } from "../../../api/api-error.ts";
import { useDomains } from "../../../api/domains.ts";
import { LoadFailed } from "../../../ui/LoadFailed.tsx";
import { ImportRows } from "./ImportRows.tsx";
import { ImportSummary } from "./ImportSummary.tsx";
import { SourceForm } from "./SourceForm.tsx";
import { useImportFlow } from "./use-import-flow.ts";

const titles = {
  planned: "What would happen",
  running: "Importing aliases",
  done: "Import finished",
  undoing: "Undoing the import",
  undone: "Import undone",
} as const;

function Loading() {
  return (
    <div className="card-body" aria-hidden="true">
      <span className="skel" style={{ "--w": "24ch" } as React.CSSProperties} />
    </div>
  );
}

export function ImportCard({ userId }: { userId: string }) {
  const titleId = useId();
  const { data: domains = [] } = useDomains();
  const { list, shown, rows, source, steps } = useImportFlow(userId);
  const failed = list.data === undefined && list.error !== null && !list.isFetching;
  return (
    <section className="card" aria-labelledby={titleId} aria-busy={list.data === undefined && !failed}>
      <div className="card-head">
        <h2 id={titleId}>{shown === undefined ? "Import aliases" : titles[shown.state]}</h2>
        {shown === undefined ? null : <span className="tag">{importFormatNames[shown.format]}</span>}
      </div>
      {failed ? (
        <LoadFailed
          title="Your imports could not be loaded"
          message={messageOf(list.error, "Please try again.")}
          onRetry={() => void list.refetch()}
        />
      ) : list.data === undefined ? (
        <Loading />
      ) : shown === undefined ? (
        <SourceForm domains={domains} {...source} />
      ) : (
        <>
          <ImportSummary shown={shown} {...steps} />
          <ImportRows key={shown.importId} shown={shown} wanted={rows.wanted} onWanted={rows.setWanted} />
        </>
      )}
    </section>
  );
}
