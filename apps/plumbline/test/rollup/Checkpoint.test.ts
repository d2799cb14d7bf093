/**
 * From one checkpoint of a beacon chain down to a log of a rollup, with lies at each hop.
 *
 * L1 is an anvil with the contracts, and devnet's beacon chain signs its blocks. The blocks and receipts of the rollup are
 * those that op-geth gave for a chain in the form of Jovian.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Network } from "@plumbline/beacon-light-client"
import { Anvil, BeaconChain } from "@plumbline/devnet"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Effect, Exit, Schema, Scope } from "effect"

import * as Children from "../support/Children.ts"
import * as LyingNode from "../support/LyingNode.ts"
import * as RecordedRollup from "../support/RecordedRollup.ts"
import * as RollupContracts from "../support/RollupContracts.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const jovian = RecordedRollup.blocksOf("jovian")
const isthmus = RecordedRollup.blocksOf("isthmus")
const head = jovian[1]!
const HASH = head.block["hash"] as string

interface World {
  /** The honest node of L1, whose chain the tests change. */
  readonly anvil: string
  readonly l1: LyingNode.LyingNode
  readonly l2: LyingNode.LyingNode
  /** A node of another chain. */
  readonly other: string
  readonly trust: ReadonlyArray<string>
}

let world: World
const scope = Scope.makeUnsafe()
const folder = mkdtempSync(path.join(tmpdir(), "plumbline-checkpoint-"))
const closing: Array<() => PromiseLike<void>> = []

let files = 0
/** Writes the description of a chain whose contracts have addresses that begin with a digit: once for each reader. */
const chainFile = (digit: string): string => {
  const file = path.join(folder, `chain-${files++}.json`)
  const { systemConfig } = RollupContracts.contractsOf(digit)
  const forks = { canyon: 0, ecotone: 0, fjord: 0, granite: 0, holocene: 0, isthmus: 0, jovian: 0 }
  writeFileSync(file, JSON.stringify({ chainId: 901, name: "ours", l1ChainId: 31_337, systemConfig, forks }))
  return file
}

const settled = RecordedRollup.outputOf(head)
/** A chain whose settled block is the head, as tests usually read it. */
const usual: RollupContracts.Deployment = { digit: "a", settled }
/** A chain whose settled block is older, until a test moves it. */
const older: RollupContracts.Deployment = { digit: "9", settled: RecordedRollup.outputOf(jovian[0]!) }

/** Starts a chain with contracts. A test that makes blocks has one of its own: anvil proves the newest state only. */
const open = async (name: string, deployments: ReadonlyArray<RollupContracts.Deployment>): Promise<World> => {
  const anvil = await Effect.runPromise(Scope.provide(Anvil.make(), scope))
  const { timestamp } = await RollupContracts.rpc(anvil.url, "eth_getBlockByNumber", ["latest", false])
  for (const deployment of deployments) await RollupContracts.deploy(anvil.url, deployment, BigInt(timestamp))
  await RollupContracts.rpc(anvil.url, "anvil_mine", ["0x1"])
  const transport = HttpTransport.layer({ url: anvil.url })
  const chain = await Effect.runPromise(Scope.provide(Effect.provide(BeaconChain.make({ name }), transport), scope))
  const beacon = await Servers.serve(chain.handle)
  const networkFile = path.join(folder, `${name}.json`)
  writeFileSync(networkFile, JSON.stringify(Schema.encodeSync(Network.Network)(chain.network)))
  const checkpoint = await Effect.runPromise(chain.checkpoint)
  const [node, another] = await Promise.all([RecordedRollup.serve(jovian), RecordedRollup.serve(isthmus)])
  const [l1, l2] = await Promise.all([LyingNode.start(anvil.url), LyingNode.start(node.url)])
  closing.push(l1.close, l2.close, ...[beacon, node, another].map((one) => () => one[Symbol.asyncDispose]()))
  const trust = ["--checkpoint", checkpoint, "--beacon", beacon.url, "--beacon-network", networkFile]
  return { anvil: anvil.url, l1, l2, other: another.url, trust }
}

beforeAll(async () => {
  world = await open("l1", [
    usual,
    // the anchor game is open; was lost; is registered with another claim; claims a block of another chain
    { digit: "b", settled, status: 0 },
    { digit: "c", settled, status: 1 },
    { digit: "d", settled, registered: RecordedRollup.outputOf(jovian[0]!) },
    { digit: "e", settled: RecordedRollup.outputOf(isthmus[1]!) }
  ])
})

