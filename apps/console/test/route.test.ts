import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import * as Random from "@plumbline/seeded/Random"
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"

import { contentOf, link, parse, type ConsoleRoute } from "../src/route/ConsoleRoute.ts"
import { recognise } from "../src/route/Recognise.ts"

const HASH = `0x${"ab".repeat(32)}`
const CID = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
const ADDRESS = `0x${"cd".repeat(20)}`

const again = (place: ConsoleRoute): ConsoleRoute => {
  const { pathname, search } = new URL(link(place).href, "http://here.invalid")
  return parse(pathname, search)
}

describe("a link", () => {
  test.each<ConsoleRoute>([
    { _tag: "Home" },
    { _tag: "Ipfs" },
    { _tag: "Ipfs", cid: CID, path: [], view: undefined },
    { _tag: "Ipfs", cid: CID, path: ["a folder", "50% ? # ü.txt"], view: "dag" },
    { _tag: "Commands", command: undefined, params: undefined },
    { _tag: "Commands", command: "pin/add", params: `[["${CID}"],{"name":"a note"}]` },
    { _tag: "Pending", tx: undefined },
    { _tag: "Pending", chain: "starknet-pool", tx: "0x7" },
    { _tag: "Overview", window: undefined, by: undefined },
    { _tag: "Overview", window: "7d", by: "project" },
    { _tag: "Projects" },
    { _tag: "Project", id: "8daea3e6-768b-4934-b4f8-b5b957221c8c", window: undefined },
    { _tag: "Project", id: "8daea3e6-768b-4934-b4f8-b5b957221c8c", window: "7d" },
    { _tag: "Tokens", id: "8daea3e6-768b-4934-b4f8-b5b957221c8c" },
    { _tag: "Alerts" },
    { _tag: "Audit" },
    { _tag: "Accounts" },
    { _tag: "Webhooks", name: undefined },
    { _tag: "Webhooks", name: "on-call.pager_1" },
    { _tag: "Verify", cid: undefined },
    { _tag: "Verify", cid: "bagiacgzaz3hflocq33bwu5gaqod4vltowz5umfwqn5ejydqsgglmrtreqvtq" },
    { _tag: "Storage", network: "history", block: "latest" },
    { _tag: "Contract", network: "history", block: "latest" },
    { _tag: "Name", network: "mainnet", name: "alice.eth", block: "latest", trust: undefined },
    { _tag: "Name", network: "mainnet", name: "ni\u00f1o.\u2764.eth", block: HASH, trust: HASH },
    { _tag: "Contract", network: "history", address: ADDRESS, block: "69", trust: HASH },
    {
      _tag: "Storage",
      network: "history",
      address: ADDRESS,
      block: "69",
      trust: HASH,
      at: 'words["a/b?#[é"].length',
      from: "50"
    },
    {
      _tag: "Proof",
      network: "history",
      block: HASH,
      subject: { _tag: "Slot", address: ADDRESS, slot: HASH, name: "owner", part: { offset: 20, bytes: 8 } },
      trust: undefined,
      at: undefined,
      broken: undefined
    },
    { _tag: "Network", network: "history" },
    { _tag: "Playground", network: "history", method: undefined, params: undefined, trust: undefined },
    { _tag: "Playground", network: "history", method: "eth_getBalance", params: `["${ADDRESS}","0x5"]`, trust: HASH },
    { _tag: "Playground", network: "ipfs", method: "dag/get", params: "[]", trust: undefined },
    { _tag: "Prove", network: "history" },
    { _tag: "Lies", network: "history", lie: undefined },
    { _tag: "Lies", network: "history", lie: "log-drop-everywhere" },
    { _tag: "Block", network: "live", block: "17", trust: undefined },
    { _tag: "Block", network: "live", block: HASH, trust: HASH },
    { _tag: "Transaction", network: "live", hash: HASH, trust: undefined },
    { _tag: "Transaction", network: "live", hash: HASH, trust: HASH },
    { _tag: "Account", network: "live", address: ADDRESS, block: "latest", trust: undefined },
    {
      _tag: "Proof",
      network: "history",
      block: HASH,
      subject: { _tag: "Slot", address: ADDRESS, slot: HASH, name: "members[0x70].score" },
      trust: `checkpoint:${HASH}`,
      at: "storage.2",
      broken: { station: "storage.2", byte: 40, bit: 3 }
    },
    {
      _tag: "Proof",
      network: "history",
      block: "69",
      subject: { _tag: "Item", list: "uncles", index: 1, field: "miner" },
      trust: undefined,
      at: undefined,
      broken: undefined
    }
  ])("leads to the place that made it: $_tag", (place) => {
    expect(again(place)).toEqual(place)
  })

  test.each([
    ["/elsewhere", ""],
    ["/console/a/b/c/d", ""],
    ["/console/%E0%A4%A", ""],
    ["/console/live/block/0x12", ""],
    ["/console/live/tx/17", ""],
    ["/console/live/proof/17/header", ""],
    ["/console/live/proof/17/account/0x12/balance", ""],
    ["/console/live/playground/eth_call/more", ""],
    ["/console/live/playground/eth%20call", ""],
    ["/console/live/lies/Balance", ""],
    ["/console/projects/a/b", ""],
    ["/console/overview/a/b/c", ""],
    ["/console/projects/p/tokens/more", ""],
    ["/console/webhooks/a%20b", ""],
    ["/console/webhooks/a/b", ""],
    ["/console/li ve", ""],
    ["/console/live/storage/0x12", ""],
    [`/console/live/storage/${ADDRESS}/0x12`, ""],
    [`/console/live/proof/17/slot/${ADDRESS}/0x0/owner/20:13`, ""],
    [`/console/live/proof/17/slot/${ADDRESS}/0x0/owner/20:0`, ""],
    [`/console/live/proof/17/account/${ADDRESS}/balance/x/1:2`, ""]
  ])("that names no screen is unknown: %s", (pathname, search) => {
    expect(parse(pathname, search)._tag).toBe("Unknown")
  })

  test("with a CID, a block or a path of another form is read without it", () => {
    expect(parse("/console/verify", "?cid=no")).toEqual({ _tag: "Verify", cid: undefined })
    const place = parse(`/console/live/storage/${ADDRESS}`, `?from=0x1&at=${"a".repeat(401)}`)
    expect(place).toMatchObject({ _tag: "Storage", block: "latest", from: undefined, at: undefined })
  })

  test("with an anchor, a station or a bit of another form is read without it", () => {
    const place = parse(`/console/live/proof/17/header/stateRoot`, "?trust=0x12&broken=header:x:9")
    expect(place).toMatchObject({ _tag: "Proof", trust: undefined, broken: undefined })
  })

  test("with parameters that are not a JSON list is read without them", () => {
    for (const params of ["{}", "[", "x", `["${"a".repeat(9000)}"]`]) {
      const place = parse("/console/live/playground/eth_call", `?params=${encodeURIComponent(params)}`)
      expect(place).toMatchObject({ _tag: "Playground", params: undefined })
    }
  })

  test("of any letters is read without an exception", () => {
    const random = Random.make(56)
    const letters = Array.from("/console0x:%?&=.~ab\u00e9 #")
    for (let run = 0; run < 2000; run++) {
      const text = Array.from({ length: Random.int(random, 60) }, () => Random.pick(random, letters)).join("")
      expect(parse(`/console/${text}`, `?${text}`)._tag).toMatch(/^[A-Z]/u)
    }
  })
})

