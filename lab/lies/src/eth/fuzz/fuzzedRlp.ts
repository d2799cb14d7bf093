/** Decoders of RLP, and of blocks, headers, transactions and receipts in RLP. */
import { RLP } from "@ethereumjs/rlp"
import { Address, Rlp } from "@plumbline/codec"
import { BlockRlp } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import { accepted, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import type * as Json from "../../json.ts"
import * as Leaves from "../../leaves.ts"
import * as Mutate from "../../mutate.ts"
import * as Commit from "./commit.ts"
import { mustPass } from "./ethJudge.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"
import * as Vary from "./vary.ts"

type Item = Uint8Array | Array<Item>

const hex = Encode.hexOf

/** Mutates RLP once: one of its items, or its bytes. */
const mutate = (bytes: Uint8Array, random: Random.Random): Uint8Array => {
  if (Random.chance(random, 0.6)) {
    const changed = Mutate.rlpChanged(hex(bytes), random)
    if (changed !== undefined) return Encode.bytesOf(changed)
  }
  if (bytes.length === 0) return Uint8Array.of(Random.int(random, 256))
  // Decoders most often fail at the heads of strings and lists.
  const at = Random.chance(random, 0.3) ? Random.int(random, 8) : Random.int(random, bytes.length)
  switch (Random.int(random, 5)) {
    case 0:
      return bytes.with(
        Math.min(at, bytes.length - 1),
        Random.pick(random, [0, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xf7, 0xf8, 0xff])
      )
    case 1:
      return Uint8Array.from([...bytes.subarray(0, at), Random.int(random, 256), ...bytes.subarray(at)])
    case 2:
      return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)])
    default:
      return Mutate.bytesChanged(bytes, random)
  }
}

/** Returns a random list or string. The sizes include those at which RLP changes the form of its heads. */
const itemOf = (random: Random.Random, depth: number): Item => {
  if (depth === 0 || Random.chance(random, 0.4)) {
    const length = Random.chance(random, 0.1)
      ? Random.pick(random, [20, 32, 54, 55, 56, 57, 255, 256, 300])
      : Random.int(random, 4)
    return Uint8Array.from({ length }, () => Random.pick(random, [0, 0x7f, 0x80, Random.int(random, 256)]))
  }
  return Array.from({ length: Random.int(random, depth === 1 && Random.chance(random, 0.1) ? 60 : 4) }, () =>
    itemOf(random, depth - 1)
  )
}

/** Returns the item that ethereumjs reads, if the bytes are the canonical encoding of that item. */
const theirs = (bytes: Uint8Array): Item | undefined => {
  try {
    const item = RLP.decode(bytes)
    return Buffer.from(Encode.rlp(item)).equals(bytes) ? item : undefined
  } catch {
    return undefined
  }
}

const text = (item: Rlp.Rlp | Item): string =>
  item instanceof Uint8Array ? hex(item) : `[${item.map((one: Rlp.Rlp | Item) => text(one)).join()}]`

export const rlp: Target = {
  name: "rlp",
  about: "Rlp.decode: exactly the canonical encodings, as ethereumjs reads them",
  prepare: async () => (seed) => {
    const random = Random.make(seed)
    const item = itemOf(random, 3)
    let bytes = Encode.rlp(item)
    const isHonest = Random.chance(random, 0.05)
    if (!isHonest)
      do bytes = mutate(bytes, random)
      while (Random.chance(random, 0.2))
    const decoded = Rlp.decode(bytes)
    const truth = theirs(bytes)
    if (Result.isFailure(decoded)) {
      return truth === undefined ? refused(decoded.failure._tag) : mustPass(refused(decoded.failure._tag))
    }
    const got = text(decoded.success)
    const expected = truth === undefined ? "a refusal: not canonical" : text(truth)
    return accepted(got === expected ? undefined : { leaf: "value", expected, got })
  }
}

/** Converts a decoded object to JSON, with numbers as quantities. */
const wire = (value: unknown): Json.Json => {
  if (typeof value === "bigint") return Encode.hexNumber(value)
  if (Array.isArray(value)) return value.map(wire)
  if (typeof value !== "object" || value === null) return (value ?? null) as Json.Json
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, wire(one)])
  )
}

