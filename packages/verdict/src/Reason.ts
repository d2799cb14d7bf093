/**
 * The reason why a part of an answer is not proven, as data.
 *
 * Each package defines the kinds of its own reasons with `kind`; shared kinds are in this module. A program tests for a
 * kind by its `_tag` or with the kind's `is`, and never parses the sentence, which is for people.
 */
import type { WeakAnchor } from "./Anchor.ts"
import * as Kinds from "./Kind.ts"

const TypeId: unique symbol = Symbol.for("@plumbline/verdict/Reason")

/** The reason of a claim. Its kind defines its fields; `sentence` states the reason in English. */
export interface Reason {
  readonly [TypeId]: typeof TypeId
  readonly _tag: string
  readonly sentence: string
}

/** Makes reasons of one kind, and recognises them. */
export type ReasonKind<Tag extends string, Fields extends object> = Kinds.Kind<Reason, Tag, Fields>

/**
 * Defines a kind of reason from its tag and a function that makes the sentence from its fields.
 *
 * ```ts import.meta.vitest
 * import { Reason } from "@plumbline/verdict"
 *
 * const TooOld = Reason.kind("TooOld", ({ block }: { readonly block: bigint }) => `block ${block} is too old`)
 * TooOld({ block: 7n }).sentence // => "block 7 is too old"
 * TooOld.is(TooOld({ block: 7n })) // => true
 * ```
 */
export const kind = <const Tag extends string, Fields extends object>(
  tag: Tag,
  say: (fields: Fields) => string
): ReasonKind<Tag, Fields> => Kinds.define(TypeId, tag, say)

/** Several reasons at once, in one sentence. */
export const All: ReasonKind<"All", { readonly reasons: ReadonlyArray<Reason> }> = /* @__PURE__ */ kind(
  "All",
  ({ reasons }) => reasons.map(({ sentence }) => sentence).join("; ")
)

/** The value was computed from another value that has a claimed field. */
export const Derived: ReasonKind<"Derived", { readonly field: string; readonly reason: Reason }> = /* @__PURE__ */ kind(
  "Derived",
  ({ field, reason }) => `it may rest on ${field}: ${reason.sentence}`
)

/** The parts of a value follow from two anchors, so no single anchor proves the whole value. */
export const TwoAnchors: ReasonKind<"TwoAnchors", { readonly first: string; readonly second: string }> =
  /* @__PURE__ */ kind("TwoAnchors", ({ first, second }) => `its parts follow from two anchors, ${first} and ${second}`)

/** Everything else is proven, but no proof settles the hash at which the proof ends. */
export const RestsOn: ReasonKind<"RestsOn", { readonly anchor: WeakAnchor }> = /* @__PURE__ */ kind(
  "RestsOn",
  ({ anchor }) =>
    `it rests on ${restOf(anchor)}${anchor.accepted ? "" : "; accept that by name to be served such answers"}`
)

const restOf = (anchor: WeakAnchor): string => {
  switch (anchor._tag) {
    case "Quorum":
      return `a quorum: ${anchor.agree} of ${anchor.of} operators (${anchor.names.join(", ")}) name its block, and no proof does`
    case "Operator":
      return "the operator's node, which names its block, and no proof does"
    case "Unsettled": {
      const { game, gameType, state } = anchor
      const standing = state === "resolved" ? "won, but can still be voided" : "open to dispute"
      return `a claim that is only ${state} on the parent chain: game ${game} of type ${gameType} is ${standing}, and the parent chain does not settle its block`
    }
  }
}

/** True if the reader accepts, by name, what the reason says. */
export const isAccepted = (reason: Reason): boolean => RestsOn.is(reason) && reason.anchor.accepted

/** True if both are of the same kind and have the same fields. */
export const equals = (a: Reason, b: Reason): boolean => Kinds.equals(a, b)
