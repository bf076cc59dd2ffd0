import type { Catalogue } from "./catalogue.js";
import { createResolution } from "./resolution-words.js";
import { createWording, sentences } from "./wording.js";

const { plural, percent, duration, state, list } = createWording("es");

const STATES = {
  idle: "inactivo",
  thinking: "pensando",
  calling_tool: "usando una herramienta",
  writing_output: "escribiendo",
  awaiting_input: "esperando una respuesta",
  deciding: "decidiendo",
  handing_off: "transfiriendo la tarea",
} as const;

const GAPS = {
  aged_out: "ya no estaban guardados cuando llegó su turno",
  resumed_too_late: "la suscripción se reanudó después de que se borraran",
  unknown_place: "aquí no se conoce el punto desde el que debía continuar la suscripción",
} as const;

const resolution = createResolution("es", {
  decisions: {
    accepted: "Aceptado.",
    rejected: "Rechazado.",
    answered: "Respondido.",
    cancelled: "Retirado.",
  },
  decidedBy: {
    reply: "",
    timeout: "Nadie respondió a tiempo, así que se aplica la opción predeterminada.",
    nobody_to_ask: "No había a quién preguntar, así que se aplica la opción predeterminada.",
    nobody_left: "Quien podía responder se ha ido, así que se aplica la opción predeterminada.",
    host: "Se respondió en la ventana del propio agente.",
    agent: "",
    host_window: "Responde en la ventana del propio agente.",
  },
  decidedByTerse: {
    reply: "",
    timeout: "Tiempo agotado.",
    nobody_to_ask: "Nadie a quien preguntar.",
    nobody_left: "Ya no hay nadie.",
    host: "Respondido en la ventana del agente.",
    agent: "",
    host_window: "Responde en la ventana del propio agente.",
  },
  withoutDefault: {
    nobody_to_ask: "No había a quién preguntar.",
    nobody_left: "Quien podía responder se ha ido.",
  },
  noAnswer: "No llegó ninguna respuesta.",
  yes: "sí",
  no: "no",
  takenToBe: (answer) => ({ terse: `Se toma como respuesta: ${answer}`, normal: `Se toma como respuesta: ${answer}` }),
  question: (asking) => `La pregunta era: ${asking}`,
});

const CLOSINGS = {
  producer_shutdown: {
    terse: "Apagando.",
    normal: "El servicio se está apagando. Suscríbase de nuevo cuando vuelva a estar disponible.",
  },
  recording_ended: { terse: "Fin de la grabación.", normal: "La grabación ha terminado. No hay nada más." },
  producer_error: {
    terse: "Se ha producido un fallo.",
    normal:
      "El servicio ha cometido un error y ha cerrado la suscripción. Suscríbase de nuevo para continuar donde estaba.",
  },
  lagging: {
    terse: "Demasiado retraso.",
    normal:
      "La suscripción recibía los eventos con demasiada lentitud y se ha cerrado. Suscríbase de nuevo para continuar donde estaba.",
  },
  handshake_timeout: {
    terse: "No llegó ninguna solicitud.",
    normal: "La conexión se ha cerrado porque no llegó a tiempo ninguna solicitud de suscripción.",
  },
  idle_timeout: {
    terse: "Demasiado tiempo inactiva.",
    normal: "La conexión se ha cerrado porque estuvo inactiva demasiado tiempo.",
  },
} as const;

