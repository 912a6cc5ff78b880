import type { EncryptionKeyWire } from "@kauke/contract";

/** Options of a select: "Off", or one of the account's encryption keys. */
export function KeyOptions({ keys }: { keys: readonly EncryptionKeyWire[] }) {
  return (
    <>
      <option value="off">Off</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          To {key.keyName}
        </option>
      ))}
    </>
  );
}
