/** Tests forks that this version, or the network's schedule, does not know: no node is blamed for them. */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconNode,
  BeaconNodes,
  Codec,
  LightClientReason,
  LightClientTrust,
  MadeNetwork,
  Network
} from "@plumbline/beacon-light-client"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"

import { CHECKPOINT, honest, network as plain, options, slotsOf, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

/** The network with a fork at slot 1160 that no version knows. */
const HEZE = { name: "heze", version: "0x08000001", epoch: 145n } as const
const network: Network.Network = Object.assign({}, plain, { forks: [...plain.forks, HEZE] })
const ignorant = { getBlockByHash: () => Effect.succeed(null) } as never

const follow = (slot: bigint, nodes: ReadonlyArray<BeaconNode.BeaconNode> = [honest]) =>
  Effect.andThen(Worlds.setSlot(network, slot), Worlds.follow({ network, nodes, options }))

describe("a fork in the schedule that this version does not know", () => {
  it.effect("stops the heads before it, and blames no node", () =>
    Effect.gen(function* () {
      const light = yield* follow(1200n)
      const [health] = yield* light.nodes
      assert.deepInclude(health, { refuted: 0, lie: undefined })
      const [, optimistic] = yield* slotsOf(light)
      assert.isBelow(Number(optimistic), 1160)
      const trust = LightClientTrust.make(light, [ignorant])
      for (const tag of ["latest", "finalized"] as const) {
        const trusted = yield* trust.resolve(tag)
        assert(trusted._tag === "Nothing" && LightClientReason.UnknownFork.is(trusted.reason), tag)
        assert.strictEqual(trusted.reason.fork, "heze")
        assert.include(trusted.reason.sentence, "the fork heze is not known to this version")
      }
      assert.strictEqual((yield* trust.resolve(CHECKPOINT))._tag, "OnChain")
      const problem = yield* light.problem
      assert.strictEqual(LightClientTrust.unknownForkOf(problem), "heze")
    })
  )

  it.effect("changes nothing before it begins, and is told in advance", () =>
    Effect.gen(function* () {
      const light = yield* follow(1150n)
      assert.strictEqual((yield* slotsOf(light))[1], 1149n)
      assert.deepStrictEqual(yield* light.unknownFork!, { name: "heze", epoch: 145n, by: "schedule" })
    })
  )

  it.effect("cannot be the fork of a checkpoint", () =>
    Effect.gen(function* () {
      const old = Object.assign({}, network, { forks: [...plain.forks, { ...HEZE, epoch: 100n }] })
      yield* Worlds.setSlot(old, 1010n)
      const failed = yield* Effect.flip(Worlds.follow({ network: old, nodes: [honest], options }))
      assert.strictEqual(LightClientTrust.unknownForkOf(failed), "heze")
    })
  )

  it("is read from a file after the known forks only", () => {
    const file = Schema.encodeSync(Network.Network)(network) as { forks: Array<object> }
    assert.deepStrictEqual(Schema.decodeUnknownSync(Network.Network)(file), network)
    const is = (forks: ReadonlyArray<object>) =>
      Schema.decodeUnknownOption(Network.Network)({ ...file, forks })._tag === "Some"
    assert.isTrue(is(file.forks))
    const [altair, bellatrix] = file.forks
    assert.isFalse(is([]))
    assert.isFalse(is([{ ...altair, name: "heze" }]))
    assert.isFalse(is([altair!, { ...altair, name: "heze" }, bellatrix!]))
    assert.isFalse(is([...file.forks, { ...HEZE, epoch: "144" }]))
    assert.isFalse(is([...file.forks, { ...HEZE, name: "Not a name", epoch: "200" }]))
  })
})

describe("a node's answer of a fork that the schedule does not have", () => {
  const update = Plain.world.chain.update({ attested: 1100n, finalized: 1080n })
  const form = { fork: "electra", syncCommitteeSize: 32 } as const
  const { nextSyncCommittee: _, nextSyncCommitteeBranch: __, ...finality } = update

  const ask = (
    response: () => Response,
    call: (node: BeaconNode.BeaconNode) => Effect.Effect<unknown, BeaconNode.BeaconNodeFailure>
  ) =>
    Effect.gen(function* () {
      const nodes = yield* BeaconNodes.BeaconNodes
      return yield* Effect.flip(nodes.first(call))
    }).pipe(
      Effect.provide(
        BeaconNodes.layer({ network: plain, nodes: [{ url: "http://beacon.invalid" }] }).pipe(
          Layer.provide(
            FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, async () => response())))
          )
        )
      )
    )

  for (const version of ["gloas", "heze"]) {
    it.effect(`is an unknown fork, and no lie: ${version}`, () =>
      Effect.gen(function* () {
        const data = Codec.finalityUpdate.toJson(finality, form)
        const inJson = yield* ask(
          () => Response.json({ version, data }),
          ({ finalityUpdate }) => finalityUpdate
        )
        const headers = { "content-type": "application/octet-stream", "eth-consensus-version": version }
        const inSsz = yield* ask(
          () => new Response(Codec.finalityUpdate.encode(finality, form) as never, { headers }),
          ({ finalityUpdate }) => finalityUpdate
        )
        const inList = yield* ask(
          () => Response.json([{ version, data }]),
          ({ updates }) => updates(1n, 1)
        )
        for (const failure of [inJson, inSsz, inList]) {
          assert.strictEqual(LightClientTrust.unknownForkOf(failure), version)
          assert.include(failure.message, "not known to this version")
        }
      })
    )
  }

  it.effect("is a lie if its version is not the name of a fork", () =>
    Effect.gen(function* () {
      for (const version of ["phase0", "ELECTRA", "", 7, null]) {
        const failure = yield* ask(
          () => Response.json({ version, data: {} }),
          ({ finalityUpdate }) => finalityUpdate
        )
        assert.strictEqual(failure._tag, "RefutedError", `${version}`)
      }
    })
  )

  it.effect("is read in a stream of SSZ by its digest", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array(8 + 4 + 20)
      new DataView(bytes.buffer).setBigUint64(0, 24n, true)
      const headers = { "content-type": "application/octet-stream" }
      const failure = yield* ask(
        () => new Response(bytes, { headers }),
        ({ updates }) => updates(1n, 1)
      )
      assert.strictEqual(LightClientTrust.unknownForkOf(failure), "0x00000000")
    })
  )
})

