import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("de");

const STATES = {
  idle: "untätig",
  thinking: "denkt nach",
  calling_tool: "benutzt ein Werkzeug",
  writing_output: "schreibt",
  awaiting_input: "wartet auf eine Eingabe",
  deciding: "entscheidet",
  handing_off: "gibt die Aufgabe ab",
} as const;

const GAPS = {
  aged_out: "sie waren nicht mehr gespeichert, als sie an der Reihe waren",
  resumed_too_late: "das Abonnement wurde erst nach ihrer Löschung fortgesetzt",
  unknown_place: "die Stelle, an der das Abonnement weitergehen sollte, ist hier unbekannt",
} as const;

const resolution = createResolution("de", {
  decisions: {
    accepted: "Angenommen.",
    rejected: "Abgelehnt.",
    answered: "Beantwortet.",
    cancelled: "Zurückgezogen.",
  },
  decidedBy: {
    reply: "",
    timeout: "Niemand hat rechtzeitig geantwortet, darum gilt die Vorgabe.",
    nobody_to_ask: "Niemand konnte gefragt werden, darum gilt die Vorgabe.",
    nobody_left: "Wer hätte antworten können, ist gegangen, darum gilt die Vorgabe.",
    host: "Im eigenen Fenster des Agenten wurde geantwortet.",
    agent: "",
    host_window: "Antworte im eigenen Fenster des Agenten.",
  },
  decidedByTerse: {
    reply: "",
    timeout: "Zeit abgelaufen.",
    nobody_to_ask: "Niemand zu fragen.",
    nobody_left: "Niemand mehr da.",
    host: "Im Fenster des Agenten beantwortet.",
    agent: "",
    host_window: "Antworte im eigenen Fenster des Agenten.",
  },
  withoutDefault: {
    nobody_to_ask: "Niemand konnte gefragt werden.",
    nobody_left: "Wer hätte antworten können, ist gegangen.",
  },
  noAnswer: "Es kam keine Antwort.",
  yes: "ja",
  no: "nein",
  takenToBe: (answer) => ({ terse: `Als Antwort gilt: ${answer}`, normal: `Als Antwort gilt: ${answer}` }),
  question: (asking) => `Die Frage war: ${asking}`,
});

const CLOSINGS = {
  producer_shutdown: {
    terse: "Wird beendet.",
    normal: "Der Dienst wird beendet. Abonnieren Sie erneut, sobald er wieder läuft.",
  },
  recording_ended: { terse: "Ende der Aufzeichnung.", normal: "Die Aufzeichnung ist zu Ende. Es folgt nichts mehr." },
  producer_error: {
    terse: "Ein Fehler ist aufgetreten.",
    normal:
      "Im Dienst ist ein Fehler aufgetreten, das Abonnement wurde geschlossen. Abonnieren Sie erneut, um dort fortzufahren, wo Sie waren.",
  },
  lagging: {
    terse: "Zu weit im Rückstand.",
    normal:
      "Das Abonnement nahm Ereignisse zu langsam ab und wurde geschlossen. Abonnieren Sie erneut, um dort fortzufahren, wo Sie waren.",
  },
  handshake_timeout: {
    terse: "Keine Anfrage erhalten.",
    normal: "Die Verbindung wurde geschlossen, weil nicht rechtzeitig eine Abonnementanfrage kam.",
  },
  idle_timeout: {
    terse: "Zu lange untätig.",
    normal: "Die Verbindung wurde geschlossen, weil sie zu lange untätig war.",
  },
} as const;

export const GERMAN: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `Zustand: ${state(STATES, name)}.`,
      questionOpen && "Frage offen.",
      done !== undefined && `${percent(done)}.`,
    ]),
    normal: sentences([
      `Aktueller Zustand: ${state(STATES, name)}.`,
      toolsRunningCount > 0 && plural(toolsRunningCount, { one: "# Werkzeug läuft.", other: "# Werkzeuge laufen." }),
      outputOpen && "Eine Ausgabe wird geschrieben.",
      questionOpen && "Eine Frage wartet auf Antwort.",
      done !== undefined && `${percent(done)} erledigt.`,
    ]),
  }),
  gap: ({ eventCount, reason }) =>
    eventCount === undefined
      ? {
          terse: "Möglicherweise wurden Ereignisse verpasst.",
          normal: `Möglicherweise wurden Ereignisse verpasst. Grund: ${GAPS[reason]}.`,
        }
      : {
          terse: plural(eventCount, { one: "Bis zu # Ereignis verpasst.", other: "Bis zu # Ereignisse verpasst." }),
          normal: `${plural(eventCount, { one: "Bis zu # Ereignis wurde verpasst", other: "Bis zu # Ereignisse wurden verpasst" })}. Grund: ${GAPS[reason]}.`,
        },
  agentDisconnected: ({ agent }) => ({
    terse: "Agent getrennt.",
    normal: `Die Verbindung zu ${agent} ist abgebrochen, darum ist die Sitzung beendet. Ein neuer Start kann helfen.`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "Agent nicht zurück.",
    normal: `Der Dienst wurde neu gestartet und ${agent} ist nicht zurückgekommen, darum ist die Sitzung beendet. Ein neuer Start kann helfen.`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "Dienst beendet.",
    normal: `Der Dienst wurde beendet, darum ist die Sitzung von ${agent} beendet. Ein neuer Start kann helfen.`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool}: kein Ergebnis.`,
    normal: `Das Werkzeug ${tool} wurde ohne Ergebnis aufgegeben.`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "Bestätigung anderswo erbeten" : "Frage anderswo gestellt"}: ${asking}`,
    normal: sentences([
      kind === "confirmation" ? `${agent} bittet um Bestätigung: ${asking}` : `${agent} stellt eine Frage: ${asking}`,
      "Über dieses Abonnement kann nicht geantwortet werden.",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `Zeit zum Antworten: ${duration(remainingSeconds)}.`,
    normal: sentences([
      passed === "half" ? "Die Hälfte der Antwortzeit ist vorbei." : "Zum Antworten bleibt nur noch wenig Zeit.",
      `Verbleibende Zeit: ${duration(remainingSeconds)}.`,
      `Die Frage ist: ${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "Sitzung begonnen.",
    normal: `${agent} hat begonnen. Nutzen darf der Agent: ${list(capabilities)}.`,
  }),
  relayEnded: ({ agent }) => ({ terse: "Fertig.", normal: `${agent} ist fertig.` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `Benutzt ${tool}.`,
    normal: sentences([`${agent} benutzt ${tool}.`, details !== undefined && `Mit ${details}.`]),
  }),
  relayFailed: ({ tool, code }) => ({
    terse: `${tool} ist gescheitert.`,
    normal: `${tool} ist gescheitert: ${code}.`,
  }),
  relayArtifact: ({ tool, name }) => ({ terse: `Datei: ${name}.`, normal: `${tool} hat die Datei ${name} erzeugt.` }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `${tool} erlauben?`,
    normal: sentences([`${agent} möchte ${tool} benutzen.`, details !== undefined && `Mit ${details}.`]),
  }),
  relayConsequence: ({ tool }) => ({
    terse: "Nicht rückgängig zu machen.",
    normal: `Was ${tool} bewirkt, lässt sich nicht rückgängig machen.`,
  }),
};
