/** `integrity`, `unprovable`, `rest` and `trust` of a network: the checks of its nodes' answers. */
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"

import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import * as Kinds from "./Kinds.ts"
import type * as Mistake from "./Mistake.ts"
import * as Sections from "./Sections.ts"

const { flag, formed, group, listOf, may, text, url, wait, whole, word } = Kinds

/** The light client's default of the maximum age of a checkpoint, in milliseconds: before Gloas, and from Gloas on. */
const SAFE_AGE = Duration.toMillis(LightClient.defaults.maxCheckpointAge)
const SAFE_AGE_FROM_GLOAS = Duration.toMillis(LightClient.defaults.maxCheckpointAgeFromGloas)

/** Returns the default for a network's newest fork. The schedule in a network's file is not read for this. */
const safeAgeOf = (network: string): number =>
  BeaconNetwork.known.find(({ name }) => name === network)?.forks.at(-1)?.name === "gloas"
    ? SAFE_AGE_FROM_GLOAS
    : SAFE_AGE

const hash = (description: string) => formed(/^0x[0-9a-fA-F]{64}$/u, "must be 0x and 64 hex digits", { description })

const trust = group(
  {
    block: may(hash("Hash of a block that you trust. This block and the blocks before it are proven.")),
    checkpoint: may(
      hash("Root of a finalized beacon block that you trust. A light client proves the newest blocks from it.")
    ),
    beacon: may(
      listOf(
        url(["http", "https"], {
          description: "The URL of a beacon node. It may contain a key, so only its host is shown."
        }),
        { description: "Beacon nodes for the light client; none of them is trusted." }
      )
    ),
    network: may(
      text({
        description: "The beacon chain: mainnet, sepolia, hoodi, or the file of a network, relative to this file.",
        default: "mainnet"
      })
    ),
    maxCheckpointAge: wait(
      "A checkpoint or stored head that is older is refused. From Gloas on, the default is 7d.",
      SAFE_AGE
    ),
    maxHeadAge: wait("Answers about latest under an older head are only claimed.", "60 seconds"),
    minParticipation: may(
      whole(1, 65_536, {
        description:
          "Answers under a newest head that fewer members of the sync committee signed are only claimed (default: two thirds, 342 of 512)."
      })
    ),
    quorum: may(
      whole(2, 100, {
        description:
          "A block is believed if this many operators of the network's nodes name it. Answers that rest on it are CLAIMED."
      })
    ),
    operator: may(
      url(["http", "https"], {
        description:
          "The URL of a node that you run: the blocks that it names are believed. Answers that rest on it are CLAIMED. It may contain a key, so only its host is shown."
      })
    ),
    accept: may(
      flag({
        description:
          "true: answers that rest on the quorum or on the operator's node are served, as CLAIMED. Otherwise they are refused, unless unprovable is mark.",
        default: false
      })
    )
  },
  "The trust from which answers are proven: a block, or a checkpoint with beacon nodes. With a quorum of the nodes, or with a node of the operator, answers are only CLAIMED."
).annotate({
  oneOf: [
    { required: ["block"] },
    { required: ["checkpoint", "beacon"] },
    { required: ["quorum"] },
    { required: ["operator"] }
  ]
})

/** The settings in the section of a network. */
export const fields = {
  integrity: may(
    word(["off", "check", "prove"], {
      description:
        "off: answers pass as the nodes write them. check: an answer that contradicts itself or the question is refused. prove: all that can be proven is proven, by further calls to the same node.",
      default: "off"
    })
  ),
  unprovable: may(
    word(["refuse", "mark"], {
      description:
        "The handling of an answer that nothing proves, under prove. refuse: the caller gets an error. mark: it passes, as CLAIMED.",
      default: Integrity.defaults.unprovable
    })
  ),
  rest: wait("Time for which a node that lied is not asked, if the network has another node.", Integrity.defaults.rest),
  trust: may(trust)
}

