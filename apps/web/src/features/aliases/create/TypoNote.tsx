import { CircleHelp } from "lucide-react";
import { useId, useState } from "react";
import { onUserChange } from "../../../api/session/session.ts";
import { rich, t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { entriesOf } from "../alias-text.ts";
import { suggestedAddress } from "./domain-typo.ts";

interface TypoQuestion {
  typed: string;
  meant: string;
  /** The form was submitted with the typo, so "Use It" gets the focus. */
  isAwaited: boolean;
}

/** Addresses confirmed as typed, until the page is left. */
const kept = new Set<string>();
onUserChange(() => kept.clear());

function questionAbout(text: string, destinations: readonly string[]): TypoQuestion | null {
  const known = destinations.map((destination) => destination.toLowerCase());
  for (const typed of entriesOf(text)) {
    if (kept.has(typed) || known.includes(typed.toLowerCase())) continue;
    const meant = suggestedAddress(typed);
    if (meant !== null) return { typed, meant, isAwaited: false };
  }
  return null;
}

/** @param known addresses that the account already uses, never asked about */
export function useTypoQuestion(known: readonly string[], onUse: (question: TypoQuestion) => void) {
  const [question, setQuestion] = useState<TypoQuestion | null>(null);
  return {
    question,
    ask: (text: string): void => setQuestion(questionAbout(text, known)),
    /** Asks about a typo; submitting again confirms the address. @returns whether the form has to wait */
    askFirst(text: string): boolean {
      if (question !== null) kept.add(question.typed);
      const found = questionAbout(text, known);
      setQuestion(found === null ? null : { ...found, isAwaited: true });
      return found !== null;
    },
    decide(isUsed: boolean): void {
      if (question === null) return;
      if (isUsed) onUse(question);
      else kept.add(question.typed);
      setQuestion(null);
    },
    drop: () => setQuestion(null),
  };
}

interface Props {
  question: TypoQuestion;
  onDecide: (isUsed: boolean) => void;
}

export function TypoNote({ question: { typed, meant, isAwaited }, onDecide }: Props) {
  const id = useId();
  return (
    <div className="note typo" role="group" aria-labelledby={id}>
      <CircleHelp className="i" aria-hidden />
      <div>
        <p id={id} role="status">
          {rich("Did you mean {address}?", { address: <b className="wrap-anywhere">{meant}</b> })}
        </p>
        <div className="acts">
          <Button
            isSmall
            look="ink"
            // A submitted form waits for this button.
            autoFocus={isAwaited}
            onClick={() => onDecide(true)}
          >
            {t("Use It")}
          </Button>
          <Button isSmall aria-label={t("Keep {typed}", { typed })} onClick={() => onDecide(false)}>
            {t("Keep")}
          </Button>
        </div>
      </div>
    </div>
  );
}
