import { describe, expect, test } from "vitest"

import * as ExampleContracts from "../src/chain/ExampleContracts.ts"
import { registry } from "../src/look/useAtom.ts"
import * as ConsoleRoute from "../src/route/ConsoleRoute.ts"
import * as ExampleEntries from "../src/shell/exampleEntries.ts"
import { heightIn, nothingIn, type PaletteFacts, sectionsOf } from "../src/shell/paletteEntries.ts"
import { groups } from "../src/shell/screens.ts"
import * as ChosenLayouts from "../src/variables/ChosenLayouts.ts"

const HASH = `0x${"ab".repeat(32)}`
const ADDRESS = `0x${"cd".repeat(20)}`
const CID = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

const facts: PaletteFacts = {
  network: "live",
  networks: ["live", "history"],
  heads: new Map(),
  recent: [],
  examples: [],
  projects: [
    { id: "8daea3e6-768b-4934-b4f8-b5b957221c8c", name: "wallet" },
    { id: "1b4a", name: "cab service" }
  ],
  actions: [{ id: "action Change the theme", kind: "Action", title: "Change the theme", detail: "light or dark" }]
}

/** Returns the kind and the address of each entry of a section. */
const found = (text: string, section = "Found", more: Partial<PaletteFacts> = {}) =>
  (sectionsOf(text, { ...facts, ...more }).find(({ name }) => name === section)?.entries ?? []).map(
    ({ kind, place, title }) => [kind, place === undefined ? title : ConsoleRoute.link(place).href]
  )

