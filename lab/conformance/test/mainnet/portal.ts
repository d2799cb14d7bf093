/** Portal network's test data: mainnet headers, whole blocks with receipts, and state proofs, mostly wrapped in SSZ. */
import { assert, it } from "@effect/vitest"
import { Address, Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { type Block, BlockRlp, LogsBloom, type Receipt, Verify } from "@plumbline/eth-methods"
import { TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { files, json, text } from "../support/fixtures.ts"
import { blockOf } from "../support/made.ts"
import { proveWhole, verified } from "../support/prove.ts"
import type { Tally } from "../support/tally.ts"

const item = (bytes: Uint8Array): Rlp.Rlp => Result.getOrThrow(Rlp.decode(bytes))
const listOf = (value: Rlp.Rlp): ReadonlyArray<Rlp.Rlp> => (value instanceof Uint8Array ? assert.fail("bytes") : value)
const bytesOf = (value: Rlp.Rlp): Uint8Array => (value instanceof Uint8Array ? value : assert.fail("a list"))

/** Reads an SSZ number: four bytes, little-endian. */
const offset = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)

/** Reads an SSZ list of byte strings: first come the offsets of all strings, then the strings. */
const stringsOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const starts = Array.from({ length: offset(bytes, 0) / 4 }, (_, i) => offset(bytes, 4 * i))
  return starts.map((start, i) => bytes.subarray(start, starts[i + 1] ?? bytes.length))
}

/** Returns the values of this name in a YAML file of plain lines, in order. */
export const valuesOf = (file: string, name: string): ReadonlyArray<string> =>
  [...text(file).matchAll(new RegExp(`^[- ]*${name}: ['"]?(0x[0-9a-fA-F]*)`, "gmu"))].map((match) => match[1]!)

/**
 * Converts a receipt from the form in which nodes send it since eth/69: `[type, status, gas, logs]`, without a bloom.
 */
const receiptOf = (value: Rlp.Rlp): Uint8Array => {
  const [type, outcome, gas, logs] = listOf(value) as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, Rlp.Rlp]
  const [bloom] = LogsBloom.ofEach([
    listOf(logs).map((log) => {
      const [address, topics] = listOf(log) as readonly [Rlp.Rlp, Rlp.Rlp]
      return {
        address: Address.fromBytesUnsafe(bytesOf(address)),
        topics: listOf(topics).map((topic) => Hash32.fromBytesUnsafe(bytesOf(topic)))
      }
    })
  ])
  const body = Rlp.encode([outcome, gas, bloom!, logs])
  return Uint8Array.of(...bytesOf(type), ...body)
}

/** Returns the receipts of a block in the form of its trie. */
export const encodedReceipts = (file: string): ReadonlyArray<Uint8Array> =>
  listOf(item(Hex.toBytesUnsafe(valuesOf(file, "receipts")[0]!))).map(receiptOf)

const headerIn = (content: string): Uint8Array => {
  // an SSZ container of two byte strings: the header and its proof
  const bytes = Hex.toBytesUnsafe(content)
  return bytes.subarray(offset(bytes, 0), offset(bytes, 4))
}

