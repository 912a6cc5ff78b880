import { expect, test } from "vitest";
import { isConfirmed } from "./TypedConfirmDialog.tsx";

test("only the whole word confirms, in any case", () => {
  for (const word of ["DELETE", "delete", "Delete "]) expect(isConfirmed(word)).toBe(true);
  for (const word of ["", "DELE", "DELETED", "yes"]) expect(isConfirmed(word)).toBe(false);
});
