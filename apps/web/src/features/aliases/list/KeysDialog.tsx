import { Button, Switch } from "../../../ui/Controls.tsx";
import { Dialog } from "../../../ui/Dialog.tsx";
import { setListKeys, useListKeysOn } from "./use-list-keys.ts";

const keys: readonly [keys: readonly string[], does: string][] = [
  [["/"], "Search"],
  [["n"], "New alias"],
  [["j", "k"], "Next and previous alias"],
  [["Enter"], "Open the alias"],
  [["x"], "Select the alias"],
  [["e"], "Edit the alias"],
  [["#"], "Delete the alias"],
  [["Ctrl Z"], "Undo"],
  [["Ctrl A"], "Select the page, then all"],
  [["Ctrl K"], "Jump to an alias or a page"],
  [["Esc"], "Close, or clear the selection"],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const isOn = useListKeysOn();
  return (
    <Dialog title="Keys" description="They work wherever you are not typing." onClose={onClose}>
      <div className="body">
        <dl className="key-list">
          {keys.map(([names, does]) => (
            <div key={does}>
              <dt>
                {names.map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div className="keys-switch">
          <span>Keys of one letter</span>
          <Switch checked={isOn} label="Keys of one letter" onChange={setListKeys} />
        </div>
      </div>
      <footer>
        <Button autoFocus onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
