/** Watches the user's activity, and carries out what inactivity.ts decides. */
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/client.ts";
import { listenToTabs, type TabMessage, tellTabs } from "../../api/session/session-tabs.ts";
import { checkDueAt, type Inactivity, isCounted, nextLookIn, phaseAt, withActivity, withCheck } from "./inactivity.ts";

/** Events that count as activity, as the specification lists them. */
const activities = ["mousemove", "mousedown", "keydown", "scroll", "touchstart", "touchmove", "click", "focus"];
/** Events before which the tab may have been suspended. */
const returns = ["visibilitychange", "focus", "pageshow", "online"];
/** Milliseconds that other tabs have to report their activity. */
const REPORT_WAIT_MS = 250;
/** Milliseconds between session checks while a page restored from the back/forward cache is hidden. */
const RETRY_MS = 2000;

interface Outcomes {
  /** @param secondsLeft `null` while no warning is due */
  onWarning: (secondsLeft: number | null) => void;
  /** Called after too long inactivity; the page is already hidden, and stays so until `stop`. */
  onInactive: () => void;
  /** Called when a session check got 401. */
  onRefused: () => void;
}

export class InactivityWatch {
  readonly #outcomes: Outcomes;
  readonly #stopped = new AbortController();
  #state: Inactivity = { lastActivityAt: Date.now(), checkedAt: Date.now() };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  /** The page is in the back/forward cache, or restored from it and not yet checked. */
  #isAway = false;
  readonly #userId: string;

  constructor(userId: string, outcomes: Outcomes) {
    this.#userId = userId;
    this.#outcomes = outcomes;
    tellTabs({ kind: "signed-in", userId });
    tellTabs({ kind: "activity", at: this.#state.lastActivityAt });
    this.#listen();
    this.#update();
  }

  stay(): void {
    const now = Date.now();
    if (phaseAt(this.#state, now).name === "over") return;
    this.#noteActivity(now);
    void this.#check();
    this.#update();
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
    const onReturn = () => this.#isAsking || this.#update();
    for (const name of returns) window.addEventListener(name, onReturn, options);
    for (const name of activities) window.addEventListener(name, onActivity, options);
    // The page is hidden before the back/forward cache stores it, so that it is restored hidden.
    const onPageHide = ({ persisted }: PageTransitionEvent) => {
      this.#isAway = persisted;
      if (persisted) document.body.hidden = true;
    };
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && void this.#checkRestored();
    window.addEventListener("pagehide", onPageHide, { signal });
    window.addEventListener("pageshow", onPageShow, { signal });
    signal.addEventListener(
      "abort",
      listenToTabs((message) => this.#onMessage(message)),
    );
  }

  #noteActivity(now: number): void {
    const wasDue = checkDueAt(this.#state);
    this.#state = withActivity(this.#state, now);
    tellTabs({ kind: "activity", at: now });
    // The activity makes a session check due.
    if (wasDue === null) this.#update();
  }

  #onMessage(message: TabMessage): void {
    if (message.kind === "who-was-active") tellTabs({ kind: "activity", at: this.#state.lastActivityAt });
    if (message.kind === "checked") this.#state = withCheck(this.#state, message.at);
    if (message.kind !== "activity") return;
    this.#state = withActivity(this.#state, message.at);
    if (this.#isAsking && phaseAt(this.#state, Date.now()).name === "over") return;
    this.#isAsking = false;
    this.#update();
  }

  #update(): void {
    if (this.#stopped.signal.aborted) return;
    clearTimeout(this.#timer);
    const now = Date.now();
    const phase = phaseAt(this.#state, now);
    if (phase.name === "over") return this.#end(phase.overslept);
    document.body.hidden = this.#isAway;
    this.#outcomes.onWarning(phase.name === "warning" ? phase.secondsLeft : null);
    const due = checkDueAt(this.#state);
    if (due !== null && due <= now) void this.#check();
    this.#timer = setTimeout(() => this.#update(), nextLookIn(this.#state, now));
  }

  /** A tab that was suspended first asks the other tabs for activity that it missed. */
  #end(overslept: boolean): void {
    document.body.hidden = true;
    if (overslept && !this.#isAsking) {
      this.#isAsking = true;
      tellTabs({ kind: "who-was-active" });
      this.#timer = setTimeout(() => this.#update(), REPORT_WAIT_MS);
      return;
    }
    this.#stopped.abort();
    this.#outcomes.onInactive();
  }

  /** A restored page stays hidden until the server responds: the session may be over, or another user's. */
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
        return void setTimeout(() => void this.#checkRestored(), RETRY_MS);
      this.#outcomes.onRefused();
    }
    this.#isAway = false;
    this.#update();
  }

  async #check(): Promise<void> {
    const at = Date.now();
    this.#state = withCheck(this.#state, at);
    tellTabs({ kind: "checked", at });
    try {
      await call("getSession");
    } catch (error) {
      // Without a response nothing is known of the session; the next check is in five minutes.
      const isRefused = error instanceof ApiError && error.status === 401;
      if (isRefused && !this.#stopped.signal.aborted) this.#outcomes.onRefused();
    }
  }
}
