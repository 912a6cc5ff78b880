/** Sets up a mail program with the credentials: a test of the connection, and a profile for Apple's programs. */
import type { ResponseOf, SmtpConnectionTest } from "@kauke/contract";
import { CircleCheck, Copy, EyeOff, PlugZap, Smartphone, TriangleAlert } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import type { useSmtpCalls } from "../../api/smtp-credentials.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { copySecret } from "../../ui/text/copy-text.ts";
import { timeText } from "../../ui/text/time-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { PartFailed, usePart } from "../../ui/use-part.tsx";
import { isOutdated, secretFailure } from "./use-secret.ts";

type Profile = ResponseOf<"createMailProfile">;
type Stage = {
  [Name in keyof SmtpConnectionTest]: readonly [Name, SmtpConnectionTest[Name]];
}[keyof SmtpConnectionTest];
type Told = { isGood: boolean; text: string };

const good = (text: string): Told => ({ isGood: true, text });
const bad = (text: string): Told => ({ isGood: false, text });

const told: { readonly [Name in keyof SmtpConnectionTest]: Record<NonNullable<SmtpConnectionTest[Name]>, Told> } = {
  name: {
    found: good(t("The server's name is in DNS.")),
    missing: bad(t("The server's name is not in DNS, so no mail program finds it.")),
    unknown: bad(t("DNS did not respond, so the server's name could not be looked up.")),
  },
  connection: {
    open: good(t("The server takes connections.")),
    closed: bad(t("The server's port does not respond.")),
    no_greeting: bad(t("The server has no room for another connection now.")),
  },
  certificate: {
    valid: good(t("Its certificate is valid.")),
    other_name: bad(t("Its certificate is for another name, so mail programs refuse it.")),
    expired: bad(t("Its certificate has expired, so mail programs refuse it.")),
    self_signed: bad(t("Its certificate is self-signed, so mail programs refuse it or ask.")),
    untrusted: bad(t("Its certificate can't be verified, so mail programs refuse it.")),
  },
  signIn: {
    accepted: good(t("Signing in works.")),
    refused: bad(t("User name and password were refused.")),
    paused: bad(t("The alias is paused, so nobody can sign in.")),
    later: bad(t("The server asks to try signing in again later.")),
  },
};

function Stages({ result }: { result: SmtpConnectionTest }) {
  const stages = (["name", "connection", "certificate", "signIn"] as const).map(
    (name) => [name, result[name]] as Stage,
  );
  return (
    <div className="stages" role="status">
      <ul>
        {stages.map(([name, value]) => {
          if (value === null) return null;
          const { isGood, text } = (told[name] as Record<string, Told>)[value] ?? bad(value);
          const Icon = isGood ? CircleCheck : TriangleAlert;
          return (
            <li key={name} className={isGood ? "is-good" : "is-bad"}>
              <Icon className="i" aria-hidden />
              {text}
            </li>
          );
        })}
      </ul>
      <p>{t("Tested from the server itself: it can't see whether your own network lets you through.")}</p>
    </div>
  );
}

const loadQr = async () => (await import("../../ui/QrCode.tsx")).QrCode;

interface ProfileProps {
  profile: Profile;
  onHide: (hadFocus: boolean) => void;
}

