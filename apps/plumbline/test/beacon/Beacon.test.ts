/** The command's light client on a beacon chain with test keys: what it proves, and what it refuses. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { describe, expect, it } from "@effect/vitest"
import { LightClientStore, MadeChain, Network, TrustRecord } from "@plumbline/beacon-light-client"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { Result, Schema } from "effect"

import * as BeaconNode from "../support/BeaconNode.ts"
import * as Children from "../support/Children.ts"
import * as LyingNode from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const beacon = BeaconNode.beacon()
const { hash, number } = HistoryChain.head
/** Number of data folders made so far. Each run gets a new folder. */
let folders = 0
const data = (): string => path.join(beacon().folder, `data-${folders++}`)

/** The flags of a light client that asks these beacon nodes. */
const following = (...urls: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--checkpoint",
  beacon().checkpoint,
  ...urls.flatMap((url) => ["--beacon", url]),
  "--beacon-network",
  beacon().networkFile
]

const node = (): ReadonlyArray<string> => ["--url", beacon().nodeUrl]

const disposable = (node: LyingNode.LyingNode) => ({ ...node, [Symbol.asyncDispose]: node.close })

const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}, folder = data()) =>
  RunCli.json([...args, "--data", folder], { env })

describe("a reading command with a checkpoint", () => {
  it("is VERIFIED for latest, finalized, safe and older numbers, and says by whom", async () => {
    const anchorOf = async (block: string) => {
      const { answer, exitCode } = await run(["block", block, ...node(), ...following(beacon().url)])
      expect([block, exitCode, answer.verdict]).toEqual([block, 0, "VERIFIED"])
      return answer.anchor
    }
    const common = { kind: "light-client", hash, checkpoint: beacon().checkpoint }
    const participation = [expect.any(Number), 512]
    const slot = expect.stringMatching(/^[0-9]+$/u)
    const age = expect.stringMatching(/^[0-9]{1,2}$/u)
    expect(await anchorOf("latest")).toEqual({ ...common, slot, finality: "optimistic", participation, age })
    for (const block of ["finalized", "safe", String(number - 5)]) {
      expect(await anchorOf(block)).toEqual({ ...common, slot, finality: "finalized", participation, age })
    }
  })

  it("proves state at the newest block", async () => {
    const { address } = HistoryChain.accounts[0]!
    const { answer } = await run(["proof", address, ...node(), ...following(beacon().url)])
    expect([answer.verdict, answer.anchor.kind, answer.block.hash]).toEqual(["VERIFIED", "light-client", hash])
  })

  it("proves both sides of a comparison, the one by its hash and the other by the light client", async () => {
    const { cabinet } = HistoryChain.contracts
    const layout = ["--layout", fileURLToPath(PreparedState.layoutFile(cabinet))]
    const older = HistoryChain.blocks[number - 9]!.hash
    const compare = async (from: string, to: string, ...flags: ReadonlyArray<string>) => {
      const { answer, exitCode } = await run([
        "diff",
        cabinet.address,
        ...layout,
        ...node(),
        "--from",
        from,
        "--to",
        to,
        ...flags
      ])
      expect(exitCode, JSON.stringify(answer)).toBe(0)
      return answer
    }
    for (const [from, to] of [
      [older, "latest"],
      [older, String(number)],
      [String(number - 9), hash],
      [String(number - 9), "finalized"]
    ] as const) {
      const answer = await compare(from, to, ...following(beacon().url))
      expect([from, to, answer.verdict]).toEqual([from, to, "VERIFIED"])
      expect(answer.claimed).toEqual([])
      const without = await compare(from, to)
      expect([from, to, without.verdict]).toEqual([from, to, "CLAIMED"])
    }
    // with both blocks given by hash, no beacon node is needed
    const named = await compare(older, hash, ...following(await Servers.nobody()))
    expect([named.verdict, named.anchor.kind]).toEqual(["VERIFIED", "block"])
  })

  it("knows the chain by its light client: no form of another chain passes on mainnet", async () => {
    await using liar = disposable(await LyingNode.start(beacon().nodeUrl))
    // the storage root of an OP-stack chain stands beside an empty list
    const change = (block: any) => ({ ...block, withdrawals: [] })
    const url = liar.telling(...["Hash", "Number"].map((by) => ({ method: `eth_getBlockBy${by}`, change })))
    const description = JSON.parse(readFileSync(beacon().networkFile, "utf8"))
    const file = path.join(beacon().folder, "chain-1.json")
    writeFileSync(file, JSON.stringify({ ...description, chainId: "1" }))
    const onMainnet = [...following(beacon().url).slice(0, -1), file]
    for (const block of ["latest", hash]) {
      const { answer, exitCode } = await run(["block", block, "--url", url, ...onMainnet])
      expect([block, exitCode, answer.refuted?.check]).toEqual([block, 2, "withdrawalsRoot"])
      const other = await run(["block", block, "--url", url, ...following(beacon().url)])
      expect([block, other.answer.verdict, other.answer.claimed.map((claim: any) => claim.field)]).toEqual([
        block,
        "VERIFIED",
        expect.arrayContaining(["withdrawals"])
      ])
    }
  })

  it("takes everything from the environment, so that nobody types it twice", async () => {
    const env = {
      PLUMBLINE_CHECKPOINT: beacon().checkpoint,
      PLUMBLINE_BEACON: `${await Servers.nobody()} ${beacon().url}`,
      PLUMBLINE_BEACON_NETWORK: beacon().networkFile
    }
    const { answer } = await run(["block", "latest", ...node()], env)
    expect([answer.verdict, answer.anchor.kind]).toEqual(["VERIFIED", "light-client"])
    // a block that is known by its hash needs no light client
    const { answer: known } = await run(["block", "latest", ...node(), "--trust", hash], env)
    expect(known.anchor.kind).toBe("block")
    const { answer: named } = await run(["block", hash, ...node()], {
      ...env,
      PLUMBLINE_BEACON: await Servers.nobody()
    })
    expect([named.verdict, named.anchor.kind]).toEqual(["VERIFIED", "block"])
  })

  it("goes on from its record, without the checkpoint", async () => {
    const folder = data()
    await run(["head", ...following(beacon().url)], {}, folder)
    const again = ["head", "--beacon", beacon().url, "--beacon-network", beacon().networkFile]
    const { answer, exitCode } = await run(again, {}, folder)
    expect([exitCode, answer.checkpoint]).toEqual([0, beacon().checkpoint])
    const file = path.join(folder, "light-client", "test.light-client")
    writeFileSync(file, readFileSync(file).subarray(1))
    const damaged = await run(again, {}, folder)
    expect([damaged.exitCode, damaged.answer.error.tag, damaged.answer.error.place]).toEqual([1, "RecordError", file])
  })
})

