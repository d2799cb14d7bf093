/**
 * Tests `plumbline slots`, and the reading of files that contain layouts. The expected places come from solc, and the
 * expected hashes from viem.
 */
import { mkdir, writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import * as Solidity from "@plumbline/seeded/Solidity"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const devnet = Places.DEVNET
const cabinetLayout = path.join(devnet, "state/layouts/Cabinet.json")
const cabinetSource = path.join(devnet, "contracts/Cabinet.sol")

const slots = (args: ReadonlyArray<string>) => RunCli.json(["slots", ...args])
const hex = (slot: bigint) => viem.numberToHex(slot, { size: 32 })
const hash = (types: ReadonlyArray<string>, values: ReadonlyArray<unknown>) =>
  viem.keccak256(viem.encodePacked(types as [], values as []))

/** Returns the output of solc for a source, in the form of its standard JSON interface. */
const compile = (content: string, name = "Vault.sol") =>
  Solidity.compile({
    language: "Solidity",
    sources: { [name]: { content } },
    settings: { outputSelection: { "*": { "*": ["storageLayout"], "": ["ast"] } } }
  })

const VAULT = `pragma solidity ^0.8.0;
interface Thing { function f() external; }
abstract contract Base { uint8 private shadow; }
contract Vault is Base { enum Color { Red, Green } uint8 private shadow; mapping(Color => uint256) byColor; }`

describe("plumbline slots", () => {
  it("says where every variable is, as the compiler does", async () => {
    const { storage, types } = (await import(cabinetLayout, { with: { type: "json" } })).default
    const { answer, exitCode } = await slots(["--layout", cabinetLayout])
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      verdict: "VERIFIED",
      value: Object.fromEntries(
        storage.map(({ label, offset, slot, type }: any) => [
          label,
          { slot: hex(BigInt(slot)), offset, bytes: Number(types[type].numberOfBytes) }
        ])
      ),
      anchor: null,
      proven: ["they follow from the layout, by the compiler's rules: no node was asked"],
      claimed: []
    })
  })

  it("says where what a path names is, as viem hashes it", async () => {
    const who = PreparedState.accounts[1]!.address
    const entry = hash(["uint256", "uint256"], [BigInt(who), 16n])
    const word = hash(["string", "uint256"], ["one\\two", 18n])
    const day = hash(["uint256", "bytes32"], [19n, hash(["uint256", "uint256"], [BigInt(who), 17n])])
    const { answer } = await slots([
      `members[${who}].score`,
      `members[${who}].nickname.length`,
      String.raw`wordCount["one\\two"]`,
      `visits[${who}][19]`,
      "small[9]",
      "corners[1].y",
      "--layout",
      cabinetLayout
    ])
    expect(answer.value).toEqual({
      [`members[${who}].score`]: { slot: entry, offset: 8, bytes: 4 },
      [`members[${who}].nickname.length`]: { slot: hex(BigInt(entry) + 1n), offset: 0, bytes: 32 },
      [String.raw`wordCount["one\\two"]`]: { slot: word, offset: 0, bytes: 32 },
      [`visits[${who}][19]`]: { slot: day, offset: 0, bytes: 16 },
      "small[9]": { slot: hex(BigInt(hash(["uint256"], [9n])) + 1n), offset: 4, bytes: 4 },
      "corners[1].y": { slot: hex(15n), offset: 16, bytes: 16 }
    })
  })

  it("asks no node, and needs none", async () => {
    const env = { PLUMBLINE_DATA: "/nonexistent" }
    const { exitCode } = await RunCli.json(["slots", "owner", "--layout", cabinetLayout], { env })
    expect(exitCode).toBe(0)
  })

  it("says where a struct is that the contract's code puts at a slot", async () => {
    const source = `pragma solidity ^0.8.0; library Lib { struct Kept { uint256 first; address owner; } } contract Diamond {}`
    await using folder = await Children.folder()
    const file = path.join(folder.path, "Diamond.json")
    await writeFile(file, JSON.stringify(compile(source, "Diamond.sol")))
    const place = viem.keccak256(viem.stringToBytes("diamond.standard.diamond.storage"))
    const ask = (struct: string) => slots(["kept.owner", "--layout", file, "--contract", "Diamond", "--struct", struct])
    for (const slot of [`keccak256("diamond.standard.diamond.storage")`, place, String(BigInt(place))]) {
      const { answer } = await ask(`kept=Lib.Kept@${slot}`)
      expect(answer.value).toEqual({ "kept.owner": { slot: hex(BigInt(place) + 1n), offset: 0, bytes: 20 } })
    }
    for (const [struct, tag, message] of [
      ["kept=Lib.Kept", "UsageError", /--struct must be name=Struct@slot/],
      ["kept=Lib.Kept@0x1g", "UsageError", /--struct kept: the slot must be a number/],
      [`kept=Lib.Kept@${2n ** 256n}`, "UsageError", /--struct kept: the slot must be a number/],
      ["kept=Lib.Missing@0", "LayoutFileError", /no struct Lib\.Missing/]
    ] as const) {
      const { answer, exitCode } = await ask(struct)
      expect([exitCode, answer.error.tag]).toEqual([1, tag])
      expect(answer.error.message).toMatch(message)
    }
  })

  it("points at the character of a path that is wrong", async () => {
    const run = await RunCli.run(["slots", "owner", "members[7]", "--layout", cabinetLayout])
    expect(run).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: [
        "error: character 8 of the path: expected an address, 0x and 40 hex digits",
        "  members[7]",
        "          ^",
        ""
      ].join("\n")
    })
    const { answer, exitCode } = await slots(["owner.x", "--layout", cabinetLayout])
    expect(exitCode).toBe(1)
    expect(answer.error).toMatchObject({ tag: "PathError", reason: "NoSuchStep", path: "owner.x", at: 6 })
  })

  it("shows people the same in lines", async ({ expect }) => {
    const { stdout } = await RunCli.run(["slots", "drift", "points", "members", "--layout", cabinetLayout])
    expect(stdout).toMatchInlineSnapshot(`
      "Storage of contracts/Cabinet.sol:Cabinet

        drift
          slot 1  offset 16  16 bytes  int128
        points
          slot 10  offset 0  32 bytes  struct Cabinet.Point[]
        members
          slot 16  offset 0  32 bytes  mapping(address => struct Cabinet.Member)

      VERIFIED
        proven    they follow from the layout, by the compiler's rules: no node was asked
      "
    `)
  })
})