/** The settings in the form of the file. */
export interface Section {
  readonly integrity?: "off" | Integrity.Mode
  readonly unprovable?: "refuse" | "mark"
  readonly rest?: string
  readonly trust?: typeof trust.Type
}

/** The trust of a network. */
export type Trust =
  | { readonly _tag: "Block"; readonly hash: Hash32.Hash32 }
  | {
      readonly _tag: "Checkpoint"
      readonly checkpoint: Hash32.Hash32
      readonly beacon: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
      /** A known name, or the path of a file. */
      readonly network: string
      /** Milliseconds; undefined means the default of the light client. */
      readonly maxCheckpointAge: number | undefined
      readonly maxHeadAge?: number | undefined
      readonly minParticipation?: number | undefined
    }
  /** `accept`: answers that rest on the word of nodes are served. */
  | { readonly _tag: "Quorum"; readonly needed: number; readonly accept: boolean }
  | { readonly _tag: "Operator"; readonly url: Redacted.Redacted; readonly accept: boolean }

/** The integrity of a network. Times are milliseconds. */
export interface Settings {
  readonly mode: Integrity.Mode
  readonly unprovable: "refuse" | "mark"
  readonly rest: number
  /**
   * The trust. Undefined means the service's own beacon chain if the embedded live chain is the only node, else no
   * trusted block.
   */
  readonly trust: Trust | undefined
}

/** Returns the settings; undefined if the network does not check answers. */
export const settings = ({ integrity = "off", rest, trust, unprovable }: Section): Settings | undefined =>
  integrity === "off"
    ? undefined
    : {
        mode: integrity,
        unprovable: unprovable ?? Integrity.defaults.unprovable,
        rest: rest === undefined ? Integrity.defaults.rest : Kinds.millisOf(rest),
        trust: trust === undefined ? undefined : trustOf(trust)
      }

/** The section has passed `mistakes`: it has exactly one kind of trust, with all settings that this kind needs. */
const trustOf = (section: NonNullable<Section["trust"]>): Trust => {
  const { accept = false, block, maxCheckpointAge, maxHeadAge, operator, quorum } = section
  if (block !== undefined) return { _tag: "Block", hash: hashOf(block) }
  if (quorum !== undefined) return { _tag: "Quorum", needed: quorum, accept }
  if (operator !== undefined) return { _tag: "Operator", url: Redacted.make(operator), accept }
  const [first, ...others] = section.beacon!.map((url) => Redacted.make(url))
  return {
    _tag: "Checkpoint",
    checkpoint: hashOf(section.checkpoint!),
    beacon: [first!, ...others],
    network: section.network ?? "mainnet",
    maxCheckpointAge: maxCheckpointAge === undefined ? undefined : Kinds.millisOf(maxCheckpointAge),
    maxHeadAge: maxHeadAge === undefined ? undefined : Kinds.millisOf(maxHeadAge),
    minParticipation: section.minParticipation
  }
}

const hashOf = (text: string): Hash32.Hash32 => Hash32.fromHexUnsafe(text.toLowerCase())

