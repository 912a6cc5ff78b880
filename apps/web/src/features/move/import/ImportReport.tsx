import type { ImportResult, ImportWire } from "@kauke/contract";
import { Check, Info, TriangleAlert } from "lucide-react";
import { type CSSProperties, useEffect, useState } from "react";
import { isInProgress } from "../../../api/imports.ts";
import { plural } from "../../../texts/plural.ts";
import { said } from "../../../texts/said.ts";
import { t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { createdText, deletedText, resultOrder, resultWords, toMake, undoTimeText } from "./import-text.ts";

const ADDRESSES_SHOWN = 5;

/** The time, updated every ten seconds. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Counts({ counts }: Pick<ImportWire, "counts">) {
  const shown = resultOrder.filter((result: ImportResult) => (counts[result] ?? 0) > 0);
  return (
    <dl className="import-counts">
      {shown.map((result) => (
        <div key={result}>
          <dt>{resultWords[result]}</dt>
          <dd>{countText(counts[result] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Progress({ progress: { done, total }, state }: Pick<ImportWire, "progress" | "state">) {
  const part = total === 0 ? 1 : done / total;
  return (
    <div className="import-progress" role="status">
      <p>
        {state === "running"
          ? plural(
              total,
              "Creating {done} of {count} alias. You can leave this page, it goes on.",
              "Creating {done} of {count} aliases. You can leave this page, it goes on.",
              { done: countText(done), count: countText(total) },
            )
          : plural(
              total,
              "Deleting {done} of {count} alias. You can leave this page, it goes on.",
              "Deleting {done} of {count} aliases. You can leave this page, it goes on.",
              { done: countText(done), count: countText(total) },
            )}
      </p>
      <span className="bar" aria-hidden="true">
        <i style={{ "--part": String(part) } as CSSProperties} />
      </span>
    </div>
  );
}

function Outcome({ state, made, undone, keptCount, kept }: ImportWire) {
  if (state === "done")
    return (
      <p className="ok">
        <Check className="i" aria-hidden />
        {createdText(made)}
      </p>
    );
  if (state !== "undone") return null;
  return (
    <>
      <p className="ok">
        <Check className="i" aria-hidden />
        {deletedText(undone)}
      </p>
      {keptCount === 0 ? null : (
        <Note>
          {plural(
            keptCount,
            "{count} alias stayed, because it was changed or used since:",
            "{count} aliases stayed, because they were changed or used since:",
            { count: countText(keptCount) },
          )}{" "}
          <Addresses list={kept} />
        </Note>
      )}
    </>
  );
}

function unconfirmedText(count: number, hasProvider: boolean): string {
  if (hasProvider)
    return plural(
      count,
      "One mailbox is not confirmed yet. Each is asked once an alias forwards to it:",
      "{count} mailboxes are not confirmed yet. Each is asked once an alias forwards to it:",
      { count: countText(count) },
    );
  return plural(
    count,
    "One mailbox is not confirmed yet. Each is asked when its first mail arrives:",
    "{count} mailboxes are not confirmed yet. Each is asked when its first mail arrives:",
    { count: countText(count) },
  );
}

function Addresses({ list }: { list: readonly string[] }) {
  const more = list.length - ADDRESSES_SHOWN;
  const first = list.slice(0, ADDRESSES_SHOWN).join(", ");
  return (
    <span className="addr">{more > 0 ? t("{first} and {count} more", { first, count: countText(more) }) : first}</span>
  );
}

function Note({ children, isPlain = false }: { children: React.ReactNode; isPlain?: boolean }) {
  const Icon = isPlain ? Info : TriangleAlert;
  return (
    <div className={isPlain ? "note note-plain" : "note"}>
      <Icon className="i" aria-hidden />
      <div>{children}</div>
    </div>
  );
}

interface TwinsProps {
  count: number;
  isAdding: boolean;
  onAdd: () => void;
}

function Twins({ count, isAdding, onAdd }: TwinsProps) {
  return (
    <div className="note twins">
      <TriangleAlert className="i" aria-hidden />
      <div>
        <b>
          {plural(count, "{count} site has to be told.", "{count} sites have to be told.", { count: countText(count) })}
        </b>{" "}
        {t(
          "These addresses could not move with you: mail to the old ones goes on to the other service until you change them at each site.",
        )}
      </div>
      <SubmitButton type="button" className="btn-sm" pending={isAdding} pendingLabel={t("Adding...")} onClick={onAdd}>
        {t("Add to the checklist")}
      </SubmitButton>
    </div>
  );
}

interface Props {
  shown: ImportWire;
  isStarting: boolean;
  isUndoing: boolean;
  isAdding: boolean;
  onRun: () => void;
  onUndo: () => void;
  onAddTwins: () => void;
  onClose: () => void;
}

export function ImportReport({ shown, isStarting, isUndoing, isAdding, onRun, onUndo, onAddTwins, onClose }: Props) {
  const { state, counts, unconfirmed, remarks } = shown;
  const provider = useForwarding();
  const left = undoTimeText(shown.undoUntil, useNow());
  const count = toMake(shown);
  const twins = counts.twin ?? 0;
  return (
    <div className="card-body import-summary">
      <Outcome {...shown} />
      {isInProgress(state) ? <Progress {...shown} /> : <Counts counts={counts} />}
      {state === "planned" && unconfirmed.length > 0 ? (
        <Note>
          {unconfirmedText(unconfirmed.length, provider !== null)} <Addresses list={unconfirmed} />
        </Note>
      ) : null}
      {remarks.map((remark) => (
        <Note key={remark} isPlain>
          {said(remark)}
        </Note>
      ))}
      {state === "done" && twins > 0 ? <Twins count={twins} isAdding={isAdding} onAdd={onAddTwins} /> : null}
      <div className="acts">
        {isInProgress(state) ? null : (
          <Button onClick={onClose}>{state === "planned" ? t("Discard") : t("Close")}</Button>
        )}
        {state === "planned" ? (
          <SubmitButton
            type="button"
            className="btn-primary"
            pending={isStarting}
            pendingLabel={t("Starting...")}
            disabled={count === 0}
            onClick={onRun}
          >
            {plural(count, "Import {count} alias", "Import {count} aliases", { count: countText(count) })}
          </SubmitButton>
        ) : null}
        {state === "done" && left !== null ? (
          <>
            <SubmitButton
              type="button"
              className="btn-danger-line"
              pending={isUndoing}
              pendingLabel={t("Starting...")}
              onClick={onUndo}
            >
              {t("Undo the import")}
            </SubmitButton>
            <p className="hint">{t("It can be undone for {left}.", { left })}</p>
          </>
        ) : null}
      </div>
    </div>
  );
}
