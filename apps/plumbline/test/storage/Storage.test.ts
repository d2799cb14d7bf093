/**
 * `plumbline read` and `plumbline diff`, checked against the contracts' own getters through viem, and against the
 * archive of the history chain as viem decodes it.
 */
import { readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Reading from "../support/HistoryReading.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const history = HistoryNode.lyingNode()
const anvil = Devnet.lyingNode()

const contracts = path.join(Places.DEVNET, "contracts")
const layouts = path.join(Places.DEVNET, "state/layouts")
const layoutOf = (name: string) => ["--layout", path.join(layouts, `${name}.json`)]
const head = Reading.blocks.at(-1)!
const accounts = PreparedState.accounts.map(({ address }) => address)

const run = (args: ReadonlyArray<string>, lie?: Lie) =>
  RunCli.json([...args, "--url", lie === undefined ? history().url : history().telling(lie)])

/** Converts values of viem to the form of `--json`. */
const wire = (value: unknown): unknown => {
  if (typeof value === "bigint" || typeof value === "number") return String(value)
  if (typeof value === "string") return value.startsWith("0x") ? value.toLowerCase() : value
  return value
}

describe("what plumbline read says on anvil", () => {
  const getters = (abi: viem.Abi, address: viem.Address) => {
    const client = viem.createPublicClient({ transport: viem.http(anvil().url) })
    return async (functionName: string, ...args: ReadonlyArray<unknown>) =>
      wire(await client.readContract({ abi, address, functionName, args: [...args] }))
  }
  const read = async (args: ReadonlyArray<string>) => {
    const { answer, exitCode } = await RunCli.json([
      "read",
      ...args,
      "--trust",
      PreparedState.head.hash,
      "--url",
      anvil().url
    ])
    expect([exitCode, answer.verdict, answer.claimed]).toEqual([0, "VERIFIED", []])
    expect(answer.anchor).toEqual({ kind: "block", hash: PreparedState.head.hash })
    return answer
  }

  it("is what a token's getters return: texts, and every balance and allowance", async () => {
    const { address } = PreparedState.contracts.token
    const get = getters(
      viem.parseAbi([
        "function name() view returns (string)",
        "function symbol() view returns (string)",
        "function totalSupply() view returns (uint256)",
        "function balanceOf(address) view returns (uint256)",
        "function allowance(address, address) view returns (uint256)"
      ]),
      address
    )
    const expected: Record<string, unknown> = {}
    for (const name of ["name", "symbol", "totalSupply"]) expected[name] = await get(name)
    for (const holder of accounts) expected[`balanceOf[${holder}]`] = await get("balanceOf", holder)
    const [owner, spender] = [accounts[0]!, accounts[1]!]
    expected[`allowance[${owner}][${spender}]`] = await get("allowance", owner, spender)
    const { value } = await read([address, ...Object.keys(expected), ...layoutOf("Token")])
    expect(value).toEqual(expected)
    expect(Object.values(expected).some((value) => value !== "0")).toBe(true)
  })

  it("is what the cabinet's getters return, by its source, with names of enums' members", async () => {
    const { address } = PreparedState.contracts.cabinet
    const get = getters(
      viem.parseAbi([
        "function owner() view returns (address)",
        "function openedAt() view returns (uint64)",
        "function phase() view returns (uint8)",
        "function locked() view returns (bool)",
        "function temperature() view returns (int16)",
        "function marker() view returns (bytes4)",
        "function price() view returns (uint96)",
        "function drift() view returns (int128)",
        "function counter() view returns (uint256)",
        "function fingerprint() view returns (bytes32)",
        "function deepest() view returns (int256)",
        "function title() view returns (string)",
        "function story() view returns (string)",
        "function blob() view returns (bytes)",
        "function fixedSmall(uint256) view returns (uint16)"
      ]),
      address
    )
    const names = ["owner", "openedAt", "phase", "locked", "temperature", "marker", "price", "drift", "counter"]
    const expected: Record<string, unknown> = {}
    for (const name of [...names, "fingerprint", "deepest", "title", "story", "blob"]) expected[name] = await get(name)
    expected["phase"] = ["Draft", "Open", "Closed"][Number(expected["phase"])]
    expected["fixedSmall"] = await Promise.all(Array.from({ length: 20 }, (_, i) => get("fixedSmall", BigInt(i))))
    const { left, value } = await read([address, "--layout", path.join(contracts, "Cabinet.sol")])
    expect(value).toMatchObject(expected)
    expect(left.map(({ path, reason }: any) => `${reason} ${path}`)).toEqual([
      "Mapping members",
      "Mapping visits",
      "Mapping wordCount",
      "Mapping history",
      "Mapping grid"
    ])
  })
})

describe("what plumbline read says of the history chain", () => {
  const { cabinet, token } = HistoryChain.contracts
  const holder = accounts[1]!
  const balance = `balanceOf[${holder}]`
  const slot = viem.keccak256(viem.encodePacked(["uint256", "uint256"], [BigInt(holder), 3n]))

  /** The words of storage in the archive, decoded by viem. */
  const words = (block: Reading.Block) =>
    (Reading.proofOf(block, token.address, [viem.numberToHex(2, { size: 32 }), slot]) as any).storageProof.map(
      ({ value }: any) => BigInt(value).toString()
    )

  it("is VERIFIED as of every block, by its hash and from a later one", async () => {
    for (const block of Reading.blocks.filter(({ number }) => number % 7 === 0)) {
      const [totalSupply, held] = words(block)
      for (const [reference, anchor] of [
        [["--block", block.hash], block.hash],
        [["--block", String(block.number), "--trust", head.hash], head.hash]
      ] as const) {
        const { answer, exitCode } = await run([
          "read",
          token.address,
          "totalSupply",
          balance,
          ...layoutOf("Token"),
          ...reference
        ])
        expect(exitCode).toBe(0)
        expect(answer).toMatchObject({
          verdict: "VERIFIED",
          value: { totalSupply, [balance]: held },
          block: { number: viem.numberToHex(block.number), hash: block.hash },
          anchor: { kind: "block", hash: anchor },
          claimed: []
        })
        const absent = block.number < token.block ? ["absent"] : []
        expect(Object.keys(answer)).toEqual(["verdict", "value", ...absent, "block", "anchor", "proven", "claimed"])
      }
    }
  })

  it("is CLAIMED when no hash is trusted, and null when there is no such block", async () => {
    const claimed = await run(["read", token.address, "totalSupply", ...layoutOf("Token")])
    expect([claimed.exitCode, claimed.answer.verdict, claimed.answer.anchor]).toEqual([0, "CLAIMED", null])
    expect(claimed.answer.value.totalSupply).toBe(words(head)[0])
    const none = await run(["read", token.address, "totalSupply", ...layoutOf("Token"), "--block", "1000"])
    expect([none.exitCode, none.answer.verdict, none.answer.value]).toEqual([0, "CLAIMED", null])
  })

  it("is structs as objects, numbers as text, enums by name, and null beyond an array", async () => {
    const args = ["points", "points.length", "phase", "temperature", "numbers[99]", "locked", "marker", "corners[1].y"]
    const { answer } = await run(["read", cabinet.address, ...args, ...layoutOf("Cabinet"), "--trust", head.hash])
    expect(answer.value).toEqual({
      points: [
        { x: "-1", y: "1" },
        { x: "3", y: "-4" }
      ],
      "points.length": "2",
      phase: "Closed",
      temperature: "21",
      "numbers[99]": null,
      locked: true,
      marker: "0xcafebabe",
      "corners[1].y": "-7"
    })
  })

  it("is the number of an enum's member, if the layout has no names", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "Cabinet.json")
    const text = await readFile(path.join(layouts, "Cabinet.json"), "utf8")
    await writeFile(file, text.replace('"enumMembers"', '"unknown"'))
    const { answer } = await run(["read", cabinet.address, "phase", "--layout", file, "--trust", head.hash])
    expect(answer.value).toEqual({ phase: "2" })
  })

  it("says that a contract was not there yet, of which everything is zero", async () => {
    const before = Reading.blocks[cabinet.block - 1]!
    const { answer } = await run([
      "read",
      cabinet.address,
      "counter",
      "title",
      ...layoutOf("Cabinet"),
      "--block",
      before.hash
    ])
    expect(answer.value).toEqual({ counter: "0", title: "" })
    expect(answer.proven[0]).toBe(`${cabinet.address} does not exist, under the block's stateRoot`)
    expect(answer.absent).toBe(true)
  })

  it("says beside the values and in the verdict that an address has no account or no code", async ({ expect }) => {
    const mistyped = token.address.replace(/.$/u, (digit) => (digit === "0" ? "1" : "0"))
    const ask = (address: string) => ["read", address, "totalSupply", ...layoutOf("Token"), "--trust", head.hash]
    const { answer } = await run(ask(mistyped))
    expect(answer).toMatchObject({ verdict: "VERIFIED", value: { totalSupply: "0" }, absent: true })
    const { stdout } = await RunCli.run([...ask(mistyped), "--url", history().url])
    expect(stdout).toMatchInlineSnapshot(`
      "Storage of 0x5fbdb2315678afecb367f032d93f642f64180aa0

        block      69  0x45
        blockHash  0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567

        There is no account at this address: each variable reads as zero. Check the address.

        totalSupply  0

      VERIFIED  against block hash 0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567; the account does not exist at this block
        proven    0x5fbdb2315678afecb367f032d93f642f64180aa0 does not exist, under the block's stateRoot
                  1 word of the storage of 0x5fbdb2315678afecb367f032d93f642f64180aa0, at block 0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567
      "
    `)
    const person = (await run(ask(holder))).answer
    expect(person).toMatchObject({ value: { totalSupply: "0" }, withoutCode: true })
    expect(person.absent).toBe(undefined)
    const { stdout: shown } = await RunCli.run([...ask(holder), "--url", history().url])
    expect(shown).toContain("The account has no code, so it is not a contract.")
    const contract = (await run(ask(token.address))).answer
    expect([contract.absent, contract.withoutCode]).toEqual([undefined, undefined])
    const slot = (await run(["read-slot", mistyped, "0", "--trust", head.hash])).answer
    expect(slot).toMatchObject({ verdict: "VERIFIED", absent: true })
    expect(slot.proven).toEqual([
      `${mistyped} does not exist, under the block's stateRoot`,
      "1 storage slot, zero because the account has no storage"
    ])
    const shownSlot = await RunCli.run(["read-slot", mistyped, "0", "--trust", head.hash, "--url", history().url])
    expect(shownSlot.stdout).toContain(
      "There is no account at this address: each slot reads as zero. Check the address."
    )
  })

  it("is REFUTED when the node changes a word, a proof or the account", async () => {
    const changes: ReadonlyArray<readonly [check: RegExp, change: Lie["change"]]> = [
      [/^storageProof\[0\]\.value$/, (it) => ((it.storageProof[0].value = "0x7"), it)],
      [/^storageProof\[0\]/, (it) => ((it.storageProof[0].proof = []), it)],
      [/^storageProof\[0\]\.key$/, (it) => ({ ...it, storageProof: it.storageProof.toReversed() })],
      [/^storageProof$/, (it) => ({ ...it, storageProof: it.storageProof.slice(1) })],
      [/^account\.storageHash$/, (it) => ({ ...it, storageHash: head.hash })]
    ]
    for (const [check, change] of changes) {
      const { answer, exitCode } = await run(
        ["read", token.address, "totalSupply", balance, ...layoutOf("Token"), "--trust", head.hash],
        { method: "eth_getProof", change }
      )
      expect([exitCode, answer.verdict, answer.value]).toEqual([2, "REFUTED", null])
      expect(answer.refuted.check).toMatch(check)
    }
  })

  it("fails with a tag for what has no value, and points at what is not a path, before it asks", async () => {
    const mapping = await RunCli.json([
      "read",
      token.address,
      "balanceOf",
      ...layoutOf("Token"),
      "--url",
      history().url
    ])
    expect([mapping.exitCode, mapping.answer.error.tag]).toEqual([1, "NoValueError"])
    const wrong = await RunCli.json([
      "read",
      token.address,
      "nothing",
      ...layoutOf("Token"),
      "--url",
      "http://127.0.0.1:1"
    ])
    expect([wrong.exitCode, wrong.answer.error.tag, wrong.answer.error.at]).toEqual([1, "PathError", 0])
    const args = ["read", token.address, "name", ...layoutOf("Token"), "--block", "pending"]
    const pending = await RunCli.json([...args, "--url", anvil().url])
    expect([pending.exitCode, pending.answer.error]).toMatchObject([1, { tag: "NoBlockError", reason: "Pending" }])
  })

  it("shows people each word in a line", async ({ expect }) => {
    const paths = ["owner", "drift", "title", "notes", "points", "blob", "numbers[99]", `members[${holder}]`]
    const args = [
      "read",
      cabinet.address,
      ...paths,
      ...layoutOf("Cabinet"),
      "--trust",
      head.hash,
      "--url",
      history().url
    ]
    expect((await RunCli.run(args)).stdout).toMatchInlineSnapshot(`
      "Storage of 0x09635f643e140090a9a8dcd712ed6285858cebef

        block      69  0x45
        blockHash  0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567

        owner                             0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
        drift                             -170,141,183,460,469,231,731,687,303,715,884,105,728
        title                             "Small things"
        notes[0]                          ""
        notes[1]                          ""
        notes[2]                          "thirty-two bytes need one more.."
        points[0].x                       -1
        points[0].y                       1
        points[1].x                       3
        points[1].y                       -4
        blob                              empty
        numbers[99]                       none: the array ends before
        members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8].since
          1,600,000,377
        members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8].score
          1,815
        members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8].active
          true
        members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8].nickname
          "ada"

        not read
          members[0x70997970c51812dc3a010c7d01b50e0d17dc79c8].votes  mapping(bytes32 => int256): name the keys

      VERIFIED  against block hash 0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567
        proven    the account 0x09635f643e140090a9a8dcd712ed6285858cebef, under the block's stateRoot
                  16 words of the storage of 0x09635f643e140090a9a8dcd712ed6285858cebef, at block 0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567
      "
    `)
  })
})

