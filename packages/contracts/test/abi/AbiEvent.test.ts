/** Events of drawn types, against viem. */
import { expect, it } from "@effect/vitest"
import { AbiEvent } from "@plumbline/contracts"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import * as viem from "viem"

import { anyType, anyValue, lower } from "../support/drawn.ts"

/** Draws an event and a log of it. */
const draw = (random: Random.Random) => {
  let indexed = 0
  const isNamed = Random.chance(random, 0.7)
  const inputs = Array.from({ length: Random.int(random, 5) }, (_, at) => {
    const type = anyType(random, 2)
    const isIndexed = indexed < 3 && Random.chance(random, 0.4)
    if (isIndexed) indexed += 1
    return { ...type, name: isNamed ? `a${at}` : "", indexed: isIndexed }
  })
  const item: viem.AbiEvent = { type: "event", name: "Drawn", inputs }
  const values = inputs.map((input) => anyValue(random, input))
  const isHashed = ({ type }: viem.AbiParameter) => /^(?:string|bytes|tuple)$|\]$/u.test(type)
  const topicOf = (input: viem.AbiParameter, value: unknown): viem.Hex => {
    if (input.type === "string") return viem.keccak256(viem.toHex(value as string))
    if (input.type === "bytes") return viem.keccak256(value as viem.Hex)
    const data = viem.encodeAbiParameters([input], [value])
    // the hash of an array is of another encoding, which does not matter here
    return isHashed(input) ? viem.keccak256(data) : data
  }
  const topics = inputs.flatMap((input, at) => (input.indexed ? [topicOf(input, values[at])] : []))
  const data = viem.encodeAbiParameters(
    inputs.filter((input) => !input.indexed),
    values.filter((_, at) => !inputs[at]!.indexed)
  )
  const known = values.map((value, at) => {
    const input = inputs[at]!
    return input.indexed && isHashed(input) ? topicOf(input, value) : value
  })
  const args = isNamed && inputs.length > 0 ? Object.fromEntries(known.map((value, at) => [`a${at}`, value])) : known
  return { item, inputs, values, args, log: { topics: [viem.toEventHash(item), ...topics], data } }
}

it("are decoded as viem decodes them", () => {
  const random = Random.make(21)
  for (let run = 0; run < Random.runs(400); run++) {
    const { args, item, log } = draw(random)
    expect(AbiEvent.topic(item)).toBe(log.topics[0])
    const ours = Result.getOrThrow(AbiEvent.decode([item], log)) as { readonly args: unknown; readonly name: string }
    expect(ours).toEqual({ name: "Drawn", args })
    const theirs = viem.decodeEventLog({ abi: [item], topics: log.topics as [viem.Hex], data: log.data })
    expect(lower(theirs.args ?? [])).toEqual(lower(ours.args))
  }
})

it("are selected by the topics that the log has", () => {
  const random = Random.make(22)
  for (let run = 0; run < Random.runs(200); run++) {
    const { inputs, item, log, values } = draw(random)
    const indexed = inputs.flatMap((input, at) => (input.indexed ? [{ input, value: values[at] }] : []))
    const isSelectable = indexed.every(({ input }) => !/^tuple$|\]$/u.test(input.type))
    const isNamed = inputs.every(({ name }) => name !== "")
    const selection = isNamed
      ? Object.fromEntries(indexed.map(({ input, value }) => [input.name, value]))
      : indexed.map(({ value }) => value)
    const topics = AbiEvent.topics([item], "Drawn", selection)
    expect(Result.isSuccess(topics), JSON.stringify(item)).toBe(isSelectable)
    expect(Result.getOrElse(topics, () => log.topics)).toEqual(log.topics)
  }
})

