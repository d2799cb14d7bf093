/**
 * The answers that the history network must give, computed from the archive with viem's RLP, Keccak and signatures,
 * without our code.
 */
import { readFileSync } from "node:fs"

import { History } from "@plumbline/devnet"
import * as HeaderFields from "@plumbline/seeded/HeaderFields"
import {
  bytesToHex,
  fromRlp,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  pad,
  parseTransaction,
  recoverTransactionAddress,
  size,
  toRlp
} from "viem"

type Item = Hex | ReadonlyArray<Item>
type Fields = ReadonlyArray<Hex>

/** A block of the archive. */
export interface Block {
  readonly number: number
  readonly hash: Hex
  readonly encoded: Hex
  readonly header: Fields
  /** The bytes that each transaction's hash covers. */
  readonly transactions: ReadonlyArray<Hex>
  readonly uncles: ReadonlyArray<Fields>
  readonly withdrawals: ReadonlyArray<Fields> | undefined
}

const list = (item: Item | undefined): ReadonlyArray<Item> => {
  if (item === undefined || typeof item === "string") throw new Error("not a list")
  return item
}

const text = (item: Item | undefined): Hex => {
  if (typeof item !== "string") throw new Error("not bytes")
  return item
}

const texts = (item: Item | undefined): Fields => list(item).map(text)

const decode = (encoded: Hex): Item => fromRlp(encoded, "hex") as Item
const encode = (item: Item): Hex => toRlp(item as any)

const archive = list(decode(bytesToHex(readFileSync(History.archiveFile))))

/** The blocks by number. */
export const blocks: ReadonlyArray<Block> = texts(archive[0]).map((encoded, number) => {
  const [header, transactions, uncles, withdrawals] = list(decode(encoded))
  return {
    number,
    hash: keccak256(encode(header!)),
    encoded,
    header: texts(header),
    transactions: list(transactions).map((one) => (typeof one === "string" ? one : encode(one))),
    uncles: list(uncles).map(texts),
    withdrawals: withdrawals === undefined ? undefined : list(withdrawals).map(texts)
  }
})

const quantity = (bytes: Hex): Hex => numberToHex(bytes === "0x" ? 0n : hexToBigInt(bytes))

const headerOf = (header: Fields): Readonly<Record<string, Hex>> => ({
  hash: keccak256(encode(header)),
  ...Object.fromEntries(
    header.map((bytes, i) => {
      const name = HeaderFields.names[i]!
      return [name, HeaderFields.isQuantity(name) ? quantity(bytes) : bytes]
    })
  )
})

const difficulty = (header: Fields): bigint => (header[7] === "0x" ? 0n : hexToBigInt(header[7]!))

/** Returns the sum of the difficulties of all blocks up to and including this number. */
const totalDifficulty = (number: number): bigint =>
  blocks.slice(0, number + 1).reduce((sum, { header }) => sum + difficulty(header), 0n)

/** Returns the answer of eth_getBlockByHash, without its transactions. */
export const blockOf = ({ encoded, header, number, uncles, withdrawals }: Block): Readonly<Record<string, any>> => ({
  ...headerOf(header),
  size: numberToHex(size(encoded)),
  totalDifficulty: numberToHex(totalDifficulty(number)),
  uncles: uncles.map((uncle) => keccak256(encode(uncle))),
  ...(withdrawals === undefined
    ? {}
    : {
        withdrawals: withdrawals.map(([index, validatorIndex, address, amount]) => ({
          index: quantity(index!),
          validatorIndex: quantity(validatorIndex!),
          address,
          amount: quantity(amount!)
        }))
      })
})

/**
 * Returns the answer of eth_getUncleByBlockNumberAndIndex. An uncle is a block without transactions, whose parent is on
 * the chain.
 */
export const uncleOf = (uncle: Fields) => ({
  ...headerOf(uncle),
  size: numberToHex(size(encode([uncle, [], []]))),
  totalDifficulty: numberToHex(totalDifficulty(Number(uncle[8]) - 1) + difficulty(uncle)),
  uncles: []
})

