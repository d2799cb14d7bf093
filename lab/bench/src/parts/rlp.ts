/** Measures RLP with items of the shapes that occur in blocks and proofs. */
import { RLP } from "@ethereumjs/rlp"
import { Rlp, RlpWriter } from "@plumbline/codec"
import * as ethers from "ethers"
import { Rlp as OxRlp } from "ox"
import * as viem from "viem"

import { bytes, hexOf, show } from "../inputs/byteInput.ts"
import { part, type Row } from "../measure/measuredRow.ts"

type Item = Uint8Array | Array<Item>

const branch: Array<Item> = [...Array.from({ length: 16 }, (_, i) => bytes(32, i + 1)), new Uint8Array(0)]

/** A transfer of ether, which is the smallest kind of transaction. */
const transfer: Array<Item> = [
  bytes(1),
  bytes(1, 2),
  bytes(4, 3),
  bytes(5, 4),
  bytes(2, 5),
  bytes(20, 6),
  bytes(8, 7),
  new Uint8Array(0),
  [],
  new Uint8Array([1]),
  bytes(32, 9),
  bytes(32, 10)
]

const transactions: Array<Item> = Array.from({ length: 100 }, (_, i) => [
  bytes(1, i + 1),
  bytes(2, i + 2),
  bytes(4, i + 3),
  bytes(5, i + 4),
  bytes(3, i + 5),
  bytes(20, i + 6),
  bytes(8, i + 7),
  bytes(68, i + 8),
  [],
  new Uint8Array([1]),
  bytes(32, i + 9),
  bytes(32, i + 10)
])

/** Returns an item with all bytes as hex text, as ethers takes and returns them. */
const textOf = (item: Item): Item | string | Array<string> =>
  item instanceof Uint8Array ? hexOf(item) : (item.map(textOf) as Array<string>)

/** Makes the rows of decoding and encoding. For a megabyte, ethers is left out, because it takes five seconds. */
const both = (name: string, item: Array<Item>, withEthers = true): Array<Row> => {
  const encoded = RLP.encode(item)
  const encodedText = hexOf(encoded)
  const text = textOf(item) as Array<string>
  return [
    {
      name: `decode ${name}`,
      goal: 1.5,
      show,
      ours: () => Rlp.decodeUnsafe(encoded),
      peers: {
        ox: () => OxRlp.toBytes(encoded),
        viem: () => viem.fromRlp(encoded, "bytes"),
        ...(withEthers ? { ethers: () => ethers.decodeRlp(encodedText) } : {}),
        "@ethereumjs/rlp": () => RLP.decode(encoded)
      }
    },
    {
      name: `encode ${name}`,
      goal: 1.2,
      show,
      ours: () => Rlp.encode(item),
      peers: {
        ox: () => OxRlp.fromBytes(item, { as: "Bytes" }),
        viem: () => viem.toRlp(item, "bytes"),
        ...(withEthers ? { ethers: () => ethers.encodeRlp(text) } : {}),
        "@ethereumjs/rlp": () => RLP.encode(item)
      }
    }
  ]
}

const transaction = {
  chainId: 1n,
  nonce: 77n,
  tip: 1_000_000_000n,
  fee: 30_000_000_000n,
  gas: 210_000n,
  to: hexOf(bytes(20)),
  value: 10n ** 18n,
  data: hexOf(bytes(132)),
  yParity: 1n,
  r: BigInt(hexOf(bytes(32, 2))),
  s: BigInt(hexOf(bytes(32, 3)))
}

const writer = RlpWriter.make()

/** Returns a number as hex text of whole bytes, because the other contenders accept only whole bytes. */
const quantityText = (n: bigint): `0x${string}` => {
  if (n === 0n) return "0x"
  const digits = n.toString(16)
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`
}

const fields = () => {
  const { chainId, nonce, tip, fee, gas, to, value, data, yParity, r, s } = transaction
  const q = quantityText
  return [q(chainId), q(nonce), q(tip), q(fee), q(gas), to, q(value), data, [], q(yParity), q(r), q(s)] as const
}

const fromFields: Row = {
  name: "encode a transaction from text and bigint",
  goal: 1.2,
  show,
  ours: () => {
    writer.reset()
    const list = writer.beginList()
    writer.quantity(transaction.chainId)
    writer.quantity(transaction.nonce)
    writer.quantity(transaction.tip)
    writer.quantity(transaction.fee)
    writer.quantity(transaction.gas)
    writer.data(transaction.to)
    writer.quantity(transaction.value)
    writer.data(transaction.data)
    writer.endList(writer.beginList())
    writer.quantity(transaction.yParity)
    writer.quantity(transaction.r)
    writer.quantity(transaction.s)
    writer.endList(list)
    return writer.slice(0)
  },
  peers: {
    ox: () => OxRlp.fromHex([...fields()] as never, { as: "Bytes" }),
    viem: () => viem.toRlp([...fields()] as never, "bytes"),
    ethers: () => ethers.encodeRlp([...fields()] as never)
  }
}

export const rlp = part("rlp", [
  ...both("a branch node", branch),
  ...both("a small transaction", transfer),
  ...both("100 transactions", transactions),
  ...both("1 MB in one item", [bytes(1_000_000)], false),
  fromFields
])