describe("head", () => {
  it("shows what the light client follows", async () => {
    const { answer, exitCode } = await run(["head", ...following(beacon().url)])
    const { timestamp } = answer.finalized
    const shown = {
      slot: expect.stringMatching(/^[0-9]+$/u),
      beaconRoot: expect.stringMatching(/^0x[0-9a-f]{64}$/u),
      blockHash: hash,
      blockNumber: String(number),
      timestamp: expect.stringMatching(/^[0-9]+$/u),
      finality: "finalized",
      participation: [expect.any(Number), 512]
    }
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      network: "test",
      finalized: shown,
      optimistic: { ...shown, timestamp, finality: "optimistic" },
      period: "0",
      checkpoint: beacon().checkpoint
    })
    expect(Number(answer.optimistic.slot)).toBeGreaterThan(Number(answer.finalized.slot))
    expect(answer.optimistic.participation[0]).toBeGreaterThanOrEqual(507)
  })

  it("shows it to people", async () => {
    const { stdout } = await RunCli.run(["head", ...following(beacon().url), "--data", data()])
    expect(stdout).toMatch(/signed by +5\d\d of 512 members/u)
    expect(stdout).toContain(beacon().checkpoint)
  })

  it("needs a chain", async () => {
    const { answer, exitCode } = await run(["head", ...node()])
    expect([exitCode, answer.error.tag]).toEqual([1, "UsageError"])
  })
})