afterAll(async () => {
  for (const close of closing) await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
})

interface Asked {
  readonly of?: World
  readonly digit?: string
  readonly l1?: string
  readonly l2?: string
}

let folders = 0
/** The flags of a reader who trusts one checkpoint of L1. */
const flags = ({ of = world, digit = "a", l1 = of.l1.url, l2 = of.l2.url }: Asked = {}): ReadonlyArray<string> => [
  "--url",
  l2,
  "--l1",
  l1,
  "--rollup",
  chainFile(digit),
  ...of.trust,
  "--data",
  path.join(folder, `data-${folders++}`)
]

const block = (asked?: Asked) => RunCli.json(["block", "finalized", "--full", ...flags(asked)])

describe("one checkpoint of L1", () => {
  it("proves the settled block of the rollup with its deposits, and the anchor names each hop", async () => {
    const { answer, exitCode } = await block()
    expect([exitCode, answer.verdict], JSON.stringify(answer)).toEqual([0, "VERIFIED"])
    expect(answer.value.hash).toBe(HASH)
    expect(answer.value.transactions.map(({ hash }: any) => hash)).toEqual(
      (head.block["transactions"] as ReadonlyArray<any>).map(({ hash }) => hash)
    )
    expect(answer.anchor).toMatchObject({
      kind: "rollup",
      hash: HASH,
      chainId: "901",
      state: "settled",
      game: RollupContracts.contractsOf("a").game,
      age: expect.stringMatching(/^[0-9]+$/u),
      l1: { kind: "light-client", checkpoint: world.trust[1], finality: "finalized" }
    })
    const older = await RunCli.json(["block", "1", ...flags()])
    expect([older.answer.verdict, older.answer.anchor.hash]).toEqual(["VERIFIED", HASH])
  })

  it("proves a transaction, a receipt and a log to an unchanged client of the proxy", async () => {
    const child = Children.start(["proxy", "--json", "--port", "0", ...flags()])
    try {
      const { url } = JSON.parse(await child.firstLine)
      const ask = async (method: string, ...params: ReadonlyArray<unknown>) => {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
        })
        const { headers } = response
        const { error, result }: any = await response.json()
        return { verdict: headers.get("plumbline-verdict"), anchor: headers.get("plumbline-anchor"), result, error }
      }
      const logged = head.receipts.find(({ logs }) => (logs as ReadonlyArray<unknown>).length > 0)!
      const [log] = logged["logs"] as ReadonlyArray<any>
      const logs = await ask("eth_getLogs", { fromBlock: "0x2", toBlock: "0x2" })
      expect(logs.error).toBeUndefined()
      expect(logs.verdict).toBe("VERIFIED")
      expect(logs.anchor).toMatch(/^rollup 901 settled l1 0x[0-9a-f]{64}$/u)
      expect(logs.result[0]).toMatchObject({ data: log.data, topics: log.topics, transactionHash: log.transactionHash })
      const receipt = await ask("eth_getTransactionReceipt", logged["transactionHash"])
      expect([receipt.verdict, receipt.result.status]).toEqual(["VERIFIED", logged["status"]])
      // nothing proves a fee of L1, so a client of proven answers does not get it
      expect(receipt.result.l1Fee).toBeUndefined()
      const transaction = await ask("eth_getTransactionByHash", logged["transactionHash"])
      expect([transaction.verdict, transaction.result.hash]).toEqual(["VERIFIED", logged["transactionHash"]])
      const newer = await ask("eth_getBlockByNumber", "0x3", false)
      expect(newer.verdict).not.toBe("VERIFIED")
    } finally {
      child.process.kill("SIGTERM")
      await child.ended
    }
  })
})

