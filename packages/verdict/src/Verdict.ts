/**
 * Trust as a type: a value with the evidence for it, the anchor of the proof, and the parts that are only claimed.
 *
 * Every Plumbline tool uses three words: VERIFIED (proven), CLAIMED (not provable, with the reason) and REFUTED (a
 * check failed: the error `RefutedError`). Only a proof makes a `Verified<A>`. This module can map, join and weaken it.
 * TypeScript refuses a `Verified` written as an object literal or made by an object spread.
 */
import * as Result from "effect/Result"

import * as Anchor from "./Anchor.ts"
import * as Claim from "./Claim.ts"
import * as Evidence from "./Evidence.ts"
import * as Reason from "./Reason.ts"
import { UnprovenError } from "./UnprovenError.ts"
import * as internal from "./verifiedClass.ts"

/** A value that follows from its anchor, except for the fields in `claimed`. */
export type Verified<A> = internal.Verified<A>

/**
 * A value that nothing links to a trusted hash: only nodes vouch for it. `proven` lists facts that are true without a
 * trusted hash.
 */
export interface Claimed<out A> {
  readonly _tag: "CLAIMED"
  readonly value: A
  /** The block from which the value follows, except for the other claims, if nodes vouch for that block. */
  readonly anchor: Anchor.WeakAnchor | null
  readonly proven: ReadonlyArray<Evidence.Evidence>
  readonly claimed: ReadonlyArray<Claim.Claim>
}

/** The answer of a verifying client. A refuted answer is an error instead. */
export type Verdict<A> = Verified<A> | Claimed<A>

/**
 * Makes a CLAIMED verdict on a value, for one reason.
 *
 * ```ts import.meta.vitest
 * import { Reason, Verdict } from "@plumbline/verdict"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * const verdict = Verdict.claim(5n, NoTrust({}))
 * verdict._tag // => "CLAIMED"
 * Verdict.sentences(verdict).claimed // => [{ field: "value", reason: "no trusted hash was given" }]
 * ```
 */
export const claim = <A>(value: A, reason: Reason.Reason, proven: ReadonlyArray<Evidence.Evidence> = []): Claimed<A> =>
  claimAll(value, [Claim.whole(reason)], proven)

/** Makes a CLAIMED verdict on a value, for several reasons. */
export const claimAll = <A>(
  value: A,
  claims: ReadonlyArray<Claim.Claim>,
  proven: ReadonlyArray<Evidence.Evidence> = [],
  anchor: Anchor.WeakAnchor | null = null
): Claimed<A> => ({ _tag: "CLAIMED", value, anchor, proven, claimed: claims })

/**
 * Returns the CLAIMED verdict on a proven value whose proof ends at a hash that only nodes vouch for.
 *
 * The first claim says so, with the reason `Reason.RestsOn`. A verdict that is CLAIMED for another reason is returned
 * as it is.
 */
export const restOn = <A>(self: Verdict<A>, anchor: Anchor.WeakAnchor): Claimed<A> =>
  self._tag === "CLAIMED"
    ? self
    : claimAll(self.value, [Claim.whole(Reason.RestsOn({ anchor })), ...self.claimed], self.proven, anchor)

/**
 * Returns the one weak anchor of all CLAIMED verdicts; null if one of them has another anchor or none, or if no verdict
 * is CLAIMED.
 */
export const weakAnchorOf = (verdicts: ReadonlyArray<Verdict<unknown>>): Anchor.WeakAnchor | null => {
  const claimed = verdicts.flatMap((verdict) => (verdict._tag === "CLAIMED" ? [verdict.anchor] : []))
  const [first = null] = claimed
  return first !== null && claimed.every((other) => other !== null && Anchor.equals(first, other)) ? first : null
}

/** Options of `map`: a rule that turns claims about the old value into claims about the new one. */
export interface VerdictMapOptions {
  /** Returns the claims about the new value that follow from a claim about the old value. */
  readonly claims?: ((claim: Claim.Claim) => ReadonlyArray<Claim.Claim>) | undefined
}

/**
 * Returns the verdict on the value that `f` computes from the old value.
 *
 * A claim about a field names a path in the old value. Without `options.claims` it is unknown which part of the new
 * value depends on that field, so the whole new value is CLAIMED. Claims about the question stay unchanged.
 *
 * ```ts import.meta.vitest
 * import { Claim, Reason, Verdict } from "@plumbline/verdict"
 *
 * const NodesWord = Reason.kind("NodesWord", () => "the node's word")
 * const verdict = Verdict.claim({ wei: 5n }, NodesWord({}))
 * Verdict.map(verdict, ({ wei }) => wei * 2n).value // => 10n
 * ```
 */
export const map = <A, B>(self: Verdict<A>, f: (value: A) => B, options?: VerdictMapOptions): Verdict<B> => {
  const value = f(self.value)
  const rename = options?.claims
  if (self._tag === "CLAIMED") {
    const claims = rename === undefined ? self.claimed.map(derived) : self.claimed.flatMap(rename)
    return claimAll(value, claims, self.proven, self.anchor)
  }
  if (rename !== undefined) return verified(self, value, self.claimed.flatMap(rename))
  return self.claimed.every(({ about }) => about === "Question")
    ? verified(self, value, self.claimed)
    : claimAll(value, self.claimed.map(derived), self.proven)
}

const derived = (claim: Claim.Claim): Claim.Claim =>
  claim.about === "Field" ? Claim.whole(Reason.Derived({ field: claim.field, reason: claim.reason })) : claim

const verified = <A, B>({ anchor, proven }: Verified<A>, value: B, claims: ReadonlyArray<Claim.Claim>): Verified<B> =>
  new internal.Verified({ value, anchor, proven, claimed: claims })

