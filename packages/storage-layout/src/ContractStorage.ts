/**
 * Reads a contract's variables by name, and proves them.
 *
 * All words of one reading are of one block: a number or a tag becomes a hash first, and every proof is of that hash.
 * The slots of a round go into one eth_getProof, or as few as `MAX_SLOTS` allows, and the next round is only asked for
 * where a length had to be known first.
 */
import type * as Address from "@plumbline/codec/Address"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as AccountProof from "@plumbline/eth-methods/AccountProof"
import type * as Block from "@plumbline/eth-methods/Block"
import type * as BlockParameter from "@plumbline/eth-methods/BlockParameter"
import { Refuted } from "@plumbline/eth-methods/Refuted"
import * as StorageKey from "@plumbline/eth-methods/StorageKey"
import { claim, type Verdict } from "@plumbline/eth-methods/Verified"
import * as VerifiedEthClient from "@plumbline/eth-methods/VerifiedEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { Layout } from "./Layout.ts"
import * as Location from "./Location.ts"
import { NoBlock } from "./NoBlock.ts"
import { NoValue } from "./NoValue.ts"
import type * as Path from "./Path.ts"
import type { PathError } from "./PathError.ts"
import * as Plan from "./Plan.ts"
import type { Decoded } from "./Value.ts"

/** Whose storage, and what is in it. */
export interface Contract {
  readonly address: Address.Address
  readonly layout: Layout
}

/** At which block, and how much. */
export interface Options extends Plan.Options {
  /** Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
}

/** What was read. */
export interface Reading<A> {
  readonly value: A
  /** The block that the words are of. The anchor of the verdict may be a later one, from which this one follows. */
  readonly blockHash: Hash32.Hash32
  /** The words that the value was made of, by their slots. */
  readonly words: Plan.Words
}

/** A reading, VERIFIED or CLAIMED. */
export type Read<A> = Effect.Effect<Verdict<Reading<A>>, PathError | NoValue | NoBlock | JsonRpcError | Refuted>

/** The most slots that one eth_getProof is asked for. */
export const MAX_SLOTS = 1024

/** How many eth_getProof calls of a round wait at a time. */
const CONCURRENCY = 4

/** The service as a value. */
export interface Reader {
  /** The value that a path names. */
  readonly read: (contract: Contract, path: string | Path.Path, options?: Options) => Read<Decoded>
  /** The values that some paths name, in their order, all of the same block and in the same calls. */
  readonly readMany: (
    contract: Contract,
    paths: ReadonlyArray<string | Path.Path>,
    options?: Options
  ) => Read<ReadonlyArray<Decoded>>
}

/**
 * The service. `ContractStorage.layer` needs a `VerifiedEthClient`.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 * import { TrustedBlock, VerifiedEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { ContractStorage, Layout } from "@plumbline/storage-layout"
 * import { Effect, Layer, Result } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const storage = ContractStorage.ContractStorage.layer.pipe(
 *   Layer.provide(VerifiedEthClient.VerifiedEthClient.layer),
 *   Layer.provide([node, TrustedBlock.layerNone])
 * )
 * const layout = Result.getOrThrow(Layout.fromVyper({ owner: { type: "address", slot: 0 } }))
 * const address = Address.fromHexUnsafe("0x00000000219ab540356cBB839Cbe05303d7705Fa")
 * const owner = ContractStorage.ContractStorage.use((storage) => storage.read({ address, layout }, "owner"))
 * const failed = await Effect.runPromise(Effect.flip(Effect.provide(owner, storage)))
 * failed.message // => "the node knows no such block"
 * ```
 */
export class ContractStorage extends Context.Service<ContractStorage, Reader>()(
  "@plumbline/storage-layout/ContractStorage"
) {
  static readonly layer: Layer.Layer<ContractStorage, never, VerifiedEthClient.VerifiedEthClient> = Layer.effect(
    ContractStorage,
    Effect.suspend(() => Effect.map(VerifiedEthClient.VerifiedEthClient, make))
  )
}

/** A reader over a client. */
export const make = (eth: VerifiedEthClient.Client): Reader => {
  const readMany = Effect.fnUntraced(function* (
    { address, layout }: Contract,
    paths: ReadonlyArray<string | Path.Path>,
    options: Options = {}
  ) {
    const locations = yield* Effect.fromResult(Result.all(paths.map((path) => Location.locate(layout, path))))
    const [first] = locations
    if (layout.area === "transient" && first !== undefined) {
      return yield* new NoValue({ reason: "Transient", path: first.path, type: first.type.label })
    }
    let plan = yield* Effect.fromResult(Plan.start(layout, locations, options))
    const at = yield* locate(eth, options.block ?? "latest")
    const proofs: Array<Verdict<AccountProof.AccountProof>> = []
    // an account is proven even where no word is wanted: a verdict needs something to stand on
    while (plan._tag === "Want" || proofs.length === 0) {
      const slots: ReadonlyArray<bigint> = plan._tag === "Want" ? plan.slots : []
      const answers = yield* Effect.forEach(
        chunks(slots),
        (slots) => eth.getProof(address, slots.map(StorageKey.fromSlot), at.block),
        { concurrency: CONCURRENCY }
      )
      proofs.push(...answers)
      if (plan._tag === "Done") break
      const words = yield* Effect.fromResult(wordsOf(slots, answers))
      plan = Plan.give(plan, (slot) => words.get(slot)!)
    }
    const { values, words } = plan
    return settle({ value: values, blockHash: at.hash, words }, address, proofs, at.verdict)
  })
  return {
    readMany,
    read: (contract, path, options) =>
      Effect.map(readMany(contract, [path], options), (verdict) => ({
        ...verdict,
        value: { ...verdict.value, value: verdict.value.value[0]! }
      }))
  }
}

/** A block by its hash, and what ties it to trust where the caller did not name the hash. */
interface At {
  readonly block: BlockParameter.BlockParameter
  readonly hash: Hash32.Hash32
  readonly verdict: Verdict<Block.WithHashes | null> | undefined
}

const locate = Effect.fnUntraced(function* (
  eth: VerifiedEthClient.Client,
  block: BlockParameter.BlockParameter
): Effect.fn.Return<At, NoBlock | JsonRpcError | Refuted> {
  if (Hash32.isHash32(block)) return { block, hash: block, verdict: undefined }
  if (typeof block === "object" && "blockHash" in block) return { block, hash: block.blockHash, verdict: undefined }
  const verdict = yield* eth.getBlockByNumber(typeof block === "object" ? block.blockNumber : block)
  if (verdict.value === null) return yield* new NoBlock({ reason: "Unknown" })
  const { hash } = verdict.value
  if (hash === null) return yield* new NoBlock({ reason: "Pending" })
  return { block: { blockHash: hash }, hash, verdict }
})

const chunks = (slots: ReadonlyArray<bigint>): ReadonlyArray<ReadonlyArray<bigint>> =>
  Array.from({ length: Math.max(1, Math.ceil(slots.length / MAX_SLOTS)) }, (_, i) =>
    slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS)
  )