const same = (expected: Uint8Array, got: Uint8Array, leaf: string): Leaves.Difference | undefined =>
  Buffer.from(expected).equals(got)
    ? undefined
    : { leaf, expected: hex(expected).slice(0, 400), got: hex(got).slice(0, 400) }

const equal = (expected: Json.Json | undefined, got: Json.Json | undefined, leaf: string) =>
  Leaves.firstFalse(got, expected, []) === undefined
    ? undefined
    : { leaf, expected: JSON.stringify(expected), got: JSON.stringify(got) }

const NOBODY = Address.fromHexUnsafe(`0x${"00".repeat(20)}`)

/** Returns the bytes of a transaction. A transaction of an unknown type keeps its bytes. */
const transactionBytes = (transaction: Json.JsonObject): Uint8Array =>
  transaction["raw"] === undefined ? Encode.transactionBytes(transaction) : Encode.bytesOf(transaction["raw"])

export const blockRlp: Target = {
  name: "block-rlp",
  about: "BlockRlp.split, assemble and decodeTransaction: what is read encodes to the same bytes again, by ethereumjs",
  prepare: async () => {
    const wholes = await Truth.wholes()
    return (seed) => {
      const random = Random.make(seed)
      const original = Random.pick(random, wholes)
      const whole = Random.chance(random, 0.3) ? Commit.commit(Vary.vary(original, wholes, random)) : original
      const truth = Encode.blockBytes(whole.block, whole.uncles)
      const isHonest = Random.chance(random, 0.05)
      const outcome = put(isHonest ? truth : mutate(truth, random))
      return isHonest ? mustPass(outcome) : outcome
    }
  }
}

const put = (bytes: Uint8Array): Outcome => {
  const split = BlockRlp.split(bytes)
  if (Result.isFailure(split)) return refused(split.failure.path.replaceAll(/\[\d+\]/gu, "[]") || "block")
  const parts = split.success
  const read = parts.transactions.map((encoded, index) =>
    BlockRlp.decodeTransaction(encoded, { from: NOBODY, place: { header: parts.header, index } })
  )
  const failed = read.find(Result.isFailure)
  if (failed !== undefined) return refused(failed.failure.path)
  const transactions = read.map((one) => Result.getOrThrow(one))
  const block = wire(BlockRlp.assemble(parts, transactions)) as Json.JsonObject
  const uncles = wire(parts.uncles) as ReadonlyArray<Json.JsonObject>
  const list = Encode.listOf(block["transactions"])
  const isKnown = list.every((one) => one["raw"] === undefined)
  const encoded = BlockRlp.encode({ block: BlockRlp.assemble(parts, transactions), uncles: parts.uncles })
  return accepted(
    (isKnown ? same(bytes, Encode.blockBytes(block, uncles), "bytes") : undefined) ??
      (Result.isFailure(encoded)
        ? { leaf: "encode", expected: "the bytes", got: encoded.failure.message }
        : undefined) ??
      same(bytes, Result.getOrThrow(encoded), "encode") ??
      equal(Encode.keccak(Encode.headerBytes(block)), block["hash"], "hash") ??
      equal(Encode.hexNumber(bytes.length), block["size"], "size") ??
      uncles
        .map((uncle, at) => equal(Encode.keccak(Encode.headerBytes(uncle)), uncle["hash"], `uncles[${at}].hash`))
        .find((wrong) => wrong !== undefined) ??
      list.map((one, at) => wrongLabel(one, at, block)).find((wrong) => wrong !== undefined)
  )
}

const wrongLabel = (one: Json.JsonObject, at: number, block: Json.JsonObject): Leaves.Difference | undefined =>
  equal(Encode.keccak(transactionBytes(one)), one["hash"], `transactions[${at}].hash`) ??
  equal(Encode.hexNumber(at), one["transactionIndex"], `transactions[${at}].transactionIndex`) ??
  equal(block["hash"], one["blockHash"], `transactions[${at}].blockHash`) ??
  equal(block["number"], one["blockNumber"], `transactions[${at}].blockNumber`)

