/**
 * The trust of `@plumbline/eth-methods` in a chain of the OP stack, from a trusted block of its parent chain (L1).
 *
 * Storage proofs under the trusted block of L1 lead from SystemConfig to the newest output root that the contracts
 * settle, and the output root commits to a block of the rollup. `finalized` and `safe` are exactly this block. Older blocks
 * are proven from it by ancestry. A newer block, and so `latest`, is a claim of the node: a chain of headers on top of a
 * settled block proves none of them, because anyone can make descendants.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import {
  type AuthorityBlock,
  layerNone,
  type TrustedAnswer,
  TrustedBlock
} from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import { RestsOn } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as OutputRoot from "../contract/OutputRoot.ts"
import * as OpStackEvidence from "./OpStackEvidence.ts"
import * as OpStackReason from "./OpStackReason.ts"
import * as SettledOutput from "./settledOutput.ts"

/** The chain, and its parent chain: a node of L1 and the trust in L1. */
export interface OpStackTrustOptions<E = never, R = never> {
  readonly chain: OpStackChain
  readonly l1: Layer.Layer<Transport | TrustedBlock, E, R>
}

/**
 * Provides the trust. The `Transport` of the context may lead to any node of the rollup.
 *
 * A read fails with `RefutedError` if a proof of the L1 node is wrong, with check `output-root` if the node's block is not
 * the one that the output root of a game commits to, and with check `l2-number` if that block has another number. A node
 * that says to be of another chain is not refuted, and neither is one whose block does not give a starting root: that
 * root may be a placeholder, which is the root of no block.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { HttpTransport } from "@plumbline/jsonrpc-core"
 * import { OpStackChains, OpStackTrust } from "@plumbline/op-stack"
 * import { Layer } from "effect"
 *
 * const hash = "0x9d9ed7a5c8a1c5ad0b0a6a4cce8cfa8ed4f7f3e2b1a09f8e7d6c5b4a39281706"
 * const l1 = Layer.merge(
 *   HttpTransport.layer({ url: "https://ethereum.example" }),
 *   TrustedBlock.layerPinned(hash)
 * )
 * const node = HttpTransport.layer({ url: "https://base.example" })
 * const trust = OpStackTrust.layer({ chain: OpStackChains.byId(8453n)!, l1 }).pipe(Layer.provide(node))
 * const eth = VerdictEthClient.layer({ chainId: 8453n }).pipe(Layer.provide([node, trust]))
 * Layer.isLayer(eth) // => true
 * ```
 */
export const layer = <E, R>({ chain, l1 }: OpStackTrustOptions<E, R>): Layer.Layer<TrustedBlock, E, R | Transport> =>
  Layer.effect(
    TrustedBlock,
    Effect.gen(function* () {
      const parent = yield* Layer.build(l1)
      const l1Eth = yield* Effect.provideContext(EthClient.make, parent)
      const eth = yield* EthClient.make
      return make(chain, { eth: l1Eth, trust: Context.get(parent, TrustedBlock) }, eth)
    })
  )

/** A plain client of L1, and the trust in L1. */
export interface ParentChain {
  readonly eth: EthClient.Client
  readonly trust: TrustedBlock["Service"]
}

/** The methods of the rollup's node that the trust calls. */
export type RollupNode = Pick<EthClient.Client, "chainId" | "getBlockByNumber" | "getProof">

