// What a requirement is, and how a test is known to prove it: by its id in the title of the test (or of the group, or of the scenario) …
export interface Requirement {
  /** `AAEP-5.6.1-a`: the paragraph, and the letter of the requirement in it. `R10`: the ruling. */
  readonly id: string;
  /** In our own words. */
  readonly says: string;
  /** … or, where a test of older standing proves it under a title of its own, by file and title. */
  readonly provedBy?: readonly Proof[];
  /** Why nothing here proves it. */
  readonly excluded?: string;
}

/** A test file, from `test/`, and a part of one of its titles. */
export type Proof = readonly [file: string, title: string];

export const SUBSCRIBERS_OWN =
  "binds the assistive technology that subscribes; what the daemon owes for it is required elsewhere";
export const AGENTS_OWN = "binds the agent, whose deeds outside of its events the daemon cannot see";
