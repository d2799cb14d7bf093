/**
 * Beacon blocks with the trees of their states and bodies, in the containers of Electra.
 *
 * The fields that light clients read have correct values. So have all other fields that can be known without running a
 * beacon chain. The remaining fields are zero: attestations, randomness, the roots of older blocks.
 *
 * Source: consensus-specs `specs/electra/beacon-chain.md`, `BeaconState` and `BeaconBlockBody`.
 */
import type * as BeaconHeader from "@plumbline/beacon-light-client/container/BeaconHeader"
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"

import * as HashTree from "./hashTree.ts"
import type { RotatingCommittees } from "./rotatingCommittees.ts"
import type { ValidatorRegistry } from "./validatorRegistry.ts"

/** The parts of a beacon block that a light client sees. */
export interface MadeBeaconBlock {
  readonly root: Hash32.Hash32
  readonly header: BeaconHeader.WithPayload
  /** The finalized block that the block's state names; undefined before the first finalized block. */
  readonly finalized: BeaconHeader.WithPayload | undefined
  /** Branches of the block's state. */
  readonly finalityBranch: Branch
  readonly currentSyncCommitteeBranch: Branch
  readonly nextSyncCommitteeBranch: Branch
}

type Branch = ReadonlyArray<Hash32.Hash32>

/** The fork of every block. Fulu has the same containers, but its digests need a schedule of blobs (EIP-7892). */
export const FORK = "electra"

/** The data of a network that all of its blocks share. */
export interface SharedBlockData {
  readonly network: Network.Network
  readonly committees: RotatingCommittees
  readonly registry: ValidatorRegistry
}

/** Makes a block. `finalized` is the block that its state names as finalized. */
export const make = (
  { committees, network, registry }: SharedBlockData,
  {
    execution,
    finalized,
    parentRoot,
    slot
  }: {
    readonly slot: bigint
    readonly parentRoot: Hash32.Hash32
    readonly execution: BeaconHeader.ExecutionPayloadHeader
    readonly finalized: BeaconHeader.WithPayload | undefined
  }
): MadeBeaconBlock => {
  const period = Clock.periodOf(network, slot)
  const payloadRoot = Hash32.toBytes(HashTreeRoot.executionPayload(execution, "deneb"))
  const body = HashTree.make(BODY_DEPTH, [[EXECUTION_PAYLOAD, payloadRoot]])
  const checkpoint = HashTree.make(1, [
    [0, HashTree.uint64(finalized === undefined ? 0n : Clock.epochOf(network, finalized.beacon.slot))],
    [1, finalized === undefined ? new Uint8Array(32) : Hash32.toBytes(HashTreeRoot.beaconBlock(finalized.beacon))]
  ])
  const { version } = Clock.scheduleAt(network, Clock.epochOf(network, slot))!
  const [forkVersion] = HashTree.leaves(Hex.toBytesUnsafe(version))
  const state = HashTree.make(STATE_DEPTH, [
    [FIELDS.genesisTime, HashTree.uint64(network.genesisTime)],
    [FIELDS.genesisValidatorsRoot, Hash32.toBytes(network.genesisValidatorsRoot)],
    [FIELDS.slot, HashTree.uint64(slot)],
    [FIELDS.fork, HashTree.container([forkVersion!, forkVersion!, HashTree.uint64(0n)])],
    [FIELDS.validators, Hash32.toBytes(registry.validators)],
    [FIELDS.balances, registry.balances],
    [FIELDS.finalizedCheckpoint, checkpoint.root],
    [FIELDS.currentSyncCommittee, committees.rootOf(period)],
    [FIELDS.nextSyncCommittee, committees.rootOf(period + 1n)],
    [FIELDS.latestExecutionPayloadHeader, payloadRoot]
  ])
  const beacon: BeaconHeader.BeaconBlockHeader = {
    slot,
    proposerIndex: slot % BigInt(network.syncCommitteeSize),
    parentRoot,
    stateRoot: Hash32.fromBytesUnsafe(state.root),
    bodyRoot: Hash32.fromBytesUnsafe(body.root)
  }
  return {
    root: HashTreeRoot.beaconBlock(beacon),
    header: { _tag: "WithPayload", beacon, execution, executionBranch: hashes(body.branch(EXECUTION_PAYLOAD)) },
    finalized,
    finalityBranch: hashes([...checkpoint.branch(1), ...state.branch(FIELDS.finalizedCheckpoint)]),
    currentSyncCommitteeBranch: hashes(state.branch(FIELDS.currentSyncCommittee)),
    nextSyncCommitteeBranch: hashes(state.branch(FIELDS.nextSyncCommittee))
  }
}

const hashes = (nodes: ReadonlyArray<Uint8Array>): Branch => nodes.map(Hash32.fromBytesUnsafe)

/** Depth of the tree of a state: it has 37 fields. */
const STATE_DEPTH = 6

/** Positions of fields in the state. */
const FIELDS = {
  genesisTime: 0,
  genesisValidatorsRoot: 1,
  slot: 2,
  fork: 3,
  validators: 11,
  balances: 12,
  finalizedCheckpoint: 20,
  currentSyncCommittee: 22,
  nextSyncCommittee: 23,
  latestExecutionPayloadHeader: 24
} as const

/** Depth of the tree of a body, which has 13 fields, and the position of its payload. */
const BODY_DEPTH = 4
const EXECUTION_PAYLOAD = 9
