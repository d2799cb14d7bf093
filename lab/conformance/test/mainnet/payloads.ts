/** Execution payloads: the blocks that consensus clients send to execution clients. */
import { createHash } from "node:crypto"

import { assert, it } from "@effect/vitest"
import { Address, Hash32, Hex, Quantity, Rlp } from "@plumbline/codec"
import { Block, BlockRlp, type Transaction } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import { Result, Schema } from "effect"

import { files, json } from "../support/fixtures.ts"
import { proveWhole } from "../support/prove.ts"
import type { Tally } from "../support/tally.ts"

const quantity = (value: string): string => Quantity.toHex(BigInt(value))

const EMPTY_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

/** Returns the SHA-256 of the hashes of the requests (EIP-7685). */
const requestsHash = (requests: ReadonlyArray<string>): string => {
  const outer = createHash("sha256")
  for (const request of requests) outer.update(createHash("sha256").update(Hex.toBytesUnsafe(request)).digest())
  return `0x${outer.digest("hex")}`
}

const withoutUndefined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/**
 * Returns the header and bodies of a payload and of the data that is sent with it. The roots are computed here.
 */
const wholeOf = (payload: any, beside: { parentBeaconBlockRoot?: string; requests?: ReadonlyArray<string> }) => {
  const encoded: ReadonlyArray<Uint8Array> = payload.transactions.map((text: string) => Hex.toBytesUnsafe(text))
  const withdrawals: ReadonlyArray<Block.Withdrawal> = payload.withdrawals.map((one: any) => ({
    index: BigInt(one.index),
    validatorIndex: BigInt(one.validatorIndex ?? one.validator_index),
    address: Address.fromHexUnsafe(one.address),
    amount: BigInt(one.amount)
  }))
  const header = Schema.decodeUnknownSync(Block.Header)(
    withoutUndefined({
      number: quantity(payload.blockNumber ?? payload.block_number),
      hash: payload.blockHash ?? payload.block_hash,
      parentHash: payload.parentHash ?? payload.parent_hash,
      nonce: "0x0000000000000000",
      mixHash: payload.prevRandao ?? payload.prev_randao,
      sha3Uncles: EMPTY_UNCLES,
      logsBloom: payload.logsBloom ?? payload.logs_bloom,
      transactionsRoot: Hex.fromBytes(Trie.rootOfList(encoded)),
      stateRoot: payload.stateRoot ?? payload.state_root,
      receiptsRoot: payload.receiptsRoot ?? payload.receipts_root,
      miner: payload.feeRecipient ?? payload.fee_recipient,
      difficulty: "0x0",
      extraData: payload.extraData ?? payload.extra_data,
      gasLimit: quantity(payload.gasLimit ?? payload.gas_limit),
      gasUsed: quantity(payload.gasUsed ?? payload.gas_used),
      timestamp: quantity(payload.timestamp),
      baseFeePerGas: quantity(payload.baseFeePerGas ?? payload.base_fee_per_gas),
      withdrawalsRoot: rootOfWithdrawals(withdrawals),
      blobGasUsed: payload.blobGasUsed,
      excessBlobGas: payload.excessBlobGas,
      parentBeaconBlockRoot: beside.parentBeaconBlockRoot,
      requestsHash: beside.requests === undefined ? undefined : requestsHash(beside.requests)
    })
  )
  const transactions: ReadonlyArray<Transaction.Transaction> = encoded.map((bytes, index) =>
    Result.getOrThrow(BlockRlp.decodeTransaction(bytes, { place: { header, index } }))
  )
  const block: Block.WithTransactions = { ...header, transactions, withdrawals, uncles: [] }
  return { block, uncles: [] }
}

const rootOfWithdrawals = (withdrawals: ReadonlyArray<Block.Withdrawal>): Hash32.Hash32 =>
  Hash32.fromBytesUnsafe(
    Trie.rootOfList(
      withdrawals.map(({ address, amount, index, validatorIndex }) =>
        Rlp.encode([
          Quantity.toBytes(index),
          Quantity.toBytes(validatorIndex),
          Address.toBytes(address),
          Quantity.toBytes(amount)
        ])
      )
    )
  )

export const payloads = (tally: Tally): void => {
  it("execution payloads make blocks that hash to what the payloads say, with all their transactions and withdrawals", () => {
    const engine = tally.count("alloy: payloads of the engine API (Prague)")
    const beacon = tally.count("helios: payload in a beacon block (Shanghai)")
    const transactions = tally.count("payloads: transactions")
    const check = (whole: BlockRlp.WholeBlock, said: string) => {
      const { anchor } = Result.getOrThrow(proveWhole(whole))
      assert.strictEqual<unknown>(anchor.hash, said)
      for (const _ of whole.block.transactions) transactions.verified()
    }
    for (const file of files("3-mainnet/alloy/engine-payload/*.json")) {
      const { payload, sidecar } = json(file).newPayload
      check(
        wholeOf(payload, {
          parentBeaconBlockRoot: sidecar.cancun.fields.parent_beacon_block_root,
          requests: sidecar.prague.fields.requests
        }),
        payload.blockHash
      )
      engine.verified()
    }
    for (const file of files("3-mainnet/helios/beacon-blocks/*.json")) {
      const payload = json(file).data.message.body.execution_payload
      check(wholeOf(payload, {}), payload.block_hash)
      beacon.verified()
    }
    engine.expect({ verified: 3 })
    beacon.expect({ verified: 1 })
    transactions.expect({ verified: 248 })
  })
}