describe("a node's own schedule", () => {
  const forks = plain.forks.map((fork) => ({ ...fork, version: "0x09000000" as const }))
  const elsewhere = Object.assign({}, plain, { forks })
  /** A node whose signatures are of another fork, and whose configuration has these forks. */
  const upgraded = (...forks: ReadonlyArray<readonly [string, bigint]>): BeaconNode.BeaconNode => ({
    ...Worlds.node(Worlds.world(elsewhere), [CHECKPOINT]),
    schedule: Effect.succeed(forks.map(([name, epoch]) => ({ name, epoch })))
  })

  it.effect("excuses an update that a check refuses, if a fork has begun that the schedule does not have", () =>
    Effect.gen(function* () {
      const light = yield* start(1010n, { nodes: [upgraded(["electra", 0n], ["heze", 120n])] })
      assert.strictEqual((yield* light.nodes)[0]!.refuted, 0)
      assert.strictEqual(LightClientTrust.unknownForkOf(yield* light.problem), "heze")
    })
  )

  it.effect("excuses nothing if the fork has not begun, or the schedule has it", () =>
    Effect.gen(function* () {
      for (const node of [upgraded(), upgraded(["electra", 0n]), upgraded(["heze", 127n])]) {
        const failed = yield* Effect.flip(start(1010n, { nodes: [node] }))
        assert(failed._tag === "RefutedError")
        assert.strictEqual(failed.check, "signature")
      }
    })
  )

  it.effect("tells forks that will begin, the first one first", () =>
    Effect.gen(function* () {
      const node = { ...honest, schedule: upgraded(["later", 300n], ["heze", 200n], ["altair", 0n]).schedule! }
      const light = yield* start(1100n, { nodes: [node] })
      assert.deepStrictEqual(yield* light.unknownFork!, { name: "heze", epoch: 200n, by: "honest" })
    })
  )
})