export const transactionRlp: Target = {
  name: "transaction-rlp",
  about: "BlockRlp.decodeTransaction: what is read encodes to the same bytes again, by ethereumjs",
  prepare: async () => {
    const wholes = await Truth.wholes()
    const all = wholes.flatMap(({ block }) => Encode.listOf(block["transactions"]))
    return (seed) => {
      const random = Random.make(seed)
      const truth = Random.pick(random, all)
      const encoding = Encode.transactionBytes(truth)
      const isHonest = Random.chance(random, 0.05)
      const bytes = isHonest ? encoding : mutateTransaction(encoding, random)
      const decoded = BlockRlp.decodeTransaction(bytes, { from: NOBODY })
      if (Result.isFailure(decoded)) {
        const outcome = refused(decoded.failure.path.replaceAll(/\[\d+\]/gu, "[]"))
        return isHonest ? mustPass(outcome) : outcome
      }
      const read = wire(decoded.success) as Json.JsonObject
      const { blockHash, blockNumber, from, transactionIndex } = read
      const pending = [blockHash, blockNumber, transactionIndex].some((one) => one !== null)
      return accepted(
        same(bytes, transactionBytes(read), "bytes") ??
          same(bytes, BlockRlp.encodeTransaction(decoded.success) ?? new Uint8Array(0), "encode") ??
          equal(Encode.keccak(bytes), read["hash"], "hash") ??
          (read["raw"] === undefined ? equal(NOBODY, from, "from") : undefined) ??
          (pending ? { leaf: "blockHash", expected: "null", got: "a place" } : undefined)
      )
    }
  }
}

/** Mutates a transaction. The byte of its type, if it has one, stands before the RLP. */
const mutateTransaction = (bytes: Uint8Array, random: Random.Random): Uint8Array => {
  if (bytes[0]! >= 0xc0) return mutate(bytes, random)
  if (Random.chance(random, 0.1)) return bytes.with(0, Random.pick(random, [0, 1, 2, 3, 4, 5, 0x7e, 0x7f, 0x80]))
  return Uint8Array.from([bytes[0]!, ...mutate(bytes.subarray(1), random)])
}

export const receiptRlp: Target = {
  name: "receipt-rlp",
  about: "BlockRlp.decodeReceipts: what is read encodes to the same bytes again, and labels follow from the block",
  prepare: async () => {
    const wholes = (await Truth.wholes()).filter(({ receipts }) => receipts.length > 0)
    const blocks = new Map(
      wholes.map((whole) => [
        whole,
        Result.getOrThrow(BlockRlp.decode(Encode.blockBytes(whole.block, whole.uncles))).block
      ])
    )
    return (seed) => {
      const random = Random.make(seed)
      const whole = Random.pick(random, wholes)
      const encoded = whole.receipts.map(Encode.receiptBytes)
      const at = Random.int(random, encoded.length)
      const isHonest = Random.chance(random, 0.05)
      const bytes = isHonest ? encoded : encoded.with(at, mutateTransaction(encoded[at]!, random))
      const decoded = BlockRlp.decodeReceipts(bytes, blocks.get(whole)!)
      if (Result.isFailure(decoded)) {
        const outcome = refused(decoded.failure.path.replaceAll(/\[\d+\]/gu, "[]"))
        return isHonest ? mustPass(outcome) : outcome
      }
      const read = decoded.success.map((one) => wire(one) as Json.JsonObject)
      const wrongBytes = read.map((one, i) => same(bytes[i]!, Encode.receiptBytes(one), `[${i}]`))
      const again = decoded.success.map((one, i) => same(bytes[i]!, BlockRlp.encodeReceipt(one), `[${i}] encode`))
      return accepted(
        [...wrongBytes, ...again].find((wrong) => wrong !== undefined) ??
          (isHonest
            ? Leaves.firstFalse(decoded.success, whole.receipts, [], { silent: ["[].blobGasPrice"] })
            : undefined)
      )
    }
  }
}