export const SPANISH: Catalogue = {
  sessionSummary: ({ state: name, toolsRunningCount, outputOpen, questionOpen, percent: done }) => ({
    terse: sentences([
      `Estado: ${state(STATES, name)}.`,
      questionOpen && "Pregunta abierta.",
      done !== undefined && `${percent(done)}.`,
    ]),
    normal: sentences([
      `Estado actual: ${state(STATES, name)}.`,
      toolsRunningCount > 0 &&
        plural(toolsRunningCount, { one: "Hay # herramienta en uso.", other: "Hay # herramientas en uso." }),
      outputOpen && "Se está escribiendo el resultado.",
      questionOpen && "Una pregunta espera respuesta.",
      done !== undefined && `Completado: ${percent(done)}.`,
    ]),
  }),
  gap: ({ eventCount, reason }) =>
    eventCount === undefined
      ? {
          terse: "Puede que se hayan perdido eventos.",
          normal: `Puede que se hayan perdido eventos. Motivo: ${GAPS[reason]}.`,
        }
      : {
          terse: plural(eventCount, { one: "Hasta # evento perdido.", other: "Hasta # eventos perdidos." }),
          normal: `${plural(eventCount, { one: "Se ha perdido hasta # evento", other: "Se han perdido hasta # eventos" })}. Motivo: ${GAPS[reason]}.`,
        },
  agentDisconnected: ({ agent }) => ({
    terse: "Agente desconectado.",
    normal: `Se perdió la conexión con ${agent}, por lo que la sesión ha terminado. Puede servir iniciarla de nuevo.`,
  }),
  agentNotBack: ({ agent }) => ({
    terse: "El agente no ha vuelto.",
    normal: `El servicio se reinició y ${agent} no ha vuelto, por lo que la sesión ha terminado. Puede servir iniciarla de nuevo.`,
  }),
  daemonStopped: ({ agent }) => ({
    terse: "Servicio detenido.",
    normal: `El servicio se detuvo, por lo que la sesión de ${agent} ha terminado. Puede servir iniciarla de nuevo.`,
  }),
  toolAbandoned: ({ tool }) => ({
    terse: `${tool}: sin resultado.`,
    normal: `La herramienta ${tool} se abandonó sin resultado.`,
  }),
  questionNotice: ({ agent, kind, asking }) => ({
    terse: `${kind === "confirmation" ? "Confirmación pedida en otro lugar" : "Pregunta hecha en otro lugar"}: ${asking}`,
    normal: sentences([
      kind === "confirmation" ? `${agent} pide una confirmación: ${asking}` : `${agent} hace una pregunta: ${asking}`,
      "No se puede responder desde esta suscripción.",
    ]),
  }),
  resolution,
  countdown: ({ passed, remainingSeconds, asking }) => ({
    terse: `Tiempo para responder: ${duration(remainingSeconds)}.`,
    normal: sentences([
      passed === "half" ? "Ha pasado la mitad del tiempo para responder." : "Queda poco tiempo para responder.",
      `Tiempo restante: ${duration(remainingSeconds)}.`,
      `La pregunta es: ${asking}`,
    ]),
  }),
  closing: ({ reason }) => CLOSINGS[reason],
  relayStarted: ({ agent, capabilities }) => ({
    terse: "Sesión iniciada.",
    normal: `${agent} ha empezado. Puede usar: ${list(capabilities)}.`,
  }),
  relayEnded: ({ agent }) => ({ terse: "Listo.", normal: `${agent} ha terminado.` }),
  relayCall: ({ agent, tool, details }) => ({
    terse: `Usa ${tool}.`,
    normal: sentences([`${agent} usa ${tool}.`, details !== undefined && `Con ${details}.`]),
  }),
  relayFailed: ({ tool, code }) => ({ terse: `${tool} ha fallado.`, normal: `${tool} ha fallado: ${code}.` }),
  relayArtifact: ({ tool, name }) => ({
    terse: `Archivo: ${name}.`,
    normal: `${tool} ha creado el archivo ${name}.`,
  }),
  relayAction: ({ agent, tool, details }) => ({
    terse: `¿Permite ${tool}?`,
    normal: sentences([`${agent} quiere usar ${tool}.`, details !== undefined && `Con ${details}.`]),
  }),
  relayConsequence: ({ tool }) => ({
    terse: "No se puede deshacer.",
    normal: `Los efectos de ${tool} no se pueden deshacer.`,
  }),
};