describe("a watch of the rollup", () => {
  it("tells a block once L1 settles it, and leaves a node that lies for the honest one", async () => {
    const moving = await open("moving", [usual, older])
    const lie = moving.l2.telling({
      method: "eth_getBlockByNumber",
      change: (_, __, [, full]) => RecordedRollup.blockOf(isthmus[0]!, full)
    })
    const args = [
      "--json",
      "--from",
      "1",
      "--poll",
      "0.2",
      ...flags({ of: moving, digit: "9", l2: lie }),
      "--url",
      moving.l2.url
    ]
    const watches = ["heads", "logs"].map((what) => Children.start(["watch", what, ...args]))
    const [heads, logs] = watches as [Children.Running, Children.Running]
    try {
      const first = JSON.parse(await heads.firstLine)
      expect([first.verdict, first.head?.hash], JSON.stringify(first)).toEqual(["VERIFIED", jovian[0]!.block["hash"]])
      await heads.said("output-root: a node of the chain")
      await RollupContracts.move(moving.anvil, "9", "a")
      await RollupContracts.rpc(moving.anvil, "anvil_mine", ["0x40"])
      await heads.printed((stdout) => stdout.split("\n").length > 2)
      const wanted = head.receipts.flatMap(({ logs }) => logs as ReadonlyArray<any>)
      const all = [...jovian[0]!.receipts.flatMap(({ logs }) => logs as ReadonlyArray<any>), ...wanted]
      await logs.printed((stdout) => stdout.split("\n").length > all.length)
      for (const { process } of watches) process.kill("SIGTERM")
      const ended = await Promise.all(watches.map((one) => one.ended))
      expect(ended.map(({ code }) => code)).toEqual([0, 0])
      const [blocks, told] = ended.map(({ stdout }) =>
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
      )
      expect(blocks!.map((line) => line.head.hash)).toEqual(jovian.map(({ block }) => block["hash"]))
      expect(told!.map(({ log }) => [log.blockHash, log.logIndex])).toEqual(
        all.map(({ blockHash, logIndex }) => [blockHash, logIndex])
      )
      for (const { anchor, verdict } of [...blocks!, ...told!]) {
        const l1 = { kind: "light-client", checkpoint: moving.trust[1], finality: "finalized" }
        expect([verdict, anchor]).toMatchObject(["VERIFIED", { kind: "rollup", state: "settled", l1 }])
      }
    } finally {
      for (const { process } of watches) process.kill("SIGKILL")
    }
  })
})

