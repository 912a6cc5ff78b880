/** What a visitor sees who may not register, or not without an invitation. */
import { CircleAlert, Ticket } from "lucide-react";
import { useForm } from "react-hook-form";
import { Link } from "wouter";
import { dropInvite, holdInvite, inviteIn } from "../../api/session/held-invite.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { TextField, verbatim } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { AuthColumns } from "./AuthFrame.tsx";

export function RegistrationClosed() {
  return (
    <AuthColumns
      title={t("Registration is closed")}
      swap={t("This server takes no new accounts at the moment. If you have one, it works as ever.")}
    >
      <Link className="btn btn-primary btn-block mt-6" href="/auth">
        {t("Sign In")}
      </Link>
    </AuthColumns>
  );
}

const incomplete = t("This is not a whole invitation. Copy all of the link, or the 32 characters at its end.");

export function ByInvitation() {
  const swap = (
    <>
      {rich("Already have an account? <link>Sign in</link>", {
        link: (inner) => (
          <Link className="link" href="/auth">
            {inner}
          </Link>
        ),
      })}
    </>
  );
  return (
    <AuthColumns title={t("{product} here is by invitation")} swap={swap}>
      <section className="card card-body mt-6" aria-label={t("Your invitation")}>
        <p className="flex gap-3">
          <Ticket className="i i-20 mt-0.5" aria-hidden />
          {t("Whoever runs this server lets people in one by one. Open the link that you were sent, or paste it here.")}
        </p>
        <InviteForm />
      </section>
      <p className="legal">{t("No invitation? Ask the person or group that runs this server for one.")}</p>
    </AuthColumns>
  );
}

function InviteForm() {
  const form = useForm<{ invite: string }>();
  const error = form.formState.errors.invite?.message;
  const onSubmit = form.handleSubmit(({ invite }) => {
    const token = inviteIn(invite);
    if (token === null) form.setError("invite", { message: incomplete }, { shouldFocus: true });
    else holdInvite(token);
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <TextField label={t("Invitation link or code")} mono {...verbatim} error={error} {...form.register("invite")} />
      <SubmitButton className="btn-primary btn-block" pending={false} pendingLabel="">
        {t("Continue")}
      </SubmitButton>
    </form>
  );
}

export function Invited() {
  return (
    <p className="note note-plain">
      <Ticket className="i" aria-hidden />
      <span>
        {rich("<b>You are invited.</b> Your invitation makes one account.", { b: (inner) => <b>{inner}</b> })}
      </span>
    </p>
  );
}

/** The server does not say which of the reasons it is. */
export function InviteRefused() {
  return (
    <div className="note note-danger" role="alert">
      <CircleAlert className="i" aria-hidden />
      <div className="grid justify-items-start gap-3">
        <p>
          {t(
            "This invitation doesn't work: it was used, has expired, or is for another e-mail address. Check the address above, or ask whoever runs this server for a new one.",
          )}
        </p>
        <Button isSmall onClick={dropInvite}>
          {t("Use Another Invitation")}
        </Button>
      </div>
    </div>
  );
}
