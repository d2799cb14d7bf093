/**
 * Makes light client data with its own keys, for embedded chains and tests.
 *
 * Blocks are only headers, and states hold only the values that a light client proves. Everything follows from a seed.
 * A made chain is not evidence, because its secret keys are public.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"

import type * as BeaconHeader from "../container/BeaconHeader.ts"
import type * as Bootstrap from "../container/Bootstrap.ts"
import * as Form from "../container/Form.ts"
import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import * as Fork from "../network/Fork.ts"
import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import type * as Network from "../network/Network.ts"
import * as SigningDomain from "../network/SigningDomain.ts"
import * as Upgrade from "./headerUpgrade.ts"
import * as MadeCommittees from "./madeCommittees.ts"
import * as SparseTree from "./sparseTree.ts"

/** Options of a made chain. */
export interface MadeChainOptions {
  /** Decides the committees and everything else of the chain. Default: `plumbline`. */
  readonly seed?: string | undefined
  /**
   * Returns the execution payload of a block, with blobs from Deneb on. In Gloas only the payload's block hash is used:
   * it names the execution block on which the beacon block builds. Default: a payload whose number is the slot.
   */
  readonly execution?: ((slot: bigint) => BeaconHeader.ExecutionPayloadHeader) | undefined
}

/** The defaults of the options. */
export const defaults: { readonly seed: string } = { seed: "plumbline" }

/** The parameters of an update. */
export interface MadeUpdateOptions {
  /** Slot of the block that is signed. */
  readonly attested: bigint
  /** Slot of the block that is finalized in the signed block's state. Default: none, as at genesis. */
  readonly finalized?: bigint | undefined
  /** Slot of the block with the signature. Default: the slot after `attested`. */
  readonly signature?: bigint | undefined
  /** Positions of the members who sign, or their number. Default: all of them. */
  readonly signers?: ReadonlyArray<number> | number | undefined
  /** The fork whose containers are made. Default: the fork of the signed block. */
  readonly fork?: Fork.Fork | undefined
}

/** A chain that makes light client data on request. */
export interface MadeChain {
  readonly network: Network.Network
  /** Returns the committee of a period. */
  readonly committee: (period: bigint) => SyncCommittee.SyncCommittee
  /** Returns the root of a block, which can serve as a checkpoint. */
  readonly root: (slot: bigint, finalized?: bigint) => Hash32.Hash32
  readonly bootstrap: (slot: bigint, fork?: Fork.Fork) => Bootstrap.Bootstrap
  readonly update: (choice: MadeUpdateOptions) => Update.Update
  readonly finalityUpdate: (choice: MadeUpdateOptions) => Update.FinalityUpdate
  readonly optimisticUpdate: (choice: MadeUpdateOptions) => Update.OptimisticUpdate
}

interface Block {
  readonly fork: Fork.Fork
  readonly header: BeaconHeader.LightClientHeader
  readonly state: SparseTree.SparseTree
}

/** Number of committees that are kept, because making one takes some 512 additions on the curve. */
const KEPT_COMMITTEES = 4

/**
 * Makes a chain.
 *
 * ```ts import.meta.vitest
 * import { Bls, LightClientStore, MadeChain, Network } from "@plumbline/beacon-light-client"
 * import { Result } from "effect"
 *
 * const slot = 12_000_000n
 * const chain = MadeChain.make(Network.mainnet)
 * const store = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(slot), chain.root(slot), chain.network))
 * const update = chain.optimisticUpdate({ attested: slot + 9n, signers: 400 })
 * const options = { network: chain.network, currentSlot: slot + 10n, bls: Bls.noble }
 * const after = Result.getOrThrow(LightClientStore.process(store, update, options))
 * const { support } = after.optimistic
 * support._tag === "Optimistic" && [support.signed, support.of, support.attestedSlot] // => [400, 512, 12_000_009n]
 * ```
 */
