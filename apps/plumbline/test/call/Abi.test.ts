/** Signatures, arguments and returned bytes, against ethers: the command itself uses viem. */
import { describe, expect, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import * as ethers from "ethers"

import * as AbiSignature from "../../src/call/AbiSignature.ts"
import * as AbiValues from "../../src/call/AbiValues.ts"

const parse = (text: string) => Result.getOrThrow(AbiSignature.parse(text))
const coder = ethers.AbiCoder.defaultAbiCoder()
const word = (n: bigint | number) => ethers.toBeHex(n, 32).slice(2)
/** Decodes the one value of a type. */
const decode = (type: string, data: string) => AbiValues.decode(parse(`f()(${type})`), `0x${data}`)
const ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

/** Types, values as ethers takes them, values as a person types them, and the form of `--json`. */
const cases: ReadonlyArray<readonly [type: string, value: unknown, typed: string, json: unknown]> = [
  ["uint256", 2n ** 256n - 1n, String(2n ** 256n - 1n), String(2n ** 256n - 1n)],
  ["uint8", 255, "0xff", "255"],
  ["int8", -128, "-128", "-128"],
  ["int256", -1n, "-1", "-1"],
  ["address", ADDRESS, ethers.getAddress(ADDRESS), ADDRESS],
  ["bool", true, "true", true],
  ["bytes4", "0x01020304", "0x01020304", "0x01020304"],
  ["bytes32", ethers.ZeroHash, ethers.ZeroHash, ethers.ZeroHash],
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

describe("a signature", () => {
  it("has the selector of its canonical form, whatever names stand in it", () => {
    for (const [text, canonical] of [
      ["balanceOf(address)(uint256)", "balanceOf(address)"],
      ["balanceOf(address owner) (uint256 balance)", "balanceOf(address)"],
      ["f ( uint , int[3] ) ( )", "f(uint256,int256[3])"],
      ["$_9((bytes,bool)[][2])", "$_9((bytes,bool)[][2])"]
    ] as const) {
      const signature = parse(text)
      const texts = signature.item.inputs.map(({ type }) => ({ address: ADDRESS, uint256: "1" })[type] ?? "[1,2,3]")
      const data = AbiValues.encode(signature, canonical.startsWith("$") ? ["[[],[]]"] : texts)
      expect(Result.getOrThrow(data).slice(0, 10), text).toBe(ethers.id(canonical).slice(0, 10))
    }
    expect([parse("f()").hasOutputs, parse("f()()").hasOutputs]).toEqual([false, true])
    expect([AbiValues.decode(parse("f()"), "0x"), AbiValues.decode(parse("f()()"), "0x")]).toEqual([undefined, []])
  })

  it("that is malformed, or too long, is refused", () => {
    const all = ["", "f", "f(", "f(uint7)", "f(uint264)", "f(bytes33)", "f(uint256,)", "f(,)", "f(())", "f(Uint256)"]
    for (const text of [...all, "f()x", "f()()()", "f(uint256[)", `f(${"(".repeat(5000)}`, `f(${"(".repeat(1000)}`]) {
      expect(Result.isFailure(AbiSignature.parse(text)), text.slice(0, 40)).toBe(true)
    }
  })
})

describe("arguments and returned values", () => {
  it("are encoded and decoded as ethers does", () => {
    for (const group of [...cases.map((one) => [one]), cases]) {
      const types = group.map(([type]) => type)
      const signature = parse(`f(${types.join(",")})(${types.join(",")})`)
      const encoded = coder.encode(
        types,
        group.map(([, value]) => value)
      )
      const typed = group.map(([, , text]) => text)
      expect(AbiValues.encode(signature, typed)).toEqual(
        Result.succeed(`${ethers.id(`f(${types.join(",")})`).slice(0, 10)}${encoded.slice(2)}`)
      )
      const json = group.map(([, , , json]) => json)
      for (const returned of [encoded, `${encoded}00`] as const) {
        expect(AbiValues.decode(signature, returned as `0x${string}`)?.map(AbiValues.wire)).toEqual(json)
      }
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
      ["(uint256,bool)[]", "[(1,2)]"],
      ["uint256[][]", "[[1],2]]"]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(AbiValues.encode(parse(`f(${type})`), [typed])))
      expect(error.problem).toContain(`argument 1 must be ${type}: `)
      expect(error.problem).not.toContain(secret)
    }
    expect(Result.isFailure(AbiValues.encode(parse("f(bool)"), []))).toBe(true)
  })

  it("are not decoded from bytes that do not hold them", () => {
    for (const [type, data] of [
      ["uint256", ""],
      ["uint8", word(256)],
      ["int8", word(128)],
      ["bool", word(2)],
      ["address", word(2n ** 160n)],
      ["bytes4", word(1)],
      ["string", word(64)],
      ["string", word(32) + word(1)],
      ["string", `${word(32) + word(1)}ff${"00".repeat(31)}`],
      ["bytes", word(2n ** 255n)],
      ["uint256[]", word(32) + word(2n ** 40n)],
      ["uint256[60000][60000]", word(1)]
    ] as const) {
      expect(decode(type, data), type).toBeUndefined()
    }
    expect(decode("bytes", word(32) + word(2 ** 20) + "00".repeat(2 ** 20))).toBeUndefined()
  })

  it("that share their bytes are not decoded to more than the input", () => {
    // each level is an array whose items all lie at the same place, so n levels of k items would be k^n values
    const level = word(8) + word(256).repeat(8)
    expect(decode(`uint256${"[]".repeat(6)}`, word(32) + level.repeat(6))).toBeUndefined()
  })

  it("of any bytes are those that ethers decodes, or none", () => {
    const random = Random.make(7)
    const types = ["uint8", "string", "(bool,bytes)[]"]
    const signature = parse(`f()(${types.join(",")})`)
    const whole = coder.encode(types, [7, "text", [[true, "0x0102"]]])
    let decoded = 0
    for (let run = 0; run < 2000; run++) {
      const bytes = ethers.getBytes(whole)
      for (let change = Random.int(random, 3); change > 0; change--)
        bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      const cut = Random.int(random, 4) === 0 ? Random.int(random, 64) : 0
      const data = ethers.hexlify(bytes.subarray(0, bytes.length - cut)) as `0x${string}`
      const values = AbiValues.decode(signature, data)
      if (values === undefined) continue
      decoded += 1
      expect(values).toEqual(coder.decode(types, data).toArray(true))
    }
    expect(decoded).toBeGreaterThan(200)
  })
})
