/** The bounds on ranges of logs: the flags, and a proxy with them in front of the history chain's node. */
import { setTimeout } from "node:timers/promises"

import { assert, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { Duration, Option, Result } from "effect"
import { createPublicClient, http } from "viem"

import * as LogBounds from "../../src/proxy/LogBounds.ts"
import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"

const history = HistoryNode.lyingNode()
const head = BigInt(HistoryChain.head.number)

const parse = (work?: string, time?: string) =>
  LogBounds.parse({ logWork: Option.fromNullishOr(work), logTime: Option.fromNullishOr(time) })

describe("the flags", () => {
  it("are numbers of work and of seconds, with defaults", () => {
    const seconds = (bounds: ReturnType<typeof parse>) => Duration.toSeconds(Result.getOrThrow(bounds).maxLogTime)
    assert.isUndefined(Result.getOrThrow(parse()).maxLogWork)
    // viem gives up after 10 seconds
    assert.isBelow(seconds(parse()), 10)
    assert.strictEqual(Result.getOrThrow(parse("2500")).maxLogWork, 2500)
    assert.deepEqual([seconds(parse("1", "0.25")), seconds(parse("1", "3600"))], [0.25, 3600])
  })

  it("refuse other texts, and name the flag", () => {
    for (const [work, time, flag] of [
      ["0", undefined, "--log-work"],
      ["-1", undefined, "--log-work"],
      ["1e5", undefined, "--log-work"],
      ["4294967296", undefined, "--log-work"],
      ["1", "0", "--log-time"],
      ["1", "3601", "--log-time"],
      ["1", "soon", "--log-time"]
    ] as const) {
      const mistake = Result.getOrThrow(Result.flip(parse(work, time)))
      assert.isTrue(mistake.problem.startsWith(flag), mistake.problem)
    }
  })
})

/** Starts a proxy that trusts the newest block, and returns a client of viem and a function that asks for logs. */
const open = async (url: string, ...args: ReadonlyArray<string>) => {
  const words = ["proxy", "--json", "--port", "0", "--url", url, "--trust", HistoryChain.head.hash, ...args]
  const child = Children.start(words)
  const proxy = JSON.parse(await child.firstLine)
  const logs = async (toBlock: bigint): Promise<{ readonly error?: any; readonly result?: ReadonlyArray<unknown> }> => {
    const params = [{ fromBlock: "0x1", toBlock: `0x${toBlock.toString(16)}` }]
    const response = await fetch(proxy.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params })
    })
    return response.json()
  }
  return {
    logs,
    viem: createPublicClient({ transport: http(proxy.url, { retryCount: 0 }) }),
    [Symbol.asyncDispose]: async () => {
      child.process.kill("SIGTERM")
      await child.ended
    }
  }
}

describe("a range of logs", () => {
  it("beyond --log-work is refused with a smaller range, which is answered", async () => {
    await using proxy = await open(history().url, "--log-work", "10")
    const { error } = await proxy.logs(head)
    assert.deepInclude(error, { code: -32_095 })
    assert.deepInclude(error.data, { bound: "logWork", limit: 10 })
    const [, to] = /Try with this block range \[0x1, (0x[0-9a-f]+)\]$/u.exec(error.message) ?? []
    const { result } = await proxy.logs(BigInt(to!))
    assert.isArray(result)
    // viem shows the sentence, so a program can look for the range in it
    const failure = await proxy.viem.getLogs({ fromBlock: 1n, toBlock: head }).catch((thrown: unknown) => thrown)
    assert.include((failure as { readonly details: string }).details, `[0x1, ${to}]`)
  })

  it("within --log-work is answered as by the node", async () => {
    await using proxy = await open(history().url, "--log-work", "100000")
    const node = createPublicClient({ transport: http(history().url) })
    const range = { fromBlock: 1n, toBlock: head }
    assert.deepEqual(await proxy.viem.getLogs(range), await node.getLogs(range))
  })

  it("beyond --log-time is refused, and the slow node is not accused", async () => {
    const late = async (answer: unknown) => {
      await setTimeout(1000)
      return answer
    }
    const slow = history().telling({ method: "eth_getBlockByNumber", change: late })
    await using proxy = await open(slow, "--log-time", "0.5")
    const { error } = await proxy.logs(head)
    assert.deepInclude(error, { code: -32_095 })
    assert.deepInclude(error.data, { verdict: "CLAIMED", bound: "logTime", limit: 500 })
    assert.match(error.message, /Try with this block range \[0x1, 0x1\]$/u)
  })
})
