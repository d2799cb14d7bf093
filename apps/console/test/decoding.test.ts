/** Tests decoded calls and logs, with viem as the oracle, and the words about where a name comes from. */
import * as Result from "effect/Result"
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, pad, parseAbi, toHex } from "viem"
import { describe, expect, test } from "vitest"

import * as AbiFile from "../src/contract/AbiFile.ts"
import * as ChosenAbis from "../src/contract/ChosenAbis.ts"
import * as Decoding from "../src/contract/Decoding.ts"
import * as KnownAbis from "../src/contract/KnownAbis.ts"
import * as StandardAbis from "../src/contract/StandardAbis.ts"
import { registry } from "../src/look/useAtom.ts"

const A = `0x${"a1".repeat(20)}` as const
const B = `0x${"b2".repeat(20)}` as const

const standards = StandardAbis.all.map(({ name }): KnownAbis.KnownAbi => ({
  name,
  source: "standard",
  abi: StandardAbis.of(name)
}))
const given = (text: string, source: KnownAbis.KnownAbi["source"] = "dropped"): KnownAbis.KnownAbi => ({
  name: "Own.json",
  source,
  abi: Result.getOrThrow(AbiFile.read(text))
})

describe("a call", () => {
  const erc20 = parseAbi(["function transfer(address to, uint256 value) returns (bool)"])
  const transfer = encodeFunctionData({ abi: erc20, args: [A, 7n] })

  test("of a standard is decoded, and is a guess", () => {
    const call = Decoding.callOf(standards, transfer)!
    expect(call).toMatchObject({ name: "transfer", values: [A, 7n], amountAt: 1, extraBytes: 0, others: [] })
    expect(call.types.map(({ name }) => name)).toEqual(["to", "value"])
    expect(Decoding.reasonOfCall(call)).toMatch(/^A guess: .*ERC-20/u)
  })

  test.for([
    ["contract", "the ABI that you chose for this contract"],
    ["dropped", "Only the first four bytes tie it"]
  ] as const)("by an ABI of the reader is no guess: %s", ([source, says]) => {
    const own = given("function transfer(address whom, uint256 howMuch)", source)
    const call = Decoding.callOf([own, ...standards], transfer)!
    expect(call.types.map(({ name }) => name)).toEqual(["whom", "howMuch"])
    expect(call.by).toBe(own)
    // the standard has the same signature, and the reader's names are the better ones
    expect(call.others).toEqual([])
    expect(Decoding.reasonOfCall(call)).toContain(says)
    expect(Decoding.reasonOfCall(call)).not.toContain("guess")
  })

  test("whose selector two functions share names the other one, if the bytes fit both", () => {
    // a known collision: both selectors are 0x42966c68
    const abis = [given("function burn(uint256 amount)\nfunction collate_propagate_storage(bytes16 key)")]
    const burn = (amount: bigint) => encodeFunctionData({ abi: parseAbi(["function burn(uint256)"]), args: [amount] })
    const both = Decoding.callOf(abis, burn(5n << 128n))!
    expect(both.others).toEqual(["collate_propagate_storage(bytes16) of Own.json"])
    expect(Decoding.reasonOfCall(both)).toContain("also fit collate_propagate_storage(bytes16)")
    // an amount below 2^128 is no bytes16
    expect(Decoding.callOf(abis, burn(5n))!.others).toEqual([])
  })

  test("that ERC-20 and ERC-721 share says so: its number is an amount or a token", () => {
    const abi = parseAbi(["function transferFrom(address, address, uint256)"])
    const call = Decoding.callOf(standards, encodeFunctionData({ abi, args: [A, B, 3n] }))!
    expect(call.others).toEqual(["transferFrom(address,address,uint256) of ERC-721"])
  })

  test("with bytes behind its arguments counts them", () => {
    expect(Decoding.callOf(standards, `${transfer}c0ffee`)).toMatchObject({ values: [A, 7n], extraBytes: 3 })
  })

  test.for([
    ["no function", "0x"],
    ["half a selector", "0xa905"],
    ["a selector that nobody knows", "0x12345678"],
    ["arguments that are cut", transfer.slice(0, -2) as `0x${string}`],
    [
      "an address with more than 20 bytes",
      transfer.replace(`${"0".repeat(24)}a1`, `1${"0".repeat(23)}a1`) as `0x${string}`
    ]
  ] as const)("is not decoded: %s", ([, input]) => {
    expect(Decoding.callOf(standards, input)).toBeUndefined()
  })
})

