/**
 * The chains of the replay, each with its trust: a chain of Ethereum whose blocks a light client trusts from a
 * checkpoint, and a chain of the OP stack whose blocks contracts on a parent chain settle. A light client trusts the
 * parent chain.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

import { BeaconNodes, LightClient, LightClientTrust, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, BeaconServer, HistoryChain } from "@plumbline/devnet"
import { EthClient, TrustedBlock } from "@plumbline/eth-methods"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Stack from "@plumbline/jsonrpc-core/middleware/Stack"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as History from "@plumbline/lies/src/eth/history.ts"
import { type Node, object, text, transportTo } from "@plumbline/lies/src/eth/liars/node.ts"
import * as World from "@plumbline/lies/src/eth/liars/world.ts"
import type { Json, JsonObject } from "@plumbline/lies/src/json.ts"
import { OpStackTrust } from "@plumbline/op-stack"
import * as MadeChain from "@plumbline/op-stack/support/madeChain"
import * as Rollup from "@plumbline/op-stack/support/madeRollup"
import { Clock, Context, Effect, Layer, type Scope } from "effect"

/** A chain, the attacked blocks of it, and the trust. */
export interface Scene {
  readonly name: string
  readonly chainId: bigint
  readonly worlds: ReadonlyArray<World.World>
  /** Returns the trust, for a reader of these nodes. */
  readonly trustOf: (nodes: readonly [Transport["Service"], ...ReadonlyArray<Transport["Service"]>]) => Trust
  /** The fields of receipts and transactions that no hash of theirs covers. A client that returns only proven values leaves them out. */
  readonly uncovered: ReadonlyArray<string>
  /** The anchor of the trust: the member `_tag` of each VERIFIED verdict's anchor. */
  readonly anchor: "LightClient" | "Rollup"
}

type Trust = TrustedBlock.TrustedBlock["Service"]

const liveClock = Effect.runSync(Clock.Clock)

/**
 * Returns a trust that keeps its first answers, by the live clock. The chain stands still, and no head must move or age by
 * the time that a run takes.
 */
const still = ({ resolve }: Trust): Trust => {
  const answers = new Map<unknown, Effect.Success<ReturnType<Trust["resolve"]>>>()
  return {
    resolve: Effect.fnUntraced(function* (block) {
      const known = answers.get(block) ?? (yield* Effect.provideService(resolve(block), Clock.Clock, liveClock))
      answers.set(block, known)
      return known
    })
  }
}

/** Slots as long as on mainnet, so that the light client does little work beside the run. */
const SLOT = { secondsPerSlot: 12 }

/** Starts a beacon chain over an execution node, and a light client that follows it from a checkpoint over HTTP. */
const lightClient = Effect.fnUntraced(function* (node: Transport["Service"]) {
  const beacon = yield* Effect.provideService(BeaconChain.make(SLOT), Transport, node)
  const { url } = yield* BeaconServer.make(beacon.handle)
  const nodes = BeaconNodes.layerFetch({ network: beacon.network, nodes: [{ url }] })
  const light = LightClient.layer({ checkpoint: yield* beacon.checkpoint }).pipe(
    Layer.provide([nodes, TrustStore.layerMemory()])
  )
  const trust = LightClientTrust.layer().pipe(Layer.provide([light, Layer.succeed(Transport, node)]))
  return still(Context.get(yield* Layer.build(trust), TrustedBlock.TrustedBlock))
})

/** Opens the chain of Ethereum: the history chain, whose blocks geth's rules made. */
export const ethereum = Effect.gen(function* (): Effect.fn.Return<Scene, unknown, Scope.Scope> {
  const worlds = yield* Effect.promise(() => History.worlds([40, 60, 67]))
  const trust = yield* lightClient(transportTo(worlds[0]!.node))
  return {
    name: "Ethereum, light client",
    chainId: BigInt(HistoryChain.chainId),
    worlds,
    trustOf: () => trust,
    uncovered: ["blobGasPrice"],
    anchor: "LightClient"
  }
})

interface Recorded {
  readonly fork: string
  readonly blocks: ReadonlyArray<{ readonly block: JsonObject; readonly receipts: ReadonlyArray<JsonObject> }>
}

const RECORDED = new URL("../../../../packages/eth-methods/test/support/opStackChain.json.gz", import.meta.url)

/** Returns the blocks of one fork, as op-geth made them. */
const recorded = (fork: string): Recorded => {
  const chains: ReadonlyArray<Recorded> = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString())
  return chains.find((chain) => chain.fork === fork)!
}

const CHAIN_ID = 901n

/** A deposit has no signature, and its `nonce` is a field of its receipt. Fees of L1 are in no hash. */
const UNCOVERED = [
  "depositReceiptVersion",
  "l1BaseFeeScalar",
  "l1BlobBaseFee",
  "l1BlobBaseFeeScalar",
  "l1Fee",
  "l1GasPrice",
  "l1GasUsed",
  "nonce",
  "r",
  "s",
  "v",
  "yParity",
  "operatorFeeConstant",
  "operatorFeeScalar"
]

