import type { EncryptionKeyWire } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

/** Options of a select: "Off", or one of the account's encryption keys. */
export function KeyOptions({ keys }: { keys: readonly EncryptionKeyWire[] }) {
  return (
    <>
      <option value="off">{t("Off")}</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          {t("To {keyName}", { keyName: key.keyName })}
        </option>
      ))}
    </>
  );
}
