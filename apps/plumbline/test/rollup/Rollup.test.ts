/**
 * Reads a rollup with the command, over two anvils: one has the contracts of L1, and the other is the rollup. The state
 * tries and the headers are anvil's.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Anvil } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"

import * as RollupContracts from "../support/RollupContracts.ts"
import * as RunCli from "../support/RunCli.ts"

const { game: GAME, open: OPEN, systemConfig: SYSTEM_CONFIG } = RollupContracts.contractsOf("a")
const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const RICH = `0x${"7".repeat(40)}`

const { rpc } = RollupContracts

interface World {
  readonly l1: string
  readonly l2: string
  readonly trusted: string
  /** A block of L1 from before the contracts. */
  readonly before: string
  readonly settled: { readonly hash: string; readonly number: bigint }
  /** The block that an open game claims. */
  readonly proposed: string
  readonly chain: string
}

let world: World
const scope = Scope.makeUnsafe()
const folder = mkdtempSync(path.join(tmpdir(), "plumbline-rollup-"))

beforeAll(async () => {
  const [parent, rollup] = await Promise.all([0, 1].map(() => Effect.runPromise(Scope.provide(Anvil.make(), scope))))
  const l1 = parent!.url
  const l2 = rollup!.url
  await rpc(l2, "anvil_setBalance", [RICH, "0x2a"])
  await rpc(l2, "anvil_mine", ["0x1"])
  const { hash, number, stateRoot, withdrawalsRoot } = await rpc(l2, "eth_getBlockByNumber", ["latest", false])
  // no account is the message passer of this chain, so its storage is empty, as the header says by chance
  if (withdrawalsRoot !== EMPTY_ROOT) throw new Error(`the header has ${withdrawalsRoot}`)
  // anvil changes the state of its newest block, so the settled one must not be the newest
  await rpc(l2, "anvil_mine", ["0x1"])
  await rpc(l2, "anvil_setBalance", [RICH, "0x2b"])
  await rpc(l2, "anvil_mine", ["0x1"])
  const proposed = await rpc(l2, "eth_getBlockByNumber", ["latest", false])
  await rpc(l2, "anvil_mine", ["0x3"])

  const passerRoot = EMPTY_ROOT
  await rpc(l1, "anvil_mine", ["0x1"])
  const { hash: before, timestamp } = await rpc(l1, "eth_getBlockByNumber", ["latest", false])
  await rpc(l1, "anvil_mine", ["0x1"])
  await RollupContracts.deploy(
    l1,
    { digit: "a", settled: { hash, number, stateRoot, passerRoot }, proposed: { ...proposed, passerRoot } },
    BigInt(timestamp)
  )
  await rpc(l1, "anvil_mine", ["0x1"])
  const top = await rpc(l1, "eth_getBlockByNumber", ["latest", false])
  const chain = path.join(folder, "chain.json")
  writeFileSync(chain, JSON.stringify({ chainId: 901, name: "ours", l1ChainId: 900, systemConfig: SYSTEM_CONFIG }))
  const settled = { hash, number: BigInt(number) }
  world = { l1, l2, trusted: top.hash, before, settled, proposed: proposed.hash, chain }
})

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
})

const flags = () => ["--url", world.l2, "--l1", world.l1, "--l1-trust", world.trusted, "--rollup", world.chain]

