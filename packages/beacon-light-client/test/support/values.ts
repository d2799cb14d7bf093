/** Random containers as the beacon API's JSON, with many values at the edges of their ranges. */
import type { Form } from "@plumbline/beacon-light-client"

import type { Random } from "./random.ts"

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`

const fixed = (random: Random, size: number): string => {
  const edge = random.below(4)
  return hex(edge === 0 ? new Uint8Array(size) : edge === 1 ? new Uint8Array(size).fill(0xff) : random.bytes(size))
}

const unsigned = (random: Random, bits: bigint): string => {
  const max = 2n ** bits - 1n
  const any = BigInt(hex(random.bytes(Number(bits / 8n))))
  return random.pick([0n, 1n, 2n ** 32n, 2n ** 53n, max - 1n, max, any, any, any >> (bits / 2n)]).toString()
}

const list = (count: number, item: () => string): ReadonlyArray<string> => Array.from({ length: count }, item)

export const beacon = (random: Random) => ({
  slot: unsigned(random, 64n),
  proposer_index: unsigned(random, 64n),
  parent_root: fixed(random, 32),
  state_root: fixed(random, 32),
  body_root: fixed(random, 32)
})

export const payload = (random: Random, hasBlobs: boolean) => ({
  parent_hash: fixed(random, 32),
  fee_recipient: fixed(random, 20),
  state_root: fixed(random, 32),
  receipts_root: fixed(random, 32),
  logs_bloom: fixed(random, 256),
  prev_randao: fixed(random, 32),
  block_number: unsigned(random, 64n),
  gas_limit: unsigned(random, 64n),
  gas_used: unsigned(random, 64n),
  timestamp: unsigned(random, 64n),
  extra_data: hex(random.bytes(random.pick([0, 1, 31, 32]))),
  base_fee_per_gas: unsigned(random, 256n),
  block_hash: fixed(random, 32),
  transactions_root: fixed(random, 32),
  withdrawals_root: fixed(random, 32),
  ...(hasBlobs ? { blob_gas_used: unsigned(random, 64n), excess_blob_gas: unsigned(random, 64n) } : {})
})

const header = (random: Random, family: Form.ForkFamily) => {
  const branch = (depth: number) => list(depth, () => fixed(random, 32))
  switch (family) {
    case "altair":
      return { beacon: beacon(random) }
    case "gloas":
      return { beacon: beacon(random), execution_block_hash: fixed(random, 32), execution_branch: branch(11) }
    default:
      return { beacon: beacon(random), execution: payload(random, family !== "capella"), execution_branch: branch(4) }
  }
}

export const committee = (random: Random, size: number) => ({
  pubkeys: list(size, () => fixed(random, 48)),
  aggregate_pubkey: fixed(random, 48)
})

/**
 * Returns one container of each kind. `depths` are the depths of the finality branch and the two committee branches.
 */
export const containers = (
  random: Random,
  family: Form.ForkFamily,
  size: number,
  [finality, current, next]: readonly [number, number, number]
) => {
  const branch = (depth: number) => list(depth, () => fixed(random, 32))
  const signed = () => ({
    sync_aggregate: {
      sync_committee_bits: fixed(random, size / 8),
      sync_committee_signature: fixed(random, 96)
    },
    signature_slot: unsigned(random, 64n)
  })
  const finalized = () => ({ finalized_header: header(random, family), finality_branch: branch(finality) })
  return {
    bootstrap: {
      header: header(random, family),
      current_sync_committee: committee(random, size),
      current_sync_committee_branch: branch(current)
    },
    update: {
      attested_header: header(random, family),
      next_sync_committee: committee(random, size),
      next_sync_committee_branch: branch(next),
      ...finalized(),
      ...signed()
    },
    finalityUpdate: { attested_header: header(random, family), ...finalized(), ...signed() },
    optimisticUpdate: { attested_header: header(random, family), ...signed() }
  }
}
