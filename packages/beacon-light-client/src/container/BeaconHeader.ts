/** The headers of beacon blocks and of execution payloads, and the types that join both by a Merkle branch. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"

/** The header of a beacon block: 112 bytes. Its root is the name of the block. */
export interface BeaconBlockHeader {
  readonly slot: bigint
  readonly proposerIndex: bigint
  readonly parentRoot: Hash32.Hash32
  readonly stateRoot: Hash32.Hash32
  readonly bodyRoot: Hash32.Hash32
}

/**
 * The header of an execution payload, as beacon blocks from Capella to Fulu commit to it.
 *
 * `transactionsRoot` and `withdrawalsRoot` are SSZ roots: the execution header has other roots under these names.
 */
export interface ExecutionPayloadHeader {
  readonly parentHash: Hash32.Hash32
  readonly feeRecipient: Address.Address
  readonly stateRoot: Hash32.Hash32
  readonly receiptsRoot: Hash32.Hash32
  /** 256 bytes. */
  readonly logsBloom: Hex.Hex
  readonly prevRandao: Hash32.Hash32
  readonly blockNumber: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Extra data of the block, at most 32 bytes. */
  readonly extraData: Hex.Hex
  readonly baseFeePerGas: bigint
  readonly blockHash: Hash32.Hash32
  readonly transactionsRoot: Hash32.Hash32
  readonly withdrawalsRoot: Hash32.Hash32
  /** The blob gas of the block; present from Deneb on. */
  readonly blobGasUsed?: bigint
  /** The excess blob gas; present from Deneb on. */
  readonly excessBlobGas?: bigint
}

/**
 * A header in one of three forms. The container determines the form; `beacon.slot` determines the fork of the block.
 */
export type LightClientHeader = BeaconOnly | WithPayload | WithBlockHash

/** The form of a header in Altair and Bellatrix. It has no data of the execution chain. */
export interface BeaconOnly {
  readonly _tag: "BeaconOnly"
  readonly beacon: BeaconBlockHeader
}

/** The form of a header from Capella to Fulu. */
export interface WithPayload {
  readonly _tag: "WithPayload"
  readonly beacon: BeaconBlockHeader
  readonly execution: ExecutionPayloadHeader
  readonly executionBranch: ReadonlyArray<Hash32.Hash32>
}

/**
 * The form of a header in Gloas. It holds only the hash of an execution block.
 *
 * In a block of Gloas, this is the hash of the execution block on which the beacon block builds. In an older block, it
 * is the hash of the block's own execution block.
 */
export interface WithBlockHash {
  readonly _tag: "WithBlockHash"
  readonly beacon: BeaconBlockHeader
  readonly executionBlockHash: Hash32.Hash32
  readonly executionBranch: ReadonlyArray<Hash32.Hash32>
}

/** Returns the hash of the execution block that the header names, or undefined if its form names none. */
export const blockHash = (header: LightClientHeader): Hash32.Hash32 | undefined => {
  switch (header._tag) {
    case "BeaconOnly":
      return undefined
    case "WithPayload":
      return header.execution.blockHash
    case "WithBlockHash":
      return header.executionBlockHash
  }
}
