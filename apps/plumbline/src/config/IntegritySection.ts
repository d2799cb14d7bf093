/** `integrity`, `unprovable`, `rest`, `logWork` and `trust` of a network: the checks of its nodes' answers. */
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as OpStackChains from "@plumbline/op-stack/chain/OpStackChains"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import type * as ConfigMistake from "./ConfigMistake.ts"

const { array, boolean, duration, integer, literal, optional, pattern, secretUrl, struct, text, url } = Setting

/** The beacon chain of a checkpoint, unless the file names another one. */
const NETWORK = "mainnet"

/** The light client's default of the maximum age of a checkpoint, in milliseconds: before Gloas, and from Gloas on. */
const SAFE_AGE = Duration.toMillis(LightClient.defaults.maxCheckpointAge)
const SAFE_AGE_FROM_GLOAS = Duration.toMillis(LightClient.defaults.maxCheckpointAgeFromGloas)

/** Returns the default for a network's newest fork. The schedule in a network's file is not read for this. */
const safeAgeOf = (network: string): number =>
  BeaconNetwork.known.find(({ name }) => name === network)?.forks.at(-1)?.name === "gloas"
    ? SAFE_AGE_FROM_GLOAS
    : SAFE_AGE

/** A hash of 32 bytes, which becomes lower case. */
export const hash = (description: string) =>
  pattern(/^0x[0-9a-fA-F]{64}$/u, "must be 0x and 64 hex digits", { description }).pipe(
    // the Schema of Hash32 has a definition of its own, to which the JSON Schema of a setting cannot refer
    Schema.decodeTo(Schema.String.pipe(Schema.refine(Hash32.isHash32)), {
      decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
      encode: SchemaGetter.passthrough()
    })
  )

/** The settings of a trust that needs no word of a node: a block, or a light client. */
const provenTrust = {
  block: optional(hash("Hash of a block that you trust. This block and the blocks before it are proven.")),
  checkpoint: optional(
    hash("Root of a finalized beacon block that you trust. A light client proves the newest blocks from it.")
  ),
  beacon: optional(
    array(
      secretUrl(
        url(["http", "https"], {
          description: "The URL of a beacon node. It may contain a key, so only its host is shown."
        })
      ),
      { description: "Beacon nodes for the light client; none of them is trusted." }
    )
  ),
  network: optional(
    text({
      description: "The beacon chain: mainnet, sepolia, hoodi, or the file of a network, relative to this file.",
      default: NETWORK
    })
  ),
  maxCheckpointAge: optional(
    duration({
      description: "A checkpoint or stored head that is older is refused. From Gloas on, the default is 7d.",
      default: Setting.timeOf(SAFE_AGE),
      most: Infinity
    })
  ),
  maxHeadAge: optional(
    duration({
      description: "Answers about latest under an older head are only claimed.",
      default: "1m",
      most: Infinity
    })
  ),
  minParticipation: optional(
    integer(1, 65_536, {
      description:
        "Answers under a newest head that fewer members of the sync committee signed are only claimed (default: two thirds, 342 of 512)."
    })
  )
}

