/** What a client made of a lie, in the same words for every client. */

/** How a case ends. */
export type Seen =
  | { readonly _tag: "Value"; readonly shown: string }
  /** An error that says by its type who failed or what: a program can act on it. */
  | { readonly _tag: "Refused"; readonly kind: string; readonly printed: string }
  /** An error of something underneath, known by its text alone. */
  | { readonly _tag: "Untyped"; readonly kind: string; readonly printed: string }
  /** Nothing in the time that a case may take, or more bytes than anybody asked for. */
  | { readonly _tag: "Endless" }

export const endless: Seen = { _tag: "Endless" }

/** Thrown by readers of ours when more comes than there is. */
export class TooMuch extends Error {}

/** The most that is taken of one answer, 32 MiB: many times what was asked for. */
export const MOST = 32 * 1024 * 1024
