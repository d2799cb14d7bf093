/** Tests ABIs as readers give them, the forms of their functions, and decoded results, with viem as the oracle. */
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as Random from "@plumbline/seeded/Random"
import * as Result from "effect/Result"
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  encodeFunctionResult,
  parseAbi,
  stringToHex
} from "viem"
import { describe, expect, test } from "vitest"

import * as AbiFile from "../src/contract/AbiFile.ts"
import * as AbiForms from "../src/contract/AbiForms.ts"
import * as DecodedValue from "../src/contract/DecodedValue.tsx"
import * as FunctionResult from "../src/contract/FunctionResult.ts"
import * as StandardAbis from "../src/contract/StandardAbis.ts"

const OWNER = `0x${"ab".repeat(20)}` as const
const LINES = [
  "struct Point { int128 x; int128 y; }",
  "function owner() view returns (address)",
  "function place(bool side, Point point, string[] names) view returns (Point[] points, uint8)",
  "function set(bytes4 marker, uint8[3] values, (string word, bool flag) pair) returns (bool)",
  "event Placed(bool side, address indexed by)",
  "error NotOwner(address caller, uint256 at)"
]
const abi = parseAbi(LINES)

const read = (text: string): AbiFile.ContractAbi => Result.getOrThrow(AbiFile.read(text))
const problem = (text: string): string => Result.getOrThrow(Result.flip(AbiFile.read(text)))
const item = (name: string) => read(LINES.join("\n")).functions.find((one) => one.name === name)!

describe("an ABI", () => {
  test.for([
    ["lines of Solidity", LINES.join("\n")],
    ["lines with semicolons and comments", `// the cabinet\n\n${LINES.map((line) => `  ${line};`).join("\n")}`],
    ["JSON", JSON.stringify(abi)],
    ["an artifact", JSON.stringify({ contractName: "Cabinet", abi, bytecode: "0x" })],
    ["metadata of solc", JSON.stringify({ output: { abi }, version: 1 })]
  ] as const)("is read from %s", ([, text]) => {
    const { errors, events, functions } = read(text)
    expect(events.map(({ name }) => name)).toEqual(["Placed"])
    expect(functions.map(({ name, stateMutability }) => [name, stateMutability])).toEqual([
      ["owner", "view"],
      ["place", "view"],
      ["set", "nonpayable"]
    ])
    expect(errors.map(({ name }) => name)).toEqual(["NotOwner"])
  })

  test("in the form of the command is a function that reads", () => {
    const [owner] = read("owner()(address)\nbalanceOf(address)(uint256)").functions
    expect(owner).toMatchObject({ name: "owner", stateMutability: "view", outputs: [{ type: "address" }] })
  })

  test("of an old compiler has its constant functions as reads", () => {
    const old = [{ constant: true, inputs: [], name: "f", outputs: [{ type: "uint256" }], type: "function" }]
    expect(read(JSON.stringify(old)).functions[0]?.stateMutability).toBe("view")
  })

  test("keeps functions that share a name, and one of those that share a signature", () => {
    const { functions } = read("function f() view\nfunction f(uint256) view\nfunction f() view returns (bool)")
    expect(functions.map(({ inputs }) => inputs.length)).toEqual([0, 1])
  })

  test.for([
    ["", "Paste"],
    ["{", "is not JSON"],
    ["{}", "Not an ABI"],
    ["[]", "no function"],
    ['[{"type":"function","name":"a b"}]', "[0]"],
    ['[{"type":"function","name":"f","inputs":[{"type":"uint257x"}]}]', "[0]"],
    ['[{"type":"function","name":"f","inputs":[{"type":"tuple"}]}]', "[0]"],
    ["nonsense", "Not an item"],
    ["function f(", "Not an ABI"],
    ["error E()", "no function"]
  ] as const)("is refused with a sentence: %j", ([text, part]) => {
    expect(problem(text)).toContain(part)
  })

  test("with too many characters or functions is refused", () => {
    expect(problem("x".repeat(AbiFile.MAX_TEXT + 1))).toContain("more than")
    const many = Array.from({ length: 1001 }, (_, at) => ({ type: "function", name: `f${at}`, inputs: [] }))
    expect(problem(JSON.stringify(many))).toContain("more than 1000")
  })

  test("with types within one another, deeper than a stack is high, is refused", () => {
    const depth = 20_000
    const text = `[{"type":"function","name":"f","inputs":[${'{"type":"tuple","components":['.repeat(depth)}${"]}".repeat(depth)}]}]`
    expect(problem(text.slice(0, AbiFile.MAX_TEXT))).toBeTypeOf("string")
    const short = 100
    const nested = `[{"type":"function","name":"f","inputs":[${'{"type":"tuple","components":['.repeat(short)}${"]}".repeat(short)}]}]`
    expect(problem(nested)).toContain("[0]")
  })

  test("with structs that would become too many members is refused, and with few is read", () => {
    /** Returns lines in which each struct holds the next one twice. */
    const doubled = (amount: number): string =>
      [
        "function f(S0 value)",
        ...Array.from({ length: amount }, (_, at) => `struct S${at} { S${at + 1} a; S${at + 1} b; }`),
        `struct S${amount} { uint256 a; }`
      ].join("\n")
    expect(AbiFunctions.signature(read(doubled(2)).functions[0]!)).toBe(
      "f((((uint256),(uint256)),((uint256),(uint256))))"
    )
    expect(problem(doubled(30))).toContain("too long")
    expect(problem("function f(A a)\nstruct A { B b; }\nstruct B { A a; }")).toContain("too long")
    // a member may have the name of its struct
    expect(read("function f(Fee fee)\nstruct Fee { uint256 Fee; }").functions).toHaveLength(1)
  })

  test("survives any text", () => {
    const random = Random.make(31)
    const whole = JSON.stringify(abi) + LINES.join("\n")
    for (let run = 0; run < 300; run++) {
      const from = Random.int(random, whole.length)
      const text = whole.slice(from, from + Random.int(random, 200)) + String.fromCharCode(Random.int(random, 128))
      expect(Result.isResult(AbiFile.read(text))).toBe(true)
    }
  })
})