describe("lies at each hop", () => {
  /** Changes a slot in the proof of an account. */
  const slot =
    (account: RollupContracts.Text) =>
    (proof: any): any =>
      proof.address.toLowerCase() === account
        ? { ...proof, storageProof: proof.storageProof.map((one: any) => ({ ...one, value: "0x7" })) }
        : proof
  const { factory, game, portal, registry, systemConfig } = RollupContracts.contractsOf("a")
  const l1 = (method: string, change: LyingNode.Lie["change"]) => () => ({ l1: world.l1.telling({ method, change }) })
  const l2 = (method: string, change: LyingNode.Lie["change"]) => () => ({ l2: world.l2.telling({ method, change }) })
  const changed = (change: (block: any) => object) => (found: any) =>
    found === null ? null : { ...found, ...change(found) }

  /** Changes the transactions of a block, by whatever method it is asked for. */
  const transactions = (change: (all: ReadonlyArray<any>) => ReadonlyArray<any>) => (): Asked => ({
    l2: world.l2.telling(
      ...["Number", "Hash"].map((by) => ({
        method: `eth_getBlockBy${by}`,
        change: (found: any, _: LyingNode.Ask, [, full]: ReadonlyArray<any>) =>
          full === true ? { ...found, transactions: change(found.transactions) } : found
      }))
    )
  })

  /** The hop, the lie, and the check that refutes it. */
  const lies: ReadonlyArray<readonly [hop: string, lie: () => Asked, check: RegExp]> = [
    [
      "the state root of L1",
      l1(
        "eth_getBlockByHash",
        changed(() => ({ stateRoot: HASH }))
      ),
      /^header hash$/u
    ],
    ["SystemConfig", l1("eth_getProof", slot(systemConfig)), /^storageProof/u],
    ["the portal", l1("eth_getProof", slot(portal)), /^storageProof/u],
    ["the registry: another game", l1("eth_getProof", slot(registry)), /^storageProof/u],
    ["the factory", l1("eth_getProof", slot(factory)), /^storageProof/u],
    ["the game's status and claim", l1("eth_getProof", slot(game)), /^storageProof/u],
    [
      "an account of L1",
      l1(
        "eth_getProof",
        changed(() => ({ storageHash: HASH }))
      ),
      /storageHash/u
    ],
    [
      "a field of the block",
      l2(
        "eth_getBlockByNumber",
        changed(() => ({ timestamp: "0x1" }))
      ),
      /^header hash$/u
    ],
    [
      "the older block in place of the settled one",
      l2("eth_getBlockByNumber", (_, __, [, full]) => RecordedRollup.blockOf(jovian[0]!, full)),
      /^l2-number$/u
    ],
    [
      "a block of another chain with the number",
      l2("eth_getBlockByNumber", (_, __, [, full]) => RecordedRollup.blockOf(isthmus[1]!, full)),
      /^output-root$/u
    ],
    ["a deposit left out", transactions((all) => all.toSpliced(1, 1)), /^transactions/u],
    [
      "the value of a deposit",
      transactions(([first, second, ...others]) => [first, { ...second, value: "0x99" }, ...others]),
      /^transactions\[1\]/u
    ],
    [
      "the L1 attributes, from which fees follow",
      transactions(([first, ...others]) => [{ ...first, input: `${first.input.slice(0, -2)}7f` }, ...others]),
      /^transactions\[0\]/u
    ]
  ]
  it.each(lies)("%s: refuted", async (_, lie, check) => {
    const { answer, exitCode } = await block(lie())
    expect([exitCode, answer.verdict], JSON.stringify(answer).slice(0, 600)).toEqual([2, "REFUTED"])
    expect(answer.refuted.check).toMatch(check)
  })

  /** True states of L1, and lies that no proof can tell from an honest lack: nothing is blamed, and nothing is VERIFIED. */
  const claims: ReadonlyArray<readonly [hop: string, asked: () => Asked, reason: string]> = [
    ["an anchor game that is not resolved", () => ({ digit: "b" }), "game-status"],
    ["an anchor game that its defender lost", () => ({ digit: "c" }), "game-status"],
    ["a game that the factory knows by another claim", () => ({ digit: "d" }), "game-registered"],
    ["a SystemConfig without contracts", () => ({ digit: "f" }), "has no portal"],
    [
      "a node of L1 that tells another claim of the game",
      l1(
        "eth_call",
        () => `0x${"00".repeat(31)}00${"11".repeat(32)}${"00".repeat(31)}60${"00".repeat(31)}20${"00".repeat(31)}02`
      ),
      "game-registered"
    ],
    [
      "a node of L1 that tells no claim",
      l1("eth_call", () => LyingNode.refuse({ code: -32_000, message: "no" })),
      "game-data"
    ],
    ["a node of the rollup without the block", l2("eth_getBlockByNumber", () => null), "knows no such block"],
    [
      "a node that says to be of another chain",
      () => ({
        l2: world.l2.telling(
          { method: "eth_chainId", change: () => "0xa" },
          { method: "eth_getBlockByNumber", change: (_, __, [, full]) => RecordedRollup.blockOf(isthmus[1]!, full) }
        )
      }),
      "the node of the rollup says that its chain id is 10, but ours has the chain id 901"
    ],
    [
      "a node of another chain in place of the parent chain",
      () => ({
        l1: world.l1.telling(
          { method: "eth_chainId", change: () => "0xa" },
          { method: "eth_getBlockByHash", change: () => null }
        )
      }),
      "the node of the parent chain says that its chain id is 10, but ours has a parent chain with the id 31337"
    ]
  ]
  it.each(claims)("%s: claimed", async (_, asked, reason) => {
    const { answer } = await block(asked())
    expect(answer.verdict, JSON.stringify(answer).slice(0, 600)).toBe("CLAIMED")
    expect(JSON.stringify(answer.claimed)).toContain(reason)
  })

  it("a node of L1 that gives no proofs: the read fails, which says nothing about the rollup", async () => {
    const silent = l1("eth_getProof", () => LyingNode.refuse({ code: -32_000, message: "missing trie node" }))
    const { answer, exitCode } = await block(silent())
    expect([exitCode, answer.error?.method]).toEqual([1, "eth_getProof"])
  })

  it("the block of another chain, which the contracts settle there: refuted on this one", async () => {
    const { answer } = await block({ digit: "e" })
    expect(answer.refuted?.check).toBe("output-root")
    const own = await block({ digit: "e", l2: world.other })
    expect([own.answer.verdict, own.answer.value.hash]).toEqual(["VERIFIED", isthmus[1]!.block["hash"]])
  })
})
