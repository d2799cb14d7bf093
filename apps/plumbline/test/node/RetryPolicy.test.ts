/**
 * A command repeats a read if another try can help and there is time. It repeats no other request, and it stops waiting
 * for a server that sends nothing.
 *
 * The servers of these tests count the requests that they receive; the tests compare these counts.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

import { assert, describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Duration, Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"

import * as RetryPolicy from "../../src/node/RetryPolicy.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as LyingNode from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const history = HistoryNode.lyingNode()

function base32(bytes: ReadonlyArray<number>): string {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return (bits.match(/.{1,5}/gu) ?? [])
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("")
}

type Trouble = (request: IncomingMessage, response: ServerResponse, id: unknown) => void

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Trouble =>
  (_, response) =>
    response.writeHead(code, headers).end()

const troubles: Readonly<Record<string, Trouble>> = {
  "HTTP 429": status(429),
  "HTTP 429 with Retry-After": status(429, { "retry-after": "1" }),
  "HTTP 502": status(502),
  "HTTP 503": status(503),
  "HTTP 504": status(504),
  "a reset": (request) => request.socket.resetAndDestroy(),
  "a connection closed without an answer": (request) => request.socket.destroy(),
  "an answer that is cut off": (request, response) => {
    response.writeHead(200, { "content-length": "1000" })
    response.write('{"jsonrpc":', () => request.socket.destroy())
  },
  "-32005": (_, response, id) => {
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32005, message: "limit exceeded" } }))
  }
}

/** Starts a node that answers the first `times` questions with `trouble`, and then truthfully. */
const troubled = async (trouble: Trouble, times: number) => {
  const asked: Array<string> = []
  const server = await Servers.serve(async (request, response) => {
    const { id, method, params } = JSON.parse(await LyingNode.textOf(request))
    asked.push(method)
    if (asked.length <= times) return trouble(request, response, id)
    const result = await history().ask(method, params)
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  })
  return { ...server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const { hash } = HistoryChain.head
const proven = ["block", hash, "--trust", hash] as const

describe("a read", () => {
  it.each(Object.entries(troubles))("is asked again after %s", async (_, trouble) => {
    await using node = await troubled(trouble, 2)
    const { answer, exitCode } = await RunCli.json([...proven, "--url", node.url])
    expect({ exitCode, verdict: answer.verdict }).toEqual({ exitCode: 0, verdict: "VERIFIED" })
    expect(node.asked.length).toBeGreaterThan(2)
    expect(node.asked.slice(0, 3)).toEqual([node.asked[0], node.asked[0], node.asked[0]])
  })

  it("is asked so often as --retries says, and fails with what the server said last", async () => {
    for (const retries of [0, 1]) {
      await using node = await troubled(
        (_, response) => response.writeHead(503).end("no healthy upstream"),
        Number.POSITIVE_INFINITY
      )
      const { answer, exitCode } = await RunCli.json([...proven, "--url", node.url, "--retries", `${retries}`])
      expect({ exitCode, tag: answer.error.tag }).toEqual({ exitCode: 1, tag: "JsonRpcError" })
      expect(answer.error.message).toMatch(/HTTP status 503: no healthy upstream$/u)
      expect(node.asked).toHaveLength(retries + 1)
    }
  })

  it("is not asked again where that cannot help: a wrong key, a node's refusal, a question it does not take", async () => {
    const hopeless: ReadonlyArray<Trouble> = [
      (_, response) => response.writeHead(401).end("invalid project id\n"),
      status(500),
      (_, response, id) =>
        response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }))
    ]
    for (const trouble of hopeless) {
      await using node = await troubled(trouble, Number.POSITIVE_INFINITY)
      expect((await RunCli.run([...proven, "--url", node.url])).exitCode).toBe(1)
      expect(node.asked).toHaveLength(1)
    }
  })

  it("shows what the server says of a wrong key, and not the key", async () => {
    await using node = await Servers.serve((request, response) =>
      response.writeHead(401).end(`invalid project id ${request.url}\n`)
    )
    const key = "0123456789abcdef0123456789abcdef"
    const { stderr } = await RunCli.run([...proven, "--url", `${node.url}/v3/${key}`])
    expect(stderr).toContain("HTTP status 401: invalid project id <redacted>")
    expect(stderr).not.toContain(key)
  })

  it("is not asked again when it was refuted", async () => {
    const asked: Array<string> = []
    await using node = await Servers.serve(async (request, response) => {
      const { id, method, params } = JSON.parse(await LyingNode.textOf(request))
      asked.push(method)
      const result = await history().ask(method, params)
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, timestamp: "0x1" } }))
    })
    const { answer, exitCode } = await RunCli.json([...proven, "--url", node.url])
    expect({ exitCode, verdict: answer.verdict }).toEqual({ exitCode: 2, verdict: "REFUTED" })
    expect(asked).toEqual([...new Set(asked)])
  })

  it("is not waited for longer than the time limit when the server asks for longer", async () => {
    await using node = await troubled(status(429, { "retry-after": "60" }), Number.POSITIVE_INFINITY)
    const { answer } = await RunCli.json([...proven, "--url", node.url])
    expect(answer.error.message).toMatch(/HTTP status 429$/u)
    expect(answer.error.reason.retryAfter).toBe(60_000)
    expect(node.asked).toHaveLength(1)
  })

  it("tells a person who waits, and keeps standard output and --json for the answer", async () => {
    await using node = await troubled(status(503), 1)
    const watched = await RunCli.run([...proven, "--url", node.url], { isWatched: true })
    expect(watched.exitCode).toBe(0)
    expect(watched.stderr).toMatch(/HTTP status 503; asking again in 0\.\d s \(try 2 of 5\)\n$/u)
    await using other = await troubled(status(503), 1)
    const json = await RunCli.run([...proven, "--json", "--url", other.url], { isWatched: true })
    expect(json.stderr).toBe("")
  })
})

