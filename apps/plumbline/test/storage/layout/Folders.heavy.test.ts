/**
 * Files and folders from build tools, passed to `--layout`. The expected places of variables come from solc, and the
 * slots of entries from viem's hashes.
 */
import { describe, expect, it } from "@effect/vitest"
import * as viem from "viem"

import * as Built from "../../support/Built.ts"

const SOURCES: Built.Sources = {
  "src/Types.sol": "pragma solidity >=0.8.8; type Price is uint96; type Tag is bytes3; enum Color { Red, Green }",
  "src/IShop.sol":
    'pragma solidity >=0.8.8; import "./Types.sol"; interface IShop { function price() external returns (Price); }',
  "src/Base.sol":
    'pragma solidity >=0.8.8; import { Color } from "./Types.sol"; abstract contract Base { uint8 private shadow; mapping(Color => uint256) byColor; }',
  "src/Shop.sol": `pragma solidity >=0.8.8; import "./IShop.sol"; import "./Base.sol";
    contract Shop is Base { uint8 private shadow; Price price; mapping(Price => uint256) byPrice; mapping(Tag => uint256) byTag; mapping(IShop => uint256) byShop; }`
}
const run = Built.compile(SOURCES)
const { storage } = run.output.contracts["src/Shop.sol"].Shop.storageLayout
const slotOf = (label: string): bigint => BigInt(storage.find((item: any) => item.label === label).slot)
const hash = (key: bigint, label: string) =>
  viem.keccak256(viem.concat([key, slotOf(label)].map((word) => viem.numberToHex(word, { size: 32 }))))

const SHOP = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
const keyed = ["byPrice[7]", "byTag[0x010203]", `byShop[${SHOP}]`, "byColor[Green]", "Base.shadow"]
const expected = {
  "byPrice[7]": { slot: hash(7n, "byPrice"), offset: 0, bytes: 32 },
  // bytesN are at the high-order end of a key
  "byTag[0x010203]": { slot: hash(0x010203n << 232n, "byTag"), offset: 0, bytes: 32 },
  [`byShop[${SHOP}]`]: { slot: hash(BigInt(SHOP), "byShop"), offset: 0, bytes: 32 },
  "byColor[Green]": { slot: hash(1n, "byColor"), offset: 0, bytes: 32 },
  "Base.shadow": { slot: viem.numberToHex(0n, { size: 32 }), offset: 0, bytes: 1 }
}

/** Returns the places that the command finds, or its error. */
const finds = async (files: Built.Files, ...args: ReadonlyArray<string>) => {
  const { answer } = await Built.slots(files, [...args, ...keyed])
  return answer.value ?? answer
}
const fails = async (files: Built.Files, ...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await Built.slots(files, args)
  expect(exitCode).toBe(1)
  expect(answer.error.tag).toBe("LayoutFileError")
  return answer.error as { readonly problem: string; readonly detail: string }
}

