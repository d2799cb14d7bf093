/** Tests a light client that was offline for a year, on a synthetic chain with the sizes of mainnet. */
import { expect, it } from "@effect/vitest"
import { Clock, MadeChain, Network } from "@plumbline/beacon-light-client"
import { sized } from "@plumbline/seeded/Random"
import { Effect } from "effect"

import * as Children from "../support/Children.ts"
import * as MadeBeacon from "../support/MadeBeacon.ts"
import * as RunCli from "../support/RunCli.ts"

/** The periods of a year: 365 days of 7200 slots, 8192 slots a period. */
const YEAR = 321n

/** The period of the newest block, in Fulu. A year before it the chain was in Deneb. */
const LAST = 1650n

const length = Clock.slotsPerPeriod(Network.mainnet)
const head = LAST * length + 4000n
const network = MadeBeacon.presentAt(Network.mainnet, head + 1n)
const chain = MadeChain.make(network)

/** Returns the slot of a checkpoint that is `periods` periods old. */
const ago = (periods: bigint): bigint => (LAST - periods) * length + 320n

const flagsOf = (url: string, folder: string, checkpoint: bigint): ReadonlyArray<string> => [
  "--checkpoint",
  chain.root(checkpoint),
  "--beacon",
  url,
  "--data",
  folder,
  "--beacon-network",
  MadeBeacon.networkFile(folder, network),
  "--max-checkpoint-age",
  "400d"
]

it("head catches up a year in one command, 128 updates at a time at most", async () => {
  const periods = BigInt(sized(Number(YEAR)))
  await using folder = await Children.folder()
  await using node = await MadeBeacon.serve({ chain, checkpoints: [ago(periods)], head })
  const flags = flagsOf(node.url, folder.path, ago(periods))
  const { code, stderr, stdout } = await Children.run(["head", "--json", ...flags])
  expect([code, stderr]).toEqual([0, ""])
  const { finalized, optimistic, period } = JSON.parse(stdout)
  expect([period, optimistic.slot, finalized.slot]).toEqual([
    String(LAST),
    String(head),
    String(MadeBeacon.finalizedAt(network, head))
  ])
  // every period once, in order
  const told = node.asked.flatMap(([start, count]) => Array.from({ length: count }, (_, at) => start + BigInt(at)))
  expect(told).toEqual(Array.from({ length: Number(periods) + 1 }, (_, at) => LAST - periods + BigInt(at)))
  expect(Math.max(...node.asked.map(([, count]) => count))).toBe(Math.min(128, Number(periods) + 1))
  // the client continues from its record, without the checkpoint
  const before = node.asked.length
  const again = await Children.run(["head", "--json", ...flags.slice(2)])
  expect([again.code, JSON.parse(again.stdout).period]).toEqual([0, String(LAST)])
  expect(node.asked.length).toBe(before)
})

it("refuses a checkpoint of that age unless it is allowed, before any update is asked for", async () => {
  await using folder = await Children.folder()
  await using node = await MadeBeacon.serve({ chain, checkpoints: [ago(YEAR)], head })
  const flags = flagsOf(node.url, folder.path, ago(YEAR)).slice(0, -2)
  const { answer, exitCode } = await RunCli.json(["head", ...flags])
  expect([exitCode, answer.error.tag]).toEqual([1, "CheckpointAgeError"])
  expect(answer.error.message).toContain("at most 14.0 days")
  expect(node.asked).toEqual([])
})

it("shows on standard error how far it is, to a person", async () => {
  const periods = 24n
  await using folder = await Children.folder()
  // the work ends after the line was drawn three times
  const drawn = Promise.withResolvers<void>()
  let times = 0
  const beforeError = () => Effect.sync(() => (++times === 3 ? drawn.resolve() : undefined))
  await using node = await MadeBeacon.serve({ chain, checkpoints: [ago(periods)], head, until: drawn.promise })
  const { exitCode, stderr, stdout } = await RunCli.run(["head", ...flagsOf(node.url, folder.path, ago(periods))], {
    isWatched: true,
    beforeError
  })
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(chain.root(ago(periods)))])
  const lines = stderr.split("\r\u001b[K").filter((line) => line !== "")
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatch(/^following the beacon chain .*(?:of 630\.5 KiB|0 B).*/u)
  const done = lines.flatMap((line) => (/ ([0-9.]+) KiB of /u.exec(line) ?? []).slice(1).map(Number))
  expect(done).toEqual(done.toSorted((a, b) => a - b))
  // the progress line is removed before the answer is printed
  expect(stderr.endsWith("\r\u001b[K")).toBe(true)
})

// `script` of util-linux gives a program a terminal
it.runIf(process.platform === "linux")("takes that line away before it prints the answer", async () => {
  await using folder = await Children.folder()
  await using node = await MadeBeacon.serve({ chain, checkpoints: [ago(24n)], head })
  const flags = flagsOf(node.url, folder.path, ago(24n))
  // one terminal for standard output and standard error, as for a person
  const quoted = [process.execPath, Children.MAIN, "head", ...flags].map((part) => `'${part}'`).join(" ")
  const { code, stdout } = await Children.launch("script", ["-qec", quoted, "/dev/null"], { env: {} }).ended
  expect(code, stdout).toBe(0)
  const screen = stdout.split("\r\u001b[K")
  expect(screen.length).toBeGreaterThan(2)
  const [first] = screen.at(-1)!.split("\r\n")
  expect(first).toContain("Optimistic: signed")
  expect(screen.at(-1)).not.toContain("following")
})