function ProfileLink({ profile: { url, expiresAt }, onHide }: ProfileProps) {
  const box = useRef<HTMLDivElement>(null);
  const { part: qr, hasFailed } = usePart(true, loadQr);
  const title = useId();
  useEffect(() => {
    const hide = () => onHide(box.current?.contains(document.activeElement) === true);
    const timer = setTimeout(hide, Math.max(0, new Date(expiresAt).getTime() - Date.now()));
    return () => clearTimeout(timer);
  }, [expiresAt, onHide]);
  return (
    <div className="profile" role="group" aria-labelledby={title} ref={box}>
      {hasFailed ? <PartFailed what={t("The QR code")} canReload={false} /> : null}
      <div className="qr-box">{qr === null ? null : <qr.component text={url} label={t("the profile's link")} />}</div>
      <div>
        <h4 id={title}>{t("Set up an iPhone, iPad or Mac")}</h4>
        <p>
          {t(
            "Scan the code with the device, or open the link on it. It works once, until {time}, and contains the password.",
            {
              time: timeText(expiresAt),
            },
          )}
        </p>
        <div className="profile-acts">
          <Button
            isSmall
            look="ink"
            icon={Copy}
            autoFocus
            onClick={() => void copySecret(Promise.resolve(url), t("Link to the profile"))}
          >
            {t("Copy Link")}
          </Button>
          <a className="btn btn-sm" href={url} rel="noreferrer" onClick={() => onHide(true)}>
            {t("Open here")}
          </a>
          <Button isSmall look="quiet" icon={EyeOff} onClick={() => onHide(true)}>
            {t("Hide")}
          </Button>
        </div>
      </div>
    </div>
  );
}

type Work = "test" | "profile";

function useProgramSetup(calls: ReturnType<typeof useSmtpCalls>) {
  const [busy, setBusy] = useState<Work | null>(null);
  const [result, setResult] = useState<SmtpConnectionTest | null>(null);
  const [profile, setProfile] = useState<Profile | null>(null);
  const [heldFocus, setHeldFocus] = useState(false);
  const hideProfile = useCallback((hadFocus: boolean) => {
    setHeldFocus(hadFocus);
    setProfile(null);
  }, []);
  const run = async (work: Work, act: () => Promise<void>, fallback: string) => {
    setBusy(work);
    try {
      await act();
    } catch (error) {
      showFailure(...secretFailure(error, fallback));
      if (isOutdated(error)) void calls.refresh();
    } finally {
      setBusy(null);
    }
  };
  const test = async () => {
    setResult(null);
    setResult(await calls.test());
    void calls.refresh();
  };
  return {
    busy,
    result,
    profile,
    /** Whether the profile's link had the focus when it was hidden. */
    heldFocus,
    hideProfile,
    test: () => void run("test", test, t("The connection could not be tested")),
    makeProfile: () =>
      void run("profile", async () => setProfile(await calls.makeProfile()), t("The profile could not be made")),
  };
}

interface Props {
  calls: ReturnType<typeof useSmtpCalls>;
  setsUpPrograms: boolean;
  canTest: boolean;
}

const look = { type: "button", className: "btn-quiet btn-sm" } as const;

export function ProgramSetup({ calls, setsUpPrograms, canTest }: Props) {
  const { busy, result, profile, heldFocus, hideProfile, test, makeProfile } = useProgramSetup(calls);
  if (!setsUpPrograms && !canTest) return null;
  return (
    <div className="program-setup">
      {setsUpPrograms ? (
        <p>
          {t(
            "Thunderbird and Outlook set themselves up: enter the alias and its password there. The inbox in the program stays empty, since mail arrives in your real mailbox.",
          )}
        </p>
      ) : null}
      {profile === null ? null : <ProfileLink profile={profile} onHide={hideProfile} />}
      {result === null ? null : <Stages result={result} />}
      <div className="acts">
        {canTest ? (
          <SubmitButton {...look} pending={busy === "test"} pendingLabel={t("Testing...")} onClick={test}>
            <PlugZap className="i" aria-hidden />
            {t("Test connection")}
          </SubmitButton>
        ) : null}
        {setsUpPrograms && profile === null ? (
          <SubmitButton
            {...look}
            pending={busy === "profile"}
            pendingLabel={t("Making a profile...")}
            autoFocus={heldFocus}
            onClick={makeProfile}
          >
            <Smartphone className="i" aria-hidden />
            {t("iPhone, iPad, Mac")}
          </SubmitButton>
        ) : null}
      </div>
    </div>
  );
}