describe("a beacon node that lies", () => {
  const other = `0x${"ab".repeat(32)}`
  const lies: ReadonlyArray<readonly [check: string, part: string, change: (data: any) => void]> = [
    ["checkpoint-root", "/bootstrap/", (data) => (data.header.beacon.proposer_index = "7")],
    ["committee-branch", "/bootstrap/", (data) => (data.current_sync_committee_branch[2] = other)],
    ["execution-branch", "/bootstrap/", (data) => (data.header.execution.block_hash = other)],
    ["finality-branch", "/updates", (data) => (data.finality_branch[3] = other)],
    [
      "next-committee-branch",
      "/updates",
      (data) => (data.next_sync_committee.aggregate_pubkey = `0x${"c".repeat(96)}`)
    ],
    ["signature", "/updates", (data) => (data.sync_aggregate.sync_committee_bits = `0x${"ff".repeat(63)}0f`)],
    ["future-slot", "/updates", (data) => (data.signature_slot = "99999999")],
    ["shape", "/updates", (data) => (data.attested_header = null)],
    // these two change both the finality update and the optimistic update, which have the newest heads
    ["execution-branch", "_update", (data) => (data.attested_header.execution.block_hash = other)],
    ["signature", "_update", (data) => (data.attested_header.beacon.proposer_index = "7")]
  ]

  it.each(lies)("is refused by the name of the check: %s of %s", async (check, part, change) => {
    await using server = await BeaconNode.liar(beacon(), part, change)
    const { answer, exitCode } = await run(["block", "latest", ...node(), ...following(server.url)])
    expect([exitCode, answer.verdict, answer.refuted?.check]).toEqual([2, "REFUTED", check])
    const head = await run(["head", ...following(server.url)])
    expect([head.exitCode, head.answer.refuted?.check]).toEqual([2, check])
    // one honest node is enough
    const both = await run(["block", "latest", ...node(), ...following(server.url, beacon().url)])
    expect([both.exitCode, both.answer.verdict]).toEqual([0, "VERIFIED"])
  })

  it.each([
    ["finality-branch", "/finality_update", (data: any): unknown => (data.finality_branch[3] = other)],
    [
      "execution-branch",
      "/optimistic_update",
      (data: any): unknown => (data.attested_header.execution.block_hash = other)
    ],
    ["signature", "/optimistic_update", (data: any): unknown => (data.attested_header.beacon.proposer_index = "7")]
  ] as const)("is refused by %s in one of the two newest updates: %s", async (check, part, change) => {
    await using server = await BeaconNode.liar(beacon(), part, change)
    const { answer, exitCode } = await run(["block", "latest", ...node(), ...following(server.url)])
    expect([exitCode, answer.verdict, answer.refuted?.check]).toEqual([2, "REFUTED", check])
    const both = await run(["block", "latest", ...node(), ...following(server.url, beacon().url)])
    expect([both.exitCode, both.answer.verdict]).toEqual([0, "VERIFIED"])
    expect(both.answer.proven.filter((line: string) => line.includes(`the last time by ${check}`))).toHaveLength(1)
  })

  it("is named without the keys of its URL", async () => {
    await using server = await BeaconNode.liar(beacon(), "/updates", (data) => (data.signature_slot = "99999999"))
    const url = `${server.url.replace("://", "://user:s3cret@")}/s3cret`
    const { stderr, stdout } = await RunCli.run(["block", "latest", ...node(), ...following(url), "--data", data()])
    expect(stdout).toContain("future-slot")
    expect(stdout + stderr).not.toContain("s3cret")
  })
})