const trust = struct(
  {
    ...provenTrust,
    rollup: optional(
      text({
        description:
          "The chain of the OP stack: its name or id in the public registry, or a file that describes it, relative to this file. Contracts of its parent chain (L1) prove its blocks."
      })
    ),
    l1: optional(
      struct(
        {
          url: secretUrl(
            url(["http", "https"], {
              description:
                "The URL of a node of the parent chain, which need not be trusted. It may contain a key, so only its host is shown."
            })
          ),
          ...provenTrust
        },
        "The parent chain of a rollup: a node, and a block or a checkpoint that is trusted."
      ).annotate({ oneOf: [{ required: ["block"] }, { required: ["checkpoint", "beacon"] }] })
    ),
    state: optional(
      literal(["resolved", "proposed"], {
        description:
          "The weakest state of a rollup's block that is accepted, besides settled: resolved (its game was won, and can be voided) or proposed (its game is open). Such blocks are read at the tag safe, and answers that rest on them are served, as CLAIMED."
      })
    ),
    quorum: optional(
      integer(2, 100, {
        description:
          "A block is believed if this many operators of the network's nodes name it. Answers that rest on it are CLAIMED."
      })
    ),
    operator: optional(
      secretUrl(
        url(["http", "https"], {
          description:
            "The URL of a node that you run: the blocks that it names are believed. Answers that rest on it are CLAIMED. It may contain a key, so only its host is shown."
        })
      )
    ),
    accept: optional(
      boolean({
        description:
          "true: answers that rest on the quorum or on the operator's node are served, as CLAIMED. Otherwise they are refused, unless unprovable is mark.",
        default: false
      })
    )
  },
  "The trust from which answers are proven: a block, a checkpoint with beacon nodes, or the parent chain of a rollup. With a quorum of the nodes, or with a node of the operator, answers are only CLAIMED."
).annotate({
  oneOf: [
    { required: ["block"] },
    { required: ["checkpoint", "beacon"] },
    { required: ["rollup", "l1"] },
    { required: ["quorum"] },
    { required: ["operator"] }
  ]
})

const fork = struct(
  {
    hardfork: literal(Hardforks.names, { description: "The hardfork." }),
    block: optional(integer(0, Number.MAX_SAFE_INTEGER, { description: "Its first block, for forks up to Paris." })),
    time: optional(
      integer(0, Number.MAX_SAFE_INTEGER, {
        description: "Its first time, in seconds since 1970, for forks since Shanghai."
      })
    ),
    blobUpdateFraction: optional(
      integer(1, Number.MAX_SAFE_INTEGER, {
        description:
          "The baseFeeUpdateFraction of the blob schedule from then on, if it differs from that of Ethereum's own fork."
      })
    )
  },
  "A hardfork of the chain, and its beginning."
)

/** The settings in the section of a network. */
export const fields = {
  integrity: Setting.defaulted(
    literal(["off", "check", "prove"], {
      description:
        "off: answers pass as the nodes write them. check: an answer that contradicts itself or the question is refused. prove: all that can be proven is proven, by further calls to the same node.",
      default: "off"
    })
  ),
  unprovable: optional(Integrity.fields.unprovable.to),
  rest: optional(Integrity.fields.rest.to),
  logWork: optional(Integrity.fields.logWork.to),
  trust: optional(trust),
  hardforks: optional(
    array(fork, {
      description:
        "The hardforks of the chain, oldest first, by which eth_call is run over proven state. Left out: those of a known chain or of the embedded node; on any other chain, calls are not proven."
    })
  ),
  laterForks: optional(
    text({
      description:
        "A JSON file with the header fields and transaction types of forks that this version does not know, also of a rollup's parent chain, relative to this file. Left out: blocks of such forks are not proven, and no node is blamed for them."
    })
  )
}

const section = Schema.Struct(fields)

/** The settings of a network. */
export type IntegritySection = typeof section.Type

/**
 * The trust of a network. Without one, it is the service's own beacon chain if the embedded live chain is the only
 * node, and the last block of the history chain if that one is, else no trusted block.
 */
export type TrustSettings = typeof trust.Type

/** A block or a light client, of the network or of its parent chain. */
export type ProvenTrust = Pick<TrustSettings, keyof typeof provenTrust>

/** Returns the settings with the defaults that depend on other settings. */
export const filled = (section: IntegritySection): IntegritySection => {
  const { hardforks, integrity, laterForks, logWork, rest, trust, unprovable } = section
  if (integrity === "off") return section
  return {
    integrity,
    ...(integrity === "prove" ? { unprovable: unprovable ?? Integrity.defaults.unprovable } : {}),
    rest: rest ?? Integrity.defaults.rest,
    ...(integrity === "prove" ? { logWork: logWork ?? Integrity.defaults.logWork } : {}),
    ...(trust === undefined ? {} : { trust: filledTrust(trust) }),
    ...(hardforks === undefined ? {} : { hardforks }),
    ...(laterForks === undefined ? {} : { laterForks })
  }
}

