/**
 * The history chain: a finished chain of 70 blocks from Frontier to Osaka, and an archive node that serves it from within
 * this process. No program is started, no network is used, and no EVM is there.
 *
 * It answers every method of `EthMethods.group` but those that run code or take transactions, at every block, the genesis
 * included: blocks with true total difficulties, uncles, transactions, receipts, logs, and proofs of any account and slot
 * as of any block. Everything that is asked of a block is the same for ever. `HistoryChain` says what is on the chain.
 *
 * **Tags.** `latest`, `safe` and `finalized` are the head. There is no `pending` block; the pending state is the head's.
 *
 * **Refusals** are those of geth: -32000 `header not found` for the state after a block that there is not, -32001 for an
 * unknown hash (EIP-1898). What needs an EVM is refused with -32004, as are new transactions.
 */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import * as MemoryTransport from "@plumbline/jsonrpc-core/memory/MemoryTransport"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

import * as Calls from "../node/call.ts"
import type { NodeCall } from "../node/call.ts"
import type * as HistoryArchive from "./archive.ts"
import * as HistoryFile from "./file.ts"
import * as HistoryHandlers from "./handlers.ts"
import * as HistoryChain from "./HistoryChain.ts"
import type { HistoryError } from "./HistoryError.ts"

export type { NodeCall } from "../node/call.ts"

/** The node. */
export interface Node extends Dispatcher.Dispatcher<never> {
  readonly chainId: number
  /** Calls a method with parameters in wire form; gives the JSON text of the result, in UTF-8. A gateway's upstream. */
  readonly call: NodeCall
}

/** The node as a service. */
export class History extends Context.Service<History, Node>()("@plumbline/devnet/History") {}

/**
 * Reads the archive and opens the node. Nothing has to be closed: what it holds is memory, about a megabyte.
 *
 * ```ts import.meta.vitest
 * import { History } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const node = await Effect.runPromise(History.make)
 * const count = await Effect.runPromise(node.call("eth_getUncleCountByBlockNumber", ["0x5"]))
 * new TextDecoder().decode(count) // => '"0x2"'
 * ```
 */
export const make: Effect.Effect<Node, HistoryError> = Effect.suspend(() =>
  Effect.map(HistoryFile.read(archiveFile), nodeOf)
)

/**
 * The node, for whoever is built on this layer.
 *
 * ```ts import.meta.vitest
 * import { History, HistoryChain } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const request = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
 * const program = History.History.use((node) => node.handle(request))
 * const answer = await Effect.runPromise(Effect.provide(program, History.layer))
 * Number(JSON.parse(new TextDecoder().decode(answer)).result) === HistoryChain.chainId // => true
 * ```
 */
export const layer: Layer.Layer<History, HistoryError> = Layer.effect(History, make)

/**
 * A `Transport` to a node of its own, for a client, and `Subscriptions`, which bring nothing.
 *
 * ```ts import.meta.vitest
 * import { History, HistoryChain } from "@plumbline/devnet"
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect, Layer } from "effect"
 *
 * const program = EthClient.EthClient.use((eth) => eth.getUncleByBlockNumberAndIndex(5n, 1n))
 * const client = Layer.provide(EthClient.layer, History.layerTransport)
 * const uncle = await Effect.runPromise(Effect.provide(program, client))
 * uncle?.hash === HistoryChain.blocks[5]?.uncles[1] // => true
 * ```
 */
export const layerTransport: Layer.Layer<Transport | Subscriptions, HistoryError> = Layer.unwrap(
  Effect.map(make, (node) => MemoryTransport.layer(node))
)

/** The archive, one RLP list; `history/README.md` says of what. */
export const archiveFile: URL = new URL("../../history/archive.rlp", import.meta.url)

const nodeOf = (archive: HistoryArchive.Archive): Node => {
  const handlers = HistoryHandlers.make(archive, HistoryChain.chainId)
  const server = JsonRpcServer.make(EthMethods.group, handlers, { subscriptions })
  return { chainId: HistoryChain.chainId, ...server, call: Calls.over(server) }
}

/** They begin, and bring nothing: the chain is finished. */
const subscriptions = [
  JsonRpcServer.source(EthSubscriptions.newHeads, () => Effect.succeed(Stream.never)),
  JsonRpcServer.source(EthSubscriptions.logs, () => Effect.succeed(Stream.never)),
  JsonRpcServer.source(EthSubscriptions.newPendingTransactions, () => Effect.succeed(Stream.never))
]
