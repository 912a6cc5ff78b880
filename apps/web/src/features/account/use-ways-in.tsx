/** Changes one sign-in method at a time, after a fresh sign-in if required. Resumes after the issuer's redirect. */
import { googleLinkedHash, provenHash, type SignInWire, type WaysInAction, waysInActions } from "@kauke/contract";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { isProofNeeded, useLinkGoogle, useLinkWallet } from "../../api/session/ways-in.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { showGoogleFailure } from "../auth/google-failure.ts";
import { useWalletAction, walletFailureText } from "../wallet/use-wallet-action.tsx";
import { ProveDialog } from "./ProveDialog.tsx";
import { ChangeEmailDialog, RemoveWayDialog } from "./WayDialogs.tsx";

interface Given {
  ways: SignInWire;
  /** When `freshForSeconds` arrived, in milliseconds of `Date.now()`. */
  loadedAt: number;
  reload(): Promise<SignInWire | undefined>;
}

interface WaysIn {
  start(action: WaysInAction): void;
  linking: "wallet" | "google" | null;
  giveUpWallet(): void;
  dialogs: ReactNode;
}

interface Waiting {
  action: WaysInAction;
  run(): void;
}

export function useWaysIn({ ways, loadedAt, reload }: Given): WaysIn {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [open, setOpen] = useState<WaysInAction | null>(null);
  const linkGoogle = useLinkGoogle();
  const onRefused = (error: Error, { action, run }: Waiting, words: string) =>
    isProofNeeded(error) ? setWaiting({ action, run }) : showFailure(t("Not Linked"), words);
  const wallet = useWalletAction(useLinkWallet(), {
    onSuccess: () => showToast({ title: t("Wallet Linked"), description: t("You can sign in with it from now on.") }),
    onError: (error) => onRefused(error, { action: "link-wallet", run: () => wallet.begin() }, linkFailure(error)),
  });
  const runGoogle = () =>
    linkGoogle.mutate(undefined, {
      onError: (error) =>
        onRefused(error, { action: "link-google", run: runGoogle }, messageOf(error, t("Please try again."))),
    });
  const run = (action: WaysInAction) => {
    if (action === "link-wallet") wallet.begin();
    else if (action === "link-google") runGoogle();
    else setOpen(action);
  };
  const start = (action: WaysInAction) => {
    if (isFreshSignIn(ways.freshForSeconds, { loadedAt, now: Date.now() })) run(action);
    else setWaiting({ action, run: () => run(action) });
  };
  useIssuerRedirect(run);
  const checkFresh = async () => ((await reload())?.freshForSeconds ?? 0) > 0;
  const onProven = () => {
    setWaiting(null);
    waiting?.run();
  };
  const onProofNeeded = (action: WaysInAction) => (again: () => void) => setWaiting({ action, run: again });
  const close = () => setOpen(null);
  const dialogs = (
    <>
      {open === "change-email" ? (
        <ChangeEmailDialog email={ways.email} onProofNeeded={onProofNeeded(open)} onClose={close} />
      ) : null}
      {open === "unlink-wallet" || open === "unlink-google" ? (
        <RemoveWayDialog
          way={open === "unlink-wallet" ? "wallet" : "google"}
          onProofNeeded={onProofNeeded(open)}
          onClose={close}
        />
      ) : null}
      {waiting === null ? null : (
        <ProveDialog action={waiting.action} onClose={() => setWaiting(null)} {...{ ways, checkFresh, onProven }} />
      )}
      {wallet.choice}
    </>
  );
  // Linking stays pending after success, because the browser is leaving the page.
  const isLeaving = linkGoogle.isPending || linkGoogle.isSuccess;
  const linking = wallet.isPending ? "wallet" : isLeaving ? "google" : null;
  return { start, linking, giveUpWallet: wallet.giveUp, dialogs };
}

/** Why a wallet was not linked; an invalid signature has a text of its own. */
function linkFailure(error: Error): string {
  return error instanceof ApiError && error.code !== "wallet_unproven" ? said(error.message) : walletFailureText(error);
}

/** Resumes a change after the issuer's redirect. Removes the hash, so that a reload doesn't repeat it. */
function useIssuerRedirect(resume: (action: WaysInAction) => void): void {
  const onReturn = useEffectEvent(() => {
    showGoogleFailure();
    const { hash, pathname } = window.location;
    const action = provenActionIn(hash);
    if (action === null && hash !== googleLinkedHash) return;
    window.history.replaceState(window.history.state, "", pathname);
    if (action !== null) resume(action);
    else showToast({ title: t("Google Linked"), description: t("You can sign in with it from now on.") });
  });
  useEffect(() => onReturn(), []);
}

/** The page calls a sign-in stale this much earlier than the server: typing takes time. */
const MARGIN_MS = 30_000;

/** @param loadedAt when `freshForSeconds` arrived, in ms of `Date.now()` */
export function isFreshSignIn(freshForSeconds: number, { loadedAt, now }: { loadedAt: number; now: number }): boolean {
  return loadedAt + freshForSeconds * 1000 - now > MARGIN_MS;
}

/** @param hash e.g. `#signed-in-for-change-email` */
export function provenActionIn(hash: string): WaysInAction | null {
  return waysInActions.find((action) => provenHash(action) === hash) ?? null;
}
