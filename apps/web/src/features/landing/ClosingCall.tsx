import { Link } from "wouter";
import { rich, t } from "../../texts/texts.ts";
import { openFace } from "../../ui/Mask.tsx";
import { StartButton } from "./StartButton.tsx";
import { closingFigure, Total, useTotals } from "./Total.tsx";

function Crowd() {
  return (
    <svg className="crowd" aria-hidden="true">
      <defs>
        <pattern id="crowd" width="56" height="52" patternUnits="userSpaceOnUse">
          <path transform="translate(10 8) scale(2.25)" fillRule="evenodd" d={openFace} fill="currentColor" />
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill="url(#crowd)" />
    </svg>
  );
}

/** Without a number of users the text is `Join people who …`. */
function Invitation() {
  const figure = closingFigure(useTotals());
  return (
    <h2 className="h2">
      {figure === null
        ? t("Join people who keep their address to themselves.")
        : rich("Join {count} people who keep their address to themselves.", { count: <Total {...figure} /> })}
    </h2>
  );
}

export function ClosingCall() {
  return (
    <section className="page close-sec later">
      <div className="close-band">
        <Crowd />
        <Invitation />
        <div className="cta">
          <StartButton className="btn-close" words={t("Get Started Free")} />
          <Link className="link" href="/about">
            {t("Learn more about our mission")}
          </Link>
        </div>
      </div>
    </section>
  );
}
