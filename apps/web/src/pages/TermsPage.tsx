import { legalFacts, product, sessionTimes } from "@kauke/contract";
import { dollarsText, minutesText, readForwardingTexts } from "../features/legal/figures.ts";
import { LegalPage, type LegalPart, PageLink } from "../features/legal/LegalPage.tsx";

export function TermsPage() {
  return (
    <LegalPage
      isEnglish
      title="Terms of Service"
      lead={`Using ${product.name} means agreeing to this page. It is short on purpose.`}
      figures={[
        ["Minimum age", legalFacts.minimumAge],
        ["Price", dollarsText(legalFacts.priceDollars)],
        ["Liability cap", dollarsText(legalFacts.liabilityCapDollars)],
      ]}
      parts={[service(), age(), account(), fairUse(), mail(), privacy(), liability(), ending(), changes()]}
    />
  );
}

function service(): LegalPart {
  return {
    id: "service",
    title: "What the service is",
    body: (
      <p>
        {product.name} gives you e-mail aliases on domains of this server. An alias forwards what it receives to e-mail
        addresses or webhooks that you name. You can also send from an alias, and encrypt and decrypt messages with age
        keys. “We” on this page is whoever operates the server you are using.
      </p>
    ),
  };
}

function age(): LegalPart {
  return {
    id: "age",
    title: "Who may use it",
    body: (
      <p>
        You must be at least {legalFacts.minimumAge} years old. Where the law of your country asks for more years, or
        for a parent's consent, that holds as well.
      </p>
    ),
  };
}

function account(): LegalPart {
  return {
    id: "account",
    title: "Your account",
    body: (
      <>
        <p>
          You sign in by e-mail and password, through a provider, or with a wallet. Keep those to yourself: what is done
          through your account counts as done by you. A session ends after {minutesText(sessionTimes.idleSeconds)}{" "}
          without activity.
        </p>
        <p>
          Encryption keys are protected by a master password that we don't have. If it is lost, so is every message that
          only that key opens, and we can't help.
        </p>
      </>
    ),
  };
}

function fairUse(): LegalPart {
  return {
    id: "fair-use",
    title: "What aliases are for",
    body: (
      <>
        <p>Aliases are free and unlimited. They are for keeping your own inbox to yourself. They are not for</p>
        <ul>
          <li>spam, or bulk mail that nobody asked for;</li>
          <li>fraud, threats, malicious programs or anything else the law forbids;</li>
          <li>passing yourself off as another person, company or authority;</li>
          <li>sending somebody else's mailbox mail it does not want;</li>
          <li>attacking this server, or others through it.</li>
        </ul>
        <p>
          Some names are reserved, and there are limits on how much an account does in a given time. Point aliases only
          at mailboxes and webhooks that are yours or whose owner agrees: {readForwardingTexts().termsFairUse}
        </p>
      </>
    ),
  };
}

function mail(): LegalPart {
  const texts = readForwardingTexts();
  return {
    id: "mail",
    title: "Your mail",
    body: (
      <>
        <p>
          Your mail stays yours. We don't read it, and we change only what forwarding needs: parts of the header, never
          the content. Mail to a paused alias is silently dropped. {texts.termsUndelivered}
        </p>
        <p>
          {texts.termsForwarding} The host of your inbox applies rules of its own, and may sort out or refuse what we
          bring. Don't make an alias the only way to something you can't afford to lose.
        </p>
      </>
    ),
  };
}

function privacy(): LegalPart {
  return {
    id: "privacy",
    title: "Your data",
    body: (
      <p>
        What is kept, and for how long, is in the <PageLink to="/privacy">Privacy Policy</PageLink>; your rights are on
        the <PageLink to="/gdpr">GDPR page</PageLink>.
      </p>
    ),
  };
}

function liability(): LegalPart {
  return {
    id: "liability",
    title: "No warranty, and what we are liable for",
    body: (
      <p>
        The service is given as it is, free of charge and without a promise that it never fails. As far as the law
        allows, our liability to you for everything that comes of using it, or of not being able to, is capped at{" "}
        {dollarsText(legalFacts.liabilityCapDollars)}. Where the law does not let anybody limit liability, as for
        intent, nothing here does.
      </p>
    ),
  };
}

function ending(): LegalPart {
  return {
    id: "end",
    title: "How it ends",
    body: (
      <>
        <p>
          You can leave at any moment: deleting the account, at the foot of the dashboard, removes your aliases and
          data, signs you out everywhere and can't be undone.
        </p>
        <p>
          We may stop an account that breaks these terms, and may end the service. If we can choose the moment, we say
          so early enough for you to move your aliases elsewhere.
        </p>
      </>
    ),
  };
}

function changes(): LegalPart {
  return {
    id: "changes",
    title: "Changes and contact",
    body: (
      <p>
        These terms came with version {product.version}. When they change, the new ones stand here; using {product.name}{" "}
        after that means agreeing to them. Write to <code>postmaster@</code> or, about abuse, to <code>abuse@</code> any
        alias domain of this server. If one sentence here proves invalid, the others stand.
      </p>
    ),
  };
}
