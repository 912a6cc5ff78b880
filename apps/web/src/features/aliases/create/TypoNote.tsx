import { CircleHelp } from "lucide-react";
import { useId } from "react";
import type { TypoQuestion } from "./use-typo-question.ts";

interface Props {
  question: TypoQuestion;
  onAnswer: (isUsed: boolean) => void;
}

/** Asks whether a typed mailbox address has a mistyped domain, and offers the corrected address. */
export function TypoNote({ question: { typed, meant, isAwaited }, onAnswer }: Props) {
  const id = useId();
  return (
    <div className="note typo" role="group" aria-labelledby={id}>
      <CircleHelp className="i" aria-hidden />
      <div>
        <p id={id} role="status">
          Did you mean <b className="wrap-anywhere">{meant}</b>?
        </p>
        <div className="acts">
          <button
            type="button"
            className="btn btn-ink btn-sm"
            // The submitted form waits for the answer to the question
            autoFocus={isAwaited}
            onClick={() => onAnswer(true)}
          >
            Use It
          </button>
          <button type="button" className="btn btn-sm" aria-label={`Keep ${typed}`} onClick={() => onAnswer(false)}>
            Keep
          </button>
        </div>
      </div>
    </div>
  );
}
