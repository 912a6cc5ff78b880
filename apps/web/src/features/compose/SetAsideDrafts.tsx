/** List above the form of the drafts whose sending was undone while another message was being written. */
import { Undo2 } from "lucide-react";
import { Dialog } from "../../ui/Dialog.tsx";
import { type Draft, discardSetAside, openSetAside, useSetAside } from "./drafts.ts";

interface Props {
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation before Reset clears a draft. */
export function DiscardDraftDialog({ onConfirm, onClose }: Props) {
  const discard = () => {
    onConfirm();
    onClose();
  };
  return (
    <Dialog title="Discard this message?" description="What you have written will be deleted." onClose={onClose}>
      <footer>
        <button type="button" className="btn" onClick={onClose}>
          Keep writing
        </button>
        <button type="button" className="btn btn-danger" onClick={discard}>
          Discard
        </button>
      </footer>
    </Dialog>
  );
}

export function SetAsideDrafts() {
  const drafts = useSetAside();
  return drafts.map((draft, index) => <Row key={`${index}-${draft.values.subject}`} draft={draft} />);
}

function Row({ draft }: { draft: Draft }) {
  const { subject, to } = draft.values;
  return (
    <div className="note note-plain set-aside">
      <Undo2 className="i" aria-hidden />
      <div>
        <b>{subject === "" ? "Message without a subject" : subject}</b>
        {to === "" ? "" : ` to ${to}`} is kept here and was not sent.
      </div>
      <div className="acts">
        <button type="button" className="btn btn-sm" onClick={() => openSetAside(draft)}>
          Open
        </button>
        <button type="button" className="btn btn-sm btn-quiet" onClick={() => discardSetAside(draft)}>
          Discard
        </button>
      </div>
    </div>
  );
}
