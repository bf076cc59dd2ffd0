import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";
import { titled } from "./titled.js";

const { plural } = createWording("fr");

export const FRENCH_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${host} dans ${folder}`,
  runs: {
    read: (what) => `Lit ${what}`,
    edit: (what) => `Modifie ${what}`,
    delete: (what) => `Supprime ${what}`,
    move: (what) => `Déplace ${what}`,
    execute: (what) => `Exécute ${what}`,
    fetch: (what) => `Consulte ${what}`,
  },
  asks: {
    read: (what) => `Lire ${what}`,
    edit: (what) => `Modifier ${what}`,
    delete: (what) => `Supprimer ${what}`,
    move: (what) => `Déplacer ${what}`,
    execute: (what) => `Exécuter ${what}`,
    fetch: (what) => `Consulter ${what}`,
  },
  use: (tool) => `Utiliser ${tool}`,
  moreLines: (count) => plural(count, { one: "et # ligne de plus", other: "et # lignes de plus" }),
  moreCharacters: (count) => plural(count, { one: "et # caractère de plus", other: "et # caractères de plus" }),
  moreFiles: (count) => plural(count, { one: "et # fichier de plus", other: "et # fichiers de plus" }),
  labels: {
    command: "Commande",
    folder: "Dossier",
    file: "Fichier",
    host: "Hôte",
    address: "Adresse",
    text: "Nouveau texte",
  },
  agentSays: (description) => `Selon l’agent : ${description}`,
  noDetails: "L’agent n’en dit pas plus.",
  leftOut: (count) =>
    plural(count, {
      one: "Tout n’est pas ici : il manque # caractère.",
      other: "Tout n’est pas ici : il manque # caractères.",
    }),
  notAllRead: (action) => `Tout n’a pas été lu. Autoriser quand même : ${action}`,
  works: "Travaille à votre demande.",
  done: "Terminé.",
  limitReached: "Arrêté : la limite est atteinte.",
  refused: "L’agent a refusé.",
  stopped: "Arrêté.",
  failed: "Terminé par une erreur.",
  signInNeeded: "L’agent vous demande de vous connecter.",
  exited: (how) => `L’agent s’est terminé de façon inattendue : ${how}.`,
  exitCode: (number) => `code de sortie ${number}`,
  programEnded: (how) => `Le programme s’est terminé : ${how}.`,
  usesTools: (server) => `Utilise des outils de ${server}.`,
  message: "Un message.",
  waitsForPerson: "Attend une personne.",
  hostClosed: "La fenêtre de l’agent a été fermée.",
  mode: (name) => `Mode : ${name}.`,
  compacting: "Résume la conversation.",
  subagent: (title, words) => `${titled("Sous-agent", title)} : ${words}`,
  askedThere: (asking) => `${asking} Répondez dans la fenêtre de l’agent.`,
  askedToOpen: (domain) => `L’agent vous demande d’ouvrir ${domain} dans sa propre fenêtre.`,
  question: "L’agent pose une question.",
  waitsForYou: "Vous attend.",
  denied: (what) => `Refusé : ${what}.`,
  searches: "Effectue une recherche.",
};
