/** Tests layouts from files, names of slots, and the tree of variables, without a browser. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as PreparedState from "@plumbline/devnet/anvil/PreparedState"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Solidity from "@plumbline/seeded/Solidity"
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import * as Location from "@plumbline/storage-layout/location/Location"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keccak256 } from "js-sha3"
import { describe, expect, test, vi } from "vitest"

import * as ExampleContracts from "../src/chain/ExampleContracts.ts"
import * as GatherEvidence from "../src/chain/GatherEvidence.ts"
import { checkPath } from "../src/proof/ProofPath.ts"
import type { ProofSubject } from "../src/proof/ProofSubject.ts"
import * as ExampleKeys from "../src/storage/ExampleKeys.ts"
import * as VariableSlots from "../src/storage/VariableSlots.ts"
import * as VariableTree from "../src/storage/VariableTree.ts"
import * as ChosenLayouts from "../src/variables/ChosenLayouts.ts"
import * as CompilerFiles from "../src/variables/CompilerFiles.ts"
import * as KnownLayouts from "../src/variables/KnownLayouts.ts"
import * as SlotNaming from "../src/variables/SlotNaming.ts"
import * as ValueText from "../src/variables/ValueText.ts"
import * as OnHistory from "./support/OnHistory.ts"

const TEXT = readFileSync(
  path.resolve(import.meta.dirname, "../../../packages/devnet/state/layouts/Cabinet.json"),
  "utf8"
)
const JSON_LAYOUT: object = JSON.parse(TEXT) as object
const CABINET = HistoryChain.contracts.cabinet.address
const MEMBER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const ENTRY = `members[${MEMBER}]`
const layout = Result.getOrThrow(Layout.fromSolc(JSON_LAYOUT))

/** The slot of the member: the hash of its address and of slot number 16, from another implementation of Keccak-256. */
const SLOT = `0x${keccak256(Buffer.from(`${MEMBER.slice(2).padStart(64, "0")}${"10".padStart(64, "0")}`, "hex"))}`

test("the examples are contracts of the embedded chains, with the layout that their compiler wrote", async () => {
  for (const [name, { chainId, contracts }] of [
    ["history", HistoryChain],
    ["live", PreparedState]
  ] as const) {
    const examples = ExampleContracts.of({ name, chainId })!
    const ids = Object.keys(ExampleContracts.NAMES) as ReadonlyArray<keyof typeof examples>
    expect(Object.keys(examples)).toEqual(ids)
    for (const id of ids) {
      expect([examples[id], ExampleContracts.NAMES[id]]).toEqual([contracts[id].address, contracts[id].name])
      expect(ExampleContracts.at(examples, contracts[id].address.toUpperCase().replace("X", "x"))).toBe(id)
      expect((await KnownLayouts.exampleLayout(contracts[id].name))?.contract).toBe(contracts[id].name)
    }
    expect(ExampleContracts.at(examples, ExampleContracts.ACCOUNTS[0])).toBeUndefined()
  }
  for (const address of ExampleContracts.ACCOUNTS) {
    expect(PreparedState.accounts.map(({ address }) => address as string)).toContain(address)
  }
  // a reader's own development chain has the same id, and other contracts at these addresses
  expect(ExampleContracts.of({ name: "mine", chainId: PreparedState.chainId })).toBeUndefined()
  expect(ExampleContracts.of({ name: "live", chainId: 1 })).toBeUndefined()
  expect((await KnownLayouts.exampleLayout("Cabinet"))?.layout.variables).toEqual(layout.variables)
  expect((await KnownLayouts.exampleLayout("Token"))?.layout.variables.map(({ name }) => name)).toContain("totalSupply")
})

