/** The outcome of a lie at a client, in the same words for every client. */

/** The end of a case. */
export type Seen =
  | { readonly _tag: "Value"; readonly shown: string }
  /** An error whose type tells which part failed, or how: a program can act on it. */
  | { readonly _tag: "Refused"; readonly kind: string; readonly printed: string }
  /** An error of a lower layer, known by its text alone. */
  | { readonly _tag: "Untyped"; readonly kind: string; readonly printed: string }
  /** No end in the time that a case may take, or more bytes than the client asked for. */
  | { readonly _tag: "Endless" }

export const endless: Seen = { _tag: "Endless" }

/** Thrown by our readers when more bytes come than there are. */
export class TooMuch extends Error {}

/** Maximum number of bytes read from one answer, 32 MiB: many times the requested content. */
export const MOST = 32 * 1024 * 1024
