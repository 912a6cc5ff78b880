/** The first steps of a new account, above the form; gone for good once they are done or hidden. */
import type { AliasWire } from "@kauke/contract";
import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { useListedAliases } from "../../api/aliases.ts";
import { messageOf } from "../../api/error-text.ts";
import { useFirstSteps, useHideFirstSteps, useTestMessage } from "../../api/first-steps.ts";
import { useMailboxes } from "../../api/mailboxes.ts";
import { t } from "../../texts/texts.ts";
import { IconButton } from "../../ui/Controls.tsx";
import { useFocusKept } from "../../ui/use-focus-kept.ts";
import { countDone, nameOfAlias, progressOf, type StepsProgress, stagesText, summaryOf, troubleOf } from "./steps.ts";

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  isNext: boolean;
  children: ReactNode;
}

function Step({ number, title, isDone, isNext, children }: StepProps) {
  return (
    <li className={isDone ? "is-done" : isNext ? "is-next" : undefined} aria-current={isNext ? "step" : undefined}>
      <b>
        {isDone ? <Check className="i" aria-label={t("Done:")} role="img" /> : <span className="n">{number}</span>}
        {title}
      </b>
      <div>{children}</div>
    </li>
  );
}

const PreviewLink = () => (
  <Link className="link" href="/preview">
    {t("Open the preview inbox")}
  </Link>
);

interface TestProps {
  userId: string;
  alias: AliasWire | null;
  isDone: boolean;
  isPreview: boolean;
}

/** Sends the test and says how far it came. */
function TestStep({ userId, alias, isDone, isPreview }: TestProps) {
  const { stages, send, isPending, error } = useTestMessage(userId);
  const trouble = error === null ? troubleOf(stages) : messageOf(error, t("The test could not be sent."));
  const isArrived = isDone || stages.some(({ name, state }) => name === "delivered" && state === "done");
  if (alias === null && !isArrived) return <>{t("To an alias that is active.")}</>;
  const name = alias === null ? "" : nameOfAlias(alias);
  return (
    <>
      <span role="status">
        {stages.length === 0 ? null : <span className="stages">{stagesText(stages)}.</span>}
        {trouble === null ? null : <span className="trouble">{trouble}</span>}
      </span>
      {isArrived ? (
        isPreview ? (
          <PreviewLink />
        ) : stages.length === 0 ? (
          t("The first message came.")
        ) : null
      ) : isPending || alias === null ? null : (
        <button type="button" className="link" onClick={() => send(alias.id)}>
          {trouble === null ? t("Send a test to {name}", { name }) : t("Send another test")}
        </button>
      )}
    </>
  );
}

function confirmText({ done: [, hasMail, isConfirmed], asked }: StepsProgress): string {
  if (isConfirmed) return t("Your mail comes without limits.");
  if (asked !== null) return t("Press the button in our message to {asked}.", { asked });
  return hasMail ? t("The question comes with the next message.") : t("A link comes with the first message.");
}

interface StripProps {
  userId: string;
  progress: StepsProgress;
  isPreview: boolean;
  onHide: () => void;
}

function Strip({ userId, progress, isPreview, onHide }: StripProps) {
  const id = useId();
  useFocusKept(id);
  const { done, alias, asked } = progress;
  const next = done.indexOf(false);
  const newest = alias === null ? null : `${alias.alias}@${alias.domain}`;
  return (
    <section className="card first-steps" aria-labelledby={id}>
      <div>
        <h2 id={id} tabIndex={-1}>
          {t("Get started")}
        </h2>
        <p aria-live="polite">{summaryOf(progress)}</p>
      </div>
      <ol>
        <Step number={1} title={t("Create an alias")} isDone={done[0]} isNext={next === 0}>
          {newest ?? t("One for each site or person.")}
        </Step>
        <Step number={2} title={t("Send yourself a message")} isDone={done[1]} isNext={next === 1}>
          <TestStep {...{ userId, alias, isPreview }} isDone={done[1]} />
        </Step>
        <Step number={3} title={t("Confirm your mailbox")} isDone={done[2]} isNext={next === 2}>
          {isPreview && asked !== null && !done[2] ? <PreviewLink /> : confirmText(progress)}
        </Step>
      </ol>
      <IconButton icon={X} label={t("Hide these steps")} onClick={onHide} />
    </section>
  );
}

/** Whether the steps were open when the page had loaded; they then stay until it is left. */
function useShown(isLoaded: boolean, isOpen: boolean): boolean {
  const [wasOpen, setOpen] = useState<boolean | null>(null);
  if (wasOpen === null && isLoaded) setOpen(isOpen);
  return wasOpen ?? false;
}

/** Leaves room while it loads, unless the account has hidden the steps. */
export function FirstStepsStrip({ userId, isHidden }: { userId: string; isHidden: boolean }) {
  return isHidden ? null : <LoadedSteps userId={userId} />;
}

function LoadedSteps({ userId }: { userId: string }) {
  const { data: steps, isError } = useFirstSteps();
  const { data: aliases } = useListedAliases(userId);
  const { data: mailboxes } = useMailboxes();
  const isLoaded = steps !== undefined && aliases !== undefined && mailboxes !== undefined;
  const progress = isLoaded ? progressOf({ steps, aliases, mailboxes }) : null;
  const isOver = progress !== null && countDone(progress) === progress.done.length;
  const [isClosed, setClosed] = useState(false);
  const isShown = useShown(isLoaded, !isOver && steps?.isHidden === false) && !isClosed;
  const hide = useHideFirstSteps();
  const isToHide = isOver && steps?.isHidden === false;
  const hasHidden = useRef(false);
  useEffect(() => {
    if (!isToHide || hasHidden.current) return;
    hasHidden.current = true;
    hide();
  }, [isToHide, hide]);
  if (progress === null) return isError ? null : <div className="card first-steps" aria-hidden="true" />;
  if (!isShown) return null;
  const onHide = () => {
    setClosed(true);
    hide();
    document.querySelector("main")?.focus({ preventScroll: true });
  };
  return <Strip {...{ userId, progress, onHide }} isPreview={steps?.isPreview === true} />;
}
