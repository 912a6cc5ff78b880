/** Acts on what inactivity.ts decides: hears activity here and in the other tabs, asks the server, and ends the session in time. */
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/client.ts";
import { listenToTabs, type TabMessage, tellTabs } from "../../api/session/session-tabs.ts";
import { checkDueAt, type Inactivity, isCounted, nextLookIn, phaseAt, withActivity, withCheck } from "./inactivity.ts";

/** The specification's list: mouse, keys, scroll, touch, click, focus. */
const activities = ["mousemove", "mousedown", "keydown", "scroll", "touchstart", "touchmove", "click", "focus"];
/** After these the clock may have run without us. */
const returns = ["visibilitychange", "focus", "pageshow", "online"];
/** Long enough for another tab's word. */
const askMs = 250;
/** Between two tries to reach the server while a page that was restored is hidden. */
const retryMs = 2000;

interface Outcomes {
  /** Seconds until the end, `null` while there is nothing to warn of. */
  onWarning: (secondsLeft: number | null) => void;
  /** The time is over; the page is hidden already, until `stop`. */
  onInactive: () => void;
  /** The server does not know the session any more. */
  onRefused: () => void;
}

export class InactivityWatch {
  readonly #outcomes: Outcomes;
  readonly #stopped = new AbortController();
  #state: Inactivity = { lastActivityAt: Date.now(), checkedAt: Date.now() };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  /** In the browser's history, or back from there with the server not asked yet. */
  #isAway = false;
  readonly #userId: string;

  constructor(userId: string, outcomes: Outcomes) {
    this.#userId = userId;
    this.#outcomes = outcomes;
    tellTabs({ kind: "signed-in", userId });
    tellTabs({ kind: "activity", at: this.#state.lastActivityAt });
    this.#listen();
    this.#look();
  }

  /** The button of the warning: everywhere, and true for the server too. */
  stay(): void {
    const now = Date.now();
    if (phaseAt(this.#state, now).name === "over") return;
    this.#noteActivity(now);
    void this.#check();
    this.#look();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    document.body.hidden = false;
  }

  #listen(): void {
    const { signal } = this.#stopped;
    const options = { signal, capture: true, passive: true };
    const onActivity = () => {
      const now = Date.now();
      if (isCounted(this.#state, now)) this.#noteActivity(now);
    };
    const onReturn = () => this.#isAsking || this.#look();
    for (const name of returns) window.addEventListener(name, onReturn, options);
    for (const name of activities) window.addEventListener(name, onActivity, options);
    // Kept by the browser while another site was open. Hidden before it goes, so that it comes back hidden.
    const onPageHide = ({ persisted }: PageTransitionEvent) => {
      this.#isAway = persisted;
      if (persisted) document.body.hidden = true;
    };
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && void this.#checkRestored();
    window.addEventListener("pagehide", onPageHide, { signal });
    window.addEventListener("pageshow", onPageShow, { signal });
    signal.addEventListener(
      "abort",
      listenToTabs((message) => this.#hear(message)),
    );
  }

  #noteActivity(now: number): void {
    const wasDue = checkDueAt(this.#state);
    this.#state = withActivity(this.#state, now);
    tellTabs({ kind: "activity", at: now });
    // The timer knows of no check yet.
    if (wasDue === null) this.#look();
  }

  #hear(message: TabMessage): void {
    if (message.kind === "who-was-active") tellTabs({ kind: "activity", at: this.#state.lastActivityAt });
    if (message.kind === "checked") this.#state = withCheck(this.#state, message.at);
    if (message.kind !== "activity") return;
    this.#state = withActivity(this.#state, message.at);
    if (this.#isAsking && phaseAt(this.#state, Date.now()).name === "over") return;
    this.#isAsking = false;
    this.#look();
  }

  #look(): void {
    if (this.#stopped.signal.aborted) return;
    clearTimeout(this.#timer);
    const now = Date.now();
    const phase = phaseAt(this.#state, now);
    if (phase.name === "over") return this.#end(phase.overslept);
    document.body.hidden = this.#isAway;
    this.#outcomes.onWarning(phase.name === "warning" ? phase.secondsLeft : null);
    const due = checkDueAt(this.#state);
    if (due !== null && due <= now) void this.#check();
    this.#timer = setTimeout(() => this.#look(), nextLookIn(this.#state, now));
  }

  /** Nothing is seen from here on. A tab that slept asks the others first: somebody may have been active there. */
  #end(overslept: boolean): void {
    document.body.hidden = true;
    if (overslept && !this.#isAsking) {
      this.#isAsking = true;
      tellTabs({ kind: "who-was-active" });
      this.#timer = setTimeout(() => this.#look(), askMs);
      return;
    }
    this.#stopped.abort();
    this.#outcomes.onInactive();
  }

  /**
   * The session may have ended, or become another person's, without this page hearing of it. Nothing is seen before the server has
   * answered: without an answer it is asked again.
   */
  async #checkRestored(): Promise<void> {
    this.#isAway = true;
    document.body.hidden = true;
    try {
      const { user } = await call("getSession");
      if (this.#stopped.signal.aborted) return;
      if (user.id !== this.#userId) return location.reload();
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (!(error instanceof ApiError && error.status === 401))
        return void setTimeout(() => void this.#checkRestored(), retryMs);
      this.#outcomes.onRefused();
    }
    this.#isAway = false;
    this.#look();
  }

  async #check(): Promise<void> {
    const at = Date.now();
    this.#state = withCheck(this.#state, at);
    tellTabs({ kind: "checked", at });
    try {
      await call("getSession");
    } catch (error) {
      // Without an answer nothing is known: the next check is in five minutes.
      const isRefused = error instanceof ApiError && error.status === 401;
      if (isRefused && !this.#stopped.signal.aborted) this.#outcomes.onRefused();
    }
  }
}
