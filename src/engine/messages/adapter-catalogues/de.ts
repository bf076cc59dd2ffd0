import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";
import { titled } from "./titled.js";

const { plural } = createWording("de");

export const GERMAN_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${host} in ${folder}`,
  runs: {
    read: (what) => `Liest ${what}`,
    edit: (what) => `Ändert ${what}`,
    delete: (what) => `Löscht ${what}`,
    move: (what) => `Verschiebt ${what}`,
    execute: (what) => `Führt aus: ${what}`,
    fetch: (what) => `Ruft ab: ${what}`,
  },
  asks: {
    read: (what) => `Lesen: ${what}`,
    edit: (what) => `Ändern: ${what}`,
    delete: (what) => `Löschen: ${what}`,
    move: (what) => `Verschieben: ${what}`,
    execute: (what) => `Ausführen: ${what}`,
    fetch: (what) => `Abrufen: ${what}`,
  },
  use: (tool) => `${tool} benutzen`,
  moreLines: (count) => plural(count, { one: "und # weitere Zeile", other: "und # weitere Zeilen" }),
  moreCharacters: (count) => plural(count, { one: "und # weiteres Zeichen", other: "und # weitere Zeichen" }),
  moreFiles: (count) => plural(count, { one: "und # weitere Datei", other: "und # weitere Dateien" }),
  labels: {
    command: "Befehl",
    folder: "Ordner",
    file: "Datei",
    host: "Rechner",
    address: "Adresse",
    text: "Neuer Text",
  },
  agentSays: (description) => `Wie der Agent es beschreibt: ${description}`,
  noDetails: "Mehr sagt der Agent nicht darüber.",
  leftOut: (count) =>
    plural(count, {
      one: "Hier steht nicht alles: # Zeichen fehlt.",
      other: "Hier steht nicht alles: # Zeichen fehlen.",
    }),
  notAllRead: (action) => `Es wurde nicht alles vorgelesen. Trotzdem erlauben: ${action}`,
  works: "Arbeitet an Ihrer Anfrage.",
  done: "Fertig.",
  limitReached: "Angehalten: Die Grenze ist erreicht.",
  refused: "Der Agent hat abgelehnt.",
  stopped: "Angehalten.",
  failed: "Mit einem Fehler beendet.",
  signInNeeded: "Sie müssen sich beim Agenten anmelden.",
  exited: (how) => `Der Agent hat sich unerwartet beendet: ${how}.`,
  exitCode: (number) => `Code ${number}`,
  programEnded: (how) => `Das Programm hat sich beendet: ${how}.`,
  usesTools: (server) => `Benutzt Werkzeuge von ${server}.`,
  message: "Eine Nachricht.",
  waitsForPerson: "Wartet auf einen Menschen.",
  hostClosed: "Das Fenster des Agenten wurde geschlossen.",
  mode: (name) => `Modus: ${name}.`,
  compacting: "Fasst das Gespräch zusammen.",
  subagent: (title, words) => `${titled("Unteragent", title)}: ${words}`,
  askedThere: (asking) => `${asking} Antworten Sie im Fenster des Agenten.`,
  askedToOpen: (domain) => `Der Agent bittet Sie, ${domain} in seinem eigenen Fenster zu öffnen.`,
  question: "Der Agent stellt eine Frage.",
  waitsForYou: "Wartet auf Sie.",
  denied: (what) => `Verweigert: ${what}.`,
  searches: "Sucht.",
};
