/** Compares our light client with Lodestar's, on chains that are made from seeds. */
import { assert, it } from "@effect/vitest"
import {
  BlstEngine,
  Bls,
  Clock,
  Codec,
  Fork,
  type Form,
  LightClientStore,
  MadeChain,
  Network,
  HashTreeRoot
} from "@plumbline/beacon-light-client"
import { Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

import * as Lodestar from "./lodestar.ts"

const native = await Effect.runPromise(Effect.result(BlstEngine.make(() => import("@chainsafe/blst"))))
const bls = Result.isSuccess(native) ? native.success : Bls.noble

const { syncCommitteeSize: SIZE } = Network.mainnet
const PERIOD = Clock.slotsPerPeriod(Network.mainnet)

/**
 * Makes a network with the sizes of mainnet, and with forks that are one or two periods apart. A fork can begin inside
 * a period or at its start.
 */
const networkOf = (random: Random.Random): Network.Network => {
  let epoch = 0n
  const forks = Fork.all.slice(0, -1).map((name, at) => {
    const schedule = { name, version: `0x0${at + 1}0000aa` as const, epoch }
    epoch += Random.pick(random, [256n, 512n, 1n + BigInt(Random.int(random, 512))])
    return schedule
  })
  const genesisValidatorsRoot = Hash32.fromBytesUnsafe(Random.bytes(random, 32))
  return Object.assign({}, Network.mainnet, { name: "made", genesisValidatorsRoot, forks })
}

const codecs = {
  update: Codec.update,
  finalityUpdate: Codec.finalityUpdate,
  optimisticUpdate: Codec.optimisticUpdate
} as const

/** A chain, and the two light clients that follow it. */
interface Walk {
  readonly chain: MadeChain.MadeChain
  readonly random: Random.Random
  readonly ours: LightClientStore.LightClientStore
  readonly theirs: Lodestar.Lodestar
}

const formAt = (network: Network.Network, slot: bigint): Form.ContainerForm => ({
  fork: Clock.forkAt(network, slot)!,
  syncCommitteeSize: SIZE
})

const start = async (chain: MadeChain.MadeChain, slot: bigint, random: Random.Random): Promise<Walk> => {
  const { network } = chain
  const bootstrap = chain.bootstrap(slot)
  const form = formAt(network, slot)
  return {
    chain,
    random,
    ours: Result.getOrThrow(LightClientStore.fromBootstrap(bootstrap, chain.root(slot), network)),
    theirs: await Lodestar.start(network, chain.root(slot), Codec.bootstrap.encode(bootstrap, form), form)
  }
}

const headsOf = ({ finalized, optimistic }: LightClientStore.LightClientStore): Lodestar.Heads =>
  [finalized, optimistic].map(({ header }) => [header.beacon.slot, HashTreeRoot.beaconBlock(header.beacon)])

/**
 * Gives both clients the same bytes. Returns our new store, or the check by which our client refused the bytes, and the
 * text of Lodestar's error.
 */
const take = (walk: Walk, kind: Lodestar.Kind, bytes: Uint8Array, form: Form.ContainerForm, currentSlot: bigint) => {
  const { chain, ours, theirs } = walk
  const codec: Codec.ContainerCodec<any> = codecs[kind]
  const mine = Result.flatMap(codec.decode(bytes, form), (update) =>
    LightClientStore.process(ours, update, { network: chain.network, currentSlot, bls })
  )
  let error: string | undefined
  try {
    theirs.take(kind, bytes, form, currentSlot)
  } catch (thrown) {
    error = String(thrown)
  }
  return { mine, error }
}

const KINDS: ReadonlyArray<Lodestar.Kind> = ["update", "finalityUpdate", "optimisticUpdate"]

/**
 * Follows a chain with several updates in each period. Both clients must accept each update, and have the same heads.
 */
const follow = (begin: Walk, periods: bigint): { readonly walk: Walk; readonly slot: bigint } => {
  const { chain, random } = begin
  const { network } = chain
  let { ours } = begin
  let slot = begin.ours.finalized.header.beacon.slot
  const last = Clock.periodOf(network, slot) + periods
  for (let period = Clock.periodOf(network, slot); period <= last; period++) {
    const first = slot > period * PERIOD ? slot : period * PERIOD
    const choices = [0.3, 0.5, 0.7, 0.9].map((part, at) => {
      const room = Number((period + 1n) * PERIOD - first)
      const attested = first + BigInt(Math.floor(room * part)) + BigInt(Random.int(random, 50))
      const finalized = attested - 64n - BigInt(Random.int(random, 64))
      // the first update of a period brings its next committee, for which both clients require two thirds of the
      // signers and finality in the period
      const signers = at === 0 ? 342 + Random.int(random, 171) : 300 + Random.int(random, 213)
      return {
        kind: at === 0 ? "update" : Random.pick(random, KINDS),
        choice: { attested, finalized, signers }
      } as const
    })
    for (const { choice, kind } of choices) {
      if (choice.finalized <= first) continue
      const form = formAt(network, choice.attested)
      const bytes = (codecs[kind] as Codec.ContainerCodec<any>).encode(chain[kind](choice), form)
      const { error, mine } = take({ ...begin, ours }, kind, bytes, form, choice.attested + 1n)
      if (Result.isFailure(mine) || error !== undefined) {
        assert.fail(`${kind} at ${choice.attested}: ${Result.isFailure(mine) ? mine.failure.message : ""} ${error}`)
      }
      ours = mine.success
      assert.deepStrictEqual(headsOf(ours), begin.theirs.heads(), `${kind} at ${choice.attested}`)
      slot = choice.attested
    }
  }
  return { walk: { ...begin, ours }, slot }
}

it("agrees with Lodestar about bootstraps, heads and committees, from Altair to Fulu", async () => {
  for (let seed = 1; seed <= Random.sized(2); seed++) {
    const random = Random.make(seed)
    const network = networkOf(random)
    const chain = MadeChain.make(network, { seed: `lodestar ${seed}` })
    const walk = await start(chain, BigInt(Random.int(random, 4000)), random)
    const { slot } = follow(walk, (network.forks.at(-1)!.epoch * 32n) / PERIOD + 1n)
    assert.strictEqual(Clock.forkAt(network, slot), "fulu")
  }
})

/**
 * The checks that only our client makes. Lodestar accepts updates that bring nothing new, it also keeps the committees
 * of other periods, and it does not compare a next committee with the known one.
 */
const OURS_ALONE = new Set(["relevance", "period", "next-committee-changed"])

it("agrees with Lodestar about lies: changed bits, and parts of other true updates", async () => {
  const lies = Math.max(50, Random.sized(200))
  const tally = new Map<string, number>()
  for (let lie = 0, seed = 100; lie < lies; seed++) {
    const random = Random.make(seed)
    const network = networkOf(random)
    const chain = MadeChain.make(network, { seed: `lies ${seed}` })
    const { epoch } = Random.pick(random, network.forks)
    const first = Clock.periodOf(network, epoch * 32n) * PERIOD
    const begin = async () => follow(await start(chain, first + 5n, Random.make(seed)), 0n)
    let { slot, walk } = await begin()
    for (let round = 0; round < 100 && lie < lies; round++, lie++) {
      const kind = Random.pick(random, KINDS)
      const codec: Codec.ContainerCodec<any> = codecs[kind]
      const attested = slot + 1n + BigInt(Random.int(random, 200))
      const form = formAt(network, attested)
      const truth = chain[kind]({ attested, finalized: attested - 70n, signers: 400 })
      const other = chain[kind]({ attested: attested + 3n, finalized: attested - 100n, signers: 450 })
      const changed = Random.chance(random, 0.3)
        ? codec.encode(spliced(truth, other, random), form)
        : flipped(codec.encode(truth, form), random)
      const { error, mine } = take(walk, kind, changed, form, attested + 20_000n)
      const check = Result.isFailure(mine) ? mine.failure.check : "accepted"
      tally.set(check, (tally.get(check) ?? 0) + 1)
      if (OURS_ALONE.has(check)) {
        if (error === undefined) ({ slot, walk } = await begin())
        continue
      }
      assert.strictEqual(error === undefined, check === "accepted", `seed ${seed}, ${kind}: ${check}, ${error}`)
      if (Result.isFailure(mine)) continue
      assert.deepStrictEqual(headsOf(mine.success), walk.theirs.heads(), `seed ${seed}, ${kind}`)
      walk = Object.assign({}, walk, { ours: mine.success })
      slot = mine.success.optimistic.header.beacon.slot
      if (Clock.periodOf(network, slot) !== Clock.periodOf(network, slot + 300n)) break
    }
  }
  assert.isAbove(tally.get("signature") ?? 0, 0)
  console.log(`lies told to both: ${[...tally].map(([check, times]) => `${times} ${check}`).join(", ")}`)
})

it("agrees with Lodestar about lies in bootstraps", async () => {
  let accepted = 0
  for (let seed = 200; seed < 200 + Random.sized(40); seed++) {
    const random = Random.make(seed)
    const network = networkOf(random)
    const chain = MadeChain.make(network, { seed: "bootstraps" })
    const slot = Random.pick(random, network.forks).epoch * 32n + BigInt(Random.int(random, 9))
    const form = formAt(network, slot)
    const truth = Codec.bootstrap.encode(chain.bootstrap(slot), form)
    const bytes = seed % 4 === 0 ? truth : flipped(truth, random)
    const mine = Result.flatMap(Codec.bootstrap.decode(bytes, form), (bootstrap) =>
      LightClientStore.fromBootstrap(bootstrap, chain.root(slot), network)
    )
    const theirs = await Lodestar.start(network, chain.root(slot), bytes, form).then(
      () => true,
      () => false
    )
    assert.strictEqual(Result.isSuccess(mine), theirs, `seed ${seed}`)
    if (theirs) accepted++
  }
  assert.isAbove(accepted, 0)
})

/** Returns an update with some parts of another update. */
const spliced = (one: object, other: object, random: Random.Random): object => ({
  ...one,
  ...Object.fromEntries(Object.entries(other).filter(() => Random.chance(random, 0.3)))
})

/** Returns the bytes with one bit changed; in half of the cases, the bit is outside the committee. */
const flipped = (bytes: Uint8Array, random: Random.Random): Uint8Array => {
  const at = Random.chance(random, 0.5) ? Random.int(random, bytes.length) : bytes.length - 1 - Random.int(random, 1500)
  const place = Math.max(0, at)
  return bytes.with(place, bytes[place]! ^ (1 << Random.int(random, 8)))
}
