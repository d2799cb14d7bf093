/**
 * The embedded second chain: a pool of pending transactions in this process, with Starknet's JSON-RPC methods.
 *
 * **This is a pool and not a sequencer.** The pool runs no code and has no state. It accepts `INVOKE` and
 * `DEPLOY_ACCOUNT`, versions 1 and 3, of accounts whose single key it knows: those of `StarknetPoolAccounts`, and
 * accounts of the same class that are deployed through the pool. For each transaction, the pool recomputes the hash and
 * the address, and checks the signature, the nonce (which must be the next one), the fee fields and the sizes. It
 * refuses invalid transactions with the chain's own errors, whose `data` names the pool.
 *
 * **Pending transactions** are listed by `starknet_pendingTransactions`, as in nodes up to 0.4, and in the block
 * `pending` or `pre_confirmed`, as in nodes of later versions. The version is an option.
 *
 * **Blocks** are sealed by `seal`, by the method `pool_seal`, or at intervals. The pool has its own hash of blocks:
 * Poseidon over the text `PLUMBLINE_POOL_BLOCK`, number, time, parent and the transactions' hashes. The roots and
 * prices of a block are zero, and its transactions were not executed. Blocks have the chain's status `ACCEPTED_ON_L2`,
 * although only this pool accepted them. There are no receipts.
 *
 * Everything is in memory and ends with the process; a new pool is empty, at block 0.
 */
import * as MemoryTransport from "@plumbline/jsonrpc-core/memory/MemoryTransport"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type * as Block from "@plumbline/second-chain-methods/model/Block"
import type * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import * as InProcessCalls from "../node/inProcessCall.ts"
import type { NodeCall } from "../node/inProcessCall.ts"
import * as PoolHandlers from "./poolHandlers.ts"
import * as PoolLedger from "./poolLedger.ts"
import * as PoolMethods from "./poolMethods.ts"
import type { PoolGroup } from "./poolMethods.ts"
import type { SpecVersion } from "./specDialects.ts"
import * as SpecDialects from "./specDialects.ts"

export type { NodeCall } from "../node/inProcessCall.ts"
export type { PoolGroup } from "./poolMethods.ts"
export type { SpecVersion } from "./specDialects.ts"

/** Options of a pool. */
export interface StarknetPoolOptions {
  /**
   * The version of the specification that the pool reports and follows. It determines the tag of the unfinished block,
   * the content of headers, and whether calls accept flags. Transactions are accepted and returned in the same form in
   * all versions. Default: `0.10.2`, the newest, because current clients (starknet.js 10) support no version below 0.9.
   */
  readonly specVersion?: SpecVersion | undefined
  /**
   * The interval at which pending transactions are sealed into a block. An empty block is not made. Default: blocks are
   * sealed on request only.
   */
  readonly sealEvery?: Duration.Input | undefined
  /**
   * Maximum number of pending transactions. The pool refuses further transactions with error 63. It also refuses a
   * transaction that would bring the pending calldata above 50,000 felts. Default: 1000.
   */
  readonly capacity?: number | undefined
  /**
   * Maximum number of newest blocks to keep; older blocks and their transactions are dropped. The pool keeps fewer
   * blocks if they contain more than 50,000 felts of calldata. Default: 1000.
   */
  readonly blocks?: number | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly specVersion: SpecDialects.SpecVersion
  readonly capacity: number
  readonly blocks: number
} = { specVersion: "0.10.2", capacity: 1000, blocks: 1000 }

/** A node that serves the pool. */
export interface StarknetPoolNode extends Dispatcher.Dispatcher<never> {
  readonly chainId: Felt.Felt
  readonly specVersion: SpecVersion
  /**
   * Calls a method with parameters in wire form; returns the JSON text of the result, in UTF-8. A gateway can use this
   * function as its upstream.
   */
  readonly call: NodeCall
  /** Seals the pending transactions into a block, which may be empty, and returns its hash and number. */
  readonly seal: Effect.Effect<Block.HashAndNumber>
}

