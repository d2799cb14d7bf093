/** A light client whose trust is in IndexedDB, over a made chain: what the pages of `store.ts` run. */
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

/** Ten minutes a slot, so that the head stays where it is. */
const networkAt = (seconds: number) => {
  const secondsPerSlot = 600
  const genesisTime = BigInt(seconds) - (HEAD + 1n) * BigInt(secondsPerSlot)
  return MadeNetwork.make({ apart: 0n, secondsPerSlot, genesisTime })
}

/** Follows the chain as of a time in seconds since 1970, and returns what it follows. */
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

/** Starts from the checkpoint. */
export const begin = (seconds: number): Promise<unknown> => follow(seconds, true)

/** Goes on from the record. */
export const resume = (seconds: number): Promise<unknown> => follow(seconds, false)

const SIZE = 50_000

const stored = <A, E>(work: (store: TrustStore.TrustStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.match(Effect.provide(TrustStore.TrustStore.use(work), IndexedDbStore.layer({ database: "tabs" })), {
      onFailure: (error) => ({ error: (error as { readonly message: string }).message }),
      onSuccess: (value) => ({ value })
    })
  )

/** Writes a record of one byte that is repeated, many times, and reads after each. Every record must be whole. */
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

/** Writes a record of so many bytes, none of which a browser can compress away. */
export const save = (bytes: number): Promise<unknown> => {
  const record = new Uint8Array(bytes)
  for (let at = 0; at < bytes; at += RANDOM) crypto.getRandomValues(record.subarray(at, at + RANDOM))
  return stored((store) => Effect.as(store.save("large", record), "saved"))
}

/** Maximum number of bytes that the platform makes at once. */
const RANDOM = 65_536

/** Returns the length of that record. */
export const length = (): Promise<unknown> =>
  stored((store) => Effect.map(store.load("large"), (record) => record?.length ?? 0))
