/**
 * What the journeys need of a browser engine. Finding elements, waiting and reading are scripts in the page, written
 * once (tab.ts); a driver has only what differs between WebDriver BiDi and Classic.
 */

export interface WindowSize {
  width: number;
  height: number;
}

export interface Driver {
  /** Resolves when the page has fired `load`. */
  open(url: string): Promise<void>;
  /**
   * Evaluates an expression in the page and waits for a promise.
   * @returns its value, converted through JSON
   * @throws if it throws, or if the page is replaced meanwhile
   */
  evaluate(expression: string): Promise<unknown>;
  /**
   * Input as WebDriver's action sequences describe it (section 15 of WebDriver, "Actions"); the same in both protocols.
   */
  perform(sequences: readonly ActionSequence[]): Promise<void>;
  resize(size: WindowSize): Promise<void>;
  /** A picture of the window as PNG. */
  picture(): Promise<Buffer>;
  /** Ends this profile: its cookies and storage are deleted. */
  close(): Promise<void>;
}

export interface ActionSequence {
  type: "key" | "pointer";
  id: string;
  actions: readonly Readonly<Record<string, string | number>>[];
}

export interface Engine {
  /** Opens a new profile with one tab. */
  openDriver(size: WindowSize): Promise<Driver>;
  close(): Promise<void>;
}

export interface EngineProgram {
  name: string;
  /** Why the engine cannot run on this machine; `null` if it can. */
  missing: string | null;
  start(): Promise<Engine>;
}