describe("the file of --layout", () => {
  const output = compile(VAULT)
  const { storageLayout } = output.contracts["Vault.sol"].Vault
  const ast = output.sources["Vault.sol"].ast
  const expected = {
    "Base.shadow": { slot: hex(0n), offset: 0, bytes: 1 },
    "Vault.shadow": { slot: hex(0n), offset: 1, bytes: 1 },
    byColor: { slot: hex(1n), offset: 0, bytes: 32 }
  }

  const read = async (files: Readonly<Record<string, unknown>>, args: ReadonlyArray<string>) => {
    await using folder = await Children.folder()
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true })
      await writeFile(path.join(folder.path, name), typeof content === "string" ? content : JSON.stringify(content))
    }
    const [file = "", ...rest] = args
    return await slots(["--layout", path.join(folder.path, file), ...rest])
  }

  it("may be compilers' output, build info, artifacts, or a source", async () => {
    const debug = { _format: "hh-sol-dbg-1", buildInfo: "../build-info/1.json" }
    const artifact = { _format: "hh-sol-artifact-1", contractName: "Vault", sourceName: "Vault.sol", abi: [] }
    const metadata = { settings: { compilationTarget: { "Vault.sol": "Vault" } } }
    for (const [files, ...args] of [
      [{ "out.json": output }, "out.json"],
      [{ "out.json": output }, "out.json", "--contract", "Vault"],
      [{ "out.json": output }, "out.json", "--contract", "Vault.sol:Vault"],
      [{ "info.json": { output } }, "info.json"],
      [{ "Vault.json": { abi: [], ast, metadata, storageLayout } }, "Vault.json"],
      [{ "c/Vault.json": artifact, "c/Vault.dbg.json": debug, "build-info/1.json": { output } }, "c/Vault.json"],
      [{ "Vault.sol": VAULT }, "Vault.sol"],
      [{ "Vault.sol": VAULT }, "Vault.sol", "--contract", "Vault"]
    ] as ReadonlyArray<[Record<string, unknown>, ...Array<string>]>) {
      const { answer } = await read(files, args)
      expect(answer).toMatchObject({ verdict: "VERIFIED", value: expected })
      expect(Object.keys(answer.value)).toEqual(Object.keys(expected))
    }
  })

  it("may be a layout by itself, which does not tell variables of one name apart", async () => {
    const { answer } = await read({ "layout.json": storageLayout }, ["layout.json"])
    expect(answer.value).toEqual({ byColor: expected.byColor })
    const { answer: enums } = await read({ "layout.json": storageLayout }, ["layout.json", "byColor[Green]"])
    expect(enums.error.reason).toBe("BadKey")
  })

  it("may be Vyper's", async () => {
    const vyper = { storage_layout: { owner: { type: "address", n_slots: 1, slot: 3 } } }
    const owner = { owner: { slot: hex(3n), offset: 0, bytes: 20 } }
    for (const file of [vyper, vyper.storage_layout, { contracts: { "a.vy": { a: { layout: vyper } } } }]) {
      expect((await read({ "vyper.json": file }, ["vyper.json"])).answer.value).toEqual(owner)
    }
  })

  it("is compiled with its imports: beside it, above it, in node_modules, and as remappings say", async () => {
    const { answer } = await read(
      {
        "src/a/Main.sol": `pragma solidity ^0.8.0; import "./One.sol"; import "../Two.sol"; import "pkg/Three.sol"; import "@four/Four.sol";
          contract Main is One, Two, Three, Four { uint8 main; }`,
        "src/a/One.sol": "pragma solidity ^0.8.0; contract One { uint8 one; }",
        "src/Two.sol": "pragma solidity ^0.8.0; contract Two { uint8 two; }",
        "node_modules/pkg/Three.sol": "pragma solidity ^0.8.0; contract Three { uint8 three; }",
        "lib/four-4/src/Four.sol": "pragma solidity ^0.8.0; contract Four { uint8 four; }",
        "remappings.txt": "@four/=lib/four-4/src/\n"
      },
      ["src/a/Main.sol"]
    )
    expect(Object.keys(answer.value)).toEqual(["one", "two", "three", "four", "main"])
  })

  it("is refused with the reason, and with the compiler's words", async () => {
    const two = "pragma solidity ^0.8.0; contract A { uint8 a; } contract B { uint8 b; }"
    for (const [problem, detail, files, ...args] of [
      ["Unreadable", "there is no such file", {}, "none.json"],
      ["Unreadable", "there is no such file", {}, "none.sol"],
      ["NotALayout", "it is not a JSON object", { "a.json": "[1" }, "a.json"],
      ["NotALayout", /^this is not a layout: give output of solc/, { "a.json": { name: "package" } }, "a.json"],
      ["NotALayout", /^layout.storage/, { "a.json": { storage: [1] } }, "a.json"],
      [
        "NotALayout",
        /has no storageLayout: build again with "forge build/,
        { "a.json": { contractName: "A", sourceName: "A.sol" } },
        "a.json"
      ],
      ["NoContract", "it has no contract C, but A, B", { "a.sol": two }, "a.sol", "--contract", "C"],
      ["AmbiguousContract", "choose one with --contract: A, B", { "a.sol": two }, "a.sol"],
      ["NoContract", "it is the layout of Vault.sol:Vault", { "a.json": storageLayout }, "a.json", "--contract", "B"]
    ] as ReadonlyArray<[string, string | RegExp, Record<string, unknown>, ...Array<string>]>) {
      const { answer, exitCode } = await read(files, args)
      expect(exitCode).toBe(1)
      expect(answer.error).toMatchObject({ tag: "LayoutFileError", problem })
      expect(answer.error.detail).toMatch(detail)
    }
    const { answer } = await read({ "a.sol": "pragma solidity ^0.8.0;\ncontract A { uint8 a = ; }" }, ["a.sol"])
    expect(answer.error.problem).toBe("CompilerErrors")
    expect(answer.error.lines.join("\n")).toMatch(/ParserError: Expected primary expression[^]*2 \| contract A/)
    const missing = await read({ "a.sol": `pragma solidity ^0.8.0; import "./no.sol"; import "/etc/hosts";` }, [
      "a.sol"
    ])
    expect(missing.answer.error.lines.filter((line: string) => line.includes("there is no such file"))).toHaveLength(2)
  })

  it("is refused in few words, whatever is in it", async () => {
    const long = "x".repeat(100_000)
    const wrong = Array.from({ length: 500 }, (_, i) => `uint8 a${i} = "${long.slice(0, 1000)}";`).join("\n")
    const one = await read({ "a.sol": `contract A {\n${wrong}\n}` }, ["a.sol"])
    expect(one.answer.error).toMatchObject({ tag: "LayoutFileError", problem: "CompilerErrors" })
    expect(one.answer.error.lines.length).toBeGreaterThan(20)
    expect(one.answer.error.lines.at(-1)).toMatch(/^… and \d+ more lines$/u)
    for (const files of [
      { "a.sol": `contract A {\n${wrong}\n}` },
      { "a.sol": `contract A { uint8 ${long} = ; }` },
      { "a.sol": `contract A { ${long}${long} a; }` },
      { "a.sol": `contract ${long} { } contract B${long} { }` },
      { "a.json": { storage: [{ label: "x", offset: 0, slot: "0", type: long }], types: {} } }
    ]) {
      const { answer, exitCode } = await read(files, Object.keys(files))
      expect(exitCode).toBe(1)
      expect(JSON.stringify(answer).length).toBeLessThan(10_000)
    }
  })

  it("shows people the compiler's words below the error", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "a.sol")
    await writeFile(file, "contract A { uint8 a = ; }")
    const { stderr } = await RunCli.run(["slots", "--layout", file])
    const lines = stderr.split("\n")
    expect(lines[0]).toMatch(/^error: .*a\.sol: solc 0\.8\.\d+ does not compile it: Expected primary expression/)
    expect(stderr).toMatch(/\n {2}1 \| contract A/)
  })
})

it("compiles the prepared state's contracts to the layouts that it was recorded with", async () => {
  const compiled = await slots(["--layout", cabinetSource])
  const recorded = await slots(["--layout", cabinetLayout])
  expect(compiled.answer.value).toEqual(recorded.answer.value)
})
