/** Reads the block of a rollup that an output root commits to. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import * as ProvenNodes from "@plumbline/eth-methods/verified/ProvenNodes"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as OutputRoot from "../contract/OutputRoot.ts"
import * as OpStackReason from "./OpStackReason.ts"
import type { Output } from "./settledOutput.ts"
import * as WrongChain from "./wrongChain.ts"

/** The methods of the rollup's node that the trust calls. */
export type RollupNode = Pick<EthClient.Client, "chainId" | "getBlockByNumber" | "getProof">

/** L1 names no block, or the node of the rollup does not prove it. `isYet` is true if time may change that. */
export interface NotSettled {
  readonly _tag: "NotSettled"
  readonly reason: Reason
  readonly isYet: boolean | undefined
}

export const notSettled = (reason: Reason, isYet?: boolean): Effect.Effect<never, NotSettled> =>
  Effect.fail<NotSettled>({ _tag: "NotSettled", reason, isYet })

/** The nodes of the rollup. Any of them may send the block, because the output root commits to its hash. */
export type RollupNodes = ProvenNodes.ProvenNodes<RollupNode>

export const nodesOf = ([first, ...others]: readonly [RollupNode, ...ReadonlyArray<RollupNode>]): RollupNodes =>
  ProvenNodes.make([{ name: "1", eth: first }, ...others.map((eth, at) => ({ name: String(at + 2), eth }))])

/** Reads the block that an output root commits to, from the first node that proves it. */
export const read = (
  nodes: RollupNodes,
  chain: OpStackChain,
  output: Output<string>
): Effect.Effect<Verified<Block.Block>, JsonRpcError | RefutedError | NotSettled> =>
  nodes
    .read((node) => Effect.catch(readFrom(node, chain, output), (error) => ofChain(node, chain, error)))
    .pipe(
      Effect.catchTag("UnprovenError", ({ claims }) => {
        const { reason } = claims[0]!
        return notSettled(reason, OpStackReason.SettledBlockUnknown.is(reason) ? true : undefined)
      })
    )

type Stop = ProvenNodes.ReadFailure

const stop = (reason: Reason): UnprovenError =>
  new UnprovenError({ subject: "the block of an output root", claims: [Claim.whole(reason)] })

/** Fails with the error, unless the node is of another chain: then it is not to blame, and has no proof. */
const ofChain = (node: RollupNode, chain: OpStackChain, error: Stop): Effect.Effect<never, Stop> =>
  error._tag === "JsonRpcError"
    ? Effect.fail(error)
    : Effect.flatMap(WrongChain.reasonOf("rollup", node, chain), (reason) =>
        Effect.fail(reason === undefined ? error : stop(reason))
      )

/**
 * Reads the block from one node.
 *
 * Since Isthmus the header has the message passer's storage root in `withdrawalsRoot`. Before, the state of the block
 * must prove the account, and usual nodes have pruned a state that is older than some minutes.
 */
const readFrom = Effect.fnUntraced(function* (
  node: RollupNode,
  { chainId }: OpStackChain,
  { number, outputRoot, state }: Output<string>
): Effect.fn.Return<Verified<Block.Block>, Stop> {
  const block: Block.WithHashes | null = yield* node.getBlockByNumber(number)
  if (block === null) return yield* stop(OpStackReason.SettledBlockUnknown({ number }))
  const unproven = (detail: string) => stop(OpStackReason.SettledBlockUnproven({ number, detail }))
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
  // a claim that nothing settles may be false, and then the node with another block is right
  if (state !== "settled") return yield* unproven(`it is not the block of the output root that is ${state}`)
  return yield* refute("output-root", outputRoot, got)
})
