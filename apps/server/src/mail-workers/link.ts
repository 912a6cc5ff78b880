/**
 * A link between the owner process and a mail worker. Each message arrives once, and in order. Messages sent in one
 * turn of the event loop are written together, because a system call costs more than serializing a message.
 */
export interface Link<Out, In> {
  send(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  /** Calls the listener once, when the other side has ended and everything it sent has arrived. */
  onClose(listener: () => void): void;
}

export interface LinkSide<Out, In> extends Link<Out, In> {
  /** Call it with the messages that the other side sent in one turn. */
  receive(messages: readonly In[]): void;
  /** Call it when the other side has ended. */
  end(): void;
  /** Sends the collected messages now, without waiting for the end of this turn. */
  flush(): void;
}

/** @param post function that transmits the messages of one turn to the other side */
export function linkSide<Out, In>(post: (messages: Out[]) => void): LinkSide<Out, In> {
  let waiting: Out[] = [];
  const messageListeners: ((message: In) => void)[] = [];
  const closeListeners: (() => void)[] = [];
  let isEnded = false;
  const flush = () => {
    const messages = waiting;
    waiting = [];
    if (messages.length > 0 && !isEnded) post(messages);
  };
  return {
    send(message) {
      if (isEnded) return;
      waiting.push(message);
      if (waiting.length === 1) setImmediate(flush);
    },
    onMessage: (listener) => void messageListeners.push(listener),
    onClose: (listener) => void closeListeners.push(listener),
    receive(messages) {
      for (const message of messages) for (const listener of messageListeners) listener(message);
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      for (const listener of closeListeners) listener();
    },
    flush,
  };
}
