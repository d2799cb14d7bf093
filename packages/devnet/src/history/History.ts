/**
 * The history chain: a finished chain of 70 blocks from Frontier to Osaka, and an archive node that serves it inside
 * this process. The node starts no program, uses no network and has no EVM.
 *
 * The node answers every method of `EthMethods.group` except methods that run code or send transactions, at every block
 * including the genesis: blocks with correct total difficulties, uncles, transactions, receipts, logs, and proofs of
 * any account and slot at any block. Its answers about a block never change. `HistoryChain` lists the content of the
 * chain.
 *
 * **Tags.** `latest`, `safe` and `finalized` mean the head. There is no `pending` block; the pending state is the state
 * of the head.
 *
 * **Refusals** are those of geth: -32000 `header not found` for the state after a block that does not exist, -32001 for
 * an unknown hash (EIP-1898). Calls that need an EVM are refused with -32004, as are new transactions.
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

import * as InProcessCalls from "../node/inProcessCall.ts"
import type { NodeCall } from "../node/inProcessCall.ts"
import * as HistoryArchiveFile from "./archiveFile.ts"
import type * as HistoryArchive from "./historyArchive.ts"
import * as HistoryChain from "./HistoryChain.ts"
import type { HistoryError } from "./HistoryError.ts"
import * as HistoryHandlers from "./historyHandlers.ts"

export { HistoryError } from "./HistoryError.ts"
export type { NodeCall } from "../node/inProcessCall.ts"

/** A node that serves the history chain. */
export interface HistoryNode extends Dispatcher.Dispatcher<never> {
  readonly chainId: number
  /**
   * Calls a method with parameters in wire form; returns the JSON text of the result, in UTF-8. A gateway can use this
   * function as its upstream.
   */
  readonly call: NodeCall
}

/** The node as a service. */
export class History extends Context.Service<History, HistoryNode>()("@plumbline/devnet/History") {}

/**
 * Reads the archive and opens the node. The node need not be closed, because it only holds about a megabyte of memory.
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
export const make: Effect.Effect<HistoryNode, HistoryError> = Effect.suspend(() =>
  Effect.map(HistoryArchiveFile.read(archiveFile), nodeOf)
)

/**
 * Provides the node.
 *
 * ```ts import.meta.vitest
 * import { History, HistoryChain } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const request = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
 * const program = History.History.use((node) => node.handle(request))
 * const answer = await Effect.runPromise(Effect.provide(program, History.layer()))
 * Number(JSON.parse(new TextDecoder().decode(answer)).result) === HistoryChain.chainId // => true
 * ```
 */
export const layer = (): Layer.Layer<History, HistoryError> => node

const node = Layer.effect(History, make)

/**
 * Provides a `Transport` to a new node, for a client, and `Subscriptions`, which never send an event.
 *
 * ```ts import.meta.vitest
 * import { History, HistoryChain } from "@plumbline/devnet"
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect, Layer } from "effect"
 *
 * const program = EthClient.EthClient.use((eth) => eth.getUncleByBlockNumberAndIndex(5n, 1n))
 * const client = Layer.provide(EthClient.layer(), History.layerTransport())
 * const uncle = await Effect.runPromise(Effect.provide(program, client))
 * uncle?.hash === HistoryChain.blocks[5]?.uncles[1] // => true
 * ```
 */
export const layerTransport = (): Layer.Layer<Transport | Subscriptions, HistoryError> => transport

const transport = Layer.unwrap(Effect.map(make, (node) => MemoryTransport.layer(node)))

/** The archive, one RLP list; `history/README.md` describes its parts. */
export const archiveFile: URL = new URL("../../history/archive.rlp", import.meta.url)

const nodeOf = (archive: HistoryArchive.HistoryArchive): HistoryNode => {
  const handlers = HistoryHandlers.make(archive, HistoryChain.chainId)
  const server = JsonRpcServer.make(EthMethods.group, handlers, { subscriptions })
  return { chainId: HistoryChain.chainId, ...server, call: InProcessCalls.over(server) }
}

/** Subscriptions that start but never send an event, because the chain is finished. */
const subscriptions = [
  JsonRpcServer.source(EthSubscriptions.newHeads, () => Effect.succeed(Stream.never)),
  JsonRpcServer.source(EthSubscriptions.logs, () => Effect.succeed(Stream.never)),
  JsonRpcServer.source(EthSubscriptions.newPendingTransactions, () => Effect.succeed(Stream.never))
]