export const make = (network: Network.Network, options: MadeChainOptions = {}): MadeChain => {
  const { execution = (slot: bigint) => payload(network, slot), seed = defaults.seed } = options
  const committees = new BoundedMap<bigint, MadeCommittees.MadeCommittee>(KEPT_COMMITTEES)

  const committeeOf = (period: bigint): MadeCommittees.MadeCommittee => {
    const known = committees.get(period)
    if (known !== undefined) return known
    const made = MadeCommittees.make(`${seed} ${period}`, network.syncCommitteeSize)
    committees.set(period, made)
    return made
  }

  const blockAt = (slot: bigint, finalized?: bigint): Block => {
    const fork = Clock.forkAt(network, slot)
    if (fork === undefined) throw new RangeError(`slot ${slot} is before Altair, which has no light client`)
    const period = Clock.periodOf(network, slot)
    const finalizedRoot = finalized === undefined ? Hash32.ZERO : blockRoot(finalized)
    const state = SparseTree.make(
      new Map([
        [GeneralizedIndex.at("finalizedRoot", fork)!, Hash32.toBytes(finalizedRoot)],
        [
          GeneralizedIndex.at("currentSyncCommittee", fork)!,
          Hash32.toBytes(HashTreeRoot.syncCommittee(committeeOf(period).public))
        ],
        [
          GeneralizedIndex.at("nextSyncCommittee", fork)!,
          Hash32.toBytes(HashTreeRoot.syncCommittee(committeeOf(period + 1n).public))
        ]
      ])
    )
    const beacon = (bodyRoot: Hash32.Hash32): BeaconHeader.BeaconBlockHeader => ({
      slot,
      proposerIndex: slot % 1_000_003n,
      parentRoot: digest(`${seed} parent ${slot}`),
      stateRoot: state.root,
      bodyRoot
    })
    return { fork, state, header: headerOf(fork, beacon, execution(slot), digest(`${seed} body ${slot}`)) }
  }

  // A finalized block itself names no checkpoint here, because a light client does not read that checkpoint.
  const blockRoot = (slot: bigint, finalized?: bigint): Hash32.Hash32 =>
    HashTreeRoot.beaconBlock(blockAt(slot, finalized).header.beacon)

  const update = ({
    attested,
    finalized,
    fork,
    signature = attested + 1n,
    signers
  }: MadeUpdateOptions): Update.Update => {
    const block = blockAt(attested, finalized)
    const family = Form.familyOf(fork ?? block.fork)
    const committee = committeeOf(Clock.periodOf(network, signature))
    const positions = typeof signers === "object" ? signers : firstOf(signers ?? network.syncCommitteeSize)
    const message = SigningDomain.signingRoot(network, HashTreeRoot.beaconBlock(block.header.beacon), signature)!
    const bits = new Uint8Array(network.syncCommitteeSize / 8)
    for (const at of positions) bits[at >> 3]! |= 1 << (at & 7)
    const branchOf = (leaf: GeneralizedIndex.ProvenLeaf) =>
      Upgrade.padded(block.state.branch(GeneralizedIndex.at(leaf, block.fork)!), leaf, family)
    return {
      attestedHeader: Upgrade.header(block.header, family),
      nextSyncCommittee: committeeOf(Clock.periodOf(network, attested) + 1n).public,
      nextSyncCommitteeBranch: branchOf("nextSyncCommittee"),
      finalizedHeader:
        finalized === undefined ? Upgrade.empty(family) : Upgrade.header(blockAt(finalized).header, family),
      finalityBranch: branchOf("finalizedRoot"),
      syncAggregate: {
        syncCommitteeBits: Hex.fromBytes(bits),
        syncCommitteeSignature: Hex.fromBytes(committee.sign(message, positions))
      },
      signatureSlot: signature
    }
  }

  return {
    network,
    committee: (period) => committeeOf(period).public,
    root: blockRoot,
    bootstrap: (slot, fork) => {
      const block = blockAt(slot)
      const family = Form.familyOf(fork ?? block.fork)
      const branch = block.state.branch(GeneralizedIndex.at("currentSyncCommittee", block.fork)!)
      return {
        header: Upgrade.header(block.header, family),
        currentSyncCommittee: committeeOf(Clock.periodOf(network, slot)).public,
        currentSyncCommitteeBranch: Upgrade.padded(branch, "currentSyncCommittee", family)
      }
    },
    update,
    finalityUpdate: (choice) => {
      const { nextSyncCommittee: _, nextSyncCommitteeBranch: __, ...rest } = update(choice)
      return rest
    },
    optimisticUpdate: (choice) => {
      const { attestedHeader, signatureSlot, syncAggregate } = update(choice)
      return { attestedHeader, syncAggregate, signatureSlot }
    }
  }
}

const firstOf = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)

const digest = (text: string): Hash32.Hash32 => Hash32.fromBytesUnsafe(sha256(new TextEncoder().encode(text)))

/** Makes a header of the fork, whose body root covers the execution part of the block. */
const headerOf = (
  fork: Fork.Fork,
  beacon: (bodyRoot: Hash32.Hash32) => BeaconHeader.BeaconBlockHeader,
  execution: BeaconHeader.ExecutionPayloadHeader,
  otherBody: Hash32.Hash32
): BeaconHeader.LightClientHeader => {
  if (!Fork.isFrom(fork, "capella")) return { _tag: "BeaconOnly", beacon: beacon(otherBody) }
  if (fork === "gloas") {
    const index = GeneralizedIndex.at("executionBlockHash", fork)!
    const body = SparseTree.make(new Map([[index, Hash32.toBytes(execution.blockHash)]]))
    const executionBranch = body.branch(index)
    return {
      _tag: "WithBlockHash",
      beacon: beacon(body.root),
      executionBlockHash: execution.blockHash,
      executionBranch
    }
  }
  const index = GeneralizedIndex.at("executionPayload", fork)!
  const root = HashTreeRoot.executionPayload(execution, fork === "capella" ? "capella" : "deneb")
  const body = SparseTree.make(new Map([[index, Hash32.toBytes(root)]]))
  return { _tag: "WithPayload", beacon: beacon(body.root), execution, executionBranch: body.branch(index) }
}

/** Returns a payload whose block number is the slot. */
const payload = (network: Network.Network, slot: bigint): BeaconHeader.ExecutionPayloadHeader => ({
  parentHash: digest(`execution block ${slot - 1n}`),
  feeRecipient: Address.fromBytesUnsafe(sha256(Uint8Array.of(1)).subarray(0, 20)),
  stateRoot: digest(`execution state ${slot}`),
  receiptsRoot: digest(`receipts ${slot}`),
  logsBloom: Hex.fromBytes(new Uint8Array(256).fill(Number(slot & 0xffn))),
  prevRandao: digest(`randao ${slot}`),
  blockNumber: slot,
  gasLimit: 30_000_000n,
  gasUsed: slot % 30_000_000n,
  timestamp: Clock.timeOf(network, slot),
  extraData: Hex.fromBytes(new Uint8Array(Number(slot % 33n)).fill(0x61)),
  baseFeePerGas: 7n + slot,
  blockHash: digest(`execution block ${slot}`),
  transactionsRoot: digest(`transactions ${slot}`),
  withdrawalsRoot: digest(`withdrawals ${slot}`),
  ...(Fork.isFrom(Clock.forkAt(network, slot) ?? "altair", "deneb")
    ? { blobGasUsed: (slot % 7n) << 17n, excessBlobGas: (slot % 11n) << 17n }
    : {})
})
