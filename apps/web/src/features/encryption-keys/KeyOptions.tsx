import type { EncryptionKeyWire } from "@kauke/contract";

/** Plain text, or encrypted to one of these keys. */
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
