/** A verifier under attack, and the outcomes of one attack. */
import type { Difference } from "./leaves.ts"

/** One verifier that `pnpm lab fuzz <name>` attacks. */
export interface Target {
  readonly name: string
  /** One sentence for `pnpm lab fuzz --list`. */
  readonly about: string
  /** True if one run takes milliseconds, so that the tests run fewer cases. */
  readonly slow?: boolean
  /** Builds the truth, once per run. */
  readonly prepare: () => Promise<Round>
}

/** Runs one mutated case. The same seed gives the same case. */
export type Round = (seed: number) => Outcome | Promise<Outcome>

export type Outcome =
  /**
   * A typed failure: `RefutedError`, a schema's error, or another error that the verifier declares. `check` names the
   * failure.
   */
  | { readonly _tag: "Refused"; readonly check: string }
  /** The whole value is CLAIMED, or a proven client failed with `UnprovenError`. */
  | { readonly _tag: "Claimed" }
  /** The value is accepted, and every leaf that is not claimed is true. */
  | { readonly _tag: "True" }
  /** A lie passed: `leaf` is not claimed and not true. A thrown defect counts as a lie with the leaf `defect`. */
  | ({ readonly _tag: "False" } & Difference)

export const refused = (check: string): Outcome => ({ _tag: "Refused", check })

export const claimed: Outcome = { _tag: "Claimed" }

/** Returns the outcome of an accepted value. `difference` is the oracle's result. */
export const accepted = (difference: Difference | undefined): Outcome =>
  difference === undefined ? { _tag: "True" } : { _tag: "False", ...difference }
