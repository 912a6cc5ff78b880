/** One alias: beside the list in a wide window, otherwise a sheet over it. */
import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Copy, Ellipsis, Pin, PinOff, QrCode, Send, TextCursor, Trash2, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Link } from "wouter";
import { deleteDraft } from "../../../drafts/drafts.ts";
import { t } from "../../../texts/texts.ts";
import { Button, IconButton, Switch } from "../../../ui/Controls.tsx";
import { Dialog } from "../../../ui/Dialog.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { dayText } from "../../../ui/text/time-text.ts";
import { useLeaving } from "../../../ui/use-leaving.ts";
import { useMedia } from "../../../ui/use-media.ts";
import { PartFailed, usePart } from "../../../ui/use-part.tsx";
import { SetUpState } from "../../forwarding/SetUpState.tsx";
import { NoticesPanel } from "../../notices/NoticesPanel.tsx";
import { closeAlias, findAliasLink } from "../alias-location.ts";
import { addressOf, isActive } from "../alias-text.ts";
import { deleteAliases } from "../delete-aliases.ts";
import { useSaveAlias } from "../row/AliasSettings.tsx";
import { RenameDialog } from "../row/RenameDialog.tsx";
import { switchAlias } from "../switch-alias.ts";
import { LabelsPart } from "./LabelsPart.tsx";
import { MadeByMailPart } from "./MadeByMailPart.tsx";
import { PanelFacts } from "./PanelFacts.tsx";
import { PanelFolds } from "./PanelFolds.tsx";
import { BESIDE, setEdited, usePanelState } from "./panel-state.ts";

interface MenuProps {
  alias: AliasWire;
  hasQr: boolean;
  onQr: () => void;
}