describe("the palette finds", () => {
  test.each([
    [
      "17",
      [
        ["Block", "/console/live/block/17"],
        ["Block", "/console/history/block/17"]
      ]
    ],
    [
      "1,000",
      [
        ["Block", "/console/live/block/1000"],
        ["Block", "/console/history/block/1000"]
      ]
    ],
    [
      ADDRESS,
      [
        ["Address", `/console/live/account/${ADDRESS}/latest`],
        ["Address", `/console/history/account/${ADDRESS}/latest`]
      ]
    ],
    [
      HASH,
      [
        ["Transaction", `/console/live/tx/${HASH}`],
        ["Block", `/console/live/block/${HASH}?trust=${HASH}`],
        ["Transaction", `/console/history/tx/${HASH}`],
        ["Block", `/console/history/block/${HASH}?trust=${HASH}`]
      ]
    ],
    [
      "alice.eth",
      [
        ["Name", "/console/live/name/alice.eth/latest"],
        ["Name", "/console/history/name/alice.eth/latest"]
      ]
    ],
    // content belongs to no network, so it is found once
    [CID, [["CID", `/console/ipfs/${CID}`]]],
    [`ipfs://${CID}/a/b.txt`, [["CID", `/console/ipfs/${CID}?path=a/b.txt`]]],
    ["WALL", [["Project", "/console/projects/8daea3e6-768b-4934-b4f8-b5b957221c8c"]]]
  ])("what %s names, with its type", (text, entries) => {
    expect(found(text)).toEqual(entries)
  })

  test("a height that a chain does not have yet, and says so", () => {
    const heads = new Map([
      ["live", 16n],
      ["history", 69n]
    ])
    const details = (text: string) => sectionsOf(text, { ...facts, heads })[0]!.entries.map(({ detail }) => detail)
    expect(details("16")).toEqual(["on live", "on history"])
    expect(details("0x11")).toEqual(["not there yet: live is at 16", "on history"])
    expect(details("1,000")).toEqual(["not there yet: live is at 16", "not there yet: history is at 69"])
    expect(details("latest")).toEqual(["on live", "on history"])
    expect(heightIn("1,000")).toBe(1000n)
    expect(heightIn("latest")).toBeUndefined()
    expect(heightIn(HASH)).toBeUndefined()
  })

  test("a hash that the reader typed as trusted, and no other", () => {
    const [section] = sectionsOf(HASH, facts)
    expect(section!.entries.map(({ typed }) => typed)).toEqual([HASH, undefined, HASH, undefined])
  })

  test("screens and actions by their words", () => {
    // the lies of the service's own nodes, and a demonstration, have names of their own
    expect(found("lies", "Screens")).toEqual([
      ["Check", "/console/live/lies"],
      ["Run", "/console/overview"]
    ])
    for (const words of ["variables", "storage"]) {
      expect(found(words, "Screens")).toContainEqual(["Look", "/console/live/storage"])
    }
    expect(found("theme", "Actions")).toEqual([["Action", "Change the theme"]])
    expect(found("", "Screens").length).toBe(groups.flatMap(({ screens }) => screens).length)
    expect(found("block", "Screens", { network: undefined, networks: [] })).toEqual([])
  })

  test("the contracts, variables and accounts of the embedded chains by their names", async () => {
    const layouts = await ExampleEntries.readLayouts()
    const networks = [
      { name: "history", chainId: 7771 },
      { name: "live", chainId: 31337 },
      // a chain of the reader's with the id of another one
      { name: "mine", chainId: 31337 }
    ]
    const examples = networks.flatMap((network) => ExampleEntries.entriesOf(network, layouts))
    const named = (text: string) => found(text, "Examples", { examples })
    const { cabinet, token } = ExampleContracts.of(networks[0])!
    expect(named("Cabinet").slice(0, 4)).toEqual([
      ["Variables", `/console/history/storage/${cabinet}/latest`],
      ["Contract", `/console/history/contract/${cabinet}/latest`],
      ["Variables", expect.stringContaining("/console/live/storage/")],
      ["Contract", expect.stringContaining("/console/live/contract/")]
    ])
    expect(named("functions token")[0]).toEqual(["Contract", `/console/history/contract/${token}/latest`])
    expect(named("temperature")).toEqual([
      ["Variable", `/console/history/storage/${cabinet}/latest?at=temperature`],
      ["Variable", expect.stringContaining("at=temperature")]
    ])
    expect(named("account ether history").map(([kind]) => kind)).toEqual(["Account", "Account", "Account"])
    expect(named("")).toEqual([])
    expect(named("mine")).toEqual([])
    // a variable opens with the layout that names it
    const address = ExampleContracts.of(networks[1])!.counter
    examples.find(({ id }) => id === "example live counter variables")!.run!()
    expect(registry.get(ChosenLayouts.of("live", address)).named?.name).toBe("Counter")
  })

  test("recent places once, beside what the text names", () => {
    const block = { id: "recent", kind: "Block", title: "17", detail: "on live" }
    const recent = [{ ...block, place: { _tag: "Block", network: "live", block: "17" } as const }]
    expect(found("", "Recent", { recent })).toEqual([["Block", "/console/live/block/17"]])
    expect(found("17", "Recent", { recent })).toEqual([])
    expect(found("wallet", "Recent", { recent })).toEqual([])
  })

  test("nothing in a key or a wrong address, and says why", () => {
    const key = "0123456789abcdef0123456789abcdef"
    expect(sectionsOf(key, facts)).toEqual([])
    expect(nothingIn(key, [], "live")).toBe("Not a hash, a number, an address, a name or a CID")
    // a key in hex that begins as a CID in hex does
    for (const start of ["f", "f0", "f01"]) expect(sectionsOf(start.padEnd(32, "9a"), facts)).toEqual([])
    expect(found(`f01551220${"5a".repeat(32)}`).map(([kind]) => kind)).toEqual(["CID"])
    expect(nothingIn("0x12zz", [], "live")).toBe("Not a hash, a number, an address, a name or a CID")
    const [digit, ...rest] = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    expect(nothingIn(`0x${digit}${rest.join("").toUpperCase().replace("A", "a")}`, [], "live")).toContain(
      "wrong checksum"
    )
  })
})

describe("the navigation", () => {
  test("has each kind of place in one screen, apart from the landing and places that do not exist", () => {
    const tags = groups.flatMap(({ screens }) => screens.flatMap(({ tags }) => tags))
    expect(new Set(tags).size).toBe(tags.length)
    const paths = ["/", "/live", "/live/block/1", `/live/tx/${HASH}`, `/live/account/${ADDRESS}`, "/live/name/a.eth"]
    const more = ["/live/proof/1/header/stateRoot", "/ipfs", "/ipfs/commands", "/pending", "/overview", "/projects"]
    const last = [
      "/live/prove",
      "/projects/a",
      "/projects/a/tokens",
      "/alerts",
      "/webhooks",
      "/live/playground",
      "/live/lies"
    ]
    const all = [...paths, ...more, ...last, "/live/storage", "/live/contract", "/verify"]
    const outside = all
      .map((path) => ConsoleRoute.parse(`/console${path}`, "")._tag)
      .filter((tag) => !tags.includes(tag))
    expect(outside).toEqual(["Home"])
  })

  test("leads each screen to a place that belongs to it", () => {
    for (const { placeOf, tags } of groups.flatMap(({ screens }) => screens)) {
      const place = placeOf("live")!
      expect(tags).toContain(ConsoleRoute.parseHref(ConsoleRoute.link(place).href)._tag)
    }
  })
})
