/**
 * Tells the lies about heads through everything that follows a light client: the command, the proxy and the gateway.
 * The signatures are true, but few members signed, nothing newer comes, nothing is finalized, or the fork is unknown.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { Clock, MadeChain, MadeNetwork } from "@plumbline/beacon-light-client"
import { History, HistoryChain } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { UpstreamPool } from "@plumbline/gateway"
import { ConfigProvider, Effect, Redacted, Result } from "effect"

import type * as ServiceSettings from "../../src/config/ServiceSettings.ts"
import * as NetworkTrusts from "../../src/service/NetworkTrusts.ts"
import * as ServiceNetworks from "../../src/service/ServiceNetworks.ts"
import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as MadeBeacon from "../support/MadeBeacon.ts"
import * as RunCli from "../support/RunCli.ts"

const node = HistoryNode.lyingNode()
const HEAD = 500n
/** In the period of the head, so that the head's committee is known without an update of a whole period. */
const CHECKPOINT = 450n

const blockAt = (slot: bigint): HistoryChain.RecordedBlock =>
  HistoryChain.blocks[HistoryChain.head.number - Number((HEAD - slot) / 8n)]!

const network = MadeNetwork.make({
  apart: 0n,
  forks: MadeNetwork.make({ apart: 0n }).forks.filter(({ name }) => name !== "gloas"),
  secondsPerSlot: 12,
  syncCommitteeSize: 512,
  chainId: BigInt(HistoryChain.chainId)
})
const chain = MadeChain.make(network, { execution: (slot) => MadeBeacon.payload(blockAt(slot)) })

/** The verdict on a block that a tag names: VERIFIED with the number of signers, or a claim with its reason. */
type Verdict = number | RegExp

interface Situation extends Pick<MadeBeacon.Told, "fork" | "signers" | "withholdsFinality"> {
  readonly name: string
  /** Seconds from the beginning of the head's slot to the present. */
  readonly age: number
  readonly latest: Verdict
  readonly finalized: Verdict
}

/** Without finality the checkpoint is the finalized head, 50 slots of 12 seconds before the newest. */
const unfinal = /finalized head, slot 450, is 10m \d\ds old, and at most 6m 24s/u

/** Few members sign. No block is trusted for a tag, so the node's own finalized block is judged by the newest head. */
const thin = (signed: number): Omit<Situation, "name"> => {
  const fewer = new RegExp(`only ${signed} of 512 members .* slot 500: fewer than 342`, "u")
  return { age: 14, signers: signed, withholdsFinality: true, latest: fewer, finalized: fewer }
}

const situations: ReadonlyArray<Situation> = [
  { name: "the truth", age: 14, latest: 512, finalized: 512 },
  { name: "one of 512 signs", ...thin(1) },
  { name: "half of them sign", ...thin(256) },
  { name: "one fewer than two thirds sign", ...thin(341) },
  { name: "two thirds sign", ...thin(342), latest: 342, finalized: unfinal },
  { name: "finality is withheld", ...thin(512), latest: 512, finalized: unfinal },
  { name: "one of 512 signs the finality update", ...thin(1), withholdsFinality: false },
  {
    name: "silence for 9 slots",
    age: 120,
    latest: /newest head, slot 500, is 2m.* old, and at most 1m /u,
    finalized: 512
  },
  {
    name: "silence for ten days",
    age: 864_000,
    latest: /newest head, slot 500, is 10d.* old, and at most 1m /u,
    finalized: /head, slot \d+, is 10d.* old, and at most/u
  },
  {
    name: "an unknown fork",
    age: 864_000,
    fork: "heze",
    latest: /the fork heze is not known to this version/u,
    finalized: /the fork heze is not known to this version/u
  }
]

/** The answer of a proxy about a tag. */
interface Said {
  readonly word: string
  /** Numbers of signers and of members, for a verdict with an anchor. */
  readonly participation?: ReadonlyArray<number>
  readonly reason?: string
}