/** Returns an honest node of recorded blocks. It has no states, so it refuses questions about accounts. */
const nodeOf = ({ blocks }: Recorded): Node => {
  const { block: head } = blocks.at(-1)!
  const find = (parameter: Json | undefined) => {
    const named = typeof parameter === "object" && parameter !== null ? object(parameter) : parameter
    const of = typeof named === "object" && named !== null ? (named["blockHash"] ?? named["blockNumber"]) : named
    const isTag = of === "latest" || of === "safe" || of === "finalized"
    return blocks.find(({ block }) => block["hash"] === of || block["number"] === of || (isTag && block === head))
  }
  const all = blocks.flatMap(({ block, receipts }) =>
    World.transactionsOf(block).map((transaction, at) => ({ transaction, receipt: receipts[at]! }))
  )
  const logsOf = (filter: JsonObject): Json => {
    const from = filter["blockHash"] ?? filter["fromBlock"] ?? "latest"
    const topics = filter["topics"] as ReadonlyArray<Json> | undefined
    const logs = (find(from)?.receipts ?? []).flatMap((receipt) => receipt["logs"] as ReadonlyArray<JsonObject>)
    return logs.filter((log) => topics === undefined || (log["topics"] as ReadonlyArray<Json>)[0] === topics[0])
  }
  return async (method, [first, second]) => {
    const found = find(first)
    switch (method) {
      case "eth_chainId":
        return `0x${CHAIN_ID.toString(16)}`
      case "eth_blockNumber":
        return head["number"]!
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber":
        return found === undefined ? null : second === true ? found.block : World.withHashes(found.block)
      case "eth_getBlockReceipts":
        return found === undefined ? null : [...found.receipts]
      case "eth_getBlockTransactionCountByHash":
      case "eth_getBlockTransactionCountByNumber":
        return found === undefined ? null : `0x${found.receipts.length.toString(16)}`
      case "eth_getUncleCountByBlockHash":
      case "eth_getUncleCountByBlockNumber":
        return found === undefined ? null : "0x0"
      case "eth_getUncleByBlockHashAndIndex":
      case "eth_getUncleByBlockNumberAndIndex":
        return null
      case "eth_getTransactionByBlockHashAndIndex":
      case "eth_getTransactionByBlockNumberAndIndex":
        return found === undefined ? null : (World.transactionsOf(found.block)[Number(second)] ?? null)
      case "eth_getTransactionByHash":
        return all.find(({ transaction }) => transaction["hash"] === first)?.transaction ?? null
      case "eth_getTransactionReceipt":
        return all.find(({ transaction }) => transaction["hash"] === first)?.receipt ?? null
      case "eth_getLogs":
        return logsOf(object(first))
      default:
        throw new RemoteError({ code: -32601, message: "no such method" })
    }
  }
}

const clientOf = (transport: Transport["Service"]): EthClient.Client =>
  Effect.runSync(Effect.provideService(EthClient.make, Transport, transport))

/** A client of a node of the rollup, which waits for it as the ways do. */
const asked = (node: Transport["Service"]): EthClient.Client =>
  clientOf(Stack.node(node, { timeout: "10 seconds", batching: false }))

/** Opens the chain of the OP stack: blocks of op-geth, settled by contracts on a made parent chain. */
export const rollup = Effect.gen(function* (): Effect.fn.Return<Scene, unknown, Scope.Scope> {
  const chain = recorded("isthmus")
  const node = nodeOf(chain)
  const json = chain.blocks.at(-1)!.block
  const settled = { json, storageRoot: () => text(json["withdrawalsRoot"]) } as unknown as MadeChain.MadeBlock
  const l1 = yield* Effect.promise(() =>
    MadeChain.make(Rollup.storageOf(Rollup.newest, settled), { number: 77n, timestamp: Rollup.L1_TIME })
  )
  const made = MadeChain.node({ blocks: [l1], calls: { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(settled)) } })
  const call: Transport["Service"]["call"] = (asked) =>
    asked.method === "eth_chainId" ? Effect.succeed("0x384") : made.transport.call(asked)
  const parentNode = { call, callAll: made.transport.callAll }
  const parent = { eth: clientOf(parentNode), trust: yield* lightClient(parentNode) }
  const worlds = yield* Effect.promise(() =>
    Promise.all(
      [1n, 2n].map((number) =>
        World.read({ name: `op-geth's block ${number}`, node, number, other: 3n - number, ranges: false })
      )
    )
  )
  return {
    name: "OP stack, L1's light client",
    chainId: CHAIN_ID,
    worlds,
    trustOf: ([first, ...others]) =>
      OpStackTrust.make(Rollup.chainOf(Rollup.newest), parent, [asked(first), ...others.map(asked)]),
    uncovered: UNCOVERED,
    anchor: "Rollup"
  }
})