export const portal = (tally: Tally): void => {
  it("whole blocks of mainnet from London to Prague verify with their receipts and logs, every one", () => {
    const blocks = tally.count("portal: blocks from London to Prague")
    const transactions = tally.count("portal: their transactions")
    const sets = tally.count("portal: their receipt sets")
    const receipts = tally.count("portal: receipts, one by one")
    for (const file of files("3-mainnet/portal-spec-tests/block_data/*.yaml")) {
      const [header, body] = ["header", "body"].map((name) => item(Hex.toBytesUnsafe(valuesOf(file, name)[0]!)))
      const whole = Result.getOrThrow(BlockRlp.decode(Rlp.encode([header!, ...listOf(body!)])))
      const proven = Result.getOrThrow(proveWhole(whole))
      assert.include(file, String(proven.value.number))
      blocks.verified()
      for (const _ of proven.value.transactions) transactions.verified()
      const read = Result.getOrThrow(BlockRlp.decodeReceipts(encodedReceipts(file), whole.block))
      const all = verified<ReadonlyArray<Receipt.Receipt>>(Verify.receipts(read, proven), ["receipts[].blobGasPrice"])
      sets.verified()
      for (const receipt of read) {
        verified(Verify.receipt(receipt, receipt.transactionHash, all), ["blobGasPrice"])
        receipts.verified()
      }
    }
    blocks.expect({ verified: 7 })
    transactions.expect({ verified: 571 })
    sets.expect({ verified: 7 })
    receipts.expect({ verified: 571 })
  })

  it("headers hash to the keys that they are kept under, and follow each other", () => {
    const headers = tally.count("portal: headers")
    const entries: ReadonlyArray<{ content_key: string; content_value: string }> = Object.values(
      json("3-mainnet/portal-spec-tests/headers/1000001-1000010.json")
    )
    const check = (key: string, content: string): Block.Header => {
      const header = Result.getOrThrow(BlockRlp.decodeHeader(headerIn(content)))
      assert.strictEqual<unknown>(blockOf(header).anchor.hash, `0x${key.slice(4)}`)
      headers.verified()
      return header
    }
    const chain = entries.map((entry) => check(entry.content_key, entry.content_value))
    for (const [i, header] of chain.entries()) {
      if (i > 0) assert.strictEqual<unknown>(header.parentHash, chain[i - 1]!.hash)
    }
    for (const file of files("3-mainnet/portal-spec-tests/hive/*.yaml")) {
      const keys = valuesOf(file, "content_key")
      const values = valuesOf(file, "content_value")
      // the first entry has the header by its hash; the other entries (the header by its number, its empty body and
      // receipts) are not checked
      check(keys[0]!, values[0]!)
    }
    headers.expect({ verified: 12 })
  })

  it("state proofs lead to the leaf that they are about; of inner nodes, which prove no value, every node links", () => {
    const accounts = tally.count("portal: account proofs")
    const slots = tally.count("portal: storage proofs")
    const why = "it ends at an inner node, which proves no value: all its nodes link, and the next is missing"
    const check = (
      counter: typeof accounts,
      root: Uint8Array,
      key: Uint8Array,
      nodes: ReadonlyArray<Uint8Array>
    ): Uint8Array | undefined => {
      const outcome = TrieProof.verify(root, key, nodes)
      if (Result.isSuccess(outcome)) {
        counter.verified()
        return outcome.success._tag === "Included" ? outcome.success.value : assert.fail("absent")
      }
      const { failure } = outcome
      assert(failure._tag === "MissingNode")
      assert.strictEqual(failure.node, nodes.length)
      counter.outside(why)
      return undefined
    }
    const rootOf = (header: string): Uint8Array => {
      const { value } = blockOf(Result.getOrThrow(BlockRlp.decodeHeader(Hex.toBytesUnsafe(header))))
      return Hash32.toBytes(value.stateRoot)
    }
    const addressesOf = (file: string): ReadonlyArray<Uint8Array> =>
      [...text(file).matchAll(/^# Address: (0x[0-9a-f]{40})/gmu)].map((match) => Hex.toBytesUnsafe(match[1]!))

    const account = "3-mainnet/portal-spec-tests/state/account_trie_node.yaml"
    const headers = valuesOf(account, "block_header")
    for (const [i, content] of valuesOf(account, "content_value_offer").entries()) {
      // `content` is an SSZ container with the proof and the block's hash
      const bytes = Hex.toBytesUnsafe(content)
      const nodes = stringsOf(bytes.subarray(offset(bytes, 0)))
      check(accounts, rootOf(headers[i]!), Keccak256.hash(addressesOf(account)[i]!), nodes)
    }
    const storage = "3-mainnet/portal-spec-tests/state/contract_storage_trie_node.yaml"
    const storageHeaders = valuesOf(storage, "block_header")
    for (const [i, content] of valuesOf(storage, "content_value_offer").entries()) {
      // `content` is an SSZ container with the slot's proof, the account's proof, and the block's hash
      const bytes = Hex.toBytesUnsafe(content)
      const [first, second] = [offset(bytes, 0), offset(bytes, 4)]
      const leaf = check(
        accounts,
        rootOf(storageHeaders[i]!),
        Keccak256.hash(addressesOf(storage)[i]!),
        stringsOf(bytes.subarray(second))
      )
      const slot = new Uint8Array(32)
      slot[31] = 2
      check(slots, bytesOf(listOf(item(leaf!))[2]!), Keccak256.hash(slot), stringsOf(bytes.subarray(first, second)))
    }
    accounts.expect({ verified: 5, outside: { [why]: 3 } })
    slots.expect({ verified: 1, outside: { [why]: 2 } })
  })
}
