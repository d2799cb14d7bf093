/** A statement that is not proven, with the reason. */
import * as Reason from "./Reason.ts"

/** The extent of a claim. */
export type ClaimExtent =
  /** The whole value. */
  | "Value"
  /** A part of the value: `field` is the path to it. */
  | "Field"
  /** A claim about the question, such as which block a tag means. Proofs about the answer stay valid. */
  | "Question"

/**
 * A statement that is not proven.
 *
 * `field` is a path in the value, such as `blockNumber` or `transactions[2].from`. It covers everything below this
 * path, and `[]` means every item that has the field. If the value itself is a list, `field` begins with the list's
 * name: `receipts`, `logs` or `uncles`. For a claim about the whole value, `field` is `value`. For a claim about a
 * question, `field` is the question's name, such as `block`.
 */
export interface Claim {
  readonly about: ClaimExtent
  readonly field: string
  readonly reason: Reason.Reason
}

/** Claims the whole value. */
export const whole = (reason: Reason.Reason): Claim => ({ about: "Value", field: "value", reason })

/** Claims a part of the value. */
export const of = (field: string, reason: Reason.Reason): Claim => ({ about: "Field", field, reason })

/** Claims the answer to a question about the value. */
export const question = (name: string, reason: Reason.Reason): Claim => ({ about: "Question", field: name, reason })

/** A claim with its reason as a sentence, as the command prints it in JSON. */
export interface ClaimSentence {
  readonly field: string
  readonly reason: string
}

/**
 * Returns the claim with its reason as a sentence.
 *
 * ```ts import.meta.vitest
 * import { Claim, Reason } from "@plumbline/verdict"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * Claim.toSentence(Claim.of("size", NoTrust({}))) // => { field: "size", reason: "no trusted hash was given" }
 * ```
 */
export const toSentence = ({ field, reason }: Claim): ClaimSentence => ({ field, reason: reason.sentence })

/** True if both claims are about the same part, for the same reason. */
export const equals = (a: Claim, b: Claim): boolean =>
  a.about === b.about && a.field === b.field && Reason.equals(a.reason, b.reason)
