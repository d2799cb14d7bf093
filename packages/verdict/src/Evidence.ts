/**
 * Evidence: the facts that a proof has shown, as data.
 *
 * Each package defines the kinds of its own proofs with `kind`; this package defines none. A program tests for a kind
 * by its `_tag` or with the kind's `is`, and never parses the sentence, which is for people.
 */
import * as Kinds from "./Kind.ts"

const TypeId: unique symbol = Symbol.for("@plumbline/verdict/Evidence")

/** One fact that a proof has shown. Its kind defines its fields; `sentence` states the fact in English. */
export interface Evidence {
  readonly [TypeId]: typeof TypeId
  readonly _tag: string
  readonly sentence: string
}

/** Makes evidence of one kind, and recognises it. */
export type EvidenceKind<Tag extends string, Fields extends object> = Kinds.Kind<Evidence, Tag, Fields>

/**
 * Defines a kind of evidence from its tag and a function that makes the sentence from its fields.
 *
 * ```ts import.meta.vitest
 * import { Evidence } from "@plumbline/verdict"
 *
 * const Balance = Evidence.kind("Balance", ({ wei }: { readonly wei: bigint }) => `the balance is ${wei} wei`)
 * const shown = Balance({ wei: 5n })
 * shown._tag // => "Balance"
 * shown.wei // => 5n
 * shown.sentence // => "the balance is 5 wei"
 * Balance.is(shown) // => true
 * ```
 */
export const kind = <const Tag extends string, Fields extends object>(
  tag: Tag,
  say: (fields: Fields) => string
): EvidenceKind<Tag, Fields> => Kinds.define(TypeId, tag, say)

/** True if both are of the same kind and have the same fields. */
export const equals = (a: Evidence, b: Evidence): boolean => Kinds.equals(a, b)