describe("a log", () => {
  const names = (item: Decoding.DecodedItem | undefined) => item?.types.map(({ name }) => name)

  test("of a transfer is an amount in ERC-20, and a token in ERC-721", () => {
    const abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])
    const topics = encodeEventTopics({ abi, eventName: "Transfer", args: { from: A, to: B } }) as Array<`0x${string}`>
    const data = encodeAbiParameters([{ type: "uint256" }], [12n])
    const amount = Decoding.eventOf(standards, { topics, data })
    expect(amount).toMatchObject({ name: "Transfer", values: [A, B, 12n], amountAt: 2, by: { name: "ERC-20" } })
    const token = Decoding.eventOf(standards, { topics: [...topics, pad(toHex(12))], data: "0x" })
    expect(token).toMatchObject({ values: [A, B, 12n], amountAt: undefined, by: { name: "ERC-721" } })
    expect(names(token)).toEqual(["from", "to", "tokenId"])
    expect(Decoding.reasonOfEvent(token!)).toContain("hash of Transfer(address,address,uint256)")
  })

  test("of a dropped ABI with events alone is decoded, and an indexed text is its hash", () => {
    const line = "event Note(string indexed subject, string body, address indexed by)"
    const abi = parseAbi([line])
    const topics = encodeEventTopics({ abi, args: { subject: "rain", by: A } }) as Array<`0x${string}`>
    const data = encodeAbiParameters([{ type: "string" }], ["it rains"])
    const note = Decoding.eventOf([given(line), ...standards], { topics, data })!
    expect(note.values).toEqual([topics[1], "it rains", A])
    expect(note.types.map(({ type }) => type)).toEqual(["bytes32", "string", "address"])
  })

  test.for([
    ["no topic", { topics: [], data: "0x" }],
    ["an unknown topic", { topics: [pad("0x12")], data: "0x" }],
    [
      "too few topics for the event",
      { topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"], data: "0x" }
    ]
  ] as const)("is not decoded: %s", ([, log]) => {
    expect(Decoding.eventOf(standards, log)).toBeUndefined()
  })
})

test.for([
  ["ERC-721", "function safeTransferFrom(address, address, uint256, bytes)", [A, B, 3n, "0x12"], "tokenId"],
  ["ERC-721", "function approve(address, uint256)", [A, 3n], undefined],
  ["ERC-1155", "function safeTransferFrom(address, address, uint256, uint256, bytes)", [A, B, 3n, 4n, "0x"], "id"],
  [
    "ERC-1155",
    "function safeBatchTransferFrom(address, address, uint256[], uint256[], bytes)",
    [A, B, [3n], [4n], "0x"],
    "ids"
  ]
] as const)("a call of %s is known: %s", ([name, line, args, third]) => {
  const call = Decoding.callOf(standards, encodeFunctionData({ abi: parseAbi([line as string]), args } as never))!
  expect(call.values).toEqual(args)
  expect(call.types[2]?.name).toBe(third)
  expect([call.by.name, ...call.others].join(" ")).toContain(name)
})

test("the ABI of a contract comes before dropped ones, these before standards, and only the newest are kept", () => {
  const abi = Result.getOrThrow(AbiFile.read("function f()"))
  const names = (address: string) => registry.get(KnownAbis.of("mainnet", address)).map(({ name }) => name)
  ChosenAbis.choose("mainnet", A.toUpperCase().replace("0X", "0x"), { name: "chosen", text: "function f()" })
  for (let at = 0; at < 17; at++) KnownAbis.drop(`file ${at}`, abi)
  KnownAbis.drop("file 9", abi)
  const dropped = Array.from({ length: 16 }, (_, at) => `file ${at + 1}`).filter((name) => name !== "file 9")
  expect(names(A)).toEqual(["chosen", ...dropped, "file 9", "ERC-20", "ERC-721", "ERC-1155"])
  expect(names(B)[0]).toBe("file 1")
  for (const name of [...dropped, "file 9"]) KnownAbis.forget(name)
  expect(names(B)).toEqual(["ERC-20", "ERC-721", "ERC-1155"])
})
