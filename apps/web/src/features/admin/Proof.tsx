import type { MailProbeWire } from "@kauke/contract";
import { Copy } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useId, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useJudgeProbe, useMailProbe, useStartProbe } from "../../api/admin.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { describedBy, FieldError, verbatim } from "../../ui/Field.tsx";
import { failureOf, LoadFailed } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { NeedsEngine, useForwarding } from "../forwarding/NeedsEngine.tsx";
import { LoadingRows, Sentences, StateMark, Time, VerdictMark } from "./AdminParts.tsx";
import { arrivalLines, judgementLines, type ProbeLine, probeHeadline, replyLines } from "./probe-lines.ts";

/** For a return by the list of sections, whose link does not name the probe. */
let lastProbeId: string | null = null;

/** The running probe is in the address, so that it survives a reload on a phone that switched to its mail app. */
function useProbeId(): [id: string | null, set: (id: string) => void] {
  const [path, navigate] = useLocation();
  const shown = new URLSearchParams(useSearch()).get("probe");
  const show = (id: string) => navigate(`${path}?section=proof&probe=${id}`, { replace: true });
  useEffect(() => {
    if (shown !== null) lastProbeId = shown;
    else if (lastProbeId !== null) show(lastProbeId);
  });
  return [shown ?? lastProbeId, show];
}

function StartButton({ label, look, onStarted }: { label: string; look: string; onStarted: (id: string) => void }) {
  const start = useStartProbe();
  const onStart = () =>
    start.mutate(undefined, {
      onSuccess: ({ id }) => onStarted(id),
      onError: (error) => showFailure(t("Not Started"), refusalText(error, t("The proof could not be started."))),
    });
  return (
    <SubmitButton
      type="button"
      className={look}
      pending={start.isPending}
      pendingLabel={t("Starting...")}
      onClick={onStart}
    >
      {label}
    </SubmitButton>
  );
}

function Invitation({ onStarted }: { onStarted: (id: string) => void }) {
  return (
    <section className="card proof-start" aria-label={t("Start")}>
      <h3>{t("Does mail work?")}</h3>
      <p>
        {t(
          "You get an address. Write to it from your own mailbox, at a large provider if you have one, and reply to what comes back. Meanwhile this page tells whether mail arrives, whether it is encrypted, and what the other side thinks of yours. It takes two minutes.",
        )}
      </p>
      <StartButton label={t("Start Proof")} look="btn-primary" onStarted={onStarted} />
      <p className="hint">{t("Only the results are kept, for a day: no address and no text.")}</p>
    </section>
  );
}

function Line({ line: { mark, title, value, text } }: { line: ProbeLine }) {
  return (
    <li className={mark === "wait" ? "is-waiting" : undefined}>
      <StateMark mark={mark} />
      <div>
        <h4>
          {title} {value === undefined ? null : <span className="addr">{value}</span>}
        </h4>
        {text === undefined ? null : (
          <p>
            <Sentences text={text} />
          </p>
        )}
      </div>
    </li>
  );
}

interface StepProps {
  title: string;
  lines: readonly ProbeLine[];
  children?: ReactNode;
}

function Step({ title, lines, children }: StepProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h3 id={id}>{title}</h3>
      </div>
      {children}
      <ul className="checks" aria-labelledby={id}>
        {lines.map((line) => (
          <Line key={line.title} line={line} />
        ))}
      </ul>
    </section>
  );
}

function Address({ address }: { address: string }) {
  return (
    <div className="probe-address">
      <p>{t("Send one message from your own mailbox to this address. Subject and text do not matter.")}</p>
      <div>
        <code>{address}</code>
        <Button look="primary" icon={Copy} onClick={() => void copyText(address)}>
          {t("Copy Address")}
        </Button>
      </div>
    </div>
  );
}

const nothingJudged = t(
  "Nothing in it says how our SPF, DKIM and DMARC were judged. Copy the header of our message whole.",
);

function HeaderForm({ probeId }: { probeId: string }) {
  const id = useId();
  const judge = useJudgeProbe(probeId);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (judge.isPending) return;
    if (typed.trim() === "") return setError(t("Paste the header of our message here."));
    judge.mutate(
      { headers: typed },
      {
        onSuccess: ({ ours }) => setError(ours === null ? nothingJudged : undefined),
        onError: (failure) => setError(refusalText(failure, t("The header could not be read. Please try again."))),
      },
    );
  };
  return (
    <form className="probe-form" onSubmit={onSubmit} noValidate>
      <div className="field">
        <label htmlFor={id}>{t("Header of our message")}</label>
        <textarea
          className="input mono"
          id={id}
          rows={4}
          placeholder={t("Authentication-Results: …")}
          {...verbatim}
          {...describedBy(`${id}-error`, error)}
          value={typed}
          onChange={(event) => {
            setError(undefined);
            setTyped(event.target.value);
          }}
        />
        <FieldError id={`${id}-error`}>{error}</FieldError>
        <p className="hint">
          {t(
            "Your reply often brings this along by itself. If not: in your mailbox open our message and choose “Show original” (Gmail), “View source” or “View headers”, and copy it all.",
          )}
        </p>
      </div>
      <SubmitButton pending={judge.isPending} pendingLabel={t("Reading...")}>
        {t("Read Header")}
      </SubmitButton>
    </form>
  );
}