it("of changed logs are decoded only if the log is the one of the decoded event", () => {
  const random = Random.make(23)
  let decoded = 0
  const total = Random.runs(1000)
  for (let run = 0; run < total; run++) {
    const { inputs, item, log } = draw(random)
    const flip = (hex: viem.Hex): viem.Hex => {
      const bytes = viem.hexToBytes(hex)
      if (bytes.length > 0) bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      return viem.bytesToHex(bytes)
    }
    const kind = Random.int(random, 5)
    const topics = log.topics.map((topic, at) => (kind === 0 && at > 0 ? flip(topic) : topic))
    const data = kind === 1 ? flip(log.data) : kind === 2 ? (`${log.data}00` as const) : log.data
    const changed = { topics: kind === 3 ? topics.slice(0, -1) : kind === 4 ? [...topics, topics[0]!] : topics, data }
    const event = AbiEvent.decode([item], changed)
    const faults = [undefined, changed.topics.length === 0 ? "UnknownEvent" : kind > 2 ? "Topics" : "Values"]
    expect(faults).toContain(Result.isFailure(event) ? event.failure.fault._tag : undefined)
    expect(Result.isFailure(event) || kind < 2).toBe(true)
    if (Result.isFailure(event)) continue
    decoded += 1
    const args = Object.values((event.success as { readonly args: object }).args)
    const again = viem.encodeAbiParameters(
      inputs.filter((input) => !input.indexed),
      args.filter((_, at) => !inputs[at]!.indexed)
    )
    expect(again).toBe(data)
  }
  expect(decoded).toBeGreaterThan(total / 20)
})

it("with the same signature and other indexed arguments are told apart", () => {
  const erc20 = viem.parseAbi(["event Transfer(address indexed a, address indexed b, uint256 c)"])
  const erc721 = viem.parseAbi(["event Transfer(address indexed a, address indexed b, uint256 indexed c)"])
  const word = (n: number): viem.Hex => viem.numberToHex(n, { size: 32 })
  const [topic] = [AbiEvent.topic(erc20[0])]
  for (const abi of [
    [...erc20, ...erc721],
    [...erc721, ...erc20]
  ]) {
    for (const log of [
      { topics: [topic, word(1), word(2)], data: word(3) },
      { topics: [topic, word(1), word(2), word(3)], data: "0x" as const }
    ]) {
      const { args } = Result.getOrThrow(AbiEvent.decode(abi as viem.Abi, log)) as { readonly args: any }
      expect(args.c).toBe(3n)
    }
  }
  expect(Result.getOrThrow(Result.flip(AbiEvent.topics(erc20, "Tranfer" as never))).message).toBe(
    "the ABI has no event Tranfer. Did you mean Transfer?"
  )
  for (const [a, _tag] of [
    [[], "AbiArgumentError"],
    [[viem.zeroAddress, "0x"], "AbiArgumentError"],
    [5n, "AbiArgumentError"]
  ] as const) {
    expect(Result.getOrThrow(Result.flip(AbiEvent.topics(erc20, "Transfer", { a } as never)))._tag).toBe(_tag)
  }
  const both: viem.Abi = [...erc20, ...erc721]
  expect(Result.getOrThrow(Result.flip(AbiEvent.topics(both, "Transfer")))._tag).toBe("AbiNameError")
})

it("are not selected by a value that would be ignored", () => {
  const abi: viem.Abi = viem.parseAbi(["event Moved(address indexed from, string indexed word, uint256 wei)"])
  const refused = (selection: unknown) =>
    Result.getOrThrow(Result.flip(AbiEvent.topics(abi, "Moved", selection as never))).message
  expect(refused({ form: viem.zeroAddress })).toBe("the event has no indexed argument form. Did you mean from?")
  // it is an argument, but it is in no topic
  expect(refused({ wei: 5n })).toBe("the event has no indexed argument wei")
  expect(refused([viem.zeroAddress, "a", 5n])).toBe("(address,string) takes 2 arguments, and 3 are given")
  // half a character has no UTF-8, so its hash would be that of another text
  expect(refused({ word: "\ud800" })).toBe("argument 2 of (address,string) must be string")
})