describe("what plumbline diff says", () => {
  const { cabinet } = HistoryChain.contracts
  const read = async (block: Reading.Block): Promise<Record<string, unknown>> =>
    (await run(["read", cabinet.address, ...layoutOf("Cabinet"), "--block", block.hash])).answer.value

  it("is what differs between two readings, VERIFIED from each block's hash or from a later one", async () => {
    const places = [cabinet.block - 1, cabinet.block, cabinet.block + 5, 50, 69].map((n) => Reading.blocks[n]!)
    let changes = 0
    for (const [i, from] of places.entries()) {
      for (const to of places.slice(i + 1)) {
        const [before, after] = [await read(from), await read(to)]
        const expected = Object.fromEntries(
          Object.keys(before).flatMap((path) =>
            JSON.stringify(before[path]) === JSON.stringify(after[path])
              ? []
              : [[path, { from: before[path], to: after[path] }]]
          )
        )
        changes += Object.keys(expected).length
        for (const [reference, anchor] of [
          [["--from", from.hash, "--to", to.hash], to.hash],
          [["--from", String(from.number), "--to", String(to.number), "--trust", head.hash], head.hash]
        ] as const) {
          const { answer, exitCode } = await run(["diff", cabinet.address, ...layoutOf("Cabinet"), ...reference])
          expect(exitCode).toBe(0)
          expect(answer).toMatchObject({ verdict: "VERIFIED", anchor: { kind: "block", hash: anchor }, claimed: [] })
          expect(answer.value).toEqual(expected)
          expect([answer.from, answer.to]).toEqual(
            [from, to].map(({ hash, number }) => ({ number: viem.numberToHex(number), hash }))
          )
        }
      }
    }
    expect(changes).toBeGreaterThan(20)
  })

  it("is of the paths that are named, null where an array has no such element", async () => {
    const paths = ["numbers.length", "notes[0]", "owner"]
    const block = Reading.blocks[cabinet.block - 1]!
    const { answer } = await run([
      "diff",
      cabinet.address,
      ...paths,
      ...layoutOf("Cabinet"),
      "--from",
      block.hash,
      "--to",
      head.hash
    ])
    expect(answer.value).toEqual({
      "numbers.length": { from: "0", to: "22" },
      "notes[0]": { from: null, to: "" },
      owner: { from: `0x${"0".repeat(40)}`, to: accounts[0] }
    })
  })

  it("is nothing, by the storage root, where nothing changed", async () => {
    const { answer } = await run([
      "diff",
      cabinet.address,
      ...layoutOf("Cabinet"),
      "--from",
      "68",
      "--to",
      "69",
      "--trust",
      head.hash
    ])
    expect([answer.verdict, answer.value, answer.left]).toEqual(["VERIFIED", {}, undefined])
    expect(answer.proven.join("\n")).toMatch(
      /the storage root of 0x\w+ is 0x\w+ at block 0x\w+ and at block 0x\w+: no word changed/
    )
  })

  it("is REFUTED when the node lies about either side", async () => {
    for (const side of [0, 1]) {
      const blocks = [Reading.blocks[cabinet.block]!, head]
      const change: Lie["change"] = async (it, ask) => {
        if (it.storageProof.length === 0) return it
        const honest = await ask("eth_getProof", [cabinet.address, [], { blockHash: blocks[side]!.hash }])
        if (honest.storageHash !== it.storageHash) return it
        it.storageProof[0].value = "0x7"
        return it
      }
      const { answer, exitCode } = await run(
        ["diff", cabinet.address, ...layoutOf("Cabinet"), "--from", blocks[0]!.hash, "--to", blocks[1]!.hash],
        { method: "eth_getProof", change }
      )
      expect([exitCode, answer.verdict, answer.refuted.check]).toEqual([2, "REFUTED", "storageProof[0].value"])
    }
  })

  it("is CLAIMED without trust, null where a block is missing, and refused where --trust has nothing to prove", async () => {
    const args = ["diff", cabinet.address, "counter", ...layoutOf("Cabinet")]
    const claimed = await run([...args, "--from", "30"])
    expect([claimed.exitCode, claimed.answer.verdict, claimed.answer.to.hash]).toEqual([0, "CLAIMED", head.hash])
    const none = await run([...args, "--from", "30", "--to", "1000"])
    expect([none.exitCode, none.answer.verdict, none.answer.value]).toEqual([0, "CLAIMED", null])
    const [a, b, c] = [Reading.blocks[30]!.hash, Reading.blocks[40]!.hash, head.hash]
    const useless = await run([...args, "--from", a, "--to", b, "--trust", c])
    expect([useless.exitCode, useless.answer.error.tag]).toEqual([1, "UsageError"])
  })

  it("shows people what changed from what to what", async ({ expect }) => {
    const paths = ["phase", "title", "numbers", "points", "blob", "story"]
    const args = ["diff", cabinet.address, ...paths, ...layoutOf("Cabinet"), "--from", "29", "--to", "34"]
    expect((await RunCli.run([...args, "--trust", head.hash, "--url", history().url])).stdout).toMatchInlineSnapshot(`
      "Storage of 0x09635f643e140090a9a8dcd712ed6285858cebef

        from  29  0x1d
        to    34  0x22

        numbers[0]  none -> 0
        numbers[1]  none -> 1
        numbers[2]  none -> 4
        numbers[3]  none -> 9
        numbers[4]  none -> 16
        numbers[5]  none -> 25
        numbers[6]  none -> 36
        numbers[7]  none -> 49
        numbers[8]  none -> 64
        numbers[9]  none -> 81
        numbers[10]  none -> 100
        numbers[11]  none -> 121
        numbers[12]  none -> 144
        numbers[13]  none -> 169
        numbers[14]  none -> 196
        numbers[15]  none -> 225
        numbers[16]  none -> 256
        numbers[17]  none -> 289
        numbers[18]  none -> 324
        numbers[19]  none -> 361
        numbers[20]  none -> 400
        numbers[21]  none -> 441
        numbers[22]  none -> 484
        points[0]  none -> x -1, y 1
        points[1]  none -> x 3, y -4
        blob
          from  empty
          to    0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff…  70 bytes, whole with --json
        story
          from  ""
          to    "A story in several slots: it has more than thirty-two bytes, and some characters take three, as 測鉛 do."

      VERIFIED  against block hash 0xcece55b850dec36a74c08387caae6eb67b4616d06f489c0e123196c8ce248567
        proven    the account 0x09635f643e140090a9a8dcd712ed6285858cebef, under the block's stateRoot
                  6 words of the storage of 0x09635f643e140090a9a8dcd712ed6285858cebef, at block 0xa4efc61e5183227d18b075a9d99f9cb5eef4e9dc00e2588e53e7dbb2ecd4ba3a
                  every header field: together they hash to 0xa4efc61e5183227d18b075a9d99f9cb5eef4e9dc00e2588e53e7dbb2ecd4ba3a
                  its block is on the chain, by a pinned hash, of which it is an ancestor
                  38 words of the storage of 0x09635f643e140090a9a8dcd712ed6285858cebef, at block 0xc2bca0a222e14bb1e05e3268ae18c9831ebb693b7ae46c3f7220424fce2760b9
                  every header field: together they hash to 0xc2bca0a222e14bb1e05e3268ae18c9831ebb693b7ae46c3f7220424fce2760b9
      "
    `)
  })
})
