// Pages beside the services on the HTTP server: plain pages for browsers, monitors and people.
import type { HttpPage, HttpPageAnswer } from "../../../transports/http/options.js";
import type { Message } from "../../protocols/aaep/json/message.js";
import { MANIFEST_PAGE } from "../presence/manifest.js";
import type { Metrics } from "../status/metrics.js";

export function servicePages(from: {
  readonly manifest: () => Message;
  readonly isReady: () => boolean;
  /** Undefined: there is no such page. */
  readonly metrics: Metrics | undefined;
}): readonly HttpPage[] {
  const { metrics } = from;
  const plain = (status: number, body: string): HttpPageAnswer => ({
    status,
    contentType: "text/plain; charset=utf-8",
    body: `${body}\n`,
  });
  return [
    {
      path: MANIFEST_PAGE,
      needsToken: true,
      answer: () => ({
        status: 200,
        contentType: "application/json",
        body: `${JSON.stringify(from.manifest(), null, 2)}\n`,
      }),
    },
    { path: "/healthz", needsToken: false, answer: () => plain(200, "alive") },
    {
      path: "/readyz",
      needsToken: false,
      answer: () => (from.isReady() ? plain(200, "ready") : plain(503, "stopping")),
    },
    ...(metrics === undefined
      ? []
      : [
          {
            path: "/metrics",
            needsToken: true,
            answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
          },
        ]),
  ];
}