const filledTrust = (trust: TrustSettings): TrustSettings => ({
  ...trust,
  ...filledNetwork(trust),
  ...(trust.l1 === undefined ? {} : { l1: { ...trust.l1, ...filledNetwork(trust.l1) } }),
  ...(trust.quorum === undefined && trust.operator === undefined ? {} : { accept: trust.accept ?? false })
})

const filledNetwork = ({ checkpoint, network }: ProvenTrust) =>
  checkpoint === undefined ? {} : { network: network ?? NETWORK }

/** Returns the settings as they are shown: with the age of a checkpoint that the network's newest fork allows. */
export const shown = <A extends IntegritySection>(settings: A): A => {
  const { trust } = settings
  if (trust === undefined) return settings
  const { l1 } = trust
  return {
    ...settings,
    trust: { ...trust, ...shownAge(trust), ...(l1 === undefined ? {} : { l1: { ...l1, ...shownAge(l1) } }) }
  }
}

const shownAge = ({ checkpoint, maxCheckpointAge, network }: ProvenTrust) =>
  checkpoint === undefined || maxCheckpointAge !== undefined ? {} : { maxCheckpointAge: safeAgeOf(network ?? NETWORK) }

/** Returns the settings with the paths of a network's files made absolute. */
export const resolved = <A extends IntegritySection>(settings: A, resolve: (path: string) => string): A => {
  const { laterForks, trust } = settings
  return {
    ...settings,
    ...(laterForks === undefined ? {} : { laterForks: resolve(laterForks) }),
    ...(trust === undefined ? {} : { trust: resolvedTrust(trust, resolve) })
  }
}

const resolvedTrust = (trust: TrustSettings, resolve: (path: string) => string): TrustSettings => {
  const { l1, rollup } = trust
  const file = ({ network }: ProvenTrust) =>
    network === undefined || BeaconNetwork.known.some(({ name }) => name === network)
      ? {}
      : { network: resolve(network) }
  const isKnown = rollup === undefined || OpStackChains.named(rollup) !== undefined
  return {
    ...trust,
    ...file(trust),
    ...(l1 === undefined ? {} : { l1: { ...l1, ...file(l1) } }),
    ...(isKnown ? {} : { rollup: resolve(rollup) })
  }
}

export const mistakes = (
  path: ConfigMistake.SettingPath,
  section: IntegritySection,
  { kind, nodes }: { readonly kind: "eth" | "starknet"; readonly nodes: number }
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const found: Array<ConfigMistake.SettingMistake> = []
  const { hardforks = [], integrity, laterForks, logWork, rest, trust, unprovable } = section
  if (section.hardforks !== undefined && integrity !== "prove") {
    found.push({ path: [...path, "hardforks"], problem: "means nothing unless integrity is prove" })
  }
  found.push(...forkMistakes([...path, "hardforks"], hardforks))
  if (integrity !== "off" && kind !== "eth") {
    found.push({ path: [...path, "integrity"], problem: "must be off: answers of the kind starknet are not proven" })
  }
  if (laterForks !== undefined && integrity === "off") {
    found.push({ path: [...path, "laterForks"], problem: "means nothing without integrity" })
  }
  if (rest !== undefined && integrity === "off") {
    found.push({ path: [...path, "rest"], problem: "means nothing without integrity" })
  }
  if (unprovable !== undefined && integrity !== "prove") {
    found.push({ path: [...path, "unprovable"], problem: "means nothing unless integrity is prove" })
  }
  if (logWork !== undefined && integrity !== "prove") {
    found.push({ path: [...path, "logWork"], problem: "means nothing unless integrity is prove" })
  }
  if (trust === undefined) return found
  const at = [...path, "trust"]
  if (integrity !== "prove") found.push({ path: at, problem: "means nothing unless integrity is prove" })
  const { accept, block, checkpoint, l1, operator, quorum, rollup, state } = trust
  if ([block, checkpoint, quorum, operator, rollup].filter((one) => one !== undefined).length !== 1) {
    found.push({ path: at, problem: "must have one of block, checkpoint, rollup, quorum and operator" })
  }
  if (accept !== undefined && quorum === undefined && operator === undefined) {
    found.push({ path: [...at, "accept"], problem: "means nothing without a quorum or an operator" })
  }
  found.push(...checkpointMistakes(at, trust))
  if (rollup !== undefined && l1 === undefined) {
    found.push({ path: at, problem: "needs the parent chain of the rollup: name its node and its trust in l1" })
  }
  for (const [name, value] of Object.entries({ l1, state })) {
    if (value !== undefined && rollup === undefined) {
      found.push({ path: [...at, name], problem: "means nothing without a rollup" })
    }
  }
  if (l1 !== undefined) {
    if ((l1.block === undefined) === (l1.checkpoint === undefined)) {
      found.push({ path: [...at, "l1"], problem: "must have one of block and checkpoint, and not both" })
    }
    found.push(...checkpointMistakes([...at, "l1"], l1))
  }
  if (quorum !== undefined && quorum > nodes) {
    found.push({ path: [...at, "quorum"], problem: `must be at most the number of nodes, ${nodes}` })
  }
  return found
}

