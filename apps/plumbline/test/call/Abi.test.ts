/** Signatures, arguments and returned bytes, against viem. */
import { describe, expect, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import * as viem from "viem"

import * as AbiArguments from "../../src/call/AbiArguments.ts"
import * as AbiType from "../../src/call/AbiType.ts"
import * as AbiValue from "../../src/call/AbiValue.ts"

const parse = (text: string) => Result.getOrThrow(AbiType.signature(text))
const ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

/** Types, values as viem takes them, values as a person types them, and the form of `--json`. */
const cases: ReadonlyArray<readonly [type: string, value: unknown, typed: string, json: unknown]> = [
  ["uint256", 2n ** 256n - 1n, String(2n ** 256n - 1n), String(2n ** 256n - 1n)],
  ["uint8", 255, "0xff", "255"],
  ["int8", -128, "-128", "-128"],
  ["int256", -1n, "-1", "-1"],
  ["address", ADDRESS, viem.getAddress(ADDRESS), ADDRESS],
  ["bool", true, "true", true],
  ["bytes4", "0x01020304", "0x01020304", "0x01020304"],
  ["bytes32", viem.zeroHash, viem.zeroHash, viem.zeroHash],
  ["bytes", "0x", "0x", "0x"],
  ["bytes", `0x${"ab".repeat(33)}`, `0x${"AB".repeat(33)}`, `0x${"ab".repeat(33)}`],
  ["string", "naïve, [text]", "naïve, [text]", "naïve, [text]"],
  ["uint256[]", [], "[]", []],
  ["uint256[]", [1n, 2n], "[1, 2]", ["1", "2"]],
  [
    "uint8[2][]",
    [
      [1, 2],
      [3, 4]
    ],
    "[[1,2],[3,4]]",
    [
      ["1", "2"],
      ["3", "4"]
    ]
  ],
  ["string[2]", ["a,b", 'c"'], '["a,b","c\\""]', ["a,b", 'c"']],
  [
    "(uint256,string)[]",
    [
      [1n, "x"],
      [2n, ""]
    ],
    '[(1,x),(2,"")]',
    [
      ["1", "x"],
      ["2", ""]
    ]
  ],
  [
    "(address,(bool,bytes)[1])",
    [ADDRESS, [[false, "0x01"]]],
    `(${ADDRESS},[(false,0x01)])`,
    [ADDRESS, [[false, "0x01"]]]
  ]
]

const parameters = (types: ReadonlyArray<string>) =>
  viem.parseAbiItem(`function f(${types.join(",")})`) as viem.AbiFunction

describe("a signature", () => {
  it("has the selector of its canonical form", () => {
    for (const [text, canonical] of [
      ["balanceOf(address)(uint256)", "balanceOf(address)"],
      ["f ( uint , int[3] ) ( )", "f(uint256,int256[3])"],
      ["$_9((bytes,bool)[][2])", "$_9((bytes,bool)[][2])"]
    ] as const) {
      expect(parse(text).canonical).toBe(canonical)
    }
    const data = Result.getOrThrow(AbiArguments.encode(parse("transfer(address,uint256)"), [ADDRESS, "1"]))
    expect(data.slice(0, 10)).toBe("0xa9059cbb")
    expect([parse("f()").outputs, parse("f()()").outputs]).toEqual([undefined, []])
  })

  it("that is malformed, or too large, is refused", () => {
    const deep = `f(${"uint256" + "[]".repeat(40)})`
    const wide = "f(uint256[60000][60000])"
    const all = ["", "f", "f(", "f(uint7)", "f(uint264)", "f(bytes33)", "f(uint256,)", "f(,)", "f(())", "f(uint256[0])"]
    for (const text of [...all, "f()x", "f()()()", "f(Uint256)", "f(uint256[)", deep, wide, `f(${"(".repeat(5000)}`]) {
      expect(Result.isFailure(AbiType.signature(text)), text.slice(0, 40)).toBe(true)
    }
  })
})

describe("arguments and returned values", () => {
  it("are encoded and decoded as viem does", () => {
    for (const group of [...cases.map((one) => [one]), cases]) {
      const types = group.map(([type]) => type)
      const signature = parse(`f(${types.join(",")})(${types.join(",")})`)
      const abi = parameters(types)
      const data = viem.encodeFunctionData({ abi: [abi], args: group.map(([, value]) => value) })
      expect(
        AbiArguments.encode(
          signature,
          group.map(([, , typed]) => typed)
        )
      ).toEqual(Result.succeed(data))
      const returned: viem.Hex = `0x${data.slice(10)}`
      expect(AbiValue.decode(signature.outputs!, returned)?.map(AbiValue.wire)).toEqual(
        group.map(([, , , json]) => json)
      )
    }
  })

  it("that do not fit their type are refused, without repeating them", () => {
    const secret = "0123456789abcdef"
    for (const [type, typed] of [
      ["uint8", "256"],
      ["uint8", "-1"],
      ["int8", "128"],
      ["uint256", "1e3"],
      ["uint256", secret],
      ["address", ADDRESS.slice(0, -1)],
      ["address", ADDRESS.replace("f39f", "F39f")],
      ["bool", "1"],
      ["bytes4", "0x010203"],
      ["bytes", "0x1"],
      ["uint256[2]", "[1]"],
      ["uint256[]", "1,2"],
      ["uint256[]", "[1,2"],
      ["(uint256,bool)", "(1)"],
      ["uint256[][]", "[[1],2]]"]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(AbiArguments.encode(parse(`f(${type})`), [typed])))
      expect(error.problem).toContain(type)
      expect(error.problem).not.toContain(secret)
    }
    expect(Result.isFailure(AbiArguments.encode(parse("f(bool)"), []))).toBe(true)
  })

  it("are not decoded from bytes that do not hold them", () => {
    const word = (n: bigint | number) => viem.toHex(n, { size: 32 }).slice(2)
    for (const [type, data] of [
      ["uint256", ""],
      ["uint8", word(256)],
      ["int8", word(128)],
      ["bool", word(2)],
      ["address", word(2n ** 160n)],
      ["bytes4", word(1)],
      ["string", word(64)],
      ["string", word(32) + word(1)],
      ["bytes", word(2n ** 255n)],
      ["uint256[]", word(32) + word(2n ** 40n)]
    ] as const) {
      expect(AbiValue.decode(parse(`f()(${type})`).outputs!, `0x${data}`), type).toBeUndefined()
    }
    expect(AbiValue.decode(parse("f()(string)").outputs!, `0x${word(32) + word(1)}ff${"00".repeat(31)}`)).toEqual([
      "0xff"
    ])
  })

  it("that share their bytes do not grow beyond the input", () => {
    // each level is an array whose items all lie at the same place, so n levels of k items would be k^n values
    const word = (n: number) => viem.toHex(n, { size: 32 }).slice(2)
    const level = word(8) + word(256).repeat(8)
    const bomb = `0x${word(32)}${level.repeat(6)}` as const
    const started = AbiValue.decode(parse(`f()(uint256${"[]".repeat(6)})`).outputs!, bomb)
    expect(started).toBeUndefined()
  })

  it("of any bytes are those that viem decodes, or none", () => {
    const random = Random.make(7)
    const abi = parameters(["uint8", "string", "(bool,bytes)[]"])
    const { inputs } = parse("f(uint8,string,(bool,bytes)[])")
    const whole = viem.encodeAbiParameters(abi.inputs, [7, "text", [[true, "0x0102"]]] as never)
    let decoded = 0
    for (let run = 0; run < 2000; run++) {
      const bytes = viem.hexToBytes(whole)
      for (let change = Random.int(random, 3); change > 0; change--)
        bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      const data = viem.toHex(
        bytes.subarray(0, bytes.length - (Random.int(random, 4) === 0 ? Random.int(random, 64) : 0))
      )
      const values = AbiValue.decode(inputs, data)
      if (values === undefined) continue
      decoded += 1
      const [number, text, list] = viem.decodeAbiParameters(abi.inputs, data) as unknown as [number, string, unknown]
      expect(values[0]).toBe(BigInt(number))
      expect(values[1] === text || String(values[1]).startsWith("0x")).toBe(true)
      expect(values[2]).toEqual(list)
    }
    expect(decoded).toBeGreaterThan(200)
  })
})
