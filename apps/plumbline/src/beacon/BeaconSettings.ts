/**
 * The settings of the light client: from the flags, the service's own beacon chain, or the environment.
 */
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import * as DataFolder from "../home/DataFolder.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { BeaconFlags } from "./BeaconFlags.ts"
import * as BeaconNetwork from "./BeaconNetwork.ts"

export interface BeaconSettings {
  readonly network: Network.Network
  /** The checkpoint; undefined if the record of an earlier run holds it. */
  readonly checkpoint: Hash32.Hash32 | undefined
  /** The beacon nodes; at least one. */
  readonly nodes: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  /** Undefined means the default of the light client, like the two others. */
  readonly maxCheckpointAge: Duration.Duration | undefined
  readonly maxHeadAge: Duration.Duration | undefined
  readonly minParticipation: number | undefined
  /** The folder of the light client's record; undefined if nothing is kept. */
  readonly folder: string | undefined
}

/** The flags of a command that may start a light client. */
export type LightClientFlags = BeaconFlags & Pick<ChainFlags, "url" | "network" | "data">

/** True if a flag asks for a light client. */
export const isAsked = ({ beacon, checkpoint }: BeaconFlags): boolean => Option.isSome(checkpoint) || beacon.length > 0

/**
 * Returns the settings, or undefined if there is nothing to follow.
 *
 * The first of these counts: the flags; the service's own beacon chain, if the command asks the service about a network
 * that this beacon chain proves; the environment. No record is kept for the service's own beacon chain, because every
 * start of the service makes a new one.
 */
export const resolve = Effect.fnUntraced(function* (flags: LightClientFlags) {
  const variables = yield* Effect.orDie(environment)
  const rules = {
    maxCheckpointAge: yield* Effect.fromResult(
      ageOf(
        "--max-checkpoint-age",
        Option.orElse(flags.maxCheckpointAge, () => variables.age)
      )
    ),
    maxHeadAge: yield* Effect.fromResult(
      ageOf(
        "--max-head-age",
        Option.orElse(flags.maxHeadAge, () => variables.headAge)
      )
    ),
    minParticipation: yield* Effect.fromResult(
      countOf(Option.orElse(flags.minParticipation, () => variables.participation))
    )
  }
  const folder = yield* DataFolder.resolve(flags.data)
  if (!isAsked(flags)) {
    const own = Option.isSome(flags.url) ? undefined : yield* ofService(folder, Option.getOrUndefined(flags.network))
    if (own !== undefined) {
      const { checkpoint, networkFile, url } = own
      const network = yield* BeaconNetwork.read(networkFile)
      const nodes = [Redacted.make(url)] as const
      const settings: BeaconSettings = { network, checkpoint, nodes, ...rules, folder: undefined }
      return settings
    }
  }
  const [first, ...others] = flags.beacon.length > 0 ? flags.beacon : variables.beacon
  const given = Option.orElse(flags.checkpoint, () => variables.checkpoint)
  if (first === undefined) {
    return Option.isNone(given)
      ? undefined
      : yield* new UsageError({ problem: "--checkpoint needs a beacon node: name one with --beacon <url>" })
  }
  const checkpoint = yield* Effect.fromResult(rootOf(given))
  const name = Option.getOrElse(
    Option.orElse(flags.beaconNetwork, () => variables.network),
    () => "mainnet"
  )
  const settings: BeaconSettings = {
    network: yield* networkNamed(name),
    checkpoint,
    nodes: [first, ...others],
    ...rules,
    folder: (yield* Path.Path).join(folder, "light-client")
  }
  return settings
})

const environment = Config.all({
  checkpoint: Config.option(Config.String("PLUMBLINE_CHECKPOINT")),
  beacon: Config.map(Config.option(Config.Redacted("PLUMBLINE_BEACON")), (urls) =>
    Option.match(urls, {
      onNone: () => [],
      onSome: (text) => (Redacted.value(text).match(/\S+/gu) ?? []).map((url) => Redacted.make(url))
    })
  ),
  network: Config.option(Config.String("PLUMBLINE_BEACON_NETWORK")),
  age: Config.option(Config.String("PLUMBLINE_MAX_CHECKPOINT_AGE")),
  headAge: Config.option(Config.String("PLUMBLINE_MAX_HEAD_AGE")),
  participation: Config.option(Config.String("PLUMBLINE_MIN_PARTICIPATION"))
})

/** Returns the beacon chain of the running service, if this beacon chain proves the network that is asked. */
export const ofService = Effect.fnUntraced(function* (folder: string, network: string | undefined) {
  // the command reports the missing service later, when it asks the service
  const { beacon = null } = yield* ServiceFile.running(folder).pipe(
    Effect.catchTag("NoServiceError", () => Effect.succeed({ beacon: null }))
  )
  if (beacon === null) return undefined
  const isOfIt = network === undefined ? beacon.isDefault : beacon.networks.includes(network)
  return isOfIt ? beacon : undefined
})

/** Returns a network. A plain word that is neither a known name nor a file is reported as an unknown network. */
const networkNamed = Effect.fnUntraced(function* (name: string) {
  const fs = yield* FileSystem.FileSystem
  const isKnown = BeaconNetwork.known.some((network) => network.name === name)
  if (!isKnown && /^[\w-]+$/u.test(name) && !(yield* Effect.orElseSucceed(fs.exists(name), () => false))) {
    const names = BeaconNetwork.known.map(({ name }) => name).join(", ")
    return yield* new UsageError({
      problem: `--beacon-network: there is no network "${name}", only ${names}, or the path of a network's file`
    })
  }
  return yield* BeaconNetwork.named(name)
})

const rootOf = (given: Option.Option<string>): Result.Result<Hash32.Hash32 | undefined, UsageError> =>
  Option.match(given, {
    onNone: () => Result.succeed(undefined),
    onSome: (text) =>
      Result.mapBoth(Hash32.fromHex(text), {
        onSuccess: (root) => Hash32.fromBytesUnsafe(Hash32.toBytes(root)),
        onFailure: () =>
          new UsageError({ problem: "--checkpoint must be the root of a beacon block, which is 0x and 64 hex digits" })
      })
  })

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Reads an age such as `36h`. */
const ageOf = (
  flag: string,
  given: Option.Option<string>
): Result.Result<Duration.Duration | undefined, UsageError> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Result.succeed(undefined)
  if (text === "none") return Result.succeed(Duration.infinity)
  const match = /^([0-9]{1,6})([smhd])$/u.exec(text)
  return match === null
    ? Result.fail(new UsageError({ problem: `${flag} must be a time such as 36h or 14d, or none` }))
    : Result.succeed(Duration.seconds(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]))
}

const countOf = (given: Option.Option<string>): Result.Result<number | undefined, UsageError> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Result.succeed(undefined)
  return /^[1-9][0-9]{0,4}$/u.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(new UsageError({ problem: "--min-participation must be a number of members, such as 400" }))
}
