// Who is told a session's token (R8): one connection, and nobody else once it may have been told. After a kill it is another's only where it cannot
// have been told, so that it is told is safe before it is (R29); where that comes to nothing, nobody was told.
import type { KeptState } from "../contracts/journal.js";
import type { Sessions } from "./sessions.js";

export interface ToldTokens {
  /**
   * To be called when the starts of these sessions were published and are to be answered. Settles when they may be; undefined where that is at once.
   * Rejects as `durable` does, and with "session_not_yours" where a session is not the connection's any more: then nobody hears its token by this.
   */
  readonly whenSafe: (
    sessionIds: readonly string[],
    connection: object,
    durable: Promise<void> | undefined,
  ) => Promise<void> | undefined;
}

export interface ToldTokensServices {
  readonly sessions: Pick<Sessions, "assertTellable" | "setTokenTold">;
  readonly kept: Pick<KeptState, "isKept">;
  /** Settles when all that was put so far is safe. Throws and rejects where it cannot be made so. */
  readonly safety: () => Promise<void> | undefined;
}

export function createToldTokens({ sessions, kept, safety }: ToldTokensServices): ToldTokens {
  const tell = async (sessionIds: readonly string[], connection: object): Promise<void> => {
    for (const sessionId of sessionIds) sessions.assertTellable(sessionId, connection);
    const news = sessionIds.filter((sessionId) => sessions.setTokenTold(sessionId, true));
    try {
      await safety();
      for (const sessionId of sessionIds) sessions.assertTellable(sessionId, connection);
    } catch (caught) {
      for (const sessionId of news) sessions.setTokenTold(sessionId, false);
      throw caught;
    }
  };

  return {
    whenSafe: (sessionIds, connection, durable) => {
      if (!kept.isKept) {
        for (const sessionId of sessionIds) sessions.setTokenTold(sessionId, true);
        return durable;
      }
      const answered = Promise.resolve(durable).then(() => tell(sessionIds, connection));
      // Not everybody who publishes waits for it.
      answered.catch(() => undefined);
      return answered;
    },
  };
}