/** The word of each slot. A proof has them all; an answer that nothing proves may not. */
const wordsOf = (
  slots: ReadonlyArray<bigint>,
  answers: ReadonlyArray<Verdict<AccountProof.AccountProof>>
): Result.Result<Plan.Words, Refuted> => {
  const words = new Map(
    answers.flatMap(({ value }) => value.storageProof.map((proof) => [AccountProof.keyOf(proof), proof.value]))
  )
  const missing = slots.find((slot) => !words.has(slot))
  return missing === undefined
    ? Result.succeed(words)
    : Result.fail(new Refuted({ check: "storageProof", expected: StorageKey.fromSlot(missing), got: "other slots" }))
}

/**
 * What follows from the proofs. The values are computed from proven words alone, so the verdict on the words is theirs;
 * that the block is the one that a tag or number means is as sure as the block's own verdict.
 */
const settle = <A>(
  reading: Reading<A>,
  address: Address.Address,
  proofs: ReadonlyArray<Verdict<AccountProof.AccountProof>>,
  block: Verdict<Block.WithHashes | null> | undefined
): Verdict<Reading<A>> => {
  const word = [...proofs, ...(block === undefined ? [] : [block])].find(({ _tag }) => _tag === "CLAIMED")
  const { size } = reading.words
  const all = `${size} word${size === 1 ? "" : "s"} of the storage of ${address}, at block ${reading.blockHash}`
  const proven = proofs.every(({ _tag }) => _tag === "VERIFIED") ? [all] : []
  if (word !== undefined) {
    const reason = word.claimed.find(({ field }) => field === "value")?.reason ?? "the node's word"
    return claim(reading, reason, proven)
  }
  const verdict = proofs[0]!
  const tie = block ?? verdict
  return {
    ...verdict,
    value: reading,
    anchor: tie.anchor,
    proven: [...proven, ...(block === undefined ? [] : block.proven)],
    claimed: tie.claimed.filter(({ field }) => field === "block")
  } as Verdict<Reading<A>>
}
