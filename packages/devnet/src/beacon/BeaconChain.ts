/**
 * A stand-in for a beacon chain over an execution chain of this machine, so that a light client has something to follow
 * without any network.
 *
 * The chain has 512 members whose keys it generates. Up to five members are absent from each signature, the order of
 * the committee changes in every period, and a block is finalized after two epochs. Every branch and every signature is
 * valid, so a light client needs no exception for this chain. There is no consensus: one process has all keys, a
 * payload need not be the child of the previous payload (only the newest execution block of a slot is used), and a
 * finalized execution block may be reverted later.
 *
 * **Time.** By default a slot takes one second, an epoch four, and a period a day. The newest execution block is signed
 * after at most one second, and finalized after 12 more seconds. Starting takes 80 ms of processor time, and each slot
 * 3 ms. A signature takes 30 ms, and is made only for a request.
 *
 * **Every start makes another network**, because the default seed is random: the keys, the genesis and the checkpoint
 * are new. Members and forks are in `network`, whose file form is a light client's configuration.
 */
import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

import type * as BeaconHeader from "@plumbline/beacon-light-client/container/BeaconHeader"
import * as Fork from "@plumbline/beacon-light-client/network/Fork"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import * as BeaconApi from "./beaconApi.ts"
import * as BeaconBlocks from "./beaconBlocks.ts"
import * as BeaconListener from "./beaconListener.ts"
import * as CommitteeKeys from "./committeeKeys.ts"
import * as ExecutionPayload from "./executionPayload.ts"
import * as RotatingCommittees from "./rotatingCommittees.ts"
import * as SlotChain from "./slotChain.ts"
import * as ValidatorRegistry from "./validatorRegistry.ts"

export type { BeaconApiResponse, BeaconApiRequest } from "./beaconApi.ts"

/** A running beacon chain. */
export class BeaconChain extends Context.Service<
  BeaconChain,
  {
    /** The network to configure in a light client. */
    readonly network: Network.Network
    /**
     * The checkpoint to configure in a light client: the root of the first finalized block of the newest period that
     * has a finalized block.
     */
    readonly checkpoint: Effect.Effect<Hash32.Hash32>
    /** Answers one request to the beacon API. */
    readonly answer: (question: BeaconApi.BeaconApiRequest) => BeaconApi.BeaconApiResponse
    /** Answers requests to the beacon API, for a server of Node. `/eth/v1` may follow any path prefix. */
    readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  }
>()("@plumbline/devnet/BeaconChain") {}

/** Options of a chain. */
export interface BeaconChainOptions {
  /** Name of the network. */
  readonly name?: string | undefined
  /** The bytes from which the keys are derived. Default: 32 random bytes. */
  readonly seed?: Uint8Array | undefined
  /** Seconds per slot, a whole number. */
  readonly secondsPerSlot?: number | undefined
  readonly slotsPerEpoch?: number | undefined
  /** Epochs per period, at least 4. In a shorter period no block would be finalized before the committee changes. */
  readonly epochsPerSyncCommitteePeriod?: number | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly name: string
  readonly secondsPerSlot: number
  readonly slotsPerEpoch: number
  readonly epochsPerSyncCommitteePeriod: number
} = { name: "plumbline-devnet", secondsPerSlot: 1, slotsPerEpoch: 4, epochsPerSyncCommitteePeriod: 21_600 }

/**
 * Provides the beacon chain of an execution node.
 *
 * ```ts import.meta.vitest
 * import { BeaconChain, History } from "@plumbline/devnet"
 * import { Effect, Layer } from "effect"
 *
 * const program = BeaconChain.BeaconChain.use(({ answer, checkpoint }) =>
 *   Effect.map(checkpoint, (root) => answer({ target: `/eth/v1/beacon/light_client/bootstrap/${root}`, accept: "" }))
 * )
 * const beacon = Layer.provide(BeaconChain.layer(), History.layerTransport())
 * const { status } = await Effect.runPromise(Effect.provide(program, beacon))
 * status // => 200
 * ```
 */
export const layer = (options: BeaconChainOptions = {}): Layer.Layer<BeaconChain, JsonRpcError, Transport> =>
  Layer.effect(BeaconChain, make(options))

/**
 * Makes the beacon chain, which follows the execution node until the scope is closed. Fails if the node does not answer
 * at the start. If the node does not answer later, the slot stays empty.
 */
export const make = Effect.fnUntraced(function* (
  options: BeaconChainOptions = {}
): Effect.fn.Return<BeaconChain["Service"], JsonRpcError, Transport | Scope.Scope> {
  const {
    epochsPerSyncCommitteePeriod = defaults.epochsPerSyncCommitteePeriod,
    name = defaults.name,
    secondsPerSlot = defaults.secondsPerSlot,
    seed = randomBytes(32),
    slotsPerEpoch = defaults.slotsPerEpoch
  } = options
  const eth = yield* EthClient.make
  const chainId = yield* eth.chainId
  const first = yield* headOf(eth, undefined)
  if (first === undefined)
    return yield* Effect.die(new Error("the head of the execution chain has unknown transactions"))
  const keys = CommitteeKeys.make(seed)
  const registry = ValidatorRegistry.make(keys.publicKeys)
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe() / 1000
  const before = BigInt(secondsPerSlot) * (SlotChain.START * BigInt(slotsPerEpoch) + 1n)
  const network: Network.Network = {
    name,
    genesisTime: BigInt(Math.floor(now())) - before,
    genesisValidatorsRoot: registry.validators,
    secondsPerSlot,
    slotsPerEpoch,
    epochsPerSyncCommitteePeriod,
    syncCommitteeSize: CommitteeKeys.SIZE,
    forks: VERSIONS,
    chainId
  }
  const committees = RotatingCommittees.make(network, keys)
  const chain = SlotChain.make({ network, committees, registry }, now(), first)
  const step = Effect.gen(function* () {
    const next = secondsPerSlot - ((now() - Number(network.genesisTime)) % secondsPerSlot)
    yield* Effect.sleep(next * 1000)
    const execution = yield* headOf(eth, chain.head().header.execution)
    if (execution !== undefined) chain.advance(now(), execution)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.ignore(step)))
  return {
    network,
    checkpoint: Effect.sync(() => chain.checkpoint().root),
    answer: (question) => BeaconApi.answer(chain, question),
    handle: BeaconListener.make((question) => BeaconApi.answer(chain, question))
  }
})

/** The versions of the forks, all of which are active since genesis. The first byte marks the network as ours. */
const VERSIONS: ReadonlyArray<Network.ForkSchedule> = Fork.all
  .slice(0, Fork.all.indexOf(BeaconBlocks.FORK) + 1)
  .map((name, at) => ({ name, version: `0x0${at + 1}007a69` as Hex.Hex, epoch: 0n }))

/** Returns the payload of the newest block; the same object as before if the block is unchanged. */
const headOf = Effect.fnUntraced(function* (
  eth: EthClient.Client,
  before: BeaconHeader.ExecutionPayloadHeader | undefined
): Effect.fn.Return<BeaconHeader.ExecutionPayloadHeader | undefined, JsonRpcError> {
  const { hash } = (yield* eth.getBlockByNumber("latest")) ?? { hash: null }
  if (hash === null) return undefined
  if (hash === before?.blockHash) return before
  const block = yield* eth.getBlockByHash(hash, { full: true })
  return block === null ? undefined : ExecutionPayload.of(block)
})