describe("a node of another chain than the reader's network", () => {
  /** An honest node of `plain`, which also tells the genesis of its chain. */
  const telling: BeaconNode.BeaconNode = { ...honest, genesis: Effect.succeed(plain.genesisValidatorsRoot) }
  const of = (network: Network.Network, node: BeaconNode.BeaconNode) =>
    Effect.flip(
      Effect.andThen(
        Worlds.setSlot(plain, 1010n),
        Worlds.follow({ network, nodes: [node], options: { checkpoint: Plain.world.chain.root(CHECKPOINT) } })
      )
    )
  const shifted = (change: Partial<Network.Network>): Network.Network =>
    Object.assign({}, plain, { name: "other", genesisValidatorsRoot: Plain.world.chain.root(1n) }, change)

  it.effect("is not refuted, whichever check its answers fail", () =>
    Effect.gen(function* () {
      const late = plain.forks.map((fork) => ({ ...fork, epoch: fork.epoch + 1000n }))
      const old = plain.forks.slice(0, 2)
      for (const network of [
        shifted({}),
        shifted({ forks: late }),
        shifted({ forks: old }),
        shifted({ genesisTime: plain.genesisTime + 10_000n })
      ]) {
        const failed = yield* of(network, telling)
        assert(failed._tag === "BeaconApiError", failed.message)
        assert.strictEqual(failed.reason._tag, "OtherChainError")
        assert.include(failed.message, "this beacon chain is not other")
      }
    })
  )

  it.effect("is not refuted for a checkpoint before the first known fork, even if it does not tell its genesis", () =>
    Effect.gen(function* () {
      const late = plain.forks.map((fork) => ({ ...fork, epoch: fork.epoch + 1000n }))
      const failed = yield* of(shifted({ forks: late }), honest)
      assert(failed._tag === "BeaconApiError")
      assert.strictEqual(failed.reason._tag, "OtherChainError")
    })
  )

  it.effect("is refuted if it tells the genesis of the reader's network, or another block than the checkpoint", () =>
    Effect.gen(function* () {
      const network = shifted({})
      const liar = { ...telling, genesis: Effect.succeed(network.genesisValidatorsRoot) }
      const failed = yield* of(network, liar)
      assert(failed._tag === "RefutedError")
      assert.strictEqual(failed.check, "signature")
      const other = { ...telling, bootstrap: () => Effect.succeed(Plain.world.chain.bootstrap(CHECKPOINT + 8n)) }
      const wrong = yield* of(network, other)
      assert(wrong._tag === "RefutedError")
      assert.strictEqual(wrong.check, "checkpoint-root")
    })
  )
})

it.effect("the safe age of a checkpoint is 14 days, and 7 days from Gloas on", () =>
  Effect.gen(function* () {
    for (const [isGloas, days, isFine] of [
      [false, 13n, true],
      [false, 15n, false],
      [true, 6n, true],
      [true, 8n, false]
    ] as const) {
      const made = MadeNetwork.make({ apart: 0n, epochsPerSyncCommitteePeriod: 65_536 })
      const network = isGloas ? made : Object.assign({}, made, { forks: made.forks.slice(0, -1) })
      const world = Worlds.world(network)
      yield* Worlds.setSlot(network, 1000n + days * 14_400n)
      const nodes = [Worlds.node(world, [1000n])]
      const options = { checkpoint: world.chain.root(1000n), learnsAhead: false }
      const outcome = yield* Effect.result(Effect.scoped(Worlds.follow({ network, nodes, options })))
      assert.strictEqual(outcome._tag, isFine ? "Success" : "Failure", `${isGloas} ${days}`)
      if (outcome._tag === "Failure") assert.strictEqual(outcome.failure._tag, "CheckpointAgeError")
    }
  })
)