describe("a read that is bounded by --timeout", () => {
  it("ends in time although the server answers steadily", async () => {
    await using slow = await Servers.serve((_, response) => {
      response.writeHead(200, { "content-type": "application/vnd.ipld.raw" })
      const drip = setInterval(() => response.write("x"), 5)
      response.on("close", () => clearInterval(drip))
    })
    const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
    for (const command of [["cat"], ["block", "get"], ["ls"], ["get"]]) {
      const { answer, exitCode } = await RunCli.json(["ipfs", ...command, cid, "--url", slow.url, "--timeout", "0.2"])
      expect(exitCode).toBe(1)
      // on a slow machine the server's bytes may pause for the whole time
      expect(answer.error.message).toMatch(
        /(?:silence for|not finished within) 200ms: wait longer with --timeout <seconds>$/u
      )
    }
  })

  it.effect("ends when the time is over, and not before", () =>
    Effect.gen(function* () {
      const bounded = (timeout: Option.Option<string>) =>
        RetryPolicy.whole({ timeout, retries: Option.none() })(Effect.as(Effect.sleep("2 seconds"), "read"))
      const outcomes = yield* Effect.forkChild(
        Effect.forEach(
          [bounded(Option.some("2.001")), bounded(Option.some("1.999")), bounded(Option.none())],
          (read) =>
            Effect.match(read, {
              onFailure: (error) => (error._tag === "UnfinishedError" ? error.problem : error._tag),
              onSuccess: (answer) => answer
            }),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(outcomes), ["read", "TimedOut", "read"])
    })
  )

  it("ends in time although no beacon node answers", async () => {
    await using silent = await Servers.serve(() => undefined)
    const checkpoint = ["--checkpoint", `0x${"01".repeat(32)}`, "--beacon", silent.url]
    const { answer, exitCode } = await RunCli.json(["head", ...checkpoint, "--timeout", "0.2"])
    expect(exitCode).toBe(1)
    expect(answer.error.message).toMatch(/not finished within 200ms: wait longer with --timeout <seconds>$/u)
  })
})

describe("a silent server", () => {
  it("is given up in time, with a message that names --timeout", async () => {
    let asked = 0
    await using silent = await Servers.serve(() => void asked++)
    const block = await RunCli.json([...proven, "--url", silent.url, "--timeout", "0.05"])
    expect(block).toMatchObject({ exitCode: 1, answer: { error: { tag: "JsonRpcError" } } })
    expect(block.answer.error.message).toMatch(/no answer within 50ms: wait longer with --timeout <seconds>$/u)
    // on a slow machine the time limit may pass before the question arrives
    expect(asked).toBeLessThanOrEqual(1)

    const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
    const cat = await RunCli.json(["ipfs", "cat", cid, "--url", silent.url, "--timeout", "0.05"])
    expect(cat.exitCode).toBe(1)
    expect(cat.answer.error.message).toMatch(
      /(?:silence for|not finished within) 50ms: wait longer with --timeout <seconds>$/u
    )
    expect(asked).toBeLessThanOrEqual(2)

    const admin = ["--url", silent.url, "--admin-token", "token", "--timeout", "0.05"]
    for (const command of [
      ["projects", "list"],
      ["projects", "create", "shop"]
    ]) {
      const operated = await RunCli.json([...command, ...admin])
      expect(operated.answer.error.message).toBe(
        "the service has not answered in time: wait longer with --timeout <seconds>"
      )
    }
    expect(asked).toBeLessThanOrEqual(4)
  })

  it("has ten seconds where nothing else is said", () => {
    const policy = Result.getOrThrow(RetryPolicy.of({ timeout: Option.none(), retries: Option.none() }))
    expect([Duration.toMillis(policy.timeout), policy.retries]).toEqual([10_000, 4])
  })
})

it.effect("the time limit covers a question with all its tries and waits", () =>
  Effect.gen(function* () {
    const busy = new JsonRpcError.TransportError({ detail: "HTTP status 503", status: 503, retryable: true })
    const slowly = (method: string) =>
      Effect.delay(Effect.fail(new JsonRpcError.JsonRpcError({ method, reason: busy })), "4 seconds")
    let tries = 0
    const call: Transport.Transport["Service"]["call"] = ({ method }) => {
      tries++
      return tries < 3 ? slowly(method) : Effect.never
    }
    const patient = RetryPolicy.middleware({ timeout: Duration.seconds(10), retries: 9 }, () => Effect.void)
    const asked = patient({ call, callAll: Transport.oneByOne(call) }).call({ method: "m", params: [] })
    const fiber = yield* Effect.forkChild(Effect.flip(asked), { startImmediately: true })
    yield* TestClock.adjust("9999 millis")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    const exit = fiber.pollUnsafe()
    assert.strictEqual(exit?._tag === "Success" && exit.value.message, "m: no answer within 10s")
    assert.strictEqual(tries, 3)
  })
)

describe("the flags", () => {
  it("take numbers, and say what is wrong with anything else", () => {
    const of = (timeout: string, retries: string) =>
      Result.match(RetryPolicy.of({ timeout: Option.some(timeout), retries: Option.some(retries) }), {
        onFailure: ({ problem }) => problem,
        onSuccess: (policy) => [Duration.toMillis(policy.timeout), policy.retries]
      })
    expect(of("2.5", "0")).toEqual([2500, 0])
    expect(of("86400", "100")).toEqual([86_400_000, 100])
    expect(of("0.0000001", "1")).toEqual([1, 1])
    for (const timeout of ["0", "-1", "", "ten", "1e3", "Infinity", "86401", "NaN", "0x10"]) {
      expect(of(timeout, "1")).toBe("--timeout must be a number of seconds, more than 0 and at most 86400")
    }
    for (const retries of ["-1", "1.5", "", "many", "101", "Infinity"]) {
      expect(of("1", retries)).toBe("--retries must be a whole number from 0 to 100")
    }
  })
})

describe("IPFS", () => {
  const bytes = new TextEncoder().encode("plumb")
  /** CIDv1, raw, sha2-256, in base32 (RFC 4648 in lower case, without padding). */
  const cid = `b${base32([0x01, 0x55, 0x12, 0x20, ...createHash("sha256").update(bytes).digest()])}`

  const node = async (trouble: Trouble, times: number) => {
    const asked: Array<string> = []
    const server = await Servers.serve((request, response) => {
      asked.push(request.url!.split("?")[0]!)
      request.resume()
      if (asked.length <= times) return trouble(request, response, null)
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes)
    })
    return { ...server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  it.each(Object.entries(troubles).filter(([name]) => name !== "-32005"))(
    "is read again after %s",
    async (_, trouble) => {
      await using ipfs = await node(trouble, 2)
      const { exitCode, stdout } = await RunCli.run(["ipfs", "cat", cid, "--url", ipfs.url])
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "plumb" })
      expect(ipfs.asked).toEqual(Array.from({ length: 3 }, () => "/api/v0/block/get"))
    }
  )

  it("is listed again when the list breaks off, and no pin of the half one is kept twice", async () => {
    const pin = (text: string) => `${JSON.stringify({ Cid: text, Type: "recursive" })}\n`
    let asked = 0
    await using ipfs = await Servers.serve((request, response) => {
      request.resume()
      if (++asked > 1) return response.writeHead(200).end(pin(cid))
      response.writeHead(200)
      response.write(pin(cid), () => request.socket.destroy())
      return undefined
    })
    const { answer, exitCode } = await RunCli.json(["ipfs", "pin", "ls", "--url", ipfs.url])
    expect([exitCode, answer.value.length, asked]).toEqual([0, 1, 2])
  })

  it("is not asked again for what changes something", async () => {
    const writes = [
      ["ipfs", "add", "-"],
      ["ipfs", "pin", "add", cid],
      ["ipfs", "pin", "rm", cid]
    ]
    for (const trouble of [status(503), status(429), troubles["a reset"]!]) {
      for (const write of writes) {
        await using ipfs = await node(trouble, Number.POSITIVE_INFINITY)
        expect((await RunCli.run([...write, "--url", ipfs.url])).exitCode).toBe(1)
        expect(ipfs.asked).toHaveLength(1)
      }
    }
  })
})

