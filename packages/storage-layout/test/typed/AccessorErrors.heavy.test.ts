/** Checks the compiler's errors for paths that do not exist, and the cost of typed paths. */
import { assert, describe, it } from "@effect/vitest"
import { Generate, Layout } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Instantiations from "../../scripts/instantiations.ts"
import * as Tsc from "../../scripts/tsc.ts"
import * as Kinds from "../support/kinds.ts"
import * as Solidity from "../support/solidity.ts"

const { contract, output } = Solidity.compile(`
type Tag is bytes3;
type interest is uint96;
abstract contract Base { uint8 private shadow; }
contract Vault is Base {
  enum Color { Red, Green, Blue }
  struct Item { address owner; uint96 size; mapping(uint256 => bool) seen; }
  uint256 total; string name; uint8 private shadow; Color color; uint256[3] grid; Item[] list;
  mapping(address => uint256) balances; mapping(Color => Item) byColor; mapping(Tag => bool) byTag;
  mapping(string => bool) byText; mapping(bool => bool) byBool; interest rate;
  /// @custom:storage-location erc7201:vault.main
  struct Main { uint8 x; }
}`)
const enriched = Generate.typescript(Result.getOrThrow(Layout.fromSolcOutput(output, "Vault")))
/** The layout in solc's form, without fields from the syntax tree. */
const bare = `export const layout = ${JSON.stringify(contract("Vault").storageLayout)} as const`

/** Statements with the compiler's errors. The errors are cut before the list of all variables. */
const wrong: ReadonlyArray<readonly [statement: string, message: string]> = [
  ["vault.totals", "Property 'totals' does not exist on type '{ ... }'. Did you mean 'total'?"],
  ["vault.shadow", "Property 'shadow' does not exist on type '{ ... }'."],
  [`vault["Base.shadw"]`, "Property 'Base.shadw' does not exist on type '{ ... }'. Did you mean 'Base.shadow'?"],
  [
    `vault['erc7201("vault.mian")']`,
    `Property 'erc7201("vault.mian")' does not exist on type '{ ... }'. Did you mean 'erc7201("vault.main")'?`
  ],
  [
    "vault.list.at(0).sizes",
    "Property 'sizes' does not exist on type 'Ref<{ readonly owner: Address; readonly size: bigint; }> & { ... }'. Did you mean 'size'?"
  ],
  ["vault.total.length", "Property 'length' does not exist on type 'Ref<bigint>'."],
  ["vault.name.at(0)", "Property 'at' does not exist on type 'Ref<string> & LengthRef'."],
  ["vault.grid.length", "Property 'length' does not exist on type 'Ref<readonly bigint[]> & ArrayRef<Ref<bigint>>'."],
  [`vault.grid.at("0")`, "Argument of type 'string' is not assignable to parameter of type 'number | bigint'."],
  ["vault.balances.total", "Property 'total' does not exist on type 'MappingRef<`0x${string}`, Ref<bigint>>'."],
  ["vault.balances.get(7n)", "Argument of type '7n' is not assignable to parameter of type '`0x${string}`'."],
  [`vault.balances.get("bob")`, `Argument of type '"bob"' is not assignable to parameter of type '\`0x\${string}\`'.`],
  [
    `vault.byColor.get("Blu")`,
    `Argument of type '"Blu"' is not assignable to parameter of type '"Blue" | "Green" | "Red"'.`
  ],
  ["vault.byTag.get(5n)", "Argument of type '5n' is not assignable to parameter of type '`0x${string}`'."],
  ["vault.byText.get(7n)", "Argument of type 'bigint' is not assignable to parameter of type 'string'."],
  [`vault.byBool.get("true")`, "Argument of type 'string' is not assignable to parameter of type 'boolean'."],
  [
    "Accessor.path(vault.balances)",
    "Property '[ValueInStorage]' is missing in type 'MappingRef<`0x${string}`, Ref<bigint>>' but required in type 'Ref<unknown>'."
  ],
  [
    "export const red: Accessor.Ref<'Red'> = vault.color",
    `Type 'Ref<"Blue" | "Green" | "Red">' is not assignable to type 'Ref<"Red">'.`
  ],
  [
    "export const text: Accessor.Ref<string> = vault.total",
    "Type 'Ref<bigint>' is not assignable to type 'Ref<string>'."
  ]
]

/** Returns the first line of the compiler's error about each statement, or the empty text if there is no error. */
const messages = async (layout: string, statements: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const head = [
    `import * as Accessor from "@plumbline/storage-layout/typed/Accessor"`,
    `import { layout } from "./Layout.ts"`,
    "const vault = Accessor.make(layout)"
  ]
  const program = [...head, ...statements].join("\n")
  const { text } = await Tsc.run({ "Layout.ts": layout, "program.ts": program })
  const found = new Map(
    Array.from(text.matchAll(/^program\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm), ([, line, message]) => [
      Number(line),
      message!.replace(/\{ (?=readonly (?:balances|"Base\.shadow"|owner: Ref)).* \}'/, "{ ... }'")
    ])
  )
  return statements.map((_, i) => found.get(head.length + i + 1) ?? "")
}

describe("a typed path that leads nowhere", () => {
  it("is refused by the compiler with what is wrong, and the name that was meant", async () => {
    const said = await messages(
      enriched,
      wrong.map(([statement]) => statement)
    )
    assert.deepStrictEqual(
      wrong.map(([statement], i) => [statement, said[i]]),
      wrong.map(([statement, message]) => [statement, message])
    )
  })

  it("is refused where only the syntax tree would tell what a key or a value is", async () => {
    const statements = [
      `vault.byTag.get("0x010203")`,
      `vault.byColor.get("Red")`,
      "export const rate: Accessor.Ref<bigint> = vault.rate"
    ]
    assert.deepStrictEqual(await messages(bare, statements), [
      "Argument of type 'string' is not assignable to parameter of type 'UnknownKey'.",
      "Argument of type 'string' is not assignable to parameter of type 'bigint'.",
      "Type 'Ref<`0x${string}`>' is not assignable to type 'Ref<bigint>'."
    ])
  })
})

describe("the typed accessor", () => {
  it("costs the compiler few instantiations, with every path of a large contract", async () => {
    const counted = await Instantiations.count(
      `pragma solidity ^0.8.29;${Kinds.source("0x1000")}`,
      "Kinds",
      Kinds.paths
    )
    assert.isAbove(counted.variables, 80)
    assert.isAbove(counted.instantiations, counted.paths)
    assert.isAtMost(counted.instantiations, counted.limit)
  })
})
