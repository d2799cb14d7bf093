/** The relation of a block to trust: the authority that names it, or the trusted block that its parents lead to. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Ancestry from "@plumbline/eth-methods/trust/Ancestry"
import type { Named, TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { Client, Read } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { Reason } from "@plumbline/verdict/Reason"
import { refute } from "@plumbline/verdict/Refuted"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

/** The relation of a block to trust. */
export type Standing =
  /** The trusted authority names the block, or a later one. */
  | { readonly _tag: "Vouched" }
  /**
   * The parents of the block lead to the trusted block. Only the node says that the chain continues with this block.
   */
  | { readonly _tag: "Extends"; readonly trusted: Hash32.Hash32 }
  /** The authority names another block for this number. The authority or the node is behind, or one of them lies. */
  | { readonly _tag: "Another"; readonly by: string; readonly hash: Hash32.Hash32 }
  /** The authority does not know the block yet. */
  | { readonly _tag: "Behind"; readonly reason: Reason }
  /** Only the node vouches for the block, for a reason that time does not change. */
  | { readonly _tag: "Word"; readonly reason: Reason }

/** A block that is proven by its own hash. */
export type ProvenBlock = Verified<Block.WithHashes>

/** A parent of the block, with its standing. */
export interface Parent {
  readonly hash: Hash32.Hash32
  readonly standing: Standing
}

/** Returns the standing of a block. Fails with `Refuted` if the block contradicts the trusted block. */
export type Judge = (block: ProvenBlock, parent: Parent | undefined) => Read<Standing>

/** The services and limits of a judge. */
export interface Options extends Ancestry.Options {
  readonly eth: EthClient.Client
  readonly client: Client
  readonly trust: TrustedBlock["Service"]
}

/** True if a later question to the authority may give a better standing. */
export const mayImprove = ({ _tag }: Standing): boolean => _tag === "Another" || _tag === "Behind"

export const make = ({ client, eth, trust, maxSteps }: Options): Judge => {
  /** The numbers of trusted blocks by hash. They never change. */
  const numbers = new Map<Hash32.Hash32, bigint>()
  const numberOf = (hash: Hash32.Hash32): Read<bigint | undefined> => {
    const known = numbers.get(hash)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(client.getBlockByHash(hash), ({ value }) => {
      if (value?.number == null) return undefined
      numbers.clear()
      numbers.set(hash, value.number)
      return value.number
    })
  }

  /**
   * Judges a block before the trusted block. Ancestry proves the node's own block of this number from the trusted
   * block.
   */
  const before = (block: ProvenBlock, trusted: Hash32.Hash32): Read<Standing> =>
    Effect.flatMap(client.getBlockByNumber(block.value.number!), (found): Read<Standing> => {
      if (found._tag === "CLAIMED") return Effect.succeed({ _tag: "Word", reason: found.claimed[0]!.reason })
      const hash = found.value?.hash ?? null
      return hash !== null && Hex.equals(hash, block.value.hash!)
        ? Effect.succeed(VOUCHED)
        : Effect.fail(refute(`block ${block.value.number} before the trusted block ${trusted}`, hash, block.value.hash))
    })

  /**
   * Judges a block whose number is not below the trusted block's, if the parent has no standing yet. The path back to
   * the trusted block goes through the block's own state or through its parents.
   */
  const after = (block: ProvenBlock, trusted: Hash32.Hash32, number: bigint): Read<Standing> =>
    Effect.flatMap(Ancestry.reach(eth, block, number, { maxSteps }), (reached): Read<Standing> => {
      if (reached._tag === "Unreached") return Effect.succeed({ _tag: "Word", reason: reached.reason })
      const { hash } = reached.block.value
      return Hex.equals(hash!, trusted)
        ? Effect.succeed({ _tag: "Extends", trusted })
        : Effect.fail(refute("trusted block", trusted, hash))
    })

  const under = Effect.fnUntraced(function* (
    block: ProvenBlock,
    parent: Parent | undefined,
    { anchor, hash: trusted }: Named
  ): Effect.fn.Return<Standing, Effect.Error<Read<Standing>>> {
    if (Hex.equals(block.value.hash!, trusted)) return VOUCHED
    if (parent !== undefined && (parent.standing._tag === "Extends" || Hex.equals(parent.hash, trusted))) {
      return { _tag: "Extends", trusted }
    }
    const number = yield* numberOf(trusted)
    if (number === undefined) {
      const reason = EthReason.TrustedBlockUnknown({ hash: trusted })
      // the node may still get the block of a light client, but hardly a block that the reader named
      return { _tag: anchor === undefined ? "Word" : "Behind", reason }
    }
    return yield* block.value.number! < number ? before(block, trusted) : after(block, trusted, number)
  })

  return (block, parent) =>
    Effect.flatMap(trust.resolve(block.value.number!), (trusted): Read<Standing> => {
      switch (trusted._tag) {
        case "Nothing":
          return Effect.succeed({ _tag: trusted.isYet === true ? "Behind" : "Word", reason: trusted.reason })
        case "Exactly":
          return Effect.succeed(
            Hex.equals(trusted.hash, block.value.hash!)
              ? VOUCHED
              : { _tag: "Another", by: trusted.by, hash: trusted.hash }
          )
        case "OnChain":
          return under(block, parent, trusted)
      }
    })
}

const VOUCHED: Standing = { _tag: "Vouched" }
