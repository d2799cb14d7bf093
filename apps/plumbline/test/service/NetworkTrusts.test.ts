/**
 * Tests a network with a light client: answers are proven from a checkpoint, and cached if they follow from a final
 * block.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Network } from "@plumbline/beacon-light-client"
import { BeaconChain, History, HistoryChain } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { UpstreamPool, VerifiedCache } from "@plumbline/gateway"
import { Context, Effect, Exit, FileSystem, Layer, Redacted, Schema } from "effect"

import type * as ServiceSettings from "../../src/config/ServiceSettings.ts"
import * as NetworkTrusts from "../../src/service/NetworkTrusts.ts"
import * as ServiceNetworks from "../../src/service/ServiceNetworks.ts"
import * as Servers from "../support/Servers.ts"

const who = HistoryChain.accounts[0]!.address

const opened = Effect.gen(function* () {
  const chain = yield* Effect.map(
    Layer.build(Layer.provide(BeaconChain.layer(), History.layerTransport())),
    Context.get(BeaconChain.BeaconChain)
  )
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => Servers.serve(chain.handle)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped()
  const file = `${folder}/network.json`
  yield* files.writeFileString(file, JSON.stringify(Schema.encodeSync(Network.Network)(chain.network)))
  const history = yield* History.make
  const embedded = {
    get: () => Effect.succeed({ upstream: history, chainId: history.chainId, methods: EthMethods.group }),
    beacon: () => undefined
  }
  const cache = yield* VerifiedCache.make()
  const networks = yield* ServiceNetworks.make(embedded, {
    trustOf: yield* NetworkTrusts.make(embedded, folder),
    cache: Effect.succeed(cache)
  })
  const settings: ServiceSettings.NetworkSettings = {
    name: "history",
    hosts: [],
    kind: "eth",
    upstreams: [{ name: "own", embedded: "history", weight: 1, cost: 1 }],
    ...UpstreamPool.defaults,
    integrity: "prove",
    unprovable: "refuse",
    rest: 1000,
    trust: {
      checkpoint: yield* chain.checkpoint,
      beacon: [Redacted.make(server.url)],
      network: file,
      maxCheckpointAge: 86_400_000
    }
  }
  const { networks: made } = yield* networks.prepare([settings])
  const call = (method: string, ...params: ReadonlyArray<unknown>) => made[0]!.upstream.call(method, params)
  const numberOf = (tag: string) =>
    Effect.map(
      call("eth_getBlockByNumber", tag, false),
      (answer) => JSON.parse(new TextDecoder().decode(answer)).number
    )
  return { cache, call, files, folder, numberOf }
})

describe("a network under a light client", () => {
  it.live("proves state by its head, keeps what is finalized, and its own heads in the folder", () =>
    Effect.gen(function* () {
      const { cache, call, files, folder, numberOf } = yield* opened
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(call("eth_getBalance", who, "latest"))))
      const finalized = yield* numberOf("finalized")
      const latest = yield* numberOf("latest")
      assert.isAtLeast(Number(latest), Number(finalized))
      yield* call("eth_getBalance", who, finalized)
      const { hits } = cache.stats()
      yield* call("eth_getBalance", who, finalized)
      assert.strictEqual(cache.stats().hits, hits + 1)
      if (latest !== finalized) {
        // the latest block is signed but not final: another block may replace it
        yield* call("eth_getBalance", who, latest)
        yield* call("eth_getBalance", who, latest)
        assert.strictEqual(cache.stats().hits, hits + 1)
      }
      assert.deepStrictEqual(
        (yield* files.readDirectory(`${folder}/light-clients/history`)).filter((name) => name.endsWith(".light-client"))
          .length,
        1
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

it.effect("a program without light clients trusts no block of a rollup, and no quorum in its place", () =>
  Effect.gen(function* () {
    const settings = {
      integrity: "prove",
      upstreams: [],
      trust: { rollup: "base", l1: { url: Redacted.make("http://l1.example"), block: `0x${"11".repeat(32)}` } }
    } as unknown as ServiceSettings.NetworkSettings
    const { id, trust } = yield* NetworkTrusts.withoutBeacon(settings, [])
    assert.strictEqual(id, "nothing")
    assert.strictEqual((yield* trust.resolve("finalized"))._tag, "Nothing")
  }).pipe(Effect.scoped)
)