function SpamQuestion({ probeId }: { probeId: string }) {
  const id = useId();
  const judge = useJudgeProbe(probeId);
  const onChoose = (inSpam: boolean) =>
    judge.mutate(
      { inSpam },
      { onError: (error) => showFailure(t("Not Saved"), refusalText(error, t("That could not be saved."))) },
    );
  return (
    <div className="probe-question" role="group" aria-labelledby={id}>
      <span id={id}>{t("Did our message lie in the spam folder?")}</span>
      <div>
        <Button isSmall aria-disabled={judge.isPending || undefined} onClick={() => onChoose(false)}>
          {t("No, in the Inbox")}
        </Button>
        <Button isSmall aria-disabled={judge.isPending || undefined} onClick={() => onChoose(true)}>
          {t("Yes, in Spam")}
        </Button>
      </div>
    </div>
  );
}

function Headline({ probe, isOver, children }: { probe: MailProbeWire; isOver: boolean; children: ReactNode }) {
  const { mark, title, text } = probeHeadline(probe, isOver);
  return (
    <section className="card" aria-label={t("Result")}>
      <div className="verdict">
        <VerdictMark mark={mark} />
        <div role="status">
          <h3>{title}</h3>
          <p>{rich("{text} Started at {time}.", { text, time: <Time iso={probe.startedAt} /> })}</p>
        </div>
        {children}
      </div>
      {probe.arrived === null && !isOver ? <Address address={probe.address} /> : null}
    </section>
  );
}

function Probe({ probe, onStarted }: { probe: MailProbeWire; onStarted: (id: string) => void }) {
  const [now] = useState(() => Date.now());
  const isOver = Date.parse(probe.expiresAt) <= now;
  const isJudged = probe.answer === "taken" && !isOver;
  const isHeaderMissing = probe.ours === null || Object.values(probe.ours).includes("unknown");
  return (
    <>
      <Headline probe={probe} isOver={isOver}>
        {probe.arrived === null && !isOver ? null : (
          <StartButton label={t("Start Over")} look="" onStarted={onStarted} />
        )}
      </Headline>
      <Step title={t("1. Your message")} lines={arrivalLines(probe, isOver)} />
      <Step title={t("2. Our reply, and yours to it")} lines={replyLines(probe)} />
      <Step title={t("3. What the other side thinks of our mail")} lines={judgementLines(probe)}>
        {isJudged && probe.inSpam === null ? <SpamQuestion probeId={probe.id} /> : null}
        {isJudged && isHeaderMissing ? <HeaderForm probeId={probe.id} /> : null}
      </Step>
    </>
  );
}

/** The proof's message would come to the provider, not here. */
export function ProofSection() {
  const provider = useForwarding();
  if (provider === null) return <OwnProof />;
  return (
    <section className="card proof-start" aria-label={t("Start")}>
      <h3>{t("Does mail work?")}</h3>
      <NeedsEngine provider={provider} />
      <p>
        {rich(
          "Write to one of your aliases from another mailbox instead, and see it arrive. <code>kauke provider check</code> compares the aliases here with those there.",
          { code: (inner) => <code>{inner}</code> },
        )}
      </p>
    </section>
  );
}

function OwnProof() {
  const [id, setId] = useProbeId();
  const query = useMailProbe(id);
  const failure = failureOf(query);
  if (id === null) return <Invitation onStarted={setId} />;
  if (query.data !== undefined) return <Probe probe={query.data} onStarted={setId} />;
  if (failure !== null)
    return (
      <div className="card">
        <LoadFailed title={t("This proof could not be loaded")} error={failure} onRetry={query.refetch} />
        <div className="card-foot">
          <p className="hint">{t("A proof is kept for a day.")}</p>
          <StartButton label={t("Start a New One")} look="btn-primary" onStarted={setId} />
        </div>
      </div>
    );
  return (
    <div className="card" aria-busy>
      <LoadingRows />
    </div>
  );
}
