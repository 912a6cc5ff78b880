import type { NoticeWire } from "@kauke/contract";
import { Check, TriangleAlert, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../api/error-text.ts";
import { useDismissNotice, useNotices } from "../../api/notices.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { RetryButton } from "../../ui/LoadFailed.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { showFailure } from "../../ui/toast-store.ts";

const SHOWN = 3;

const titles: Record<NoticeWire["kind"], string> = {
  delivery_failed: t("Mail not delivered"),
  not_confirmed: t("Mail waits for confirmation"),
  not_yours: t("Mailbox refused"),
  not_sealed: t("Mail waits to be encrypted"),
  mailbox_suspended: t("Mailbox suspended"),
  complaint: t("Mail marked as spam"),
  answer_not_sent: t("Message not sent"),
  appear_flood: t("Many unknown names"),
  domain_failing: t("Records of a domain are missing"),
  domain_suspended: t("Domain paused"),
  domain_closed: t("Domain closed"),
  domain_claimed: t("Domain claimed by another account"),
  domain_healed: t("Domain works again"),
  first_proof: t("Your e-mail was proven"),
};

function Notice({ notice, onDismiss }: { notice: NoticeWire; onDismiss: () => void }) {
  const text = said(notice.text);
  const Icon = notice.kind === "domain_healed" ? Check : TriangleAlert;
  return (
    <li className="note notice">
      <Icon className="i" aria-hidden />
      <div className="min-w-0 flex-1">
        <b>{titles[notice.kind]}</b> <time dateTime={notice.createdAt}>{timeText(notice.createdAt)}</time>
        <br />
        {text}
      </div>
      <IconButton
        icon={X}
        label={t("Dismiss")}
        fullLabel={t("Dismiss: {notice}", { notice: text })}
        onClick={onDismiss}
      />
    </li>
  );
}

/** Gets the focus when no notice is left: the open dialog or the page, one of which contains the notices. */
const findOutside = (): HTMLElement | null =>
  document.querySelector<HTMLElement>(".scrim:not([inert]) > [role=dialog]") ?? document.querySelector("main");

/** The focused button disappears with its notice: the focus goes to the next one, the last, or the page. */
function useNextFocus(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const [next, setNext] = useState<{ place: number } | null>(null);
  useEffect(() => {
    if (next === null) return;
    const buttons = list.current?.querySelectorAll("button") ?? [];
    (buttons[Math.min(next.place, buttons.length - 1)] ?? findOutside())?.focus();
  }, [next]);
  return { list, focusNext: (place: number) => setNext({ place: Math.min(place, count) }) };
}

function NoticesFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="notices" role="alert">
      <div className="note">
        <TriangleAlert className="i" aria-hidden />
        <p className="min-w-0 flex-1">{t("Your notices could not be loaded.")}</p>
        <RetryButton isSmall onRetry={onRetry} />
      </div>
    </div>
  );
}

/** @param aliasId by default all notices are shown */
export function NoticesPanel({ aliasId }: { aliasId?: string }) {
  const { data: all = [], error, isFetching, refetch } = useNotices();
  const notices = aliasId === undefined ? all : all.filter((notice) => notice.aliasId === aliasId);
  const dismiss = useDismissNotice();
  const [isWhole, setIsWhole] = useState(false);
  const { list, focusNext } = useNextFocus(notices.length);
  if (error !== null && notices.length === 0 && !isFetching) return <NoticesFailed onRetry={() => void refetch()} />;
  if (notices.length === 0) return null;
  const onDismiss = (notice: NoticeWire) => {
    focusNext(notices.indexOf(notice));
    dismiss.mutate(notice.id, {
      onError: (error) => showFailure(t("Dismissal Failed"), messageOf(error, t("Failed to dismiss the notice"))),
    });
  };
  const onShowAll = () => {
    setIsWhole(true);
    focusNext(SHOWN);
  };
  return (
    <section className="notices" aria-label={t("Notices")}>
      <ul ref={list}>
        {(isWhole ? notices : notices.slice(0, SHOWN)).map((notice) => (
          <Notice key={notice.id} notice={notice} onDismiss={() => onDismiss(notice)} />
        ))}
      </ul>
      {notices.length > SHOWN && !isWhole ? (
        <Button isSmall onClick={onShowAll}>
          {t("Show all {count} notices", { count: notices.length })}
        </Button>
      ) : null}
    </section>
  );
}
