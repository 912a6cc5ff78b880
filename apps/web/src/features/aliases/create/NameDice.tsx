import { type AliasFormat, aliasFormats } from "@kauke/contract";
import { ChevronDown, Dices } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { useGenerateName } from "../../../api/mailboxes.ts";
import { t } from "../../../texts/texts.ts";
import { refusalText } from "../../../ui/text/refusal-text.ts";
import { showFailure } from "../../../ui/toast-store.ts";
import { formatLabels, hostOf, siteWanted } from "./generated-format.ts";

interface Props {
  userId: string;
  name: string;
  domain: string;
  format: AliasFormat;
  hasSite: boolean;
  onName: (name: string) => void;
  /** Called when the chosen format needs a site, but the field is empty. */
  onSiteMissing: (message: string) => void;
}

function useShortcut(run: () => void): void {
  const onShortcut = useEffectEvent(run);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Where Alt changes the typed character, only the key's position says that G was pressed.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyG") return;
      if (document.querySelector(".shell[inert]") !== null) return;
      event.preventDefault();
      onShortcut();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function useDice({ userId, name, domain, onName, onSiteMissing }: Props) {
  const generate = useGenerateName(userId);
  /** Rolling again keeps the site of the first roll. */
  const last = useRef({ name: "", site: "" });
  const roll = (format: AliasFormat) => {
    if (generate.isPending) return;
    const site = name === last.current.name ? last.current.site : name.trim();
    if (format === "site" && site === "") return onSiteMissing(siteWanted);
    const hostname = format === "site" ? hostOf(site) : undefined;
    generate.mutate(
      { format, domain: domain || undefined, hostname },
      {
        onSuccess: ({ alias }) => {
          last.current = { name: alias, site };
          onName(alias);
        },
        onError: (error) => {
          const isLimited = error instanceof ApiError && error.rateLimited;
          const title = isLimited ? t("Rate Limit Exceeded") : t("No Name Generated");
          showFailure(title, refusalText(error, t("A name could not be generated. Please try again.")));
        },
      },
    );
  };
  return { roll, isRolling: generate.isPending };
}

export function NameDice(props: Props) {
  const { format, hasSite } = props;
  const [picked, setPicked] = useState<AliasFormat>();
  const { roll, isRolling } = useDice(props);
  const chosen = picked ?? format;
  useShortcut(() => roll(chosen));
  const offered = aliasFormats.filter((known) => known !== "site" || hasSite);
  const onFormat = (value: string) => {
    const wanted = offered.find((known) => known === value);
    if (wanted === undefined) return;
    setPicked(wanted);
    roll(wanted);
  };
  return (
    <span className="dice">
      <button
        type="button"
        className="icon-btn"
        aria-label={t("Generate a name")}
        aria-keyshortcuts="Alt+G"
        data-tip={t("Generate a name (Alt+G)")}
        aria-busy={isRolling}
        onClick={() => roll(chosen)}
      >
        <Dices className="i" aria-hidden />
      </button>
      <span className="dice-format" data-tip={t("Format of generated names")}>
        <select
          aria-label={t("Format of generated names")}
          value={chosen}
          onChange={(event) => onFormat(event.target.value)}
        >
          {offered.map((known) => (
            <option key={known} value={known}>
              {formatLabels[known]}
            </option>
          ))}
        </select>
        <ChevronDown className="i" aria-hidden />
      </span>
    </span>
  );
}