/** Returns the trust as a value. */
export const make = (chain: OpStackChain, parent: ParentChain, node: RollupNode): TrustedBlock["Service"] => {
  // every block of L1 is named by its hash, which proves it, so that this client needs no trust of its own
  const reader: SettledOutput.L1Reader & Pick<VerdictEthClient.Client, "getBlockByHash"> = readerOf(chain, parent.eth)
  const turns = Semaphore.makeUnsafe(1)
  let last: Settled | undefined
  /** The last stop that the proven contracts of a block of L1 give, so that nothing is read again for this block. */
  let stopped: { readonly hash: Hash32.Hash32; readonly stop: NotSettled } | undefined
  let used: SettledOutput.UsedSlots = new Map()
  /** The number of reads that have ended, and the failure of the last one. */
  let ended = 0
  let failed: Cause.Cause<JsonRpcError | RefutedError | NotSettled> | undefined

  /** Returns the newest settled block. Reads L1 only if its trusted block has changed. */
  const settledNow: Effect.Effect<Settled, JsonRpcError | RefutedError | NotSettled> = Effect.gen(function* () {
    const trusted = yield* parent.trust.resolve("finalized")
    if (trusted._tag === "Nothing") {
      return yield* notSettled(OpStackReason.L1Untrusted({ cause: trusted.reason }), trusted.isYet)
    }
    if (trusted.weak !== undefined) {
      // consent to the word of nodes of L1 is no consent to answers of the rollup
      return yield* notSettled(OpStackReason.L1Untrusted({ cause: RestsOn({ anchor: trusted.weak }) }))
    }
    if (last !== undefined && Hex.equals(last.l1.hash, trusted.hash)) {
      // the block is the same, but its age is not, and more members may have signed
      last = { ...last, l1: { ...last.l1, trusted } }
      return last
    }
    if (stopped !== undefined && Hex.equals(stopped.hash, trusted.hash)) return yield* Effect.fail(stopped.stop)
    const header = yield* l1Header(trusted.hash)
    // the trust in L1 must not go back; if it does, the newer block counts
    if (last !== undefined && header.number! < last.l1.header.number!) return last
    const found = yield* Effect.tapError(settledAt(trusted, header), (error) =>
      Effect.sync(() => {
        if (error._tag === "NotSettled" && isProven(error.reason)) stopped = { hash: trusted.hash, stop: error }
      })
    )
    last = found
    return found
  })

  /**
   * Reads in turn. A caller that waited for a read that failed gets the same failure: if a node of L1 is silent, callers
   * wait for one timeout, and not for those of all callers before them.
   */
  const current: typeof settledNow = Effect.suspend(() => {
    const before = ended
    return Effect.suspend(() =>
      failed !== undefined && ended > before
        ? Effect.failCause(failed)
        : Effect.onExit(settledNow, (exit) =>
            Effect.sync(() => {
              if (Exit.hasInterrupts(exit)) return
              ended += 1
              failed = Exit.isFailure(exit) ? exit.cause : undefined
            })
          )
    ).pipe(Semaphore.withPermit(turns))
  })

  const l1Header = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Block.Block, JsonRpcError | RefutedError | NotSettled> {
    const verdict = yield* reader.getBlockByHash(hash)
    if (verdict.value === null) {
      return yield* notSettled(OpStackReason.L1Untrusted({ cause: EthReason.TrustedBlockUnknown({ hash }) }), true)
    }
    const proven = Verify.provenHeader(verdict as Verdict<Block.Block>)
    return proven === undefined
      ? yield* notSettled(OpStackReason.L1Untrusted({ cause: verdict.claimed[0]!.reason }))
      : proven.value
  })

  const settledAt = Effect.fnUntraced(function* (
    trusted: AuthorityBlock,
    header: Block.Block
  ): Effect.fn.Return<Settled, JsonRpcError | RefutedError | NotSettled> {
    const block = { hash: trusted.hash, header }
    const read = yield* SettledOutput.read(reader, chain, { block, used }).pipe(
      Effect.catchTag("Unsettled", ({ reason }) => notSettled(reason))
    )
    const { output } = read
    const isSame =
      last !== undefined &&
      last.output.number === output.number &&
      Hex.equals(last.output.outputRoot, output.outputRoot)
    if (last !== undefined && !isSame && output.number <= last.output.number) {
      return yield* notSettled(OpStackReason.AnchorBack({ before: last.output.number, now: output.number }))
    }
    const head = isSame ? last!.head : yield* headOf(node, chain, output)
    used = read.used
    return { l1: { ...block, trusted }, output, head }
  })

  const named = ({ head, l1, output }: Settled): AuthorityBlock => {
    const { contracts, game, outputRoot, state } = output
    const { number, timestamp } = l1.header
    const hash = head.value.hash!
    const anchor = Anchor.rollup({
      hash,
      chainId: chain.chainId,
      state,
      game: game?.address,
      gameType: game?.gameType,
      resolvedAt: game?.resolvedAt,
      contracts,
      l1: l1.trusted.anchor ?? Anchor.block(l1.hash)
    })
    const proven = [
      OpStackEvidence.OutputCommits({
        chainId: chain.chainId,
        number: head.value.number!,
        timestamp: head.value.timestamp,
        lag: timestamp - head.value.timestamp
      }),
      OpStackEvidence.OutputSettled({ outputRoot, state, game, contracts, l1: { number: number!, timestamp } }),
      ...(l1.trusted.proven ?? [])
    ]
    return { hash, by: `the ${state} block of ${chain.name} on its parent chain`, anchor, proven }
  }

  const nothing = ({ isYet, reason }: NotSettled): TrustedAnswer => ({ _tag: "Nothing", reason, isYet })

  return {
    resolve: (block) =>
      block === "pending"
        ? Effect.succeed({ _tag: "Nothing", reason: EthReason.PendingBlock({}) })
        : current.pipe(
            Effect.map((settled) => answerOf(block, settled, named)),
            Effect.catchTag("NotSettled", (stop) => Effect.succeed(nothing(stop)))
          )
  }
}

const answerOf = (
  block: Exclude<BlockParameter.NumberOrTag, "pending">,
  settled: Settled,
  named: (settled: Settled) => AuthorityBlock
): TrustedAnswer => {
  if (block === "finalized" || block === "safe") return { _tag: "Exactly", ...named(settled) }
  const number = block === "earliest" ? 0n : block
  const newest = settled.head.value.number!
  return number === "latest" || number > newest
    ? { _tag: "Nothing", reason: OpStackReason.NewerThanSettled({ block: number, settled: newest }), isYet: true }
    : { _tag: "OnChain", ...named(settled) }
}