function MoreMenu({ alias, hasQr, onQr }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { save } = useSaveAlias(alias, alias.pinned ? t("Alias Unpinned") : t("Alias Pinned"));
  useLeaving(isOpen, ".panel-menu", () => setOpen(false));
  const act = (run: () => void) => () => {
    setOpen(false);
    button.current?.focus();
    run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    act(() => {})();
  };
  const PinIcon = alias.pinned ? PinOff : Pin;
  return (
    <div className="panel-menu" role="presentation" onKeyDown={onKeyDown}>
      <button
        type="button"
        className="icon-btn"
        ref={button}
        aria-label={t("More")}
        data-tip={t("More")}
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        <Ellipsis className="i" aria-hidden />
      </button>
      {isOpen ? (
        <div className="pop">
          <Button isSmall look="quiet" icon={PinIcon} onClick={act(() => save({ pinned: !alias.pinned }))}>
            {alias.pinned ? t("Unpin") : t("Pin")}
          </Button>
          <Button isSmall look="quiet" icon={QrCode} onClick={act(onQr)}>
            {hasQr ? t("Hide QR Code") : t("QR Code")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

const loadQr = async () => (await import("../../../ui/QrCode.tsx")).QrCode;

function Qr({ address }: { address: string }) {
  const { part, hasFailed } = usePart(true, loadQr);
  return (
    <div className="qr-box">
      {hasFailed ? <PartFailed what={t("The QR code")} /> : null}
      {part === null ? null : <part.component text={address} label={address} />}
    </div>
  );
}

function Lead({ alias }: { alias: AliasWire }) {
  const client = useQueryClient();
  const address = addressOf(alias);
  const active = isActive(alias);
  return (
    <div className="lead">
      <Button isSmall look="ink" icon={Copy} onClick={() => void copyText(address)}>
        {t("Copy Address")}
      </Button>
      <Link className="btn btn-sm" href={`/compose?from=${alias.id}`}>
        <Send className="i" aria-hidden />
        {t("Compose")}
      </Link>
      <div className="state-row">
        <span aria-hidden="true">{active ? t("Active") : t("Paused")}</span>
        <Switch
          checked={active}
          label={t("{address} forwards mail", { address })}
          onChange={(wanted) => void switchAlias(client, alias, wanted)}
        />
      </div>
      <SetUpState alias={alias} />
    </div>
  );
}

/** Deleting closes the panel first, since the alias leaves the list at once. */
function Foot({ alias }: { alias: AliasWire }) {
  const client = useQueryClient();
  const onDelete = () => {
    closeAlias();
    void deleteAliases(client, [alias]);
  };
  const [isRenaming, setRenaming] = useState(false);
  return (
    <footer>
      <Button isSmall look="quiet" icon={TextCursor} onClick={() => setRenaming(true)}>
        {t("Rename")}
      </Button>
      <button type="button" className="btn btn-sm btn-quiet del" onClick={onDelete}>
        <Trash2 className="i" aria-hidden />
        {t("Delete Alias")}
      </button>
      {isRenaming ? <RenameDialog alias={alias} onClose={() => setRenaming(false)} /> : null}
    </footer>
  );
}

interface ContentProps {
  alias: AliasWire;
  hasQr: boolean;
  hasFolds: boolean;
}

function Content({ alias, hasQr, hasFolds }: ContentProps) {
  return (
    <>
      <div className="scroll">
        {hasQr ? <Qr address={addressOf(alias)} /> : null}
        <Lead alias={alias} />
        <NoticesPanel aliasId={alias.id} />
        <MadeByMailPart alias={alias} />
        <PanelFacts alias={alias}>
          <LabelsPart alias={alias} />
        </PanelFacts>
        {hasFolds ? <PanelFolds alias={alias} /> : null}
      </div>
      <Foot alias={alias} />
    </>
  );
}

interface FrameProps {
  alias: AliasWire;
  menu: ReactNode;
  /** Gets the place for the panel's content. */
  slot: (place: HTMLElement | null) => void;
}

const titleOf = (alias: AliasWire) => (
  <>
    <b>{alias.alias}</b>@{alias.domain}
  </>
);

const createdText = ({ createdAt }: AliasWire) => t("Created {day}", { day: dayText(createdAt) });

/** Gets the focus when it opens, not when another alias takes it; gives it back to the alias' link in the list. */
function Beside({ alias, menu, slot }: FrameProps) {
  const own = useRef<HTMLElement>(null);
  const shown = useRef(alias.id);
  useEffect(() => {
    shown.current = alias.id;
  });
  useEffect(() => {
    const element = own.current;
    element?.focus({ preventScroll: true });
    return () => {
      const { activeElement } = document;
      const hadFocus = activeElement === document.body || element?.contains(activeElement) === true;
      if (hadFocus) findAliasLink(shown.current)?.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    // After React's own listeners: a form or menu in the panel closes first.
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isWithin = event.target instanceof Node && own.current?.contains(event.target) === true;
      if (event.key === "Escape" && !event.defaultPrevented && isWithin) closeAlias();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <section className="card panel" aria-label={addressOf(alias)} tabIndex={-1} ref={own}>
      <header>
        <h2 className="addr">{titleOf(alias)}</h2>
        {menu}
        <IconButton icon={X} label={t("Close")} onClick={closeAlias} />
        <p>{createdText(alias)}</p>
      </header>
      <div className="contents" ref={slot} />
    </section>
  );
}

function Sheet({ alias, menu, slot }: FrameProps) {
  const { editing } = usePanelState();
  return (
    <Dialog
      key={alias.id}
      look="sheet"
      title={titleOf(alias)}
      description={createdText(alias)}
      tools={menu}
      onClose={closeAlias}
      onEscape={() => {
        if (editing === null) return closeAlias();
        void deleteDraft("alias", alias.id);
        setEdited(null);
      }}
      returnTo={() => findAliasLink(alias.id)}
    >
      <div className="contents" ref={slot} />
    </Dialog>
  );
}

/** @returns an element that moves, with all that is typed or shown in it, from one frame to the other */
function useMovedBox() {
  const [box] = useState(() => {
    const made = document.createElement("div");
    made.className = "contents";
    return made;
  });
  const slot = useCallback((place: HTMLElement | null) => place?.append(box), [box]);
  return { box, slot };
}

export function AliasPanel({ alias }: { alias: AliasWire }) {
  const isBeside = useMedia(BESIDE);
  const [qrOf, setQrOf] = useState<string | null>(null);
  const { box, slot } = useMovedBox();
  const hasQr = qrOf === alias.id;
  // What is read and edited shows at once; what is folded away follows in a render of its own.
  const hasFolds = useDeferredValue(true, false);
  const menu = <MoreMenu key={alias.id} alias={alias} hasQr={hasQr} onQr={() => setQrOf(hasQr ? null : alias.id)} />;
  const Frame = isBeside ? Beside : Sheet;
  return (
    <>
      <Frame alias={alias} menu={menu} slot={slot} />
      {createPortal(<Content key={alias.id} {...{ alias, hasQr, hasFolds }} />, box)}
    </>
  );
}