describe("a search", () => {
  test.each([
    [HASH, "Transaction"],
    [HASH.toUpperCase().replace("0X", "0x"), "Transaction"],
    [ADDRESS, "Account"],
    ["1,234", "Block"],
    ["0x45", "Block"],
    ["latest", "Block"],
    ["QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o", "Ipfs"],
    ["bagiacgzaz3hflocq33bwu5gaqod4vltowz5umfwqn5ejydqsgglmrtreqvtq", "Verify"],
    [`ipfs://${CID}/a%20b/ü.txt`, "Ipfs"],
    [`/ipfs/${CID}/`, "Ipfs"],
    ["ipfs://bagiacgzaz3hflocq33bwu5gaqod4vltowz5umfwqn5ejydqsgglmrtreqvtq", "Verify"],
    [`ipfs://${CID}//a`, undefined],
    ["ipns://example.org/a", undefined],
    ["0x123456789012345678901234567890", undefined],
    ["Alice.eth", "Name"],
    ["sub.ni\u00f1o.xyz", "Name"],
    ["1.5", undefined],
    ["a b.eth", undefined],
    [".eth", undefined],
    ["a word", undefined],
    ["", undefined]
  ])("takes %s for what it is", (text, tag) => {
    expect(recognise(text, "live").place?._tag).toBe(tag)
  })

  test("carries a CID to the verify screen", () => {
    const cid = "bagiacgzaz3hflocq33bwu5gaqod4vltowz5umfwqn5ejydqsgglmrtreqvtq"
    expect(recognise(` ${cid} `, "live").place).toEqual({ _tag: "Verify", cid })
  })

  test("reads a path of IPFS as the command does", () => {
    const random = Random.make(15)
    const names = ["a b", "..", ".", "%20", "\ud800", "", CID]
    let paths = 0
    for (let run = 0; run < 3000; run++) {
      const prefix = Random.pick(random, ["", "ipfs://", "IPFS:", "/ipfs/", "/", "ipfs:/", "/ipfs/ipfs/"])
      const path = Array.from({ length: Random.int(random, 3) }, () => `/${Random.pick(random, names)}`)
      const text = `${prefix}${Random.pick(random, [CID, "QmBad", ""])}${path.join("")}`
      const read = IpfsPath.split(text)
      const expected = Result.isSuccess(read) ? [read.success.root, read.success.names] : undefined
      const content = contentOf(text)
      expect(content === undefined ? undefined : [content.cid, content.path], text).toEqual(expected)
      if (expected !== undefined) paths++
    }
    expect(paths).toBeGreaterThan(100)
  })

  test("says how many digits are missing", () => {
    expect(recognise(`${ADDRESS}0`, "live").says).toBe("41 digits: a hash has 64, an address 40")
  })
})