test("the name and the symbol of an old token are texts in 32 bytes", () => {
  const { functions } = StandardAbis.of("ERC-20")
  const valuesOf = (name: string, data: `0x${string}`) =>
    FunctionResult.valuesOf(
      functions.find((one) => one.name === name)!,
      { _tag: "Returned", data }
    )
  const word = stringToHex("MKR", { size: 32 })
  expect(valuesOf("symbol", word)).toEqual(Result.succeed(["MKR"]))
  expect(valuesOf("name", word)).toEqual(Result.succeed(["MKR"]))
  expect(valuesOf("symbol", encodeAbiParameters([{ type: "string" }], ["MKR"]))).toEqual(Result.succeed(["MKR"]))
  // no text, and no function of this form
  for (const [name, data] of [
    ["symbol", `0x${"ff".repeat(32)}`],
    ["decimals", word]
  ] as const) {
    expect(Result.isFailure(valuesOf(name, data))).toBe(true)
  }
})

test.for(StandardAbis.all.map(({ name }) => name))("the ABI of %s is read, with its errors", (name) => {
  const { errors, functions } = StandardAbis.of(name)
  expect(functions.map(({ name }) => name)).toContain("balanceOf")
  expect(errors.length).toBeGreaterThan(3)
})

describe("the form of a function", () => {
  const data = (name: string, args: ReadonlyArray<unknown>) => encodeFunctionData({ abi, functionName: name, args })

  test.for([
    [
      "place",
      { side: "true", "point.x": "-7", "point.y": "0x10", names: 'a, b\n[c] "d"\n' },
      [true, { x: -7n, y: 16n }, ["a, b", '[c] "d"']]
    ],
    ["place", { side: "false", "point.x": "1", "point.y": "2", names: "" }, [false, { x: 1n, y: 2n }, []]],
    [
      "set",
      { marker: "0xcafebabe", values: "1\n2\n3", "pair.word": "comma, (bracket)", "pair.flag": "true" },
      ["0xcafebabe", [1, 2, 3], { word: "comma, (bracket)", flag: true }]
    ],
    [
      "set",
      { marker: "0xcafebabe", values: "[1,2,3]", "pair.word": "", "pair.flag": "false" },
      ["0xcafebabe", [1, 2, 3], { word: "", flag: false }]
    ]
  ] as const)("%s with %j makes the call that viem makes", ([name, texts, args]) => {
    expect(AbiForms.read(item(name), texts)).toEqual(Result.succeed(data(name, args)))
  })

  test.for([
    ["place", { side: "yes", "point.x": "1", "point.y": "2", names: "" }, "side"],
    ["place", { side: "true", "point.x": "1", "point.y": "", names: "" }, "point"],
    ["set", { marker: "0xcafebabe", values: "1\n2", "pair.word": "", "pair.flag": "true" }, "values"],
    ["set", { marker: "0xcafe", values: "1\n2\n256", "pair.word": "", "pair.flag": "true" }, "marker,values"]
  ] as const)("%s with %j names the argument that is wrong: %s", ([name, texts, wrong]) => {
    const found = Result.getOrThrow(Result.flip(AbiForms.read(item(name), texts)))
    expect(Object.keys(found).join()).toBe(wrong)
    expect(Object.values(found)[0]).toMatch(/^Expected /u)
  })
})

