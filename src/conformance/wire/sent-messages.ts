/** Messages that are written now and read by a library that asks for them. */
export interface SentMessages<Message> {
  /** After the end nothing happens. */
  readonly push: (message: Message) => void;
  readonly end: () => void;
  readonly messages: AsyncIterable<Message>;
}

export function createSentMessages<Message>(): SentMessages<Message> {
  const { readable, writable } = new TransformStream<Message, Message>();
  const writer = writable.getWriter();
  const ignored = (): void => {};
  writer.closed.catch(ignored);
  return {
    push: (message) => void writer.write(message).catch(ignored),
    end: () => void writer.close().catch(ignored),
    messages: readable,
  };
}
