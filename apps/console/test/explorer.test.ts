/** Tests the facts that the screens of blocks, transactions and accounts derive: events of an account, fees, kinds of code. */
import { encodeAbiParameters, encodeEventTopics, pad, parseAbi, toHex } from "viem"
import { expect, test } from "vitest"

import * as CodeKind from "../src/proof/CodeKind.ts"
import * as AccountEvents from "../src/screens/accountEvents.ts"
import * as TransactionFee from "../src/screens/transactionFee.ts"

const address = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`
const [ME, OTHER, TOKEN, NFT] = [address("11"), address("22"), address("33"), address("44")] as const
const hash = (index: number) => pad(toHex(index + 1))

const sent = (from: string, to: string | null, value: bigint, index: number) =>
  ({ type: 2n, hash: hash(index), from, to, value }) as never
const abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])
const moved = (address: string, from: `0x${string}`, to: `0x${string}`, value: bigint) => ({
  address,
  topics: encodeEventTopics({ abi, args: { from, to } }),
  data: encodeAbiParameters([{ type: "uint256" }], [value])
})
const receipt = (logs: ReadonlyArray<unknown>, more: object = {}) => ({ status: 1n, logs, ...more }) as never

test("an account's part in a block is told by transactions, transfers of tokens, own logs and withdrawals", () => {
  const nft = { ...moved(NFT, OTHER, ME, 0n), data: "0x" }
  const events = AccountEvents.of(
    ME.toUpperCase().replace("0X", "0x"),
    {
      transactions: [
        sent(ME, OTHER, 5n, 0),
        sent(OTHER, ME, 6n, 1),
        sent(OTHER, null, 0n, 2),
        sent(OTHER, TOKEN, 0n, 3)
      ],
      withdrawals: [
        { index: 0n, validatorIndex: 8n, address: OTHER, amount: 1n },
        { index: 1n, validatorIndex: 9n, address: ME, amount: 32n }
      ]
    } as never,
    [
      receipt([], { status: 0n }),
      receipt([moved(TOKEN, ME, OTHER, 7n), { address: ME, topics: [], data: "0x" }]),
      receipt([], { contractAddress: ME }),
      receipt([
        moved(TOKEN, OTHER, ME, 8n),
        { ...nft, topics: [...nft.topics, pad("0x2a")] },
        moved(TOKEN, OTHER, TOKEN, 9n)
      ])
    ]
  )
  const of = (index: number) => ({ index, hash: hash(index) })
  expect(events).toEqual([
    { _tag: "Sent", ...of(0), other: OTHER, wei: 5n, isFailed: true },
    { _tag: "Received", ...of(1), other: OTHER, wei: 6n, isFailed: false },
    { _tag: "TokenOut", ...of(1), other: OTHER, token: TOKEN, amount: 7n, isUnique: false },
    { _tag: "Emitted", ...of(1), logs: 1 },
    { _tag: "Created", ...of(2), other: OTHER, wei: 0n, isFailed: false },
    { _tag: "TokenIn", ...of(3), other: OTHER, token: TOKEN, amount: 8n, isUnique: false },
    { _tag: "TokenIn", ...of(3), other: OTHER, token: NFT, amount: 42n, isUnique: true },
    { _tag: "Withdrawal", index: 1, wei: 32_000_000_000n, validator: 9n }
  ])
})

test("a transfer to oneself is both, and a log of another form is no transfer", () => {
  const block = { transactions: [sent(ME, ME, 1n, 0)], withdrawals: undefined } as never
  const odd = { ...moved(TOKEN, ME, ME, 1n), data: "0x01" }
  const tags = AccountEvents.of(ME, block, [receipt([moved(TOKEN, ME, ME, 1n), odd])]).map(({ _tag }) => _tag)
  expect(tags).toEqual(["Sent", "TokenOut", "TokenIn"])
  // without receipts, what the transactions say is still told
  expect(AccountEvents.of(ME, block, []).map(({ _tag }) => _tag)).toEqual(["Sent"])
})

test("a fee is gas times price, with the part for blobs, and is claimed with any of its parts", () => {
  const about = { _tag: "Claim", about: "Field", reason: {} }
  const paid = { gasUsed: 21_000n, effectiveGasPrice: 3n, blobGasUsed: 131_072n, blobGasPrice: 2n } as never
  const fee = (type: bigint, receipt: never, ...fields: ReadonlyArray<string>) =>
    TransactionFee.of({ type, gasPrice: 5n } as never, receipt, fields.map((field) => ({ ...about, field })) as never)
  expect(fee(2n, paid)).toEqual({ wei: 63_000n, price: 3n, ofBlobs: 0n, isProven: true })
  expect(fee(3n, paid)).toEqual({ wei: 63_000n + 262_144n, price: 3n, ofBlobs: 262_144n, isProven: true })
  expect(fee(3n, paid, "blobGasPrice").isProven).toBe(false)
  // a transaction without blobs pays for none
  expect(fee(2n, paid, "blobGasPrice").isProven).toBe(true)
  // receipts from before London have no price
  expect(fee(0n, { gasUsed: 10n } as never).wei).toBe(50n)
})

test("kinds of code are told by the bytes that the EIPs give", () => {
  expect(CodeKind.of("0x")).toEqual({ _tag: "None" })
  // the example of EIP-1167
  const proxy = "0x363d3d373d3d3d363d73bebebebebebebebebebebebebebebebebebebebe5af43d82803e903d91602b57fd5bf3"
  expect(CodeKind.of(proxy)).toEqual({ _tag: "MinimalProxy", to: `0x${"be".repeat(20)}` })
  expect(CodeKind.of(`${proxy}00`)).toEqual({ _tag: "Contract", bytes: 46 })
  // EIP-7702: 0xef0100, and the address
  expect(CodeKind.of(`0xef0100${"cd".repeat(20)}`)).toEqual({ _tag: "Delegation", to: `0x${"cd".repeat(20)}` })
  expect(CodeKind.of(`0xef0100${"cd".repeat(19)}`)).toEqual({ _tag: "Contract", bytes: 22 })
})
