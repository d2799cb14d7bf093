/** A light client over a made chain, with its trust record in IndexedDB. The pages of `store.ts` run this program. */
import {
  type BeaconNode,
  BeaconNodes,
  Clock,
  IndexedDbStore,
  LightClient,
  MadeChain,
  MadeNetwork,
  TrustStore
} from "@plumbline/beacon-light-client"
import { Effect, Layer } from "effect"

const CHECKPOINT = 300n
const HEAD = 500n

/** Returns a network with slots of ten minutes, so that the head does not move during the test. */
const networkAt = (seconds: number) => {
  const secondsPerSlot = 600
  const genesisTime = BigInt(seconds) - (HEAD + 1n) * BigInt(secondsPerSlot)
  return MadeNetwork.make({ apart: 0n, secondsPerSlot, genesisTime })
}

/** Follows the chain at a time in seconds since 1970, and returns the heads. */
const follow = (seconds: number, isNew: boolean): Promise<unknown> => {
  const network = networkAt(seconds)
  const chain = MadeChain.make(network)
  const update = (attested: bigint) => chain.update({ attested, finalized: attested - 20n, signers: 30 })
  const node: BeaconNode.BeaconNode = {
    name: "the page",
    bootstrap: () =>
      isNew ? Effect.succeed(chain.bootstrap(CHECKPOINT)) : Effect.die(new Error("the record has the checkpoint")),
    updates: (start, count) =>
      Effect.succeed(
        Array.from({ length: count }, (_, at) => (start + BigInt(at)) * 64n + 40n)
          .filter((attested) => attested <= HEAD)
          .map(update)
      ),
    finalityUpdate: Effect.sync(() => update(HEAD)),
    optimisticUpdate: Effect.sync(() => update(HEAD))
  }
  const light = LightClient.layer(isNew ? { checkpoint: chain.root(CHECKPOINT) } : {}).pipe(
    Layer.provide([Layer.succeed(BeaconNodes.BeaconNodes, BeaconNodes.make([node], network)), IndexedDbStore.layer()])
  )
  const heads = Effect.flatMap(LightClient.LightClient, ({ heads }) => heads)
  return Effect.runPromise(
    Effect.map(Effect.provide(heads, light), ({ checkpoint, finalized, optimistic }) => ({
      isCheckpoint: checkpoint.root === chain.root(CHECKPOINT),
      givenAt: checkpoint.givenAt,
      finalized: String(finalized.header.beacon.slot),
      optimistic: String(optimistic.header.beacon.slot),
      by: finalized.by,
      period: String(Clock.periodOf(network, finalized.header.beacon.slot))
    }))
  )
}

/** Starts a new light client from the checkpoint. */
export const begin = (seconds: number): Promise<unknown> => follow(seconds, true)

/** Starts a light client that continues from the stored record. */
export const resume = (seconds: number): Promise<unknown> => follow(seconds, false)

const SIZE = 50_000

const stored = <A, E>(work: (store: TrustStore.TrustStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.match(Effect.provide(TrustStore.TrustStore.use(work), IndexedDbStore.layer({ database: "tabs" })), {
      onFailure: (error) => ({ error: (error as { readonly message: string }).message }),
      onSuccess: (value) => ({ value })
    })
  )

/**
 * Writes a record of one repeated byte many times, and reads the record after each write. Every record must be
 * complete.
 */
export const write = (byte: number, times: number): Promise<unknown> =>
  stored((store) =>
    Effect.gen(function* () {
      const seen = new Set<number>()
      for (let time = 0; time < times; time++) {
        yield* store.save("shared", new Uint8Array(SIZE).fill(byte))
        const record = (yield* store.load("shared"))!
        if (record.length !== SIZE || record.some((one) => one !== record[0])) return "a torn record"
        seen.add(record[0]!)
      }
      return [...seen]
    })
  )

/** Writes a record of this many random bytes, which a browser cannot compress. */
export const save = (bytes: number): Promise<unknown> => {
  const record = new Uint8Array(bytes)
  for (let at = 0; at < bytes; at += RANDOM) crypto.getRandomValues(record.subarray(at, at + RANDOM))
  return stored((store) => Effect.as(store.save("large", record), "saved"))
}

/** Maximum number of random bytes that the platform returns at once. */
const RANDOM = 65_536

/** Returns the length of the record that `save` wrote. */
export const length = (): Promise<unknown> =>
  stored((store) => Effect.map(store.load("large"), (record) => record?.length ?? 0))
