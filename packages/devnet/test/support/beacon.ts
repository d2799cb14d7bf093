/**
 * Makes a beacon chain over the history chain, and a light client that follows the beacon chain. The test chooses the
 * newest block of the history chain.
 */
import { assert } from "@effect/vitest"
import {
  type Bootstrap,
  Bls,
  Clock,
  Codec,
  type Form,
  BeaconHeader,
  LightClientStore,
  type Network,
  type Update
} from "@plumbline/beacon-light-client"
import type { Hash32 } from "@plumbline/codec"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Clock as Time, Effect, Layer, Result } from "effect"

import { type BeaconChain, History } from "../../src/index.ts"

/** A node of the history chain. `head` is the number of its newest block; without a head, the node answers nothing. */
export const execution = Effect.gen(function* () {
  const history = yield* History.make
  const node: { head: number | undefined } = { head: 60 }
  const call: Transport.Transport["Service"]["call"] = ({ method, params }) => {
    if (node.head === undefined) return Effect.fail(down(method))
    const named = params.map((param) => (param === "latest" ? `0x${node.head!.toString(16)}` : param))
    return Effect.map(Effect.orDie(history.call(method, named)), (text) => JSON.parse(new TextDecoder().decode(text)))
  }
  const callAll: Transport.Transport["Service"]["callAll"] = (calls) =>
    Effect.forEach(calls, (question) => Effect.result(call(question)))
  return Object.assign(node, { layer: Layer.succeed(Transport.Transport, { call, callAll }) })
})

const down = (method: string): JsonRpcError.JsonRpcError =>
  new JsonRpcError.JsonRpcError({
    method,
    reason: new JsonRpcError.RemoteError({ code: -32000, message: "the node is down" })
  })

type Chain = BeaconChain.BeaconChain["Service"]

export const FORM: Form.ContainerForm = { fork: "electra", syncCommitteeSize: 512 }

const PATHS = "/eth/v1/beacon/light_client"

/** Sends a request for SSZ to a chain, and returns the body of a successful answer. */
export const bytes = ({ answer }: Chain, path: string): Uint8Array => {
  const { body, status } = answer({ target: path, accept: "application/octet-stream" })
  assert.strictEqual(status, 200, new TextDecoder().decode(body))
  return body
}

/** Sends a request for JSON to a chain, and returns the value of a successful answer. */
export const json = ({ answer }: Chain, path: string): any => {
  const { body, headers, status } = answer({ target: path, accept: "application/json" })
  assert.strictEqual(status, 200, new TextDecoder().decode(body))
  assert.strictEqual(headers["content-type"], "application/json")
  return JSON.parse(new TextDecoder().decode(body))
}

export const bootstrap = (chain: Chain, root: Hash32.Hash32): Bootstrap.Bootstrap =>
  Result.getOrThrow(Codec.bootstrap.decode(bytes(chain, `${PATHS}/bootstrap/${root}`), FORM))

/** Returns the updates of `count` periods from `start` on, decoded from the chunks of the answer. */
export const updates = (chain: Chain, start: bigint, count: number): ReadonlyArray<Update.Update> => {
  const stream = bytes(chain, `${PATHS}/updates?start_period=${start}&count=${count}`)
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length)
  const found: Array<Update.Update> = []
  for (let at = 0; at < stream.length;) {
    const length = Number(view.getBigUint64(at, true))
    found.push(Result.getOrThrow(Codec.update.decode(stream.subarray(at + 12, at + 8 + length), FORM)))
    at += 8 + length
  }
  return found
}

export const finalityUpdate = (chain: Chain): Update.FinalityUpdate =>
  Result.getOrThrow(Codec.finalityUpdate.decode(bytes(chain, `${PATHS}/finality_update`), FORM))

export const optimisticUpdate = (chain: Chain): Update.OptimisticUpdate =>
  Result.getOrThrow(Codec.optimisticUpdate.decode(bytes(chain, `${PATHS}/optimistic_update`), FORM))

/** A light client that trusts only its checkpoint. */
export interface Follower {
  store: LightClientStore.LightClientStore
  /** Checks an update at the current time, and applies it. */
  readonly take: (update: Update.AnyUpdate) => Effect.Effect<void>
}

export const follow = Effect.fnUntraced(function* (
  network: Network.Network,
  start: Bootstrap.Bootstrap,
  checkpoint: Hash32.Hash32
) {
  const follower: Follower = {
    store: Result.getOrThrow(LightClientStore.fromBootstrap(start, checkpoint, network)),
    take: (update) =>
      Effect.map(Time.currentTimeMillis, (now) => {
        const options = { network, bls: Bls.noble, currentSlot: Clock.slotAt(network, now / 1000) }
        follower.store = Result.getOrThrow(LightClientStore.process(follower.store, update, options))
      })
  }
  return follower
})

/** Returns the number of the execution block that a head names. */
export const numberOf = ({ header }: LightClientStore.SupportedHeader): bigint | undefined =>
  header._tag === "WithPayload" ? header.execution.blockNumber : undefined

export const hashOf = ({ header }: LightClientStore.SupportedHeader): Hash32.Hash32 | undefined =>
  BeaconHeader.blockHash(header)