describe("a light client that cannot start", () => {
  const failed = async (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
    const { answer, exitCode } = await run(["block", "latest", ...node(), ...args], env)
    expect(exitCode, JSON.stringify(answer)).toBe(1)
    return answer.error
  }

  it("names the beacon node that is silent", async () => {
    const url = await Servers.nobody()
    const error = await failed(following(`${url}/s3cret`))
    expect(error.tag).toBe("BeaconApiError")
    expect(error.message).toContain(url)
    expect(JSON.stringify(error)).not.toContain("s3cret")
  })

  it("names an unknown network, and a file that describes none", async () => {
    const at = (network: string) => [...following(beacon().url).slice(0, -1), network]
    expect((await failed(at("nonet"))).message).toContain("mainnet, sepolia, hoodi")
    expect((await failed(at("./no/such.json"))).tag).toBe("DataError")
    const file = path.join(beacon().folder, "wrong.json")
    writeFileSync(file, "{}")
    expect((await failed(at(file))).tag).toBe("DataError")
  })

  it("refuses flags that make no sense", async () => {
    const beacons = ["--beacon", beacon().url]
    for (const [args, text] of [
      [["--checkpoint", "0x12", ...beacons], "--checkpoint"],
      [["--checkpoint", beacon().checkpoint], "--beacon"],
      [[...following(beacon().url), "--trust", hash], "--trust"],
      [[...following(beacon().url), "--max-checkpoint-age", "2 weeks"], "--max-checkpoint-age"]
    ] as const) {
      const error = await failed(args)
      expect([error.tag, error.message]).toEqual(["UsageError", expect.stringContaining(text)])
    }
    expect((await failed(following(beacon().url), { PLUMBLINE_NOW: "today" })).tag).toBe("UsageError")
    expect((await failed([...beacons, "--beacon-network", beacon().networkFile])).tag).toBe("NoCheckpointError")
  })

  it("refuses a checkpoint that is too old by the clock, unless it is told otherwise", async () => {
    const now = Math.floor(Date.now() / 1000)
    const env = { PLUMBLINE_NOW: String(now + 20 * 86_400) }
    expect((await failed(following(beacon().url), env)).tag).toBe("CheckpointAgeError")
    expect((await failed([...following(beacon().url), "--max-checkpoint-age", "0s"])).tag).toBe("CheckpointAgeError")
    for (const age of ["30d", "none"]) {
      const args = ["head", ...following(beacon().url), "--max-checkpoint-age", age]
      expect((await run(args, env)).exitCode, age).toBe(0)
    }
    // here the clock is a day behind the chain
    const early = await run(["head", ...following(beacon().url)], { PLUMBLINE_NOW: String(now - 86_400) })
    expect([early.exitCode, early.answer.refuted.check]).toEqual([2, "future-slot"])
  })

  it("says that the beacon chain is not the reader's network, and blames no node", async () => {
    const description = JSON.parse(readFileSync(beacon().networkFile, "utf8"))
    const file = path.join(beacon().folder, "other.json")
    writeFileSync(file, JSON.stringify({ ...description, genesisValidatorsRoot: `0x${"ab".repeat(32)}` }))
    for (const [network, name] of [
      [file, description.name],
      ["mainnet", "mainnet"],
      ["hoodi", "hoodi"]
    ] as const) {
      const error = await failed([...following(beacon().url).slice(0, -1), network])
      expect([error.tag, error.reason.tag]).toEqual(["BeaconApiError", "OtherChainError"])
      expect(error.message).toContain(`this beacon chain is not ${name}`)
      expect(error.message).toContain("Name its chain with --beacon-network")
    }
  })

  it("names a record of another chain, which a checkpoint replaces", async () => {
    const folder = data()
    const description = JSON.parse(readFileSync(beacon().networkFile, "utf8"))
    // an earlier chain of the same name has left its record
    const earlier = Schema.decodeUnknownSync(Network.Network)({
      ...description,
      genesisValidatorsRoot: `0x${"ab".repeat(32)}`
    })
    const chain = MadeChain.make(earlier)
    const store = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(100n), chain.root(100n), earlier))
    const record = TrustRecord.encode({ checkpoint: chain.root(100n), givenAt: 1, advancedAt: 1, store }, earlier)
    mkdirSync(path.join(folder, "light-client"), { recursive: true })
    const file = path.join(folder, "light-client", `${description.name}.light-client`)
    writeFileSync(file, record)
    const without = ["--beacon", beacon().url, "--beacon-network", beacon().networkFile]
    const { answer, exitCode } = await run(["block", "latest", ...node(), ...without], {}, folder)
    expect([exitCode, answer.error.tag, answer.error.problem]).toEqual([1, "RecordError", "OtherChain"])
    expect(answer.error.message).toContain(file)
    const again = await run(["block", "latest", ...node(), ...following(beacon().url)], {}, folder)
    expect([again.exitCode, again.answer.verdict]).toEqual([0, "VERIFIED"])
    const kept = await run(["block", "latest", ...node(), ...without], {}, folder)
    expect([kept.exitCode, kept.answer.verdict]).toEqual([0, "VERIFIED"])
  })
})

