/** A gateway with integrity, on a port, over nodes of the history chain. Some of the nodes may lie. */
import { Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import { EthEvidence, EthMethods, TrustedBlock } from "@plumbline/eth-methods"
import {
  type AnswerStore,
  EthFeeds,
  Gateway,
  Integrity,
  type Upstream,
  UpstreamPool,
  VerifiedCache
} from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"

import { node } from "../clients/historyNode.ts"

const KEY = "00112233445566778899aabbccddeeff"
const SECRET = "ffeeddccbbaa99887766554433221100"

/** A running gateway. */
export interface ProvingGateway extends AsyncDisposable {
  readonly url: string
  readonly wsUrl: string
  /** The network's upstream, for calls without HTTP. */
  readonly upstream: Upstream.Upstream
  readonly lies: Integrity.Integrity["lies"]
  readonly cache: VerifiedCache.VerifiedCache | undefined
  readonly status: () => Promise<any>
  /** The lines of the log, as JSON. */
  readonly log: ReadonlyArray<string>
  /** Returns the number of calls that the nodes received. */
  readonly asked: () => number
}

/** The settings of a gateway. */
export interface Options extends Partial<Omit<Integrity.IntegrityOptions, "mode">> {
  /** The mode of integrity. `off` adds no wrapper to the nodes. */
  readonly mode?: "off" | Integrity.IntegrityMode
  /** The cache of verified answers. Default: none. */
  readonly cache?: VerifiedCache.VerifiedCacheOptions
  /** The store behind the cache, opened with the gateway. */
  readonly store?: Effect.Effect<AnswerStore.AnswerStore, unknown, Scope.Scope>
}

const encoder = new TextEncoder()

/** Turns a client's transport into an upstream of the gateway. */
const upstreamOf = ({ call }: Transport.Transport["Service"], onAsked: () => void): Upstream.Upstream => ({
  call: (method, params) =>
    Effect.suspend(() => {
      onAsked()
      return Effect.mapBoth(call({ method, params }), {
        onFailure: ({ reason }) =>
          reason instanceof JsonRpcError.RemoteError
            ? {
                code: reason.code,
                message: reason.message,
                ...(reason.data === undefined ? {} : { data: reason.data })
              }
            : { code: -32603, message: reason.message },
        onSuccess: (result) => encoder.encode(JSON.stringify(result))
      })
    })
})

/** Returns the node without the field for total difficulty, which no hash covers and current nodes do not send. */
export const today: Transport.Middleware = (node) => ({
  ...node,
  call: (asked) =>
    Effect.map(node.call(asked), (result: any) => {
      if (typeof result !== "object" || result === null || !("totalDifficulty" in result)) return result
      const { totalDifficulty: _, ...rest } = result
      return rest
    })
})

/** Opens a gateway over one node for each middleware. A middleware can change the true answers of its node. */
export const open = async (
  nodes: ReadonlyArray<Transport.Middleware>,
  { cache: cacheOptions, mode = "prove", store, ...options }: Options = {}
): Promise<ProvingGateway> => {
  const scope = Scope.makeUnsafe()
  const log: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => void log.push(line))
  let asked = 0
  const chainId = BigInt(HistoryChain.chainId)
  const program = Effect.gen(function* () {
    const members = nodes.map((through, index) => ({
      name: `node-${index}`,
      upstream: upstreamOf(through(node), () => asked++)
    }))
    const trust = yield* TrustedBlock.TrustedBlock
    const integrity =
      mode === "off"
        ? undefined
        : yield* Integrity.make(members, { network: "history", mode, chainId, trust, ...options })
    const pool = yield* UpstreamPool.make(
      members.map(({ name, upstream }, index) => ({ name, upstream: integrity?.members[index] ?? upstream })),
      { methods: EthMethods.group, chain: { method: "eth_chainId", id: HistoryChain.chainId } }
    )
    const behind = store === undefined ? undefined : yield* store
    const cache =
      cacheOptions === undefined && store === undefined
        ? undefined
        : yield* VerifiedCache.make({ ...cacheOptions, store: behind })
    const proven = integrity?.around(pool) ?? pool
    const upstream =
      cache?.around(proven, {
        id: "history",
        isFinal: ({ anchor, proven }) =>
          anchor._tag === "Transaction"
            ? proven.some((evidence) => EthEvidence.OnChain.is(evidence))
            : anchor.hash === HistoryChain.head.hash
      }) ?? proven
    const network = {
      name: "history",
      hosts: ["history.localhost"],
      chainId: HistoryChain.chainId,
      methods: EthMethods.group,
      upstream,
      isChecked: integrity !== undefined,
      feeds: yield* EthFeeds.make(upstream)
    }
    const context = yield* Layer.build(
      Layer.provide(Gateway.layer({ networks: [network] }), State.layer([{ id: "p", key: KEY, secret: SECRET }]))
    )
    const gateway = Context.get(context, Gateway.Gateway)
    return {
      url: `${gateway.url}/v3/${KEY}`,
      wsUrl: `${gateway.wsUrl}/ws/v3/${KEY}`,
      upstream,
      lies: integrity?.lies ?? (() => []),
      cache,
      status: () => Effect.runPromise(gateway.status),
      log,
      asked: () => asked,
      [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })
  return Effect.runPromise(
    Scope.provide(program, scope).pipe(
      Effect.provide(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HistoryChain.head.hash))),
      Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
    )
  )
}
