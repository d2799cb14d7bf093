/**
 * The values that the service announces about the beacon chain of its live chain. `Up.test.ts` follows a service's
 * beacon chain.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { BeaconChain, History } from "@plumbline/devnet"
import { Context, Effect, Layer, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as BeaconStandIn from "../../src/service/BeaconStandIn.ts"
import * as Children from "../support/Children.ts"
import * as Servers from "../support/Servers.ts"

const settingsOf = (text: string) =>
  Result.getOrThrow(Configuration.read({ text, file: "plumbline.yaml", variables: {} })).settings()

const NODE = '{ url: "https://n.example" }'
const LIVE = "dev: { upstreams: [{ embedded: live }] }"
const OTHER = `main: { chainId: 1, upstreams: [${NODE}] }`

const chain = Effect.map(
  Layer.build(Layer.provide(BeaconChain.layer(), History.layerTransport())),
  Context.get(BeaconChain.BeaconChain)
)

const nodes = (beacon: BeaconChain.BeaconChain["Service"] | undefined) => ({
  get: () => Effect.die("no node"),
  beacon: () => beacon
})

describe("what is told of the beacon chain", () => {
  it.live("is its URL, its checkpoint, and the networks for which it vouches", () =>
    Effect.gen(function* () {
      const beacon = yield* chain
      const { path: folder } = yield* Effect.acquireRelease(Effect.promise(Children.folder), (folder) =>
        Effect.promise(() => folder[Symbol.asyncDispose]())
      )
      const told = (text: string, isRunning = true) =>
        BeaconStandIn.tell(nodes(isRunning ? beacon : undefined), {
          folder,
          settings: settingsOf(text),
          url: "http://127.0.0.1:1"
        })
      assert.deepStrictEqual(yield* told(`networks: { ${LIVE}, ${OTHER} }`), {
        url: "http://127.0.0.1:1/live_beacon",
        checkpoint: yield* beacon.checkpoint,
        networkFile: `${folder}/beacon-network.json`,
        networks: ["dev"],
        isDefault: true
      })
      const second = yield* told(`networks: { ${LIVE}, ${OTHER} }\ndefaultNetwork: main`)
      assert.strictEqual(second?.isDefault, false)
      // the network also asks the other node, which may serve another chain
      assert.isNull(
        yield* told(`networks: { dev: { chainId: 31337, upstreams: [{ embedded: live }, ${NODE}] }, ${OTHER} }`)
      )
      assert.isNull(yield* told(`networks: { ${OTHER} }`))
      assert.isNull(yield* told(`networks: { ${LIVE} }`, false))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("is answered for as long as the live chain runs", () =>
    Effect.gen(function* () {
      const beacon = yield* chain
      let running: typeof beacon | undefined = beacon
      let alone = true
      const { handle, path } = BeaconStandIn.mount({ ...nodes(beacon), beacon: () => running }, () => alone)
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => Servers.serve((request, response) => handle(request, response, ""))),
        (server) => Effect.promise(() => server[Symbol.asyncDispose]())
      )
      const statusFor = (headers: Record<string, string>) =>
        Effect.promise(async () => {
          const answer = await fetch(`${server.url}${path}/eth/v1/beacon/genesis`, { headers })
          assert.isNull(answer.headers.get("access-control-allow-origin"))
          return answer.status
        })
      const status = statusFor({})
      assert.strictEqual(yield* status, 200)
      assert.strictEqual(yield* statusFor({ origin: "http://evil.example" }), 403)
      alone = false
      assert.strictEqual(yield* statusFor({ origin: "http://evil.example" }), 200)
      running = undefined
      assert.strictEqual(yield* status, 404)
    })
  )
})