/** Returns the mistakes in the settings of a light client. */
const checkpointMistakes = (
  at: ConfigMistake.SettingPath,
  { beacon, checkpoint, maxCheckpointAge, maxHeadAge, minParticipation, network }: ProvenTrust
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  if (checkpoint !== undefined) {
    return beacon === undefined || beacon.length === 0
      ? [{ path: at, problem: "needs beacon nodes for the checkpoint: name one in beacon" }]
      : []
  }
  return Object.entries({ beacon, network, maxCheckpointAge, maxHeadAge, minParticipation }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ path: [...at, name], problem: "means nothing without a checkpoint" }]
  )
}

/** Returns the mistakes in a list of hardforks: each has one beginning, and begins after the one before it. */
const forkMistakes = (
  path: ConfigMistake.SettingPath,
  forks: ReadonlyArray<typeof fork.Type>
): ReadonlyArray<ConfigMistake.SettingMistake> =>
  forks.flatMap(({ block, hardfork, time }, index) => {
    const at = [...path, index]
    if ((block === undefined) === (time === undefined)) {
      return [{ path: at, problem: "must have one of block and time" }]
    }
    const before = forks[index - 1]
    if (before === undefined) return []
    const isLater =
      Hardforks.names.indexOf(hardfork) > Hardforks.names.indexOf(before.hardfork) &&
      (block === undefined
        ? before.time === undefined || time! >= before.time
        : before.block !== undefined && block >= before.block)
    return isLater ? [] : [{ path: at, problem: "must follow the hardfork before it: give the oldest first" }]
  })

/** Warns about calls without rules, which are not proven. */
export const withoutRules = (
  path: ConfigMistake.SettingPath,
  { hardforks, integrity }: IntegritySection,
  chainId: number | string | undefined
): ReadonlyArray<ConfigMistake.SettingMistake> =>
  integrity === "prove" &&
  hardforks === undefined &&
  typeof chainId === "number" &&
  Hardforks.of(BigInt(chainId)) === undefined &&
  OpStackChains.evmForks(BigInt(chainId)) === undefined
    ? [
        {
          path: [...path, "hardforks"],
          problem: `are not there, and those of chain ${chainId} are not known: eth_call is not proven`
        }
      ]
    : []

/** Warns about proofs without a trusted block. `hasOwnTrust`: the only node is the embedded live or history chain. */
export const warnings = (
  path: ConfigMistake.SettingPath,
  { integrity, trust }: IntegritySection,
  hasOwnTrust: boolean
): ReadonlyArray<ConfigMistake.SettingMistake> =>
  integrity === "prove" && trust === undefined && !hasOwnTrust
    ? [
        {
          path: [...path, "trust"],
          problem: "is not there: only answers about a hash that the caller names are proven"
        }
      ]
    : []