describe("the admin API", () => {
  const service = async (trouble: Trouble, times: number) => {
    const asked: Array<string> = []
    const server = await Servers.serve((request, response) => {
      asked.push(`${request.method} ${request.url!.split("?")[0]}`)
      request.resume()
      if (asked.length <= times) return trouble(request, response, null)
      response.writeHead(200, { "content-type": "application/json" }).end('{"projects":[],"next":null}')
    })
    const flags = ["--url", server.url, "--admin-token", "token"]
    return { ...server, asked, flags, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  it.each(Object.entries(troubles).filter(([name]) => name !== "-32005"))(
    "is read again after %s",
    async (_, trouble) => {
      await using admin = await service(trouble, 2)
      const { answer, exitCode } = await RunCli.json(["projects", "list", ...admin.flags])
      expect({ exitCode, answer }).toEqual({ exitCode: 0, answer: { projects: [] } })
      expect(new Set(admin.asked).size).toBe(1)
      expect(admin.asked).toHaveLength(3)
    }
  )

  it("is not asked again for what changes something", async () => {
    const id = "00000000-0000-4000-8000-000000000000"
    const writes = [
      ["projects", "create", "shop"],
      ["projects", "remove", id],
      ["keys", "issue", id]
    ]
    for (const trouble of [status(503), status(429), troubles["a reset"]!]) {
      for (const write of writes) {
        await using admin = await service(trouble, Number.POSITIVE_INFINITY)
        expect((await RunCli.run([...write, ...admin.flags])).exitCode).toBe(1)
        expect(admin.asked.length).toBeLessThanOrEqual(1)
      }
    }
  })
})
