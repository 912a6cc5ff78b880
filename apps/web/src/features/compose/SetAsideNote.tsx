/** Drafts whose sending was undone while another message was being written; listed above the form. */
import { Undo2 } from "lucide-react";
import { useSyncExternalStore } from "react";
import { discardLetter, type Letter, readSetAside, subscribeToSetAside, swapLetter } from "./unsent-letter.ts";

export function SetAsideNote() {
  const letters = useSyncExternalStore(subscribeToSetAside, readSetAside);
  return letters.map((letter, index) => <Row key={`${index}-${letter.values.subject}`} letter={letter} />);
}

function Row({ letter }: { letter: Letter }) {
  const { subject, to } = letter.values;
  return (
    <div className="note note-plain set-aside">
      <Undo2 className="i" aria-hidden />
      <div>
        <b>{subject === "" ? "Message without a subject" : subject}</b>
        {to === "" ? "" : ` to ${to}`} is kept here and was not sent.
      </div>
      <div className="acts">
        <button type="button" className="btn btn-sm" onClick={() => swapLetter(letter)}>
          Open
        </button>
        <button type="button" className="btn btn-sm btn-quiet" onClick={() => discardLetter(letter)}>
          Discard
        </button>
      </div>
    </div>
  );
}