test("each mapping of an example contract has known keys", async () => {
  for (const id of Object.keys(ExampleContracts.NAMES) as ReadonlyArray<keyof typeof ExampleContracts.NAMES>) {
    const example = (await KnownLayouts.exampleLayout(ExampleContracts.NAMES[id]))!.layout
    for (const { name } of example.variables.filter(({ type }) => example.types.get(type)?._tag === "Mapping")) {
      const keys = ExampleKeys.of("history", id, name)
      expect(keys, `${id} ${name}`).not.toEqual([])
      for (const one of keys) {
        const found = Result.getOrThrow(Location.locate(example, `${name}${one.keys}`))
        expect([found.path, found.type._tag === "Mapping"]).toEqual([`${name}${one.keys}`, false])
      }
    }
  }
  // Cabinet.sol: a member visits on the day on which the cabinet was opened
  for (const [network, { blocks }] of [
    ["history", HistoryChain],
    ["live", PreparedState]
  ] as const) {
    const opened = blocks.find(({ transactions }) => transactions.some(({ title }) => title === "open"))!
    const day = Math.floor(opened.timestamp / 86_400)
    expect(ExampleKeys.of(network, "cabinet", "visits").map(({ keys }) => keys)).toEqual([`[${MEMBER}][${day}]`])
  }
})

describe("a layout", () => {
  test("is the same once it is read from the session", () => {
    expect(ChosenLayouts.fromText(ChosenLayouts.toText(layout))).toEqual(layout)
  })

  test("that is too large for the session pushes out no other", ({ onTestFinished }) => {
    const kept = new Map<string, string>()
    vi.stubGlobal("sessionStorage", { setItem: (key: string, text: string) => kept.set(key, text) })
    onTestFinished(() => void vi.unstubAllGlobals())
    const large = {
      ...layout,
      types: new Map([["large", { ...[...layout.types.values()][0]!, label: "x".repeat(2 ** 21) }]])
    }
    ChosenLayouts.choose("kept", "0x01", "small", layout)
    ChosenLayouts.choose("kept", "0x02", "large", large)
    ChosenLayouts.choose("kept", "0x03", "small", layout)
    const contracts = JSON.parse([...kept.values()].at(-1)!).map(([contract]: ReadonlyArray<string>) => contract)
    expect(contracts).toEqual(expect.arrayContaining(["kept 0x01", "kept 0x03"]))
    expect(contracts).not.toContain("kept 0x02")
  })

  const names = (name: string, json: unknown): ReadonlyArray<string> => {
    const read = CompilerFiles.read(name, typeof json === "string" ? json : JSON.stringify(json))
    return Result.getOrThrow(read).map(({ contract, layout }) => `${contract} ${layout.variables.length}`)
  }

  test("of each of many contracts is read with one walk of the syntax tree", () => {
    const walksOf = (contracts: number): number => {
      let walks = 0
      const ast = { nodeType: "SourceUnit", absolutePath: "a.sol", nodes: [] }
      const parse = JSON.parse
      const text = JSON.stringify({
        contracts: {
          "a.sol": Object.fromEntries(
            Array.from({ length: contracts }, (_, at) => [`C${at}`, { storageLayout: JSON_LAYOUT }])
          )
        },
        sources: { "a.sol": {} }
      })
      // a tree that counts how often its nodes are read
      JSON.parse = (text: string) => {
        const json = parse(text) as { readonly sources: Record<string, object> }
        const counting = Object.defineProperty(ast, "nodes", { get: () => (walks++, []), enumerable: true })
        json.sources["a.sol"] = { ast: counting }
        return json
      }
      try {
        expect(Result.getOrThrow(CompilerFiles.read("out.json", text)).length).toBe(contracts)
      } finally {
        JSON.parse = parse
      }
      return walks
    }
    const one = walksOf(1)
    expect(one).toBeGreaterThan(0)
    expect(walksOf(40)).toBe(one)
  })

  test("is read from what compilers and their tools write", () => {
    expect(names("Cabinet.json", TEXT)).toEqual(["Cabinet.json 25"])
    const artifact = { abi: [], contractName: "Cabinet", sourceName: "src/Cabinet.sol", storageLayout: JSON_LAYOUT }
    expect(names("a.json", artifact)).toEqual(["src/Cabinet.sol:Cabinet 25"])
    const empty = { storageLayout: { storage: [], types: null } }
    const output = { contracts: { "a.sol": { Cabinet: { storageLayout: JSON_LAYOUT }, Empty: empty } } }
    expect(names("out.json", output)).toEqual(["a.sol:Cabinet 25"])
    expect(names("build-info.json", { id: "1", input: {}, output })).toEqual(["a.sol:Cabinet 25"])
    const combined = { "a.sol:Cabinet": { "storage-layout": JSON_LAYOUT }, "b.sol:Old": { "storage-layout": TEXT } }
    expect(names("combined.json", { contracts: combined, version: "0.8" })).toEqual([
      "a.sol:Cabinet 25",
      "b.sol:Old 25"
    ])
    expect(names("v.json", { owner: { type: "address", slot: 0 } })).toEqual(["v.json 1"])
  })

  test("has the names of enums in each output that has the syntax tree, and their numbers beside them", () => {
    const compiled = Solidity.compile({
      language: "Solidity",
      sources: {
        "Kept.sol": {
          content: `pragma solidity ^0.8.0; enum Phase { Draft, Open, Closed } contract Kept {
            struct Step { Phase to; uint8 by; } Phase phase; Phase[] all; Step step; uint8 plain; }`
        }
      },
      settings: { outputSelection: { "*": { "*": ["storageLayout"], "": ["ast"] } } }
    })
    const { storageLayout } = compiled.contracts["Kept.sol"].Kept
    const { ast } = compiled.sources["Kept.sol"]
    const lines = (json: object): ReadonlyArray<string> => {
      const [{ layout }] = Result.getOrThrow(CompilerFiles.read("out.json", JSON.stringify(json))) as [any]
      const typeOf = (name: string) => layout.types.get(layout.variables.find((one: any) => one.name === name).type)
      const isNamed = typeOf("phase").members !== undefined
      const open = isNamed ? "Open" : 1n
      return [
        ValueText.line(open, typeOf("phase"), layout),
        ValueText.line([open], typeOf("all"), layout),
        ValueText.line({ to: open, by: 3n }, typeOf("step"), layout),
        ValueText.line(1n, typeOf("plain"), layout)
      ]
    }
    const combined = {
      contracts: { "Kept.sol:Kept": { "storage-layout": storageLayout } },
      sources: { "Kept.sol": { AST: ast } }
    }
    const artifact = { abi: [], contractName: "Kept", sourceName: "Kept.sol", storageLayout, ast }
    for (const json of [compiled, { id: "1", input: {}, output: compiled }, combined, artifact]) {
      expect(lines(json)).toEqual(["Open (1)", "[Open (1)]", "{ to: Open (1), by: 3 }", "1"])
    }
    expect(lines(storageLayout)).toEqual(["number 1", "[number 1]", "{ to: number 1, by: 3 }", "1"])
  })

  test.each([
    ["Vault.sol", "contract Vault {}", "a browser has no compiler"],
    ["Vault.vy", "owner: address", "vyper -f layout"],
    ["a.json", "no", "is not JSON"],
    ["a.json", "[1]", "is not a layout"],
    ["a.json", '{"abi":[],"bytecode":"0x"}', "forge build"],
    ["a.json", '{"contracts":{"a.sol":{"A":{}}}}', "Ask solc for storageLayout"],
    ["a.json", '{"storage":"x"}', "is not a layout"]
  ])("that is none is refused with the way out: %s %s", (name, text, says) => {
    const read = CompilerFiles.read(name, text)
    expect(Result.isFailure(read) && read.failure).toContain(says)
  })
})