describe("a result", () => {
  test("is decoded, with lists and structs", () => {
    const value = encodeFunctionResult({ abi, functionName: "place", result: [[{ x: -1n, y: 2n }], 9] })
    expect(FunctionResult.valuesOf(item("place"), { _tag: "Returned", data: value })).toEqual(
      Result.succeed([[[-1n, 2n]], 9n])
    )
  })

  test("of bytes that are no such values is none", () => {
    const wrong = encodeAbiParameters([{ type: "uint256" }], [2n ** 200n])
    expect(Result.isFailure(FunctionResult.valuesOf(item("owner"), { _tag: "Returned", data: wrong }))).toBe(true)
    expect(Result.isFailure(FunctionResult.valuesOf(item("owner"), { _tag: "Returned", data: "0x" }))).toBe(true)
  })

  test("that is a revert has its error by the ABI, or by Solidity itself", () => {
    const { errors } = read(LINES.join("\n"))
    const own = encodeErrorResult({ abi, errorName: "NotOwner", args: [OWNER, 5n] })
    expect(FunctionResult.errorOf(errors, own)).toMatchObject({ name: "NotOwner", values: [OWNER, 5n] })
    const text = encodeErrorResult({ abi: parseAbi(["error Error(string)"]), args: ["no"] })
    expect(FunctionResult.errorOf([], text)).toMatchObject({ name: "Error", values: ["no"] })
    expect(FunctionResult.errorOf(errors, `${own}00`)).toBeUndefined()
    expect(FunctionResult.errorOf(errors, "0x")).toBeUndefined()
  })

  test.for([
    [1_500_000n, 6, "1.5 T"],
    [0n, 18, "0 T"],
    [1n, 18, "0.000000000000000001 T"],
    [1_234_567n, 0, "1,234,567 T"]
  ] as const)("of %s units of a token with %s decimals is exact: %s", ([value, decimals, text]) => {
    expect(DecodedValue.amount(value, { decimals, symbol: "T" })).toBe(text)
  })
})

test.each([
  ["USDC", "1 USDC"],
  ["USD₮0", "1 USD₮0"],
  ["₳", "1 ₳"],
  ["", "1"],
  // they would read as a part of the number, or turn it around
  ["000,000 ETH", '1 "000,000 ETH"'],
  [",000 ETH", '1 ",000 ETH"'],
  ["\u202eCDSU\u0000", '1 " CDSU "'],
  ["ETH (proven)", '1 "ETH (proven)"'],
  ["a".repeat(99), `1 ${"a".repeat(16)}`]
])("a token's symbol %j is no part of its amount", (symbol, text) => {
  expect(DecodedValue.amount(1n, { decimals: 0, symbol })).toBe(text)
})
