/** What the chosen sender means, and where to find its SMTP password. */
import { Link } from "wouter";
import { useAccountDomains } from "../../api/account-domains.ts";
import { rich, t } from "../../texts/texts.ts";
import { Mask } from "../../ui/Mask.tsx";
import { dayText } from "../../ui/text/time-text.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { useDomainName } from "../aliases/panel/DisplayName.tsx";
import { SeenFrom } from "../display-name/NameForm.tsx";
import { holdingDomains, type SendingAlias } from "./senders.ts";
import type { ComposeProps } from "./use-send.ts";

interface Props extends Pick<ComposeProps, "senders"> {
  /** Id of the chosen alias; empty if none is chosen. */
  chosen: string;
}

export const dashboardLink = (text: string) => (
  <Link className="link" href="/dashboard">
    {text}
  </Link>
);

function Text({ senders, chosen }: Props) {
  const sender = senders?.find(({ id }) => id === chosen);
  if (senders?.length === 0)
    return (
      <>
        {rich(
          "You have no alias to send from. Create one in the <link>Dashboard</link>; what you have written is kept meanwhile.",
          { link: dashboardLink },
        )}
      </>
    );
  if (senders?.every(({ state }) => state === "paused"))
    return (
      <>
        {rich("All your aliases are paused. Switch on the one to send from in the <link>Dashboard</link>.", {
          link: dashboardLink,
        })}
      </>
    );
  if (sender === undefined) return null;
  if (sender.state !== "new") return null;
  return (
    <>
      {rich(
        "Sending makes SMTP credentials for this alias, which a mail program can use too. Their password will be under SMTP in the <link>Dashboard</link>.",
        { link: dashboardLink },
      )}
    </>
  );
}

const domainsLink = (text: string) => (
  <Link className="link" href="/settings/domains">
    {text}
  </Link>
);

/** Why aliases on some of the own domains can't be chosen, and since when. */
function HoldingDomains({ senders }: Pick<Props, "senders">) {
  const { data } = useAccountDomains();
  return holdingDomains(senders, data?.domains).map(({ domain, shownDomain, failingSince }) => (
    <p className="hint" key={domain}>
      {failingSince === null
        ? rich("Nothing can be sent from {domain} before its records are found: see <link>Domains</link>.", {
            domain: shownDomain,
            link: domainsLink,
          })
        : rich(
            "Nothing can be sent from {domain} now, since its records are missing or wrong since {since}: see <link>Domains</link>.",
            { domain: shownDomain, since: dayText(failingSince), link: domainsLink },
          )}
    </p>
  ));
}

/** How recipients see the sender, if it has a name. */
function Seen({ sender }: { sender: SendingAlias }) {
  const ofDomain = useDomainName(sender.domain);
  const name = sender.displayName ?? ofDomain;
  if (name === "") return null;
  const from = <SeenFrom key="from" name={name} address={addressOf(sender)} />;
  return <span className="seen-from">{rich("Correspondents see: {from}", { from })}</span>;
}

export function SenderHint(props: Props) {
  const sender = props.senders?.find(({ id }) => id === props.chosen);
  return (
    <>
      <p className="hint" role="status">
        <Text {...props} />
        {sender === undefined ? null : <Seen sender={sender} />}
      </p>
      <HoldingDomains senders={props.senders} />
    </>
  );
}

export function NoSendingAliases() {
  return (
    <div className="card">
      <div className="empty">
        <Mask className="m" />
        <h2>{t("No Email Aliases Available")}</h2>
        <p>{t("To send from an alias:")}</p>
        <ol>
          <li>{t("Create an alias in the Dashboard")}</li>
          <li>{t("Come back here and write")}</li>
          <li>{t("Sending makes SMTP credentials for it")}</li>
        </ol>
        <Link className="btn btn-primary" href="/dashboard">
          {t("Go to Dashboard")}
        </Link>
      </div>
    </div>
  );
}
