/** Buttons in the name field: one fills in a generated name, one chooses the format of generated names. */
import { type AliasFormat, aliasFormats } from "@kauke/contract";
import { ChevronDown, Dices } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { useGenerateName } from "../../../api/mailboxes.ts";
import { refusalText } from "../../../ui/text/refusal-text.ts";
import { showFailure } from "../../../ui/toast-store.ts";
import { formatLabels, hostOf, siteWanted } from "./generated-format.ts";

interface Props {
  userId: string;
  /** Text that is in the form's name field. */
  name: string;
  domain: string;
  /** The account's default format of generated names. */
  format: AliasFormat;
  /** Whether the account may use names that begin with a site's name. */
  hasSite: boolean;
  onName: (name: string) => void;
  /** Called instead of generating a name if the format needs the name of a site and the field is empty. */
  onSiteMissing: (message: string) => void;
}

/** Runs the function at Alt+G, wherever the focus is, unless a dialog is open. */
function useShortcut(run: () => void): void {
  const onShortcut = useEffectEvent(run);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // On keyboards where Alt changes the typed character, only the key's position tells that it was G.
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
  /** The last generated name and the site it was made for; rolling again keeps that site. */
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
          const title = isLimited ? "Rate Limit Exceeded" : "No Name Generated";
          showFailure(title, refusalText(error, "A name could not be generated. Please try again."));
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
        aria-label="Generate a name"
        aria-keyshortcuts="Alt+G"
        data-tip="Generate a name (Alt+G)"
        aria-busy={isRolling}
        onClick={() => roll(chosen)}
      >
        <Dices className="i" aria-hidden />
      </button>
      <span className="dice-format" data-tip="Format of generated names">
        <select
          aria-label="Format of generated names"
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
