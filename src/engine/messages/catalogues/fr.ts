import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("fr");

const STATES = {
  idle: "inactif",
  thinking: "réflexion",
  calling_tool: "utilisation d’un outil",
  writing_output: "rédaction",
  awaiting_input: "attente d’une réponse",
  deciding: "choix de la suite",
  handing_off: "transfert en cours",
} as const;

const GAPS = {
  aged_out: "ils n’étaient plus conservés quand leur tour est venu",
  resumed_too_late: "l’abonnement a repris après leur suppression",
  unknown_place: "l’endroit où l’abonnement devait reprendre n’est pas connu ici",
} as const;

const resolution = createResolution("fr", {
  decisions: {
    accepted: "Accepté.",
    rejected: "Refusé.",
    answered: "Réponse donnée.",
    cancelled: "Retiré.",
  },
  decidedBy: {
    reply: "",
    timeout: "Personne n’a répondu à temps : le choix par défaut s’applique.",
    nobody_to_ask: "Il n’y avait personne à interroger : le choix par défaut s’applique.",
    nobody_left: "La personne qui pouvait répondre est partie : le choix par défaut s’applique.",
    host: "La réponse a été donnée dans la fenêtre de l’agent lui-même.",
    agent: "",
    host_window: "Réponds dans la fenêtre de l’agent lui-même.",
  },
  decidedByTerse: {
    reply: "",
    timeout: "Délai écoulé.",
    nobody_to_ask: "Personne à interroger.",
    nobody_left: "Plus personne.",
    host: "Réponse donnée dans la fenêtre de l’agent.",
    agent: "",
    host_window: "Réponds dans la fenêtre de l’agent lui-même.",
  },
  withoutDefault: {
    nobody_to_ask: "Il n’y avait personne à interroger.",
    nobody_left: "La personne qui pouvait répondre est partie.",
  },
  noAnswer: "Aucune réponse n’est arrivée.",
  yes: "oui",
  no: "non",
  takenToBe: (answer) => ({ terse: `Réponse retenue : ${answer}`, normal: `La réponse retenue est : ${answer}` }),
  question: (asking) => `La question était : ${asking}`,
});

const CLOSINGS = {
  producer_shutdown: {
    terse: "Arrêt en cours.",
    normal: "Le service s’arrête. Abonnez-vous de nouveau quand il sera revenu.",
  },
  recording_ended: {
    terse: "Fin de l’enregistrement.",
    normal: "L’enregistrement est terminé. Il n’y a pas de suite.",
  },
  producer_error: {
    terse: "Une erreur s’est produite.",
    normal:
      "Le service a commis une erreur et a fermé l’abonnement. Abonnez-vous de nouveau pour reprendre là où vous en étiez.",
  },
  lagging: {
    terse: "Trop de retard.",
    normal:
      "L’abonnement recevait les événements trop lentement et a été fermé. Abonnez-vous de nouveau pour reprendre là où vous en étiez.",
  },
  handshake_timeout: {
    terse: "Aucune demande reçue.",
    normal: "La connexion a été fermée, car aucune demande d’abonnement n’est arrivée à temps.",
  },
  idle_timeout: {
    terse: "Inactive trop longtemps.",
    normal: "La connexion a été fermée, car elle est restée inactive trop longtemps.",
  },
} as const;

export const FRENCH: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `État : ${state(STATES, name)}.`,
      questionOpen && "Question ouverte.",
      done !== undefined && `${percent(done)}.`,
    ]),
    normal: sentences([
      `État actuel : ${state(STATES, name)}.`,
      toolsRunningCount > 0 &&
        plural(toolsRunningCount, {
          one: "# outil est en cours d’exécution.",
          other: "# outils sont en cours d’exécution.",
        }),
      outputOpen && "Le résultat est en cours de rédaction.",
      questionOpen && "Une question attend une réponse.",
      done !== undefined && `Avancement : ${percent(done)}.`,
    ]),
  }),
  gap: ({ eventCount, reason }) =>
    eventCount === undefined
      ? {
          terse: "Des événements ont pu être manqués.",
          normal: `Des événements ont pu être manqués. Raison : ${GAPS[reason]}.`,
        }
      : {
          terse: plural(eventCount, { one: "Jusqu’à # événement manqué.", other: "Jusqu’à # événements manqués." }),
          normal: `${plural(eventCount, { one: "Jusqu’à # événement a été manqué", other: "Jusqu’à # événements ont été manqués" })}. Raison : ${GAPS[reason]}.`,
        },
  agentDisconnected: ({ agent }) => ({
    terse: "Agent déconnecté.",
    normal: `La connexion avec ${agent} a été perdue : la session est terminée. La relancer peut suffire.`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "L’agent n’est pas revenu.",
    normal: `Le service a redémarré et ${agent} n’est pas revenu : la session est terminée. La relancer peut suffire.`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "Service arrêté.",
    normal: `Le service a été arrêté : la session de ${agent} est terminée. La relancer peut suffire.`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool} : pas de résultat.`,
    normal: `L’outil ${tool} a été abandonné sans résultat.`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "Confirmation demandée ailleurs" : "Question posée ailleurs"} : ${asking}`,
    normal: sentences([
      kind === "confirmation"
        ? `${agent} demande une confirmation : ${asking}`
        : `${agent} pose une question : ${asking}`,
      "Il n’est pas possible d’y répondre depuis cet abonnement.",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `Temps pour répondre : ${duration(remainingSeconds)}.`,
    normal: sentences([
      passed === "half" ? "La moitié du temps de réponse est écoulée." : "Il reste peu de temps pour répondre.",
      `Temps restant : ${duration(remainingSeconds)}.`,
      `La question est : ${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "Session commencée.",
    normal: `${agent} a commencé. L’agent peut utiliser : ${list(capabilities)}.`,
  }),
  relayEnded: ({ agent }) => ({ terse: "Terminé.", normal: `${agent} a terminé.` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `Utilise ${tool}.`,
    normal: sentences([`${agent} utilise ${tool}.`, details !== undefined && `Avec ${details}.`]),
  }),
  relayFailed: ({ tool, code }) => ({ terse: `${tool} a échoué.`, normal: `${tool} a échoué : ${code}.` }),
  relayArtifact: ({ tool, name }) => ({ terse: `Fichier : ${name}.`, normal: `${tool} a créé le fichier ${name}.` }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `Autoriser ${tool} ?`,
    normal: sentences([`${agent} veut utiliser ${tool}.`, details !== undefined && `Avec ${details}.`]),
  }),
  relayConsequence: ({ tool }) => ({
    terse: "Irréversible.",
    normal: `Les effets de ${tool} ne peuvent pas être annulés.`,
  }),
};