describe("a slot under a name", () => {
  const subject = (more: object): ProofSubject => ({ _tag: "Slot", address: CABINET, slot: SLOT, ...more })
  const named = (name: string, slot = SLOT) => SlotNaming.of(layout, { _tag: "Slot", address: CABINET, slot, name })

  test("has a name only if the name leads there", () => {
    expect(named(`${ENTRY}.score`)?.formula.location.slot).toBe(BigInt(SLOT))
    expect(named("owner")).toBeUndefined()
    expect(named("nothing")).toBeUndefined()
    expect(named("owner", `0x${"0".repeat(64)}`)).toBeDefined()
  })

  test("hangs with its neighbours by their names, and is decoded from the proven word", async () => {
    const head = HistoryChain.head.hash
    const naming = named(`${ENTRY}.score`)!
    // in Cabinet.sol, `uint64 since`, `uint32 score` and `bool active` share a slot
    expect(naming.shares.map(({ bytes, offset, path }) => [path.slice(ENTRY.length), offset, bytes])).toEqual([
      [".since", 0, 8],
      [".score", 8, 4],
      [".active", 12, 1]
    ])
    const of = subject({ name: `${ENTRY}.score`, part: { offset: 8, bytes: 4 }, shares: naming.shares })
    const pinned = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(head))
    const { evidence } = await Effect.runPromise(
      Effect.provide(GatherEvidence.gather(head, of), OnHistory.layer(pinned))
    )
    const { stations, value } = checkPath(evidence, of)
    const { bytes, cells } = stations.find(({ id }) => id === "slot")!
    const shown = cells.filter(({ isInRow, length }) => isInRow && length > 0)
    expect(shown.map(({ length, name, state }) => [name, length, state])).toEqual([
      [`${ENTRY}.active`, 1, "open"],
      ["the variable", 4, "taken"],
      [`${ENTRY}.since`, 8, "open"]
    ])
    const [, own] = shown
    const digits = Buffer.from(bytes.subarray(own!.offset, own!.offset + own!.length)).toString("hex")
    const word = BigInt(`0x${Buffer.from(value!.bytes).toString("hex")}`)
    expect(SlotNaming.decode(layout, naming, word)).toEqual({
      text: Number.parseInt(digits, 16).toLocaleString("en"),
      type: "uint32"
    })
  })

  test("is decoded from one word only if one word is enough", () => {
    const slot = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
    const short = BigInt(`0x${Buffer.from("hello").toString("hex").padEnd(62, "0")}0a`)
    expect(SlotNaming.decode(layout, named("title", slot(5))!, short)).toEqual({ text: '"hello"', type: "string" })
    // an odd number in the slot means that the text is long: its bytes are in other slots
    expect(SlotNaming.decode(layout, named("story", slot(6))!, 201n)).toBeUndefined()
    expect(SlotNaming.decode(layout, named("numbers", slot(8))!, 3n)).toBeUndefined()
    expect(SlotNaming.decode(layout, named("numbers.length", slot(8))!, 3n)?.text).toBe("3")
    expect(SlotNaming.decode(layout, named("locked", slot(0))!, 7n << 232n)?.text).toContain("not a value")
  })
})