describe("a proxy with a checkpoint", () => {
  it("does not open for a lie", async () => {
    await using server = await BeaconNode.liar(beacon(), "/updates", (update) => (update.signature_slot = "99999999"))
    const { answer, exitCode } = await run(["proxy", "--port", "0", ...node(), ...following(server.url)])
    expect([exitCode, answer.refuted.check]).toEqual([2, "future-slot"])
  })

  it("proves the newest block", async () => {
    const folder = data()
    mkdirSync(folder)
    const child = Children.start([
      "proxy",
      "--json",
      "--port",
      "0",
      ...node(),
      ...following(beacon().url),
      "--data",
      folder
    ])
    const { url } = JSON.parse(await child.firstLine)
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", true] })
    })
    expect(response.headers.get("plumbline-verdict")).toBe("VERIFIED")
    expect((await response.json()).result.hash).toBe(hash)
    child.process.kill("SIGTERM")
    expect((await child.ended).code).toBe(0)
  })
})

describe("a head that proves nothing", () => {
  it("is CLAIMED with its age beyond the bound, and VERIFIED with another bound", async () => {
    const now = { PLUMBLINE_NOW: String(Math.floor(Date.now() / 1000) + 10 * 86_400) }
    for (const block of ["latest", "finalized"]) {
      const { answer, exitCode } = await run(["block", block, ...node(), ...following(beacon().url)], now)
      expect([block, exitCode, answer.verdict, answer.anchor]).toEqual([block, 0, "CLAIMED", null])
      expect(answer.claimed[0].reason).toMatch(/is 10d.* old, and at most 1m are allowed/u)
    }
    const any = [...following(beacon().url), "--max-head-age", "none"]
    const { answer } = await run(["block", "latest", ...node(), ...any], now)
    expect([answer.verdict, Number(answer.anchor.age) > 860_000]).toEqual(["VERIFIED", true])
  })

  it("is CLAIMED with the number of its signers below a threshold", async () => {
    const strict = [...following(beacon().url), "--min-participation", "513"]
    const { answer } = await run(["block", "latest", ...node(), ...strict])
    expect(answer.verdict).toBe("CLAIMED")
    expect(answer.claimed[0].reason).toMatch(/only 5\d\d of 512 members/u)
    const wrong = await run(["head", ...following(beacon().url), "--min-participation", "none"])
    expect([wrong.exitCode, wrong.answer.error.tag]).toEqual([1, "UsageError"])
  })

  it("is CLAIMED if the newer updates are of a fork that this version does not know", async () => {
    await using server = await BeaconNode.renamed(beacon(), "heze")
    const now = { PLUMBLINE_NOW: String(Math.floor(Date.now() / 1000) + 86_400) }
    const { answer, exitCode } = await run(["block", "latest", ...node(), ...following(server.url)], now)
    expect([exitCode, answer.verdict]).toEqual([0, "CLAIMED"])
    expect(answer.claimed[0].reason).toContain("the fork heze is not known to this version")
  })
})

it("a file extends a known network by forks", async () => {
  const file = path.join(beacon().folder, "mainnet-and-gloas.json")
  const flags = ["--checkpoint", beacon().checkpoint, "--beacon", beacon().url, "--beacon-network", file]
  const fork = { name: "gloas", version: "0x07000000", epoch: 500_000 }
  writeFileSync(file, JSON.stringify({ extends: "mainnet", forks: [fork] }))
  // the file is a network, and this beacon chain is another one
  expect((await run(["head", ...flags])).answer.error?.tag ?? "RefutedError").not.toBe("DataError")
  writeFileSync(file, JSON.stringify({ extends: "mainnet", forks: [{ ...fork, epoch: 1 }] }))
  expect((await run(["head", ...flags])).answer.error?.tag).toBe("DataError")
})
