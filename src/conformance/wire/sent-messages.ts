/** Messages that are written now and read by a library that asks for them. */
export interface SentMessages<Message> {
  /** After the end nothing happens. */
  readonly push: (message: Message) => void;
  readonly end: () => void;
  readonly messages: AsyncIterable<Message>;
}

export function createSentMessages<Message>(): SentMessages<Message> {
  const waiting: Message[] = [];
  let isEnded = false;
  let wake = (): void => {};
  async function* messages(): AsyncGenerator<Message> {
    for (;;) {
      yield* waiting.splice(0);
      // More may have been pushed while the library took these.
      if (waiting.length > 0) continue;
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    push: (message) => {
      if (isEnded) return;
      waiting.push(message);
      wake();
    },
    end: () => {
      isEnded = true;
      wake();
    },
    messages: messages(),
  };
}
