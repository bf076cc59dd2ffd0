import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";
import { titled } from "./titled.js";

const { plural } = createWording("es");

export const SPANISH_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${host} en ${folder}`,
  runs: {
    read: (what) => `Lee ${what}`,
    edit: (what) => `Modifica ${what}`,
    delete: (what) => `Borra ${what}`,
    move: (what) => `Mueve ${what}`,
    execute: (what) => `Ejecuta ${what}`,
    fetch: (what) => `Consulta ${what}`,
  },
  asks: {
    read: (what) => `Leer ${what}`,
    edit: (what) => `Modificar ${what}`,
    delete: (what) => `Borrar ${what}`,
    move: (what) => `Mover ${what}`,
    execute: (what) => `Ejecutar ${what}`,
    fetch: (what) => `Consultar ${what}`,
  },
  use: (tool) => `Usar ${tool}`,
  moreLines: (count) => plural(count, { one: "y # línea más", other: "y # líneas más" }),
  moreCharacters: (count) => plural(count, { one: "y # carácter más", other: "y # caracteres más" }),
  moreFiles: (count) => plural(count, { one: "y # archivo más", other: "y # archivos más" }),
  labels: {
    command: "Orden",
    folder: "Carpeta",
    file: "Archivo",
    host: "Equipo",
    address: "Dirección",
    text: "Texto nuevo",
  },
  noDetails: "El agente no dice más.",
  leftOut: (count) =>
    plural(count, { one: "Aquí no está todo: falta # carácter.", other: "Aquí no está todo: faltan # caracteres." }),
  notAllRead: (action) => `No se leyó todo. Permitir de todos modos: ${action}`,
  works: "Trabaja en su petición.",
  done: "Hecho.",
  limitReached: "Detenido: alcanzó su límite.",
  refused: "El agente se negó.",
  stopped: "Detenido.",
  failed: "Terminó con un error.",
  signInNeeded: "El agente necesita que inicie sesión.",
  exited: (how) => `El agente terminó de forma inesperada: ${how}.`,
  exitCode: (number) => `código ${number}`,
  programEnded: (how) => `El programa terminó: ${how}.`,
  usesTools: (server) => `Usa herramientas de ${server}.`,
  message: "Un mensaje.",
  waitsForPerson: "Espera a una persona.",
  hostClosed: "Se cerró la ventana del agente.",
  mode: (name) => `Modo: ${name}.`,
  compacting: "Resume la conversación.",
  subagent: (title, words) => `${titled("Subagente", title)}: ${words}`,
  askedThere: (asking) => `${asking} Responda en la ventana del agente.`,
  askedToOpen: (domain) => `El agente le pide que abra ${domain} en su propia ventana.`,
  question: "El agente hace una pregunta.",
  waitsForYou: "Le espera.",
  denied: (what) => `Denegado: ${what}.`,
  searches: "Busca.",
};
