import { t } from "../../../texts/texts.ts";
import { Button, Switch } from "../../../ui/Controls.tsx";
import { Dialog } from "../../../ui/Dialog.tsx";
import { setListKeys, useListKeysOn } from "./use-list-keys.ts";

const keys: readonly [keys: readonly string[], does: string][] = [
  [["/"], t("Search")],
  [["n"], t("New alias")],
  [["j", "k"], t("Next and previous alias")],
  [["Enter"], t("Open the alias")],
  [["x"], t("Select the alias")],
  [["e"], t("Edit the alias")],
  [["#"], t("Delete the alias")],
  [[t("Ctrl Z")], t("Undo")],
  [[t("Ctrl A")], t("Select the page, then all")],
  [[t("Ctrl K")], t("Jump to an alias or a page")],
  [["Esc"], t("Close, or clear the selection")],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const isOn = useListKeysOn();
  return (
    <Dialog title={t("Keys")} description={t("They work wherever you are not typing.")} onClose={onClose}>
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
          <span>{t("Keys of one letter")}</span>
          <Switch checked={isOn} label={t("Keys of one letter")} onChange={setListKeys} />
        </div>
      </div>
      <footer>
        <Button autoFocus onClick={onClose}>
          {t("Done")}
        </Button>
      </footer>
    </Dialog>
  );
}
