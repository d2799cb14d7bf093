/** ABIs as compilers write them. */
import { expect, it } from "@effect/vitest"
import { AbiFunction, AbiJson } from "@plumbline/contracts"
import * as Random from "@plumbline/seeded/Random"
import * as Solidity from "@plumbline/seeded/Solidity"
import { Result } from "effect"
import * as viem from "viem"

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;
contract A {
  struct Inner { uint8 a; bytes[2][] b; }
  struct Outer { Inner[] inner; function(uint) external f; address payable p; }
  event E(address indexed who, Inner inner);
  event N(uint) anonymous;
  error X(string why);
  constructor(uint a) payable {}
  function read(Outer calldata o, uint) external view returns (Inner memory i, bool) {}
  function pay() external payable {}
  receive() external payable {}
  fallback() external {}
}`

const compile = (): viem.Abi =>
  Solidity.compile({
    language: "Solidity",
    sources: { "A.sol": { content: SOURCE } },
    settings: { outputSelection: { "*": { "*": ["abi"] } } }
  }).contracts["A.sol"].A.abi

/** Returns the value without the members that only people read. */
const bare = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(bare)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) =>
      name === "internalType" || (name === "anonymous" && inside === false) ? [] : [[name, bare(inside)]]
    )
  )
}

it("are read from solc's output, alone and in an artifact", () => {
  const abi = compile()
  const read = Result.getOrThrow(AbiJson.parse(abi))
  const kept = abi.filter(({ type }) => type === "function" || type === "event" || type === "error")
  expect(kept).toHaveLength(5)
  expect(read).toEqual(bare(kept))
  expect(AbiJson.parse({ contractName: "A", abi })).toEqual(Result.succeed(read))
  const functions = read.filter((item) => item.type === "function")
  expect(functions.map(AbiFunction.selector)).toEqual(
    functions.map((item) => viem.toFunctionSelector(item as viem.AbiFunction))
  )
})

it("are read from old compilers, which wrote no mutability and no type", () => {
  const item = { name: "f", inputs: [], outputs: [], constant: true, payable: false }
  expect(AbiJson.parse([item])).toMatchObject(Result.succeed([{ type: "function", stateMutability: "view" }]))
})

it("are refused with the place of the fault", () => {
  let deep: object = { type: "bool" }
  for (let depth = 0; depth < 40; depth++) deep = { type: "tuple", components: [deep] }
  const f = (inputs: unknown, more: object = {}) => [{ type: "function", name: "f", inputs, outputs: [], ...more }]
  for (const [json, path] of [
    [null, ""],
    ["[]", ""],
    [{}, ""],
    [[null], "[0]"],
    [[[]], "[0]"],
    [f([], { name: "f(" }), "[0].name"],
    [f([], { name: 5 }), "[0].name"],
    [f(undefined), "[0].inputs"],
    [f([{ type: "uint256[" }]), "[0].inputs[0].type"],
    [f([{ type: `uint256${"[]".repeat(33)}` }]), "[0].inputs[0].type"],
    [f([{ type: "Tuple" }]), "[0].inputs[0].type"],
    [f([{ type: "tuple" }]), "[0].inputs[0].components"],
    [f([{ type: "bool", name: 1 }]), "[0].inputs[0].name"],
    [f([deep]), `[0].inputs[0]${".components[0]".repeat(33)}`],
    [f(Array.from({ length: AbiJson.MAX_ITEMS + 1 }, () => ({ type: "bool" }))), "[0].inputs"],
    [[{ type: "event", name: "E", inputs: [5] }], "[0].inputs[0]"]
  ] as const) {
    expect(Result.getOrThrow(Result.flip(AbiJson.parse(json))).path).toBe(path)
  }
  // many lists of allowed length
  const members = Array.from({ length: AbiJson.MAX_ITEMS }, () => ({ type: "bool" }))
  const tuples = Array.from({ length: 20 }, () => ({ type: "tuple", components: members }))
  expect(Result.getOrThrow(Result.flip(AbiJson.parse(f(tuples)))).detail).toContain("more than 65536 parameters")
})

it("of any JSON are an ABI that calls can be made with, or an error", () => {
  const random = Random.make(3)
  const text = JSON.stringify(compile())
  let read = 0
  const total = Random.runs(1000)
  for (let run = 0; run < total; run++) {
    const at = Random.int(random, text.length)
    const changed = `${text.slice(0, at)}${Random.pick(random, ['"', "1", "[", "}", "null", "x", ""])}${text.slice(at + Random.int(random, 3))}`
    let json: unknown
    try {
      json = JSON.parse(changed)
    } catch {
      continue
    }
    const abi = AbiJson.parse(json)
    if (Result.isFailure(abi)) continue
    read += 1
    for (const name of ["read", "pay"]) expect(Result.isResult(AbiFunction.call(abi.success, name, [1]))).toBe(true)
  }
  expect(read).toBeGreaterThan(0)
})
