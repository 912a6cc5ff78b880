/**
 * Carries out what inactivity.ts decides: listens for activity in this and the other tabs, asks the server for the
 * session, and signs out on time.
 */
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/client.ts";
import { listenToTabs, type TabMessage, tellTabs } from "../../api/session/session-tabs.ts";
import { checkDueAt, type Inactivity, isCounted, nextLookIn, phaseAt, withActivity, withCheck } from "./inactivity.ts";

/** The specification's list: mouse, keys, scroll, touch, click, focus. */
const activities = ["mousemove", "mousedown", "keydown", "scroll", "touchstart", "touchmove", "click", "focus"];
/** Events after which the tab may have been suspended. */
const returns = ["visibilitychange", "focus", "pageshow", "online"];
/** Milliseconds to wait for other tabs to report their activity. */
const ANSWER_WAIT_MS = 250;
/** Milliseconds between attempts to reach the server while a page restored from the back/forward cache is hidden. */
const RETRY_MS = 2000;

interface Outcomes {
  /** @param secondsLeft seconds until the sign-out; `null` while no warning is due */
  onWarning: (secondsLeft: number | null) => void;
  /** Called when the inactivity limit is reached. The page is already hidden, and stays so until `stop`. */
  onInactive: () => void;
  /** Called when the server answers a session check with 401: the session has ended. */
  onRefused: () => void;
}

export class InactivityWatch {
  readonly #outcomes: Outcomes;
  readonly #stopped = new AbortController();
  #state: Inactivity = { lastActivityAt: Date.now(), checkedAt: Date.now() };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  /** Whether the page is in the back/forward cache, or restored from it and not yet checked with the server. */
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

  /** Handles the warning's "stay" button: extends the session in all tabs and on the server. */
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
    // The page enters the back/forward cache. It is hidden before, so that it is restored hidden.
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
    // The timer was set while no session check was due; the activity makes one due, so set the timer again.
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

  /**
   * Hides the page and signs out. A tab that was suspended first asks the other tabs for their activity, which it may
   * have missed.
   */
  #end(overslept: boolean): void {
    document.body.hidden = true;
    if (overslept && !this.#isAsking) {
      this.#isAsking = true;
      tellTabs({ kind: "who-was-active" });
      this.#timer = setTimeout(() => this.#update(), ANSWER_WAIT_MS);
      return;
    }
    this.#stopped.abort();
    this.#outcomes.onInactive();
  }

  /**
   * Checks a page restored from the back/forward cache: its session may have ended or become another user's meanwhile.
   * The page stays hidden until the server has responded; without a response the check is repeated.
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
      // A request without a response says nothing about the session; the next check is in five minutes.
      const isRefused = error instanceof ApiError && error.status === 401;
      if (isRefused && !this.#stopped.signal.aborted) this.#outcomes.onRefused();
    }
  }
}
