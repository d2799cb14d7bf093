/** Changes updates of a made beacon chain, in their bytes or their JSON, and passes them to a light client. */
import {
  BlstEngine,
  Bls,
  Codec,
  Fork,
  type Form,
  BeaconHeader,
  LightClientStore,
  MadeChain,
  MadeNetwork,
  type Update
} from "@plumbline/beacon-light-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

import { accepted, type Outcome, refused, type Target } from "../fuzzTarget.ts"
import type * as Json from "../json.ts"
import * as Leaves from "../leaves.ts"
import * as Mutate from "../mutate.ts"

/**
 * A network with blocks of every fork. A period is eight epochs of eight slots, and a fork lasts a period and a half.
 */
const network = MadeNetwork.make()

/** A store, and a true update for it. */
interface Case {
  readonly store: LightClientStore.LightClientStore
  readonly update: Update.Update
  readonly form: Form.ContainerForm
  readonly bytes: Uint8Array
  readonly json: Json.Json
  readonly after: LightClientStore.LightClientStore
}

/** Returns the heads of a store, as programs see them. */
const heads = (store: LightClientStore.LightClientStore): unknown => ({
  finalized: { ...store.finalized, blockHash: BeaconHeader.blockHash(store.finalized.header) },
  optimistic: { ...store.optimistic, blockHash: BeaconHeader.blockHash(store.optimistic.header) },
  currentSyncCommittee: store.currentSyncCommittee,
  nextSyncCommittee: store.nextSyncCommittee
})

const cases = (bls: Bls.BlsEngine): ReadonlyArray<Case> => {
  const chain = MadeChain.make(network)
  const options = (currentSlot: bigint) => ({ network, currentSlot, bls })
  return network.forks.flatMap(({ epoch, name }) => {
    const first = epoch * 8n
    const begun = Result.getOrThrow(
      LightClientStore.fromBootstrap(chain.bootstrap(first + 1n), chain.root(first + 1n), network)
    )
    const known = Result.getOrThrow(
      LightClientStore.process(
        begun,
        chain.update({ attested: first + 9n, finalized: first + 2n }),
        options(first + 10n)
      )
    )
    return [known, begun].flatMap((store) =>
      Fork.all.slice(Fork.all.findIndex((fork) => fork === name)).map((fork): Case => {
        const form = { fork, syncCommitteeSize: network.syncCommitteeSize }
        const update = chain.update({ attested: first + 27n, finalized: first + 12n, signers: 27, fork })
        return {
          store,
          update,
          form,
          bytes: Codec.update.encode(update, form),
          json: Codec.update.toJson(update, form) as Json.Json,
          after: Result.getOrThrow(LightClientStore.process(store, update, options(update.signatureSlot)))
        }
      })
    )
  })
}

/** Returns this update with some parts of another true update. */
const spliced = (one: Update.Update, other: Update.Update, random: Random.Random): Update.Update => {
  const names = Object.keys(one) as ReadonlyArray<keyof Update.Update>
  const taken = names.filter(() => Random.chance(random, 0.3))
  return { ...one, ...Object.fromEntries(taken.map((name) => [name, other[name]])) }
}

/** Returns the bytes with one mutation of `Mutate.bytesChanged`, or with a range of bytes from another update. */
const bytesChanged = (bytes: Uint8Array, other: Uint8Array, random: Random.Random): Uint8Array => {
  if (Random.chance(random, 0.6)) return Mutate.bytesChanged(bytes, random)
  const from = Random.int(random, bytes.length)
  const to = from + Random.int(random, 200)
  const changed = bytes.slice()
  changed.set(other.subarray(from, Math.min(to, bytes.length)), from)
  return changed
}

/** A current slot so late that no slot is refused for being in the future. */
const LATEST = 2n ** 63n

export const update: Target = {
  name: "light-client",
  about: "LightClientStore.process: updates of every fork in every form, as SSZ and JSON",
  prepare: async () => {
    const engine = await Effect.runPromise(Effect.result(BlstEngine.make(() => import("@chainsafe/blst"))))
    const bls = Result.isSuccess(engine) ? engine.success : Bls.noble
    const bank = cases(bls)
    const mutators = new Map(
      Fork.all.map((fork) => [fork, Mutate.make(bank.filter(({ form }) => form.fork === fork).map(({ json }) => json))])
    )
    return (seed): Outcome => {
      const random = Random.make(seed)
      const truth = Random.pick(random, bank)
      const { form, store } = truth
      const like = Random.pick(
        random,
        bank.filter((other) => other.form.fork === form.fork)
      )
      const isHonest = Random.chance(random, 0.03)
      const way = Random.int(random, 3)
      const read = isHonest
        ? Result.succeed(truth.update)
        : way === 0
          ? Codec.update.decode(bytesChanged(truth.bytes, like.bytes, random), form)
          : way === 1
            ? Codec.update.fromJson(mutators.get(form.fork)!.mutate(truth.json, random), form)
            : Result.succeed(spliced(truth.update, like.update, random))
      if (Result.isFailure(read)) return refused(read.failure.check)
      const after = LightClientStore.process(store, read.success, { network, currentSlot: LATEST, bls })
      if (Result.isFailure(after)) {
        return isHonest
          ? { _tag: "False", leaf: "value", expected: "the truth accepted", got: after.failure.message }
          : refused(after.failure.check)
      }
      const difference = Leaves.firstFalse(heads(after.success), heads(truth.after), [])
      // if all parts of the other update were taken, the result is that update, which is true too
      const other = LightClientStore.process(store, like.update, { network, currentSlot: LATEST, bls })
      return difference === undefined || Result.isFailure(other)
        ? accepted(difference)
        : accepted(Leaves.firstFalse(heads(after.success), heads(other.success), []))
    }
  }
}
