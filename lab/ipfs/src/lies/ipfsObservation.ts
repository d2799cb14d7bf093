/** The observations of a client in a case, in the same form for every client. */

/** The end of a case. */
export type Seen =
  | { readonly _tag: "Value"; readonly shown: string }
  /** An error whose type says which part failed, or how, so that a program can act on it. */
  | { readonly _tag: "Refused"; readonly kind: string; readonly printed: string }
  /** An error of a lower layer, which only its text identifies. */
  | { readonly _tag: "Untyped"; readonly kind: string; readonly printed: string }
  /** The client did not end within the time limit of the case, or it read more bytes than it requested. */
  | { readonly _tag: "Endless" }

export const endless: Seen = { _tag: "Endless" }

/** Thrown by our readers when more bytes arrive than the content has. */
export class TooMuch extends Error {}

/** Maximum number of bytes read from one answer, 32 MiB: many times the requested content. */
export const MOST = 32 * 1024 * 1024
