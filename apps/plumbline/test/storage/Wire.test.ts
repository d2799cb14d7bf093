/** Values of variables in JSON, including words that are not a valid value of their type. */
import { describe, expect, it } from "@effect/vitest"
import { Layout, Location, Plan, Value } from "@plumbline/storage-layout"
import { Result } from "effect"
import { hexToBigInt, stringToHex } from "viem"

import * as StorageView from "../../src/storage/StorageView.ts"
import * as StorageWire from "../../src/storage/StorageWire.ts"
import * as Style from "../../src/terminal/Style.ts"

const types = {
  t_bool: { encoding: "inplace", label: "bool", numberOfBytes: "1" },
  t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" },
  t_list: { encoding: "dynamic_array", label: "string[]", numberOfBytes: "32", base: "t_string" },
  t_int: { encoding: "inplace", label: "int256", numberOfBytes: "32" },
  t_call: { encoding: "inplace", label: "function () external", numberOfBytes: "24" },
  "t_array(t_int)9_storage": { encoding: "inplace", label: "int256[9]", numberOfBytes: "288", base: "t_int" }
}
const variable = (label: string, slot: number, type: string) => ({ label, offset: 0, slot: String(slot), type })
const layout = Result.getOrThrow(
  Layout.fromSolc({
    storage: [
      variable("on", 0, "t_bool"),
      variable("name", 1, "t_string"),
      variable("list", 2, "t_list"),
      variable("low", 3, "t_int"),
      variable("nine", 4, "t_array(t_int)9_storage")
    ],
    types
  })
)

/**
 * Returns the storage word of a short text: its bytes at the high-order end, and twice their number at the low-order
 * end.
 */
const text = (hex: `0x${string}`) => (hexToBigInt(hex) << BigInt(256 - (hex.length - 2) * 4)) | BigInt(hex.length - 2)

const read = (path: string, words: Readonly<Record<string, bigint>>, maxWords?: number) => {
  const location = Result.getOrThrow(Location.locate(layout, path))
  let plan = Result.getOrThrow(Plan.start(layout, [location], { maxWords }))
  while (plan._tag === "Want") plan = Plan.give(plan, (slot) => words[String(slot)] ?? 0n)
  const value = plan.values[0]!.value
  const address = `0x${"0".repeat(40)}` as never
  const shown = StorageView.values(
    { block: null, value: { account: "contract", values: [value], left: [] } },
    { address, layout, locations: [location], style: Style.plain },
    new Set()
  )
  return { json: Value.toJson(value), line: shown.at(-1)!.trim() }
}

describe("a value", () => {
  it("is text, a number in text, or what else it is", () => {
    expect(read("name", { 1: text(stringToHex("Ümlaut")) })).toEqual({ json: "Ümlaut", line: `name  "Ümlaut"` })
    expect(read("low", { 3: 2n ** 256n - 12_345n })).toEqual({ json: "-12345", line: "low  -12,345" })
    expect(read("on", { 0: 1n })).toEqual({ json: true, line: "on  true" })
    expect(read("list.length", { 2: 2n ** 64n }).json).toBe("18446744073709551616")
  })

  it("is hex where text is not UTF-8, and null beyond an array", () => {
    expect(read("name", { 1: text("0xff41") })).toEqual({ json: "0xff41", line: "name  not text: 0xff41" })
    expect(read("list[3]", { 2: 3n })).toEqual({ json: null, line: "list[3]  none: the array ends before" })
  })

  it("is flagged where the words are none of its type, or are too many", () => {
    expect(read("on", { 0: 2n })).toEqual({
      json: { flaw: "NotABool", bytes: "0x02" },
      line: "on  corrupt, neither true nor false: 0x02"
    })
    expect(read("name", { 1: 0x40n }).json).toEqual({ flaw: "BadLength", bytes: `0x${"0".repeat(62)}40` })
    expect(read("nine", {}, 8)).toEqual({ json: { flaw: "TooLarge" }, line: "nine  not read: it is too large" })
  })

  it("cannot move the cursor of who reads it", () => {
    expect(read("name", { 1: text(stringToHex("a\u001b[31m")) }).line).toBe(String.raw`name  "a\u001b[31m"`)
  })

  it("may be a function of a contract", () => {
    const address = `0x${"5".repeat(40)}` as never
    expect(Value.toJson({ address, selector: "0x01020304" })).toEqual({ address, selector: "0x01020304" })
    expect(StorageWire.side(undefined)).toBe(null)
    expect(Value.toJson([new Value.Flaw("TooDeep", "x")])).toEqual([{ flaw: "TooDeep" }])
  })
})

it("gives places that JSON's numbers hold as numbers, and larger ones as text", () => {
  const nine = Result.getOrThrow(Location.locate(layout, "nine"))
  const slot = `0x${"0".repeat(63)}4`
  expect(StorageWire.place(nine)).toEqual({ slot, offset: 0, bytes: 288 })
  expect(StorageWire.place({ ...nine, bytes: 2n ** 60n })).toEqual({ slot, offset: 0, bytes: String(2n ** 60n) })
})
