import type { ImportResult, ImportRowWire, ImportWire } from "@kauke/contract";
import { ArrowRight } from "lucide-react";
import { type RowsWanted, useImport } from "../../../api/imports.ts";
import { said } from "../../../texts/said.ts";
import { t } from "../../../texts/texts.ts";
import { Select } from "../../../ui/Controls.tsx";
import { failureOf, LoadFailed } from "../../../ui/LoadFailed.tsx";
import { Pager } from "../../../ui/Pager.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { pageButtons } from "../../aliases/list/list-view.ts";
import { resultOrder, resultReasons, resultWords } from "./import-text.ts";

const good: ReadonlySet<ImportResult> = new Set(["create", "twin", "unchecked"]);

function ImportRow({ address, becomes, result, reason, forwardTo, active }: ImportRowWire) {
  return (
    <li>
      <span className="addresses">
        <span className="addr">{good.has(result) ? <b>{address}</b> : address}</span>
        {becomes === null || becomes === address ? null : (
          <span className="addr becomes">
            <ArrowRight className="i" aria-hidden />
            <span className="sr">{t("becomes")}</span>
            <b>{becomes}</b>
          </span>
        )}
      </span>
      <span className="reason">
        {reason === null ? resultReasons[result] : said(reason)}
        {good.has(result) && !active ? ` ${t("It stays paused.")}` : null}
        {good.has(result) && forwardTo !== "" ? <span className="addr to">{forwardTo}</span> : null}
      </span>
      <span className="tag">{resultWords[result]}</span>
    </li>
  );
}

interface FilterProps {
  counts: ImportWire["counts"];
  rows: number;
  result: ImportResult | undefined;
  onResult: (result: ImportResult | undefined) => void;
}

function ResultFilter({ counts, rows, result, onResult }: FilterProps) {
  return (
    <Select
      aria-label={t("Rows shown")}
      value={result ?? "all"}
      options={resultOrder
        .filter((known) => (counts[known] ?? 0) > 0)
        .map((known) => [known, `${resultWords[known]} (${countText(counts[known] ?? 0)})`])}
      onChange={({ target: { value } }) => onResult(resultOrder.find((known) => known === value))}
    >
      <option value="all">{t("All rows ({rows})", { rows: countText(rows) })}</option>
    </Select>
  );
}

interface Props {
  shown: ImportWire;
  wanted: RowsWanted;
  onWanted: (wanted: RowsWanted) => void;
}

export function ImportRows({ shown, wanted, onWanted }: Props) {
  const query = useImport(shown.importId, wanted);
  const page = query.data?.page;
  const failure = failureOf(query);
  if (failure !== null)
    return <LoadFailed title={t("The rows could not be loaded")} error={failure} onRetry={query.refetch} />;
  return (
    <>
      <div className="import-tools">
        <ResultFilter
          counts={shown.counts}
          rows={shown.rows}
          result={wanted.result}
          onResult={(result) => onWanted({ page: 0, result })}
        />
      </div>
      <ol className="import-rows" aria-label={t("Rows of the import")} aria-busy={page === undefined}>
        {page?.rows.map((row) => (
          <ImportRow key={row.row} {...row} />
        ))}
      </ol>
      {page === undefined || page.count <= 1 ? null : (
        <div className="list-foot">
          <span className="count" aria-live="polite">
            {t("Page {number} of {count}", { number: countText(page.number + 1), count: countText(page.count) })}
          </span>
          <Pager
            page={page.number + 1}
            pages={page.count}
            buttons={pageButtons(page.number + 1, page.count)}
            onPage={(number) => onWanted({ ...wanted, page: number - 1 })}
          />
        </div>
      )}
    </>
  );
}
