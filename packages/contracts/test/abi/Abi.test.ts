/** Signatures, arguments and returned bytes, against ethers and viem. */
import { describe, expect, it } from "@effect/vitest"
import { AbiFunction, AbiParameters, AbiSignature, AbiText } from "@plumbline/contracts"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import * as ethers from "ethers"
import * as viem from "viem"
import type { AbiParameter } from "viem"

import { anyType, anyValue, lower } from "../support/drawn.ts"

const parse = (text: string) => Result.getOrThrow(AbiSignature.parse(text))
const coder = ethers.AbiCoder.defaultAbiCoder()
const word = (n: bigint | number) => ethers.toBeHex(n, 32).slice(2)
/** Decodes the one value of a type. */
const decode = (type: string, data: string) => faultOf(parse(`f()(${type})`), `0x${data}`)
/** Encodes a call with typed arguments. */
const encode = ({ item }: AbiSignature.AbiSignature, texts: ReadonlyArray<string>) =>
  Result.flatMap(AbiText.read(item.inputs, texts), (values) => AbiFunction.encode(item, values))
/** Decodes the values that a function returns. */
const decodeAll = ({ item }: AbiSignature.AbiSignature, data: `0x${string}`) =>
  Result.map(AbiParameters.decode(item.outputs, data), (values) =>
    item.outputs.map((type, index) => AbiText.fromDecoded(type, values[index]))
  )
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
  ["string", "\ufeffa mark first", "\ufeffa mark first", "\ufeffa mark first"],
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
      const data = encode(signature, canonical.startsWith("$") ? ["[[],[]]"] : texts)
      expect(Result.getOrThrow(data).slice(0, 10), text).toBe(ethers.id(canonical).slice(0, 10))
      expect(AbiFunction.signature(signature.item)).toBe(canonical)
    }
    expect([parse("f()").hasOutputs, parse("f()()").hasOutputs]).toEqual([false, true])
    expect(decodeAll(parse("f()()"), "0x")).toEqual(Result.succeed([]))
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
      expect(encode(signature, typed)).toEqual(
        Result.succeed(`${ethers.id(`f(${types.join(",")})`).slice(0, 10)}${encoded.slice(2)}`)
      )
      const json = group.map(([, , , json]) => json)
      for (const returned of [encoded, `${encoded}00`] as const) {
        const values = Result.getOrThrow(decodeAll(signature, returned as `0x${string}`))
        expect(values.map(AbiText.toJson)).toEqual(json)
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
      const error = Result.getOrThrow(Result.flip(encode(parse(`f(${type})`), [typed])))
      expect(error.message).toContain(`argument 1 of (${type}) must be ${type}: `)
      expect(error.message).not.toContain(secret)
    }
    expect(Result.getOrThrow(Result.flip(encode(parse("f(bool)"), []))).reason).toEqual({
      _tag: "Count",
      expected: 1,
      given: 0
    })
  })

  it("of another form than their type are not encoded", () => {
    const point = [{ type: "tuple", components: [{ type: "uint8", name: "x" }] }]
    const none: ReadonlyArray<readonly [types: ReadonlyArray<AbiParameter>, value: unknown]> = [
      [[{ type: "uint256" }], true],
      [[{ type: "uint256" }], "5"],
      [[{ type: "uint256" }], 1.5],
      [[{ type: "uint256" }], 2 ** 53],
      [[{ type: "uint256" }], null],
      [[{ type: "bool" }], 1],
      [[{ type: "string" }], 5],
      [[{ type: "string" }], "\ud800"],
      [[{ type: "bytes" }], "0x1"],
      [[{ type: "bytes4" }], "0x0102030405"],
      [[{ type: "address" }], 5n],
      [[{ type: "address" }], ADDRESS.replace("f39f", "F39f")],
      [[{ type: "bool[]" }], true],
      [[{ type: "bool[]" }], [1]],
      [[{ type: "bool[2]" }], [true]],
      [point, null],
      [point, { y: 1 }],
      [point, []]
    ]
    for (const [types, value] of none) {
      const error = Result.getOrThrow(Result.flip(AbiParameters.encode(types, [value])))
      expect(error.reason, JSON.stringify(types)).toMatchObject({ _tag: "Value", position: 0 })
    }
    const five = Result.succeed(`0x${word(5)}`)
    for (const value of [{ x: 5 }, [5n]]) expect(AbiParameters.encode(point, [value])).toEqual(five)
  })

  it("are not decoded from bytes that do not hold them, and the error says why", () => {
    for (const [type, data, fault, path] of [
      ["uint256", "", "Empty", ""],
      ["uint256", "00".repeat(31), "OutOfData", ""],
      ["uint8", word(256), "NotCanonical", "[0]"],
      ["int8", word(128), "NotCanonical", "[0]"],
      ["bool", word(2), "NotCanonical", "[0]"],
      ["address", word(2n ** 160n), "NotCanonical", "[0]"],
      ["bytes4", word(1), "NotCanonical", "[0]"],
      ["string", word(64), "NotCanonical", "[0]"],
      ["string", word(64) + word(0) + word(0), "NotCanonical", "[0]"],
      ["string", word(32) + word(1), "OutOfData", "[0]"],
      ["string", `${word(32) + word(1)}ff${"00".repeat(31)}`, "NotUtf8", "[0]"],
      ["bytes", `${word(32) + word(1)}ffff${"00".repeat(30)}`, "NotCanonical", "[0]"],
      ["bytes", word(2n ** 255n), "NotCanonical", "[0]"],
      ["bytes", word(32) + word(2n ** 255n), "OutOfData", "[0]"],
      ["uint256[]", word(32) + word(2n ** 40n), "OutOfData", "[0]"],
      ["bool[][2]", word(32) + word(64) + word(96) + word(0) + word(1) + word(2), "NotCanonical", "[0][1][0]"],
      ["(bool,(uint8,bool))", word(1) + word(2) + word(3), "NotCanonical", "[0][1][1]"],
      ["uint256[60000][60000]", word(1), "OutOfData", ""],
      ["uint256[0][]", word(32) + word(2n ** 40n), "UnsupportedType", ""],
      [`uint8${"[]".repeat(40)}`, word(32), "UnsupportedType", ""],
      ["bytes", word(32) + word(2 ** 20) + "00".repeat(2 ** 20), "TooLong", ""]
    ] as const) {
      expect(decode(type, data), `${type} ${fault}`).toEqual({ fault, path })
    }
    const odd = AbiParameters.decode([{ type: "bytes" }], `0x${"zz".repeat(64)}`)
    expect(Result.getOrThrow(Result.flip(odd)).fault).toBe("NotHex")
    expect(Result.getOrThrow(Result.flip(AbiParameters.decode([{ type: "fixed" }], `0x${word(1)}`))).fault).toBe(
      "UnsupportedType"
    )
  })

  it("keep the path by names, the bytes, and those that follow", () => {
    const types = [{ type: "tuple[]", name: "all", components: [{ type: "bool", name: "done" }] }]
    const data = `0x${word(32) + word(1) + word(2)}` as const
    const error = Result.getOrThrow(Result.flip(AbiParameters.decode(types, data)))
    expect(error).toMatchObject({ types: "((bool)[])", data, path: ".all[0].done", fault: "NotCanonical" })
    const more = [[{ type: "bool" }], `0x${word(1)}00`] as const
    expect(AbiParameters.decode(...more)).toEqual(Result.succeed([true]))
    const exact = AbiParameters.decode(...more, { exact: true })
    expect(Result.getOrThrow(Result.flip(exact)).fault).toBe("TrailingBytes")
    expect(AbiParameters.decode([{ type: "bool" }], `0x${word(1)}`, { exact: true })).toEqual(Result.succeed([true]))
  })

  it("that share their bytes are not decoded to more than the input", () => {
    // each level is an array whose items all lie at the same place, so n levels of k items would be k^n values
    const level = word(8) + word(256).repeat(8)
    expect(decode(`uint256${"[]".repeat(6)}`, word(32) + level.repeat(6))).toMatchObject({ fault: "NotCanonical" })
  })

  it("of members with the same name all stay, in a list", () => {
    const pair = { type: "tuple", components: ["x", "x"].map((name) => ({ type: "uint256", name })) }
    const [both] = Result.getOrThrow(AbiParameters.decode([pair], `0x${word(1)}${word(2)}`))
    expect(both).toEqual([1n, 2n])
    expect(AbiText.fromDecoded(pair, both)).toEqual([1n, 2n])
  })

  it("cannot become a prototype", () => {
    const types = [{ type: "tuple", components: [{ type: "uint256[]", name: "__proto__" }] }]
    const data = coder.encode(["tuple(uint256[] a)"], [[[1n]]]) as `0x${string}`
    const [value] = Result.getOrThrow(AbiParameters.decode(types, data)) as ReadonlyArray<object>
    expect(Object.keys(value!)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

describe("any types and values", () => {
  it("are decoded as viem and ethers decode them", () => {
    const random = Random.make(11)
    for (let run = 0; run < Random.runs(300); run++) {
      const types = Array.from({ length: 1 + Random.int(random, 4) }, () => anyType(random, 3))
      const values = types.map((type) => anyValue(random, type))
      const data = viem.encodeAbiParameters(types, values)
      expect(AbiParameters.encode(types, values)).toEqual(Result.succeed(data))
      expect(AbiParameters.decode(types, data, { exact: true })).toEqual(Result.succeed(values))
      const plain = types.map((type, index) => AbiText.fromDecoded(type, values[index]))
      const decoded = coder.decode(
        types.map((type) => ethers.ParamType.from(JSON.parse(JSON.stringify(type)))),
        data
      )
      expect(lower(decoded.toArray(true))).toEqual(lower(plain))
    }
  })

  it("of any bytes are those that viem decodes and encodes to the same bytes, or none", () => {
    const random = Random.make(7)
    let decoded = 0
    const total = Random.runs(1500)
    for (let run = 0; run < total; run++) {
      const types = Array.from({ length: 1 + Random.int(random, 3) }, () => anyType(random, 2))
      const bytes = viem.hexToBytes(
        viem.encodeAbiParameters(
          types,
          types.map((type) => anyValue(random, type))
        )
      )
      for (let change = Random.int(random, 3); change > 0; change--) {
        bytes[Random.int(random, bytes.length)] = Random.pick(random, [0, 1, 32, 64, 255, Random.int(random, 256)])
      }
      const cut = Random.chance(random, 0.25) ? Random.int(random, bytes.length) : 0
      const data = viem.bytesToHex(bytes.subarray(0, bytes.length - cut))
      const ours = AbiParameters.decode(types, data)
      const theirs = reencoded(types, data)
      expect(Result.isSuccess(ours), `${JSON.stringify(types)} ${data}`).toBe(theirs !== undefined)
      if (Result.isFailure(ours)) continue
      decoded += 1
      expect(lower(ours.success)).toEqual(lower(theirs))
    }
    expect(decoded).toBeGreaterThan(total / 4)
  })

  it("are decoded from random words without a throw", () => {
    const random = Random.make(5)
    for (let run = 0; run < Random.runs(1000); run++) {
      const types = [anyType(random, 4)]
      const words = Array.from({ length: Random.int(random, 12) }, () =>
        word(Random.pick(random, [0, 1, 2, 32, 64, 96]))
      )
      const data = `0x${words.join("")}` as const
      expect(Result.isSuccess(AbiParameters.decode(types, data))).toBe(reencoded(types, data) !== undefined)
    }
  })
})

/** Returns the values that viem decodes, if viem encodes them to the beginning of the same bytes. */
const reencoded = (types: ReadonlyArray<AbiParameter>, data: viem.Hex): unknown => {
  try {
    const values = viem.decodeAbiParameters(types, data)
    return data.startsWith(viem.encodeAbiParameters(types, values)) ? values : undefined
  } catch {
    return undefined
  }
}

const faultOf = ({ item }: AbiSignature.AbiSignature, data: `0x${string}`) => {
  const { fault, path } = Result.getOrThrow(Result.flip(AbiParameters.decode(item.outputs, data)))
  return { fault, path }
}
