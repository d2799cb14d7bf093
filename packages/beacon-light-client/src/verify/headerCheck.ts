/** The check of a header: its execution part must be under the body root of its beacon block. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type * as BeaconHeader from "../container/BeaconHeader.ts"
import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import * as Clock from "../network/Clock.ts"
import * as Fork from "../network/Fork.ts"
import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import type * as Network from "../network/Network.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import * as MerkleBranch from "./merkleBranch.ts"

/**
 * Returns the refusal of a header, or undefined if it is valid. The epoch of its slot determines the required fields.
 */
export const refusalOf = (
  network: Network.Network,
  header: BeaconHeader.LightClientHeader,
  subject: string
): RefutedError | undefined => {
  const fork = Clock.forkAt(network, header.beacon.slot)
  if (fork === undefined) {
    const since = network.forks[0]!
    return refuse(
      "network",
      `a slot of a known fork, from epoch ${since.epoch} on`,
      `slot ${header.beacon.slot}`,
      `${subject}.beacon`
    )
  }
  const got = Fork.isFrom(fork, "capella") ? proven(header, fork) : hasNoExecution(header)
  if (got === true) return undefined
  return refuse("execution-branch", `${fork} with ${header.beacon.bodyRoot}`, got, subject)
}

/** Checks the proof of the execution part, for blocks from Capella on. Returns true, or the fault. */
const proven = (header: BeaconHeader.LightClientHeader, fork: Fork.Fork): true | string => {
  switch (header._tag) {
    case "BeaconOnly":
      return "a header without an execution part"
    case "WithPayload": {
      if (fork === "gloas") return "a header with a payload"
      const isCapella = fork === "capella"
      if (isCapella && hasBlobs(header.execution)) return "blobs before Deneb"
      if (!isCapella && header.execution.blobGasUsed === undefined) return "a header without blobs"
      const leaf = HashTreeRoot.executionPayload(header.execution, isCapella ? "capella" : "deneb")
      return leadsTo(header, leaf, GeneralizedIndex.at("executionPayload", fork)!)
    }
    case "WithBlockHash":
      return leadsTo(header, header.executionBlockHash, GeneralizedIndex.at("executionBlockHash", fork)!)
  }
}

const leadsTo = (
  header: BeaconHeader.WithPayload | BeaconHeader.WithBlockHash,
  leaf: Hash32.Hash32,
  generalizedIndex: number
): true | string => {
  const root = MerkleBranch.rootOf(leaf, header.executionBranch, generalizedIndex)
  return root === header.beacon.bodyRoot ? true : (root ?? "a branch of another depth")
}

const hasBlobs = ({ blobGasUsed = 0n, excessBlobGas = 0n }: BeaconHeader.ExecutionPayloadHeader): boolean =>
  blobGasUsed !== 0n || excessBlobGas !== 0n

/** Checks that there is no execution part, for blocks before Capella. Returns true, or the fault. */
const hasNoExecution = (header: BeaconHeader.LightClientHeader): true | string => {
  if (header._tag === "BeaconOnly") return true
  const isZero =
    header._tag === "WithPayload" ? isZeroPayload(header.execution) : header.executionBlockHash === Hash32.ZERO
  return (isZero && MerkleBranch.isEmpty(header.executionBranch)) || "an execution part before Capella"
}

const isZeroPayload = (execution: BeaconHeader.ExecutionPayloadHeader): boolean =>
  execution.extraData === "0x" && Object.values(execution).every((value) => isZero(value))

const isZero = (value: Hex.Hex | bigint): boolean => (typeof value === "bigint" ? value === 0n : /^0x0*$/u.test(value))

/** True if a header is the placeholder for a missing one: every byte is zero. */
export const isEmpty = (header: BeaconHeader.LightClientHeader): boolean =>
  Object.values(header.beacon).every((value) => isZero(value)) && hasNoExecution(header) === true