/** Returns the answer to a request for a transaction. */
export const transactionOf = async (block: Block, index: number) => {
  const serialized = block.transactions[index]!
  const { data, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, nonce, r, s, to, type, value, ...rest } =
    parseTransaction(serialized)
  const { accessList, authorizationList, blobVersionedHashes, chainId, maxFeePerBlobGas, v, yParity } = rest as any
  const legacy = type === "legacy"
  const priced = maxFeePerGas !== undefined
  const { baseFeePerGas = 0, timestamp } = blockOf(block)
  const wanted = priced ? BigInt(baseFeePerGas) + (maxPriorityFeePerGas ?? 0n) : gasPrice!
  return {
    hash: keccak256(serialized),
    type: types[String(type)],
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    blockTimestamp: timestamp,
    transactionIndex: numberToHex(index),
    from: (await recoverTransactionAddress({ serializedTransaction: serialized as any })).toLowerCase(),
    to: to ?? null,
    nonce: numberToHex(nonce ?? 0),
    gas: numberToHex(gas!),
    gasPrice: numberToHex(priced && wanted > maxFeePerGas ? maxFeePerGas : wanted),
    value: numberToHex(value ?? 0n),
    input: data ?? "0x",
    r: pad(r!, { size: 32 }),
    s: pad(s!, { size: 32 }),
    v: numberToHex(legacy ? v : yParity),
    ...(chainId === undefined ? {} : { chainId: numberToHex(chainId) }),
    ...(legacy ? {} : { yParity: numberToHex(yParity), accessList: accessList ?? [] }),
    ...(priced
      ? {
          maxFeePerGas: numberToHex(maxFeePerGas),
          maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas ?? 0n)
        }
      : {}),
    ...(blobVersionedHashes === undefined
      ? {}
      : { blobVersionedHashes, maxFeePerBlobGas: numberToHex(maxFeePerBlobGas) }),
    ...(authorizationList === undefined
      ? {}
      : {
          authorizationList: authorizationList.map((one: any) => ({
            chainId: numberToHex(one.chainId),
            address: one.address,
            nonce: numberToHex(one.nonce),
            yParity: numberToHex(one.yParity),
            r: pad(one.r, { size: 32 }),
            s: pad(one.s, { size: 32 })
          }))
        })
  }
}

const types: Readonly<Record<string, Hex>> = {
  legacy: "0x0",
  eip2930: "0x1",
  eip1559: "0x2",
  eip4844: "0x3",
  eip7702: "0x4"
}

const nodes: ReadonlyMap<Hex, Hex> = new Map(texts(archive[3]).map((node) => [keccak256(node), node]))

const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const NO_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"

/**
 * Walks a trie down to a key (an address, a slot), and returns the nodes on the path and the value. No node is embedded
 * in its parent, because with hashed keys each node has 32 bytes or more.
 */
const walk = (root: Hex, key: Hex): { readonly proof: ReadonlyArray<Hex>; readonly value: Hex | undefined } => {
  const proof: Array<Hex> = []
  let path = keccak256(key).slice(2)
  let next = root
  while (next !== EMPTY_ROOT) {
    const encoded = nodes.get(next)
    if (encoded === undefined) throw new Error(`no node ${next}`)
    proof.push(encoded)
    const node = list(decode(encoded))
    if (node.length === 17) {
      next = text(node[Number.parseInt(path[0]!, 16)])
      path = path.slice(1)
      if (next === "0x") break
      continue
    }
    const [flag, ...digits] = text(node[0]).slice(2)
    const rest = (Number.parseInt(flag!, 16) % 2 === 1 ? digits : digits.slice(1)).join("")
    if (!path.startsWith(rest)) break
    path = path.slice(rest.length)
    next = text(node[1])
    if (path === "") return { proof, value: next }
  }
  return { proof, value: undefined }
}

/** Returns the answer of eth_getProof. */
export const proofOf = ({ header }: Block, address: Hex, keys: ReadonlyArray<Hex>) => {
  const { proof, value } = walk(header[3]!, address)
  const [nonce, balance, storageHash, codeHash] =
    value === undefined ? (["0x", "0x", EMPTY_ROOT, NO_CODE] as const) : texts(decode(value))
  return {
    address,
    accountProof: proof,
    nonce: quantity(nonce!),
    balance: quantity(balance!),
    storageHash,
    codeHash,
    storageProof: keys.map((key) => {
      const slot = walk(storageHash!, key)
      return { key, proof: slot.proof, value: slot.value === undefined ? "0x0" : quantity(text(decode(slot.value))) }
    })
  }
}
