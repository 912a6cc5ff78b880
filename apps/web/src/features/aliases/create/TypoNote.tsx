import { CircleHelp } from "lucide-react";
import { useId } from "react";
import type { TypoQuestion } from "./use-typo-question.ts";

interface Props {
  question: TypoQuestion;
  onAnswer: (isUsed: boolean) => void;
}

/** Asks whether a mailbox with a similar, well-known domain was meant instead of the one typed. */
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
            // The form was submitted and waits for the answer
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