describe("what Foundry builds", () => {
  it("is refused by default, with the flags that make a layout", async () => {
    for (const place of ["out/Shop.sol/Shop.json", "out"]) {
      const { detail, problem } = await fails(Built.forge(run), place, "--contract", "Shop")
      expect(problem).toBe("NotALayout")
      expect(detail).toContain("forge build --force --extra-output storageLayout --ast")
      expect(detail).toContain("--build-info")
    }
  })

  it("has keys of imported types, enums, value types and contracts, with --extra-output storageLayout --ast", async () => {
    const files = Built.forge(run, { layout: true, ast: true })
    expect(await finds(files, "out/Shop.sol/Shop.json")).toEqual(expected)
    expect(await finds(files, "out")).toEqual(expected)
    expect(await finds(files, "out", "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, "out", "--contract", "Shop.sol:Shop")).toEqual(expected)
    expect(await finds(files, "out", "--contract", "src/Shop.sol:Shop")).toEqual(expected)
    expect(await finds({ ...files, "foundry.toml": "[profile.default]" }, "", "--contract", "Shop")).toEqual(expected)
  })

  it("is read with --build-info, with a layout in it or without, with the version in its name", async () => {
    // For a build without a layout the sources are compiled, which takes a second each time.
    const bare = Built.forge(run, { info: true })
    expect(await finds(bare, "out", "--contract", "Shop")).toEqual(expected)
    expect(await finds(bare, "out/build-info/0a1b.json", "--contract", "Shop")).toEqual(expected)
    for (const versioned of [false, true]) {
      const files = Built.forge(run, { info: true, layout: true, versioned })
      expect(await finds(files, "out", "--contract", "Shop")).toEqual(expected)
      expect(await finds(files, "out/build-info", "--contract", "Shop")).toEqual(expected)
      expect(await finds(files, "out/build-info/0a1b.json", "--contract", "Shop")).toEqual(expected)
      const artifact = Object.keys(files).find((name) => name.startsWith("out/Shop.sol/Shop."))
      expect(await finds(files, artifact!)).toEqual(expected)
    }
  })

  it("does not put trees of another run with a layout: the numbers in them mean other things", async () => {
    const files = Built.forge(run, { layout: true, ast: true })
    const other = Built.compile({
      ...SOURCES,
      "src/AFirst.sol": "pragma solidity >=0.8.8; contract AFirst { uint256 x; uint256 y; }"
    })
    const stale = {
      ...files,
      "out/Types.sol/Types.json": Built.forge(other, { layout: true, ast: true })["out/Types.sol/Types.json"]
    }
    const { answer } = await Built.slots(stale, ["out", "--contract", "Shop", "byPrice[7]"])
    expect(answer.error).toMatchObject({ tag: "PathError", reason: "OpaqueKey" })
    const { answer: plain } = await Built.slots(stale, ["out", "--contract", "Shop", "price"])
    expect(plain.value.price).toMatchObject({ offset: 1, bytes: 12 })
  })

  it("chooses the one contract that is neither a test, a script nor an interface, and lists them where there are several", async () => {
    const tests = {
      "test/Shop.t.sol": "pragma solidity >=0.8.8; contract ShopTest { uint256 fixture; }",
      "script/Shop.s.sol": "pragma solidity >=0.8.8; contract Deploy { uint256 key; }"
    }
    const built = Built.compile({ ...SOURCES, ...tests })
    expect(await finds(Built.forge(built, { layout: true, ast: true }), "out")).toEqual(expected)
    const two = Built.compile({
      ...SOURCES,
      "src/Till.sol": "pragma solidity >=0.8.8; contract Till { uint256 cash; }"
    })
    const several = await fails(Built.forge(two, { layout: true, ast: true }), "out")
    expect(several).toMatchObject({
      problem: "AmbiguousContract",
      detail: "choose one with --contract: src/Shop.sol:Shop, src/Till.sol:Till"
    })
    const none = await fails(Built.forge(two, { layout: true, ast: true }), "out", "--contract", "Shpo")
    expect(none).toMatchObject({ problem: "NoContract", detail: "it has no contract Shpo; did you mean Shop?" })
  })

  it("tells contracts of one name apart by their sources", async () => {
    const twins = Built.compile({
      "src/a/Twin.sol": "pragma solidity >=0.8.8; contract Twin { uint8 a; }",
      "src/b/Twin.sol": "pragma solidity >=0.8.8; contract Twin { uint8 b; }"
    })
    const all = Built.forge(twins, { layout: true, ast: true, info: true })
    const [info] = [all["out/build-info/0a1b.json"]]
    const files = { "out/build-info/0a1b.json": info }
    const both = await fails(files, "out", "--contract", "Twin")
    expect(both).toMatchObject({
      problem: "AmbiguousContract",
      detail: "choose one with --contract: src/a/Twin.sol:Twin, src/b/Twin.sol:Twin"
    })
    const { answer } = await Built.slots(files, ["out", "--contract", "b/Twin.sol:Twin"])
    expect(Object.keys(answer.value)).toEqual(["b"])
  })
})

describe("what Hardhat builds", () => {
  it("is read from artifacts and build info of version 2, with layouts and without", async () => {
    const files = Built.hardhat2(run, true)
    expect(await finds(files, "artifacts")).toEqual(expected)
    expect(await finds(files, "artifacts", "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, "artifacts/build-info", "--contract", "src/Shop.sol:Shop")).toEqual(expected)
    expect(await finds(files, "artifacts/build-info/f00d.json", "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, "artifacts/src/Shop.sol/Shop.json")).toEqual(expected)
    expect(await finds({ ...files, "hardhat.config.ts": "" }, "", "--contract", "Shop")).toEqual(expected)
    const bare = Built.hardhat2(run, false)
    expect(await finds(bare, "artifacts", "--contract", "Shop")).toEqual(expected)
    expect(await finds(bare, "artifacts/build-info", "--contract", "Shop")).toEqual(expected)
  })

  it("is read from artifacts and build info of version 3, from either half", async () => {
    const files = Built.hardhat3(SOURCES, true)
    const id = Object.keys(files).find((name) => name.endsWith("-beef.json"))!
    expect(await finds(files, "artifacts", "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, "artifacts/build-info", "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, id, "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, id.replace(".json", ".output.json"), "--contract", "Shop")).toEqual(expected)
    expect(await finds(files, "artifacts/src/Shop.sol/Shop.json")).toEqual(expected)
    const bare = Built.hardhat3(SOURCES, false)
    expect(await finds(bare, "artifacts", "--contract", "Shop")).toEqual(expected)
    expect(await finds(bare, id, "--contract", "Shop")).toEqual(expected)
  })
})

describe("what others keep", () => {
  it("is a folder of Sourcify: metadata, and sources under any name that have its hashes", async () => {
    for (const version of [1, 2] as const) {
      const files = Built.sourcify(run, "src/Shop.sol", "Shop", version)
      expect(await finds(files, "")).toEqual(expected)
      expect(await finds(files, "metadata.json")).toEqual(expected)
      expect(await finds(files, "", "--contract", "Shop")).toEqual(expected)
    }
    const files = Built.sourcify(run, "src/Shop.sol", "Shop", 1)
    const changed = { ...files, "sources/src/Base.sol": `${SOURCES["src/Base.sol"]!} // changed` }
    expect((await fails(changed, "")).detail).toContain("no file here is the source src/Base.sol")
  })

  it("is an answer of Sourcify's API, or a folder of Truffle", async () => {
    const { storageLayout } = run.output.contracts["src/Shop.sol"].Shop
    const answer = { abi: [], storageLayout, compilation: { fullyQualifiedName: "src/Shop.sol:Shop" } }
    const { answer: read } = await Built.slots({ "shop.json": answer }, ["shop.json", "price", "--contract", "Shop"])
    expect(read.value.price).toMatchObject({ offset: 1, bytes: 12 })
    const plain = {
      "contracts/A.sol": 'pragma solidity >=0.8.8; import "./B.sol"; contract A is B { uint8 a; }',
      "contracts/B.sol": "pragma solidity >=0.8.8; contract B { uint8 b; }"
    }
    const files = Built.truffle(Built.compile(plain))
    for (const args of [["build/contracts", "--contract", "A"], ["build/contracts/A.json"]]) {
      const { answer } = await Built.slots(files, args)
      expect(Object.keys(answer.value ?? answer)).toEqual(["b", "a"])
    }
  })

  it("is combined JSON of solc, old and new", async () => {
    const { contracts, sources } = run.output
    const combined = (write: (layout: unknown) => unknown) => ({
      contracts: { "src/Shop.sol:Shop": { "storage-layout": write(contracts["src/Shop.sol"].Shop.storageLayout) } },
      sources: Object.fromEntries(Object.entries<any>(sources).map(([name, { ast }]) => [name, { AST: ast }])),
      version: run.version
    })
    expect(await finds({ "a.json": combined((layout) => layout) }, "a.json")).toEqual(expected)
    expect(await finds({ "a.json": combined(JSON.stringify) }, "a.json", "--contract", "Shop")).toEqual(expected)
  })

  it("is combined JSON of Vyper, whose ABI tells which types are interfaces", async () => {
    const layout = { storage_layout: { token: { type: "IERC20", n_slots: 1, slot: 3 } } }
    const abi = [{ type: "function", name: "token", inputs: [], outputs: [{ type: "address", name: "" }] }]
    const { answer } = await Built.slots({ "a.json": { "a.vy": { layout, abi }, version: "0.4.3" } }, ["a.json"])
    expect(answer.value.token).toMatchObject({ bytes: 20 })
  })
})

describe("what another solc compiled", () => {
  it("is read by its output, and compiled again where this solc can", async () => {
    for (const [compiler, pragma] of [
      ["solc-0.5.13", ">=0.5.13"],
      ["solc-0.6.12", ">=0.6.0"],
      ["solc-0.8.20", "^0.8.0"]
    ] as const) {
      const older = Built.compile(
        { "src/Old.sol": `pragma solidity ${pragma}; contract Old { uint8 a; uint16 b; }` },
        compiler
      )
      for (const layout of [true, false]) {
        const { answer } = await Built.slots(Built.hardhat2(older, layout), ["artifacts", "--contract", "Old"])
        expect([compiler, Object.keys(answer.value ?? answer)]).toEqual([compiler, ["a", "b"]])
      }
    }
  })

  it("gets advice where this solc cannot: which version, and what it must be asked for", async () => {
    const source = { "src/Old.sol": "pragma solidity 0.8.20; contract Old { uint8 a; }" }
    const older = Built.compile(source, "solc-0.8.20")
    for (const [files, ...args] of [
      [Built.hardhat2(older, false), "artifacts", "--contract", "Old"],
      [Built.forge(older, { info: true }), "out", "--contract", "Old"],
      [Built.sourcify(older, "src/Old.sol", "Old", 1), ""]
    ] as ReadonlyArray<[Built.Files, ...Array<string>]>) {
      const { detail, problem } = await fails(files, ...args)
      expect(problem).toBe("CompilerErrors")
      expect(detail).toMatch(
        /^solc 0\.8\.\d+ does not compile it: .*this command has solc 0\.8\.\d+: compile with solc 0\.8\.20 and give its output/
      )
      expect(detail).toContain("--extra-output storageLayout --ast")
    }
    const { detail } = await fails(source, "src/Old.sol")
    expect(detail).toMatch(
      /compile with that version and give its output, of "solc --standard-json" with storageLayout/
    )
  })

  it("has no layout before 0.5.13, and is told so", async () => {
    const info = {
      _format: "hh-sol-build-info-1",
      solcVersion: "0.4.26",
      input: {
        language: "Solidity",
        sources: { "a.sol": { content: "pragma solidity 0.4.26; contract A { uint a; }" } }
      },
      output: { contracts: { "a.sol": { A: { abi: [] } } } }
    }
    expect((await fails({ "info.json": info }, "info.json")).detail).toContain(
      "solc 0.4.26 writes no layouts (0.5.13 is the first that does)"
    )
    const { input: _, ...bare } = info
    expect((await fails({ "info.json": bare }, "info.json")).detail).toContain(
      "the output of solc 0.4.26 has no storageLayout, which 0.5.13 was the first to write"
    )
  })
})

describe("a folder", () => {
  it("without any layout says so", async () => {
    expect(await fails({ "a/readme.txt": "nothing" }, "a")).toMatchObject({
      problem: "NoContract",
      detail: "it has no contract"
    })
    expect(await fails({ "a/package.json": { name: "x" } }, "a")).toMatchObject({ problem: "NoContract" })
    expect(await fails({ "a/broken.json": "{" }, "a", "--contract", "A")).toMatchObject({ problem: "NoContract" })
  })
})
