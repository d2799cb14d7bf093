/** The error of every check: the answer contradicts the anchor. */
import * as Schema from "effect/Schema"

/** The proof in which a check failed, and the position of the node at which it failed. */
const At = Schema.Struct({ proof: Schema.String, node: Schema.Number })

/**
 * A check failed.
 *
 * `check` names the check, with the field if the check is about one field (`header hash`, `transactions[3].from`).
 * `expected` is the value that the anchor or the rule requires, and `got` the value in the answer; both are texts of
 * bounded length. `subject` names the checked thing if `check` does not, such as a CID. `at` names the proof in which
 * the check failed, and the position of the failing node in that proof, from 0.
 *
 * ```ts import.meta.vitest
 * import { RefutedError } from "@plumbline/verdict"
 *
 * const wrong = new RefutedError({ check: "header hash", expected: "0x1", got: "0x2" })
 * wrong.message // => "header hash: expected 0x1, got 0x2"
 * const other = new RefutedError({ subject: "bafk", check: "block hash", expected: "1", got: "2" })
 * other.message // => "bafk: block hash: expected 1, got 2"
 * ```
 */
export class RefutedError extends Schema.TaggedError<RefutedError>()("RefutedError", {
  subject: Schema.optionalKey(Schema.String),
  check: Schema.String,
  expected: Schema.String,
  got: Schema.String,
  at: Schema.optionalKey(At)
}) {
  override get message(): string {
    const subject = this.subject === undefined ? "" : `${this.subject}: `
    return `${subject}${this.check}: expected ${this.expected}, got ${this.got}`
  }
}

/** The values that a check compares: texts and numbers, and null or undefined for a missing value. */
export type ComparableValue = string | bigint | null | undefined

/**
 * Makes a `RefutedError` from two compared values. Numbers are written in hex, and texts are cut after 200 characters,
 * because an answer may contain megabytes in place of a hash.
 *
 * ```ts import.meta.vitest
 * import { refute } from "@plumbline/verdict"
 *
 * refute("block.number", 10n, null).message // => "block.number: expected 0xa, got null"
 * const at = { proof: "accountProof", node: 2 }
 * refute("proof", "0x1", undefined, { at }).at // => { proof: "accountProof", node: 2 }
 * ```
 */
export const refute = (
  check: string,
  expected: ComparableValue,
  got: ComparableValue,
  where?: Pick<RefutedError, "subject" | "at">
): RefutedError => new RefutedError({ ...where, check, expected: show(expected), got: show(got) })

const MAX_TEXT = 200

const show = (value: ComparableValue): string => {
  const text =
    typeof value === "bigint" ? `0x${value.toString(16)}` : value === undefined ? "nothing" : (value ?? "null")
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text
}