/** The pool as a service. */
export class StarknetPool extends Context.Service<StarknetPool, StarknetPoolNode>()("@plumbline/devnet/StarknetPool") {}

/**
 * The chain id: `PLPOOL` in ASCII. Every hash covers the chain id, so a signature for a pool is invalid on any other
 * chain. As a number, the chain id is below 2^53.
 */
export const CHAIN_ID = "0x504c504f4f4c" as Felt.Felt

/**
 * The methods of the pool: Starknet's methods, some of which the pool refuses with a clear error, and the pool's own
 * `pool_seal`. A gateway that serves this group lets every caller seal blocks; `Starknet.group` does not have
 * `pool_seal`.
 */
export const group: PoolGroup = PoolMethods.group

/**
 * Starts a pool, which ends with the scope.
 *
 * ```ts import.meta.vitest
 * import { StarknetPool } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const pool = yield* StarknetPool.make({ specVersion: "0.7.1" })
 *   const { block_number } = yield* pool.seal
 *   const version = yield* pool.call("starknet_specVersion", [])
 *   return [block_number, new TextDecoder().decode(version)]
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => [1n, '"0.7.1"']
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: StarknetPoolOptions = {}
): Effect.fn.Return<StarknetPoolNode, never, Scope.Scope> {
  const {
    blocks = defaults.blocks,
    capacity = defaults.capacity,
    sealEvery,
    specVersion = defaults.specVersion
  } = options
  const bounds = { pending: capacity, blocks: Math.max(1, blocks), deployed: MAX_DEPLOYED, felts: MAX_FELTS }
  const ledger = PoolLedger.make(bounds, yield* PoolHandlers.now)
  const handlers = PoolHandlers.make(ledger, CHAIN_ID, SpecDialects.dialectOf(specVersion))
  const server = JsonRpcServer.make(PoolMethods.group, handlers)
  const seal = PoolHandlers.seal(ledger)
  if (sealEvery !== undefined) {
    const round = Effect.suspend(() => (ledger.pending().length === 0 ? Effect.void : seal))
    yield* Effect.forkScoped(Effect.forever(Effect.delay(round, sealEvery)))
  }
  return { ...server, chainId: CHAIN_ID, specVersion, call: InProcessCalls.over(server), seal }
})

/** Maximum number of accounts that can be deployed through one pool. */
const MAX_DEPLOYED = 10_000

/**
 * Maximum number of felts of pending calldata, and also of calldata in the kept blocks: 4 MB of text each. This also
 * limits the size of an answer.
 */
const MAX_FELTS = 50_000

/**
 * Provides the pool.
 *
 * ```ts import.meta.vitest
 * import { StarknetPool } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const program = StarknetPool.StarknetPool.use((pool) => pool.call("starknet_pendingTransactions", []))
 * const pending = await Effect.runPromise(Effect.provide(program, StarknetPool.layer()))
 * new TextDecoder().decode(pending) // => "[]"
 * ```
 */
export const layer = (options?: StarknetPoolOptions): Layer.Layer<StarknetPool> =>
  Layer.effect(StarknetPool, make(options))

/**
 * Provides a `Transport` to a new pool, for a client.
 *
 * ```ts import.meta.vitest
 * import { StarknetPool, StarknetPoolAccounts } from "@plumbline/devnet"
 * import { SecondChainClient } from "@plumbline/second-chain-methods"
 * import { Effect, Layer } from "effect"
 *
 * const [account] = StarknetPoolAccounts.accounts
 * const program = SecondChainClient.SecondChainClient.use((chain) => chain.getNonce(account!.address))
 * const client = Layer.provide(SecondChainClient.layer(), StarknetPool.layerTransport())
 * await Effect.runPromise(Effect.provide(program, client)) // => "0x0"
 * ```
 */
export const layerTransport = (options?: StarknetPoolOptions): Layer.Layer<Transport | Subscriptions> =>
  Layer.unwrap(Effect.map(make(options), (pool) => MemoryTransport.layer(pool)))
