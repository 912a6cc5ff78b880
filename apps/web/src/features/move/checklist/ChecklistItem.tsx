import type { ChecklistRowWire } from "@kauke/contract";
import { ArrowUpRight, Copy, Plus, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { t } from "../../../texts/texts.ts";
import { IconButton } from "../../../ui/Controls.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { siteLink } from "../export-file/site-name.ts";

interface Props {
  row: ChecklistRowWire;
  /** Address of the site's alias; `null` if there is none, or it was deleted. */
  alias: string | null;
  isMaking: boolean;
  /** Ticks the site; resolves once the server has responded. */
  onTick: (done: boolean) => Promise<unknown>;
  onMake: () => void;
  onRemove: () => void;
}

function Site({ site, id }: { site: string; id: string }) {
  const link = siteLink(site);
  return (
    <span className="site" id={id}>
      {link === null ? (
        site
      ) : (
        <a href={link} target="_blank" rel="noreferrer">
          {site}
          <ArrowUpRight className="i" aria-hidden />
          <span className="sr">{t("(opens in a new tab)")}</span>
        </a>
      )}
    </span>
  );
}

/** The cached row changes only after the click's event; React would set the checkbox back meanwhile. */
function useTick(done: boolean, onTick: Props["onTick"]) {
  const [clicked, setClicked] = useState<boolean | null>(null);
  const onClick = (wanted: boolean) => {
    setClicked(wanted);
    void onTick(wanted).finally(() => setClicked(null));
  };
  return [clicked ?? done, onClick] as const;
}

/** The button that makes the alias gives its focus to the one that copies it. */
function useMadeFocus(alias: string | null) {
  const place = useRef<HTMLElement>(null);
  const hadAlias = useRef(alias !== null);
  useEffect(() => {
    const isMade = alias !== null && !hadAlias.current;
    hadAlias.current = alias !== null;
    if (isMade && document.activeElement === document.body) place.current?.querySelector("button")?.focus();
  }, [alias]);
  return place;
}

export function ChecklistItem({ row, alias, isMaking, onTick, onMake, onRemove }: Props) {
  const id = useId();
  const { site, oldAddress } = row;
  const [ticked, tick] = useTick(row.done, onTick);
  const made = useMadeFocus(alias);
  return (
    <li className={ticked ? "is-done" : undefined}>
      <input
        type="checkbox"
        className="tick"
        aria-label={t("Address changed at {site}, {oldAddress}", { site, oldAddress })}
        checked={ticked}
        onChange={(event) => tick(event.target.checked)}
      />
      <Site site={site} id={id} />
      <span className="addr old">
        <span className="sr">{t("Old address:")}</span>
        {oldAddress}
      </span>
      <span className="new" ref={made}>
        {alias === null ? (
          <SubmitButton
            type="button"
            className="btn-sm"
            pending={isMaking}
            pendingLabel={t("Creating...")}
            label={isMaking ? undefined : t("Create alias for {site}", { site })}
            onClick={onMake}
          >
            <Plus className="i" aria-hidden />
            {t("Create alias")}
          </SubmitButton>
        ) : (
          <>
            <span className="addr">
              <span className="sr">{t("New alias:")}</span>
              <b>{alias}</b>
            </span>
            <IconButton
              icon={Copy}
              label={t("Copy")}
              fullLabel={t("Copy {alias}", { alias })}
              onClick={() => void copyText(alias)}
            />
          </>
        )}
      </span>
      <IconButton
        icon={X}
        className="remove"
        label={t("Take off the list")}
        fullLabel={t("Take {site} off the list", { site })}
        onClick={onRemove}
      />
    </li>
  );
}
