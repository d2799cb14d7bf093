/** A verifier under attack, and the outcomes of one attack. */
import type { Difference } from "./leaves.ts"

/** One verifier that `pnpm fuzz <name>` attacks. */
export interface Target {
  readonly name: string
  /** One sentence for `pnpm fuzz --list`. */
  readonly about: string
  /** True where one run takes milliseconds: the short run of the tests is then shorter still. */
  readonly slow?: boolean
  /** Builds the truth, once per run. */
  readonly prepare: () => Promise<Round>
}

/** Runs one mutated case. The same seed gives the same case. */
export type Round = (seed: number) => Outcome | Promise<Outcome>

export type Outcome =
  /** A typed failure: `Refuted`, a schema's error, or another error that the verifier declares. `check` names it. */
  | { readonly _tag: "Refused"; readonly check: string }
  /** The whole value is CLAIMED, or a proven client failed with `Unproven`. */
  | { readonly _tag: "Claimed" }
  /** Accepted, and every leaf that is not claimed is the truth. */
  | { readonly _tag: "True" }
  /** A lie passed: `leaf` is not claimed and not the truth. A thrown defect counts as a lie with the leaf `defect`. */
  | ({ readonly _tag: "False" } & Difference)

export const refused = (check: string): Outcome => ({ _tag: "Refused", check })

export const claimed: Outcome = { _tag: "Claimed" }

/** Returns the outcome of an accepted value, by the oracle's difference. */
export const accepted = (difference: Difference | undefined): Outcome =>
  difference === undefined ? { _tag: "True" } : { _tag: "False", ...difference }