describe("the tree", () => {
  const known = {
    values: new Map([
      ["numbers", { value: [1n, 2n], flaws: [] }],
      [ENTRY, { value: { since: 1n, score: 2n, active: true, nickname: "ada" }, flaws: [] }],
      [`visits[${MEMBER}][7]`, { value: 3n, flaws: [] }]
    ]),
    entries: [
      { of: "members", path: ENTRY },
      { of: "", path: `visits[${MEMBER}][7]` }
    ]
  }

  test("lists variables in the compiler's order, parts of what is open, and entries below their mapping", () => {
    const rows = VariableTree.rows(layout, known, (path) => path === "numbers" || path === ENTRY)
    const paths = rows.map(({ depth, path }) => `${depth} ${path}`)
    expect(paths.slice(0, 2)).toEqual(["0 owner", "0 openedAt"])
    expect(paths.slice(paths.indexOf("0 numbers"), paths.indexOf("0 small"))).toEqual([
      "0 numbers",
      "1 numbers[0]",
      "1 numbers[1]"
    ])
    const from = paths.indexOf("0 members")
    expect(paths.slice(from, from + 7)).toEqual([
      "0 members",
      `1 ${ENTRY}`,
      ...["since", "score", "active", "nickname", "votes"].map((name) => `2 ${ENTRY}.${name}`)
    ])
    expect(paths.at(-1)).toBe(`0 visits[${MEMBER}][7]`)
  })

  test("finds values within values, and the ends of arrays", () => {
    expect(VariableTree.valueAt(known, "numbers[1]")).toBe(2n)
    expect(VariableTree.valueAt(known, "numbers.length")).toBe(
      BigInt((known.values.get("numbers")!.value as Array<bigint>).length)
    )
    expect(VariableTree.valueAt(known, `${ENTRY}.toString`)).toBeUndefined()
    expect(VariableTree.valueAt(known, `${ENTRY}.nickname`)).toBe("ada")
    expect(VariableTree.valueAt(known, "owner")).toBeUndefined()
    expect(["numbers[1]", "numbers[2]", "owner"].map((path) => VariableTree.isThere(known, path))).toEqual([
      true,
      false,
      true
    ])
  })

  test("knows what a path needs to be read and to be listed", () => {
    const entriesOf = (path: string) => VariableTree.entriesOf(layout, path).map(({ of, path }) => `${of} > ${path}`)
    expect(entriesOf("owner")).toEqual([])
    expect(entriesOf("numbers[63]")).toEqual([])
    expect(entriesOf("numbers[64]")).toEqual([" > numbers[64]"])
    expect(entriesOf(`visits[${MEMBER}][7]`)).toEqual([
      `visits > visits[${MEMBER}]`,
      `visits[${MEMBER}] > visits[${MEMBER}][7]`
    ])
    expect(entriesOf(`${ENTRY}.score`)).toEqual([`members > ${ENTRY}`])
    expect(entriesOf("nothing[1]")).toEqual([])
    expect(VariableTree.ancestorsOf(layout, `${ENTRY}.score`)).toEqual(["members", ENTRY])
  })

  test("knows that an entry was never written or is zero, by all of its words", () => {
    const at = (path: string) => VariableSlots.of(layout, path, undefined)!.slots.map(({ slot }) => slot)
    const [first, second] = at(ENTRY) as [bigint, bigint]
    const isUnset = (path: string, words: ReadonlyArray<readonly [bigint, bigint]>) =>
      VariableSlots.isUnset(layout, path, new Map(words))
    const zero = [
      [first, 0n],
      [second, 0n]
    ] as const
    expect(isUnset(ENTRY, zero)).toBe(true)
    expect(isUnset(`${ENTRY}.score`, zero)).toBe(true)
    // a score of zero in an entry that was written
    expect(isUnset(`${ENTRY}.score`, [zero[0], [second, 1n]])).toBe(false)
    expect(isUnset(ENTRY, [])).toBe(false)
    // the other words of the entry are not known
    expect(isUnset(`${ENTRY}.score`, [zero[1]])).toBe(false)
    expect(isUnset("counter", [[2n, 0n]])).toBe(false)
    expect(isUnset("members", zero)).toBe(false)
  })

  test("says what changed, part by part", () => {
    const before = { ...known, values: new Map([...known.values, ["numbers", { value: [1n], flaws: [] }]]) }
    expect(VariableTree.changes(layout, before, known)).toEqual([{ path: "numbers[1]", from: undefined, to: 2n }])
  })

  test("knows the slots of a value: its own, those of a long text, and those of elements", () => {
    const slotsOf = (path: string, value: Parameters<typeof VariableSlots.of>[2]) =>
      VariableSlots.of(layout, path, value)!
    const data = (slot: number) => BigInt(`0x${keccak256(Buffer.from(slot.toString(16).padStart(64, "0"), "hex"))}`)
    expect(slotsOf("title", "short").slots.map(({ part, slot }) => [slot, part])).toEqual([[5n, "value"]])
    expect(slotsOf("story", "a".repeat(40)).slots.map(({ slot }) => slot)).toEqual([6n, data(6), data(6) + 1n])
    // the length of a string is its number of characters, even if the string looks like hex
    expect(slotsOf("title", `0x${"ab".repeat(20)}`).slots).toHaveLength(3)
    const small = slotsOf(
      "small",
      Array.from({ length: 9 }, () => 0n)
    )
    expect(small.slots.map(({ shares, slot }) => [slot, shares.length])).toEqual([
      [9n, 1],
      [data(9), 8],
      [data(9) + 1n, 1]
    ])
    expect(
      slotsOf(
        "numbers",
        Array.from({ length: 22 }, () => 0n)
      ).more
    ).toBe(15n)
    expect(slotsOf("corners", undefined).slots.map(({ slot }) => slot)).toEqual([14n, 15n])
    expect(VariableSlots.of(layout, "nothing", undefined)).toBeUndefined()
  })
})
