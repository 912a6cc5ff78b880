/** What works on every page of a signed-in user. */
import { DecryptAnywhere } from "../../features/decrypt/DecryptAnywhere.tsx";
import { PaletteKeys } from "../../features/palette/PaletteKeys.tsx";

export function Anywhere() {
  return (
    <>
      <PaletteKeys />
      <DecryptAnywhere />
    </>
  );
}