describe("a rollup", () => {
  it("is read at the settled block, and the anchor names its way", async () => {
    const { answer, exitCode } = await RunCli.json(["proof", RICH, ...flags()])
    expect([exitCode, answer.verdict]).toEqual([0, "VERIFIED"])
    expect(BigInt(answer.value.balance)).toBe(42n)
    expect(answer.anchor).toEqual({
      kind: "rollup",
      hash: world.settled.hash,
      chainId: "901",
      state: "settled",
      game: GAME,
      gameType: 0,
      resolvedAt: expect.stringMatching(/^\d+$/u),
      contracts: { optimismPortal: "5.6.1", anchorStateRegistry: "3.9.0" },
      l1: { kind: "block", hash: world.trusted },
      age: expect.stringMatching(/^\d+$/u)
    })
  })

  it("is read at a claim that L1 does not settle, only under its own name and if that is accepted", async () => {
    const accepted = await RunCli.json(["proof", RICH, "--accept", "proposed", ...flags()])
    expect([accepted.exitCode, accepted.answer.verdict]).toEqual([0, "CLAIMED"])
    expect(BigInt(accepted.answer.value.balance)).toBe(43n)
    expect(accepted.answer.anchor).toMatchObject({
      kind: "rollup",
      hash: world.proposed,
      state: "proposed",
      game: OPEN,
      resolvedAt: null
    })
    expect(JSON.stringify(accepted.answer.claimed)).toContain("only proposed on the parent chain")
    const { stdout } = await RunCli.run(["block", "safe", "--accept", "proposed", ...flags()])
    expect(stdout).toMatch(/CLAIMED {2,}accepted as proposed: it follows from block 0x/u)
    expect(stdout).toContain(`game ${OPEN} of type 0`)
    // no game is resolved, so that the settled block is the newest
    const resolved = await RunCli.json(["proof", RICH, "--accept", "resolved", ...flags()])
    expect([resolved.answer.verdict, resolved.answer.anchor.hash]).toEqual(["VERIFIED", world.settled.hash])
    const finalized = await RunCli.json(["block", "finalized", "--accept", "proposed", ...flags()])
    expect([finalized.answer.verdict, finalized.answer.anchor.state]).toEqual(["VERIFIED", "settled"])
    const alone = await RunCli.run(["proof", RICH, "--url", world.l2, "--accept", "proposed"])
    expect([alone.exitCode, alone.stderr]).toEqual([1, expect.stringContaining("--l1 <url>")])
  })

  it("says the state beside the verdict", async () => {
    const { stdout } = await RunCli.run(["block", "finalized", ...flags()])
    expect(stdout).toMatch(/VERIFIED {2}against L1's settled block 0x/u)
    expect(stdout).toContain(`by game ${GAME} of type 0`)
  })

  it("proves older blocks, and claims newer ones", async () => {
    const older = await RunCli.json(["block", String(world.settled.number - 1n), ...flags()])
    expect([older.exitCode, older.answer.verdict]).toEqual([0, "VERIFIED"])
    const newest = await RunCli.json(["proof", RICH, "--block", "latest", ...flags()])
    expect(newest.answer.verdict).toBe("CLAIMED")
    expect(JSON.stringify(newest.answer.claimed)).toContain("the newest that the parent chain settles")
  })

  it("runs calls by the rules of the forks that the description names", async () => {
    const file = path.join(folder, "forked.json")
    const description = { chainId: 901, name: "ours", l1ChainId: 900, systemConfig: SYSTEM_CONFIG }
    writeFileSync(file, JSON.stringify({ ...description, forks: { canyon: 0, ecotone: 0, isthmus: 0 } }))
    const call = (chain: string, ...args: ReadonlyArray<string>) =>
      RunCli.json(["call", RICH, "0x", ...args, ...flags().map((flag) => (flag === world.chain ? chain : flag))])
    const { answer, exitCode } = await call(file)
    expect([exitCode, answer.verdict, answer.anchor?.state]).toEqual([0, "VERIFIED", "settled"])
    // a description without forks has no rules
    const unknown = await call(world.chain)
    expect([unknown.exitCode, unknown.answer.error?.message]).toEqual([1, expect.stringContaining("--hardfork")])
  })

  it("is not proven from a block of L1 that has no contracts", async () => {
    const given = flags().map((flag) => (flag === world.trusted ? world.before : flag))
    const { answer } = await RunCli.json(["block", "finalized", ...given])
    expect(answer.verdict).toBe("CLAIMED")
    expect(JSON.stringify(answer.claimed)).toContain("has no portal")
  })

  it("needs all of its flags, and one trust", async () => {
    const problem = async (args: ReadonlyArray<string>) => {
      const { exitCode, stderr } = await RunCli.run(["proof", RICH, "--url", world.l2, ...args])
      expect(exitCode).toBe(1)
      return stderr
    }
    const { chain, l1, trusted } = world
    expect(await problem(["--rollup", "10"])).toContain("--l1 <url>")
    // a block that is named by its hash is proven by the hash, and the flags are read nevertheless
    const named = await RunCli.run(["block", world.settled.hash, "--url", world.l2, "--rollup", "10"])
    expect([named.exitCode, named.stderr]).toEqual([1, expect.stringContaining("--l1 <url>")])
    const byHash = await RunCli.json(["block", world.settled.hash, ...flags()])
    expect(byHash.answer.anchor).toEqual({ kind: "block", hash: world.settled.hash })
    expect(await problem(["--l1", l1, "--l1-trust", trusted])).toContain("--rollup")
    expect(await problem(["--l1", l1, "--rollup", chain])).toContain("--l1-trust <hash>")
    expect(await problem(["--l1", l1, "--l1-trust", "0x12", "--rollup", chain])).toContain("--l1-trust must be")
    expect(await problem(["--l1", l1, "--l1-trust", trusted, "--rollup", "12345"])).toContain("no chain 12345")
    const silent = ["--l1", "http://127.0.0.1:9", "--l1-trust", trusted, "--rollup", chain, "--retries", "0"]
    expect(await problem(silent)).toContain("name another with --l1\n")
    const called = (name: string) => problem(["--l1", l1, "--l1-trust", trusted, "--rollup", name])
    expect(await called("basse")).toContain("Did you mean base?")
    expect(await called("op mainet")).toContain("Did you mean op-mainnet?")
    expect(await called("optimism")).toContain("Did you mean op-mainnet?")
    expect(await called("./none.json")).toContain("none.json")
    const wrong = path.join(folder, "wrong.json")
    writeFileSync(wrong, JSON.stringify({ chainId: 901, name: "ours", l1ChainId: 900, systemConfig: 1 }))
    expect(await called(wrong)).toContain('Expected string at ["systemConfig"]')
    expect(await problem([...flags().slice(2), "--trust", trusted])).toContain("not both")
    const checkpoint = ["--checkpoint", trusted, "--beacon", l1]
    expect(await problem([...flags().slice(2), ...checkpoint])).toContain("not both")
    const other = ["--l1", l1, "--rollup", chain, ...checkpoint]
    expect(await problem(other)).toContain("the parent chain of ours is 900, but the light client's network is 1")
  })
})
