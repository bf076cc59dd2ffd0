// The module that finds words for texts (R37), and what stands open in the texts that go on.
import type { Log } from "../../contracts/log.js";
import type { lastPart, revealed, speakable, speakablePart } from "../../speakable/index.js";
import { type OpenTextServices, OpenTexts } from "./open-texts.js";

/** The functions of `src/speakable` that the engine needs. */
export interface SpeakableModule {
  readonly speakable: typeof speakable;
  readonly speakablePart: typeof speakablePart;
  readonly lastPart: typeof lastPart;
  readonly revealed: typeof revealed;
}

export interface SpeakerServices extends OpenTextServices {
  readonly log: Log;
  /** Called when the first subscription asks for words: most daemons never need the module. */
  readonly loadSpeakable: () => Promise<SpeakableModule>;
}

export class Speaker {
  /** Undefined until it is loaded, and if that failed. */
  module: SpeakableModule | undefined;
  readonly openTexts: OpenTexts;
  private readonly services: SpeakerServices;
  private loaded: "no" | "yes" | Promise<void> = "no";

  constructor(services: SpeakerServices) {
    this.services = services;
    this.openTexts = new OpenTexts(services);
  }

  /** Resolves when words can be had; undefined if they can. Texts that leave before get none. If the module does not load, none ever do. */
  loading(): Promise<void> | undefined {
    if (this.loaded === "no") this.loaded = this.load();
    return this.loaded === "yes" ? undefined : this.loaded;
  }

  private async load(): Promise<void> {
    const { loadSpeakable, log } = this.services;
    try {
      this.module = await loadSpeakable();
    } catch (caught) {
      log.error({ err: caught }, "the words of speakable text could not be loaded; texts are delivered without");
    }
    this.loaded = "yes";
  }
}
