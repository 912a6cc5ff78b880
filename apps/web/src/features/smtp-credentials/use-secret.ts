/**
 * State of a password or secret that can be revealed for half a minute: hidden, loading or revealed. It exists only in
 * this component's state, and is gone when the panel closes.
 */
import { secretTimes } from "@kauke/contract";
import { useCallback, useState } from "react";
import { copySecret } from "../../ui/text/copy-text.ts";

export interface Revealed {
  secret: string;
  /** Whether the secret was just created, so that it must be copied before it is hidden. */
  isNew: boolean;
  /** When the revealed secret is hidden again, in milliseconds of `Date.now()`. */
  until: number;
}

type Work = "view" | "copy" | "renew" | "create" | "delete";

export function useSecret() {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const [busy, setBusy] = useState<Work | null>(null);
  const [heldFocus, setHeldFocus] = useState(false);
  const hide = useCallback((hadFocus = false) => {
    setHeldFocus(hadFocus);
    setRevealed(null);
  }, []);
  const show = (secret: string, isNew: boolean) =>
    setRevealed({ secret, isNew, until: Date.now() + secretTimes.visibleMs });
  /**
   * Runs an operation. `busy` names it meanwhile and disables the other buttons, so that no late response reveals a
   * password that has since been replaced.
   */
  const during = async <Result>(work: Work, run: () => Promise<Result>): Promise<Result> => {
    setBusy(work);
    try {
      return await run();
    } finally {
      setBusy(null);
    }
  };
  return {
    revealed,
    busy,
    /** Whether the revealed secret had the focus when it was hidden; the View button then gets the focus. */
    heldFocus,
    hide,
    during,
    view: (read: () => Promise<string>) => during("view", async () => show(await read(), false)),
    /**
     * Copies the secret, or reveals it if that fails, so that it can be copied by hand.
     * @param named its name for the toast
     * @returns whether the secret is now in the clipboard
     */
    copy: (read: () => Promise<string>, named: string) =>
      during("copy", async () => {
        const secret = read();
        const isCopied = await copySecret(secret, named, (text) => {
          show(text, false);
          // The page shows it by the next frame
          return new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
        });
        await secret;
        return isCopied;
      }),
    /** Creates a new secret; the one revealed before is hidden, because it no longer works. */
    renew: (make: () => Promise<string>, work: "renew" | "create" = "renew") =>
      during(work, async () => {
        hide();
        show(await make(), true);
      }),
  };
}

export type Secret = ReturnType<typeof useSecret>;
