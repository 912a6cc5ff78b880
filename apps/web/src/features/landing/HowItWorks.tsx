/** The ruler goes from 0 to 30 seconds, which the steps take. */
import { AtSign, CornerDownRight, Inbox, Lock, type LucideIcon, Mail, Reply, Wallet, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { rich, t } from "../../texts/texts.ts";

const seconds = Array.from({ length: 31 }, (_, second) => second);

function Ruler() {
  return (
    <div aria-hidden="true">
      <div className="ruler">
        {seconds.map((second) => (
          <i key={second} />
        ))}
      </div>
      <div className="ruler-cap label">
        <span>0 s</span>
        <span>30 s</span>
      </div>
    </div>
  );
}

function Line({ icon: Icon, children }: { icon?: LucideIcon; children: ReactNode }) {
  return (
    <div className={Icon === undefined ? "on" : undefined}>
      {Icon === undefined ? null : <Icon className="i" aria-hidden />}
      <span>{children}</span>
    </div>
  );
}

interface StepProps {
  number: number;
  title: string;
  words: string;
  children: ReactNode;
}

function Step({ number, title, words, children }: StepProps) {
  return (
    <li>
      <div className="card mini" aria-hidden="true">
        {children}
      </div>
      <h3>
        <span>{number}</span>
        {title}
      </h3>
      <p>{words}</p>
    </li>
  );
}

export function HowItWorks({ domain }: { domain: string }) {
  return (
    <section className="rule how-sec later">
      <div className="page sec">
        <div className="sec-head">
          <h2 className="h2">{t("How It Works")}</h2>
          <p className="lead">{t("Set up in 30 seconds.")}</p>
        </div>
        <Ruler />
        <ol className="steps">
          <Step number={1} title={t("Sign Up")} words={t("With an e-mail and password, a browser wallet, or Gmail.")}>
            <Line icon={AtSign}>{t("E-mail and password")}</Line>
            <Line icon={Wallet}>{t("Solana Wallet")}</Line>
            <Line icon={Mail}>Gmail</Line>
          </Step>
          <Step
            number={2}
            title={t("Create Alias")}
            words={t("Pick a name and a domain. Forward it to addresses, webhooks, or both.")}
          >
            <Line>
              <b>shop.k7</b>@{domain}
            </Line>
            <Line icon={CornerDownRight}>jonas@example.org</Line>
            <Line icon={Webhook}>https://hooks.example.org/mail</Line>
          </Step>
          <Step
            number={3}
            title={t("Send & Receive")}
            words={t("Mail lands in your inbox. Write back from the alias, encrypted if you like.")}
          >
            <Line icon={Inbox}>orders@store.example</Line>
            <Line icon={Reply}>{rich("as <b>shop.k7</b>@{domain}", { domain, b: (inner) => <b>{inner}</b> })}</Line>
            <Line icon={Lock}>{t("AGE encrypted")}</Line>
          </Step>
        </ol>
      </div>
    </section>
  );
}
