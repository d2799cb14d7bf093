/** The only place that makes a `Verified`: closed in the package's exports, so that only verifiers reach it. */
import type { Anchor, Claim, Verified } from "../Verified.ts"

export const TypeId: unique symbol = Symbol.for("@plumbline/second-chain-methods/Verified")

export const makeVerified = <A>(options: {
  readonly value: A
  readonly anchor: Anchor
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim>
}): Verified<A> => ({
  [TypeId]: TypeId,
  _tag: "VERIFIED",
  value: options.value,
  anchor: options.anchor,
  proven: options.proven,
  claimed: options.claimed
})