/** A settled block, and the block of L1 from whose state it was read. */
interface Settled {
  readonly l1: { readonly hash: Hash32.Hash32; readonly header: Block.Block; readonly trusted: AuthorityBlock }
  readonly output: SettledOutput.SettledOutput
  readonly head: Verified<Block.Block>
}

/** L1 names no settled block. `isYet` is true if time may change that. */
interface NotSettled {
  readonly _tag: "NotSettled"
  readonly reason: Parameters<typeof OpStackReason.L1Untrusted>[0]["cause"]
  readonly isYet: boolean | undefined
}

/** True if proven storage gives the reason. What rests on a hint of the node can be different in the next answer. */
const isProven = (reason: NotSettled["reason"]): boolean =>
  OpStackReason.GameUnconfirmed.is(reason)
    ? PROVEN_CHECKS.has(reason.check)
    : OpStackReason.AnchorBack.is(reason) ||
      OpStackReason.EmptySlot.is(reason) ||
      OpStackReason.RegistryNotNamed.is(reason) ||
      OpStackReason.UnknownImplementation.is(reason) ||
      OpStackReason.UnsupportedGame.is(reason)

/** The checks of a game whose claim the factory has confirmed, or that need no claim. */
const PROVEN_CHECKS: ReadonlySet<OpStackReason.GameCheck> = new Set([
  "game-blacklisted",
  "game-claim",
  "game-number",
  "game-status"
])

const notSettled = (reason: NotSettled["reason"], isYet?: boolean): Effect.Effect<never, NotSettled> =>
  Effect.fail<NotSettled>({ _tag: "NotSettled", reason, isYet })

const readerOf = (chain: OpStackChain, eth: EthClient.Client) => {
  const none = Effect.runSync(Effect.provide(TrustedBlock, layerNone()))
  const verdicts = VerdictEthClient.make(eth, none, { chainId: chain.l1ChainId })
  return { verdicts, eth, getBlockByHash: verdicts.getBlockByHash }
}

/**
 * Reads the block that an output root commits to. Any node may send the block, because the root commits to its hash.
 *
 * Since Isthmus the header has the message passer's storage root in `withdrawalsRoot`. Before, the state of the block
 * must prove the account, and usual nodes have pruned a state that is older than some minutes.
 */
const headOf = Effect.fnUntraced(function* (
  node: RollupNode,
  { chainId }: OpStackChain,
  { number, outputRoot, state }: SettledOutput.SettledOutput
): Effect.fn.Return<Verified<Block.Block>, JsonRpcError | RefutedError | NotSettled> {
  const block: Block.WithHashes | null = yield* node.getBlockByNumber(number)
  if (block === null) return yield* notSettled(OpStackReason.SettledBlockUnknown({ number }), true)
  const unproven = (detail: string) => notSettled(OpStackReason.SettledBlockUnproven({ number, detail }))
  const hash = block.hash
  if (hash === null) return yield* refute("l2-header", "a block with a hash", "null")
  const verdict = yield* Effect.fromResult(Verify.blockWithHashes(block, hash, { chainId }))
  const header = Verify.provenHeader(verdict)
  if (header === undefined) return yield* unproven(verdict.claimed[0]!.reason.sentence)
  if (block.number !== number) return yield* refute("l2-number", number, block.number)
  const { requestsHash, stateRoot, withdrawalsRoot } = header.value
  let messagePasserRoot = withdrawalsRoot
  // only headers since Isthmus have both fields
  if (requestsHash === undefined || messagePasserRoot === undefined) {
    const question = { address: Address.fromHexUnsafe(OutputRoot.MESSAGE_PASSER), storageKeys: [] }
    const answer = yield* Effect.result(node.getProof(question.address, [], { blockHash: hash }))
    if (answer._tag === "Failure") {
      return yield* answer.failure.reason._tag === "RemoteError"
        ? unproven("the node gives no proof of the message passer's account, which a block before Isthmus needs")
        : Effect.fail(answer.failure)
    }
    const account = yield* Effect.fromResult(Verify.account(answer.success, question, header))
    messagePasserRoot = account.value.storageHash
  }
  const got = OutputRoot.of({ stateRoot, messagePasserRoot, blockHash: hash })
  if (Hex.equals(got, outputRoot)) return header
  if (state === "starting") {
    return yield* unproven(
      "it does not give the starting root, which the owner of the contracts set and which may be a placeholder"
    )
  }
  const id = yield* Effect.orElseSucceed(node.chainId, () => chainId)
  return id === chainId
    ? yield* refute("output-root", outputRoot, got)
    : yield* unproven(`the node is of chain ${id}, and not of chain ${chainId}`)
})