describe.each(situations)("heads: $name", ({ age, finalized, latest, ...told }) => {
  const surroundings = async <A>(
    work: (flags: ReadonlyArray<string>, env: Record<string, string>, urls: Urls) => Promise<A>
  ): Promise<A> => {
    await using folder = await Children.folder()
    await using beacon = await MadeBeacon.serve({ chain, checkpoints: [CHECKPOINT], head: HEAD, ...told })
    const file = MadeBeacon.networkFile(folder.path, network)
    const env = { PLUMBLINE_NOW: String(Number(Clock.timeOf(network, HEAD)) + age) }
    const trust = ["--checkpoint", chain.root(CHECKPOINT), "--beacon", beacon.url, "--beacon-network", file]
    const flags = [...trust, "--max-checkpoint-age", "none", "--url", node().url, "--data", folder.path]
    return await work(flags, env, { beacon: beacon.url, file })
  }
  interface Urls {
    readonly beacon: string
    readonly file: string
  }

  const check = (tag: string, wanted: Verdict, said: Said): void => {
    if (typeof wanted === "number") {
      expect([tag, said]).toEqual([tag, { word: "VERIFIED", participation: [wanted, 512] }])
    } else {
      expect([tag, said.word]).toEqual([tag, "CLAIMED"])
      expect(said.reason).toMatch(wanted)
    }
  }
  const tags = { latest, finalized }

  it("by the command", async () => {
    await surroundings(async (flags, env) => {
      for (const [tag, wanted] of Object.entries(tags)) {
        const { answer, exitCode } = await RunCli.json(["block", tag, ...flags], { env })
        expect([tag, exitCode, answer.refuted]).toEqual([tag, 0, undefined])
        check(tag, wanted, saidOf(answer.verdict, answer.anchor?.participation, answer.claimed))
      }
    })
  })

  it("through the proxy, refused unless marked", async () => {
    await surroundings(async (flags, env) => {
      const args = ["proxy", "--json", "--annotate", "--unprovable", "mark", "--port", "0", ...flags]
      const child = Children.start(args, env)
      const { url } = JSON.parse(await child.firstLine)
      for (const [tag, wanted] of Object.entries(tags)) {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [tag, false] })
        })
        const { plumbline } = await response.json()
        expect(response.headers.get("plumbline-verdict")).toBe(plumbline.verdict)
        const signed = / (\d+)\/(\d+) /u
          .exec(plumbline.anchor ?? "")
          ?.slice(1)
          .map(Number)
        check(tag, wanted, saidOf(plumbline.verdict, signed, plumbline.claimed))
      }
      child.process.kill("SIGTERM")
      await child.ended
    })
  })

  it("through the gateway, which refuses", async () => {
    await surroundings(async (_, env, { beacon, file }) => {
      const program = Effect.gen(function* () {
        const history = yield* History.make
        const embedded = {
          get: () => Effect.succeed({ upstream: history, chainId: history.chainId, methods: EthMethods.group }),
          beacon: () => undefined
        }
        const trustOf = yield* NetworkTrusts.make(embedded, undefined)
        const networks = yield* ServiceNetworks.make(embedded, { trustOf, cache: Effect.succeed(undefined) })
        const { networks: made } = yield* networks.prepare([settings(beacon, file)])
        const { upstream } = made[0]!
        for (const [tag, wanted] of Object.entries(tags)) {
          const answer = yield* Effect.result(upstream.call("eth_getBlockByNumber", [tag, false]))
          const refused = Result.isFailure(answer) ? answer.failure : undefined
          expect([tag, refused === undefined]).toEqual([tag, typeof wanted === "number"])
          if (refused === undefined) continue
          const { data } = "reason" in refused ? (refused.reason as any) : refused
          check(tag, wanted, saidOf(data?.verdict, undefined, data?.claimed ?? []))
        }
      })
      await Effect.runPromise(
        program.pipe(
          Effect.scoped,
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
          Effect.provide(NodeServices.layer)
        )
      )
    })
  })
})

const saidOf = (
  word: string,
  participation: ReadonlyArray<number> | undefined,
  claimed: ReadonlyArray<{ readonly reason: string }>
): Said =>
  word === "VERIFIED"
    ? { word, participation: participation! }
    : { word, reason: claimed.map(({ reason }) => reason).join("; ") }

const settings = (beacon: string, file: string): ServiceSettings.NetworkSettings => ({
  name: "history",
  hosts: [],
  kind: "eth",
  upstreams: [{ name: "own", embedded: "history", weight: 1, cost: 1 }],
  ...UpstreamPool.defaults,
  integrity: "prove",
  unprovable: "refuse",
  rest: 1000,
  trust: {
    checkpoint: chain.root(CHECKPOINT),
    beacon: [Redacted.make(beacon)],
    network: file,
    maxCheckpointAge: Infinity
  }
})