/** Returns the settings with the path of a network's file made absolute. */
export const resolved = (settings: Settings | undefined, resolve: (path: string) => string): Settings | undefined => {
  const trust = settings?.trust
  return trust?._tag !== "Checkpoint" || BeaconNetwork.known.some(({ name }) => name === trust.network)
    ? settings
    : { ...settings!, trust: { ...trust, network: resolve(trust.network) } }
}

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (
  path: Mistake.Path,
  section: Section,
  { kind, nodes }: { readonly kind: "eth" | "starknet"; readonly nodes: number }
): Sections.Found => {
  const found: Array<Mistake.Mistake> = []
  const { integrity = "off", rest, trust, unprovable } = section
  if (integrity !== "off" && kind !== "eth") {
    found.push({ path: [...path, "integrity"], problem: "must be off: answers of the kind starknet are not proven" })
  }
  if (rest !== undefined && integrity === "off") {
    found.push({ path: [...path, "rest"], problem: "means nothing without integrity" })
  }
  found.push(...Sections.timer([...path, "rest"], rest))
  if (unprovable !== undefined && integrity !== "prove") {
    found.push({ path: [...path, "unprovable"], problem: "means nothing unless integrity is prove" })
  }
  if (trust === undefined) return found
  const at = [...path, "trust"]
  if (integrity !== "prove") found.push({ path: at, problem: "means nothing unless integrity is prove" })
  const {
    accept,
    beacon,
    block,
    checkpoint,
    maxCheckpointAge,
    maxHeadAge,
    minParticipation,
    network,
    operator,
    quorum
  } = trust
  if ([block, checkpoint, quorum, operator].filter((one) => one !== undefined).length !== 1) {
    found.push({ path: at, problem: "must have one of block, checkpoint, quorum and operator" })
  }
  if (accept !== undefined && quorum === undefined && operator === undefined) {
    found.push({ path: [...at, "accept"], problem: "means nothing without a quorum or an operator" })
  }
  if (operator !== undefined && !URL.canParse(operator)) {
    found.push({ path: [...at, "operator"], problem: "is not a URL" })
  }
  if (checkpoint !== undefined && (beacon === undefined || beacon.length === 0)) {
    found.push({ path: at, problem: "needs beacon nodes for the checkpoint: name one in beacon" })
  }
  if (checkpoint === undefined) {
    for (const [name, value] of Object.entries({ beacon, network, maxCheckpointAge, maxHeadAge, minParticipation })) {
      if (value !== undefined) found.push({ path: [...at, name], problem: "means nothing without a checkpoint" })
    }
  }
  for (const [index, url] of (beacon ?? []).entries()) {
    if (!URL.canParse(url)) found.push({ path: [...at, "beacon", index], problem: "is not a URL" })
  }
  if (quorum !== undefined && quorum > nodes) {
    found.push({ path: [...at, "quorum"], problem: `must be at most the number of nodes, ${nodes}` })
  }
  return found
}

/** Warns about proofs without a trusted block. `hasOwnTrust`: the network is the embedded live chain alone. */
export const warnings = (path: Mistake.Path, { integrity, trust }: Section, hasOwnTrust: boolean): Sections.Found =>
  integrity === "prove" && trust === undefined && !hasOwnTrust
    ? [
        {
          path: [...path, "trust"],
          problem: "is not there: only answers about a hash that the caller names are proven"
        }
      ]
    : []

/** Returns the settings in the form of the file. */
export const view = (settings: Settings | undefined): Sections.Shown => {
  if (settings === undefined) return { integrity: "off" }
  const { mode, rest, trust, unprovable } = settings
  return {
    integrity: mode,
    ...(mode === "prove" ? { unprovable } : {}),
    rest: Kinds.timeOf(rest),
    ...Sections.given({ trust: trust && trustViewOf(trust) })
  }
}

const trustViewOf = (trust: Trust): Sections.Shown => {
  switch (trust._tag) {
    case "Block":
      return { block: trust.hash }
    case "Quorum":
      return { quorum: trust.needed, accept: trust.accept }
    case "Operator":
      return { operator: Sections.hostOf(trust.url), accept: trust.accept }
    case "Checkpoint":
      return {
        checkpoint: trust.checkpoint,
        beacon: trust.beacon.map(Sections.hostOf),
        network: trust.network,
        maxCheckpointAge: Kinds.timeOf(trust.maxCheckpointAge ?? safeAgeOf(trust.network)),
        ...Sections.given({
          maxHeadAge: trust.maxHeadAge === undefined ? undefined : Kinds.timeOf(trust.maxHeadAge),
          minParticipation: trust.minParticipation
        })
      }
  }
}