/**
 * Combines two verdicts into one on the pair of values. The result is VERIFIED only if both are.
 *
 * Both must follow from the same anchor. If they follow from two anchors, no single anchor proves the pair, so it is
 * CLAIMED. Claims about fields of the first value get the prefix `[0].`, and claims about the second `[1].`. Evidence
 * and claims about the question that occur in both verdicts are listed once.
 */
export const zip = <A, B>(first: Verdict<A>, second: Verdict<B>): Verdict<readonly [A, B]> => {
  const value = [first.value, second.value] as const
  const proven = distinct([...first.proven, ...second.proven], Evidence.equals)
  const claims = distinct([...first.claimed.map(under("[0]")), ...second.claimed.map(under("[1]"))], Claim.equals)
  if (first._tag === "CLAIMED" || second._tag === "CLAIMED") {
    return claimAll(value, claims, proven, first._tag === second._tag ? weakAnchorOf([first, second]) : null)
  }
  if (Anchor.equals(first.anchor, second.anchor)) {
    return new internal.Verified({ value, anchor: second.anchor, proven, claimed: claims })
  }
  const apart = Reason.TwoAnchors({ first: first.anchor.hash, second: second.anchor.hash })
  return claimAll(value, [Claim.whole(apart), ...claims], proven)
}

const under =
  (path: string) =>
  (claim: Claim.Claim): Claim.Claim =>
    claim.about === "Field" ? { ...claim, field: `${path}.${claim.field}` } : claim

const distinct = <T>(items: ReadonlyArray<T>, equals: (a: T, b: T) => boolean): ReadonlyArray<T> =>
  items.filter((item, at) => items.findIndex((other) => equals(other, item)) === at)

/** Downgrades a verdict to CLAIMED, for a reason that covers the whole value. */
export const weaken = <A>(self: Verdict<A>, reason: Reason.Reason): Claimed<A> =>
  claimAll(self.value, [Claim.whole(reason), ...self.claimed], self.proven, weakAnchorOf([self]))

/** Returns the verdict with one more claim. */
export const withClaim = <A>(self: Verdict<A>, claim: Claim.Claim): Verdict<A> =>
  self._tag === "VERIFIED"
    ? verified(self, self.value, [...self.claimed, claim])
    : claimAll(self.value, [...self.claimed, claim], self.proven, self.anchor)

/** True if the verdict is VERIFIED and follows from this anchor. */
export const isAnchoredAt = (self: Verdict<unknown>, anchor: Anchor.Anchor): boolean =>
  self._tag === "VERIFIED" && Anchor.equals(self.anchor, anchor)

/** Calls the function for the kind of the verdict. */
export const match = <A, B, C = B>(
  self: Verdict<A>,
  cases: { readonly onVerified: (verified: Verified<A>) => B; readonly onClaimed: (claimed: Claimed<A>) => C }
): B | C => (self._tag === "VERIFIED" ? cases.onVerified(self) : cases.onClaimed(self))

/**
 * Returns the value if it is proven with all its fields, and fails with `UnprovenError` otherwise. `subject` names the call
 * for the error. A claim about the question, such as that the block is the latest, is ignored, because the value is
 * still proven for its block.
 *
 * ```ts import.meta.vitest
 * import { Reason, Verdict } from "@plumbline/verdict"
 * import { Result } from "effect"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * const refused = Verdict.getOrRefuse(Verdict.claim(5n, NoTrust({})), "eth_getBalance")
 * Result.isFailure(refused) && refused.failure.message // => "eth_getBalance: no trusted hash was given"
 * ```
 */
export const getOrRefuse = <A>(self: Verdict<A>, subject: string): Result.Result<A, UnprovenError> => {
  const claims = self._tag === "VERIFIED" ? self.claimed.filter(({ about }) => about !== "Question") : self.claimed
  return self._tag === "VERIFIED" && claims.length === 0
    ? Result.succeed(self.value)
    : Result.fail(new UnprovenError({ subject, claims }))
}

/** The evidence and claims of a verdict as sentences, as the command prints them in JSON. */
export interface VerdictSentences {
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim.ClaimSentence>
}

/** Returns the evidence and the claims of a verdict as sentences. */
export const sentences = ({ claimed, proven }: Pick<Verdict<unknown>, "proven" | "claimed">): VerdictSentences => ({
  proven: proven.map(({ sentence }) => sentence),
  claimed: claimed.map(Claim.toSentence)
})

/** A verdict as data for `JSON.stringify`, in the form that the command prints with `--json`. */
export interface Json extends VerdictSentences {
  readonly verdict: "VERIFIED" | "CLAIMED"
  readonly value: unknown
  readonly anchor: Readonly<Record<string, unknown>> | null
}

/**
 * Returns a verdict as data for `JSON.stringify`. `encode` gives the wire form of the value, because JSON has no
 * `bigint`; for the answer of a method it is `JsonRpcClient.toJson`, and for a contract's variable `Value.toJson` of
 * storage-layout.
 *
 * ```ts import.meta.vitest
 * import { Reason, Verdict } from "@plumbline/verdict"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * const json = Verdict.toJson(Verdict.claim(5n, NoTrust({})), String)
 * json.value // => "5"
 * json.claimed // => [{ field: "value", reason: "no trusted hash was given" }]
 * ```
 */
export const toJson = <A>(self: Verdict<A>, encode: (value: A) => unknown): Json => ({
  verdict: self._tag,
  value: encode(self.value),
  anchor: self.anchor === null ? null : Anchor.toJson(self.anchor),
  ...sentences(self)
})
