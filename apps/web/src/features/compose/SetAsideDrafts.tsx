/** Messages that were undone while another message was being written. */
import { Undo2 } from "lucide-react";
import { Button } from "../../ui/Controls.tsx";
import { type ComposeDraft, discardSetAside, openSetAside, useSetAside } from "./drafts.ts";

export function SetAsideDrafts() {
  const drafts = useSetAside();
  return drafts.map((draft, index) => <Row key={`${index}-${draft.values.subject}`} draft={draft} />);
}

function Row({ draft }: { draft: ComposeDraft }) {
  const { subject, to } = draft.values;
  return (
    <div className="note note-plain set-aside">
      <Undo2 className="i" aria-hidden />
      <div>
        <b>{subject === "" ? "Message without a subject" : subject}</b>
        {to === "" ? "" : ` to ${to}`} is kept here and was not sent.
      </div>
      <div className="acts">
        <Button isSmall onClick={() => openSetAside(draft)}>
          Open
        </Button>
        <Button isSmall look="quiet" onClick={() => discardSetAside(draft)}>
          Discard
        </Button>
      </div>
    </div>
  );
}
