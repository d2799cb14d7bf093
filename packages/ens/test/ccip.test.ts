/** Records outside the chain. viem reads the same contracts by the same gateway, and is the oracle. */
import { assert, describe, it } from "@effect/vitest"
import { type CcipRead, Ens, EnsChain, EnsReason } from "@plumbline/ens"
import { Reason, Verdict } from "@plumbline/verdict"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { encodeErrorResult, encodeFunctionData, type Hex, parseAbi } from "viem"

import { DAVE, ensWorld } from "./support/ensWorld.ts"

const world = ensWorld()

const allowed: CcipRead.CcipReadOptions = { loopback: true, timeout: "5 seconds" }

/** Counts the requests of a test. */
const counting = (options: CcipRead.CcipReadOptions = allowed) => {
  const requests: Array<{ readonly path: string; readonly init: RequestInit | undefined }> = []
  const fetch: typeof globalThis.fetch = (url, init) => {
    requests.push({ path: new URL(url instanceof Request ? url.url : url).pathname.split("/")[1]!, init })
    return globalThis.fetch(url, init)
  }
  return { requests, ccip: { ...options, fetch } }
}

const read = <A>(program: (ens: Ens.Client) => Ens.EnsRead<A>, ccip?: CcipRead.CcipReadOptions) =>
  world().using(program, ccip === undefined ? {} : { ccip })

/** Returns the reason for which there is no answer, and the requests that were made. */
const failure = (name: string, options?: CcipRead.CcipReadOptions) =>
  Effect.gen(function* () {
    const { ccip, requests } = counting(options)
    const error = yield* Effect.flip(read((ens) => ens.address(name), ccip))
    if (error._tag !== "EnsError") throw error
    return { reason: error.reason, paths: requests.map(({ path }) => path), message: error.message }
  })

describe("a record outside the chain", () => {
  it.effect("is not asked for by default", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read((ens) => ens.address("a.off.eth")))
      assert.deepStrictEqual(error._tag === "EnsError" && error.reason, {
        _tag: "OffchainNotAllowed",
        hosts: [`127.0.0.1:${world().gateway}`]
      })
    })
  )

  it.effect("is CLAIMED, with the gateway's host, and is that which viem reads", () =>
    Effect.gen(function* () {
      const { ccip, requests } = counting()
      const verdict = yield* read((ens) => ens.address("a.off.eth"), ccip)
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.strictEqual(verdict.value, DAVE)
      const reason = verdict.claimed[0]!.reason
      assert.deepStrictEqual(EnsReason.FromGateway.is(reason) && reason.hosts, [`127.0.0.1:${world().gateway}`])
      assert.strictEqual(verdict.proven.filter(({ _tag }) => _tag === "CallRun").length, 2)
      const { entry, viem } = world()
      const other = yield* Effect.promise(() =>
        viem.getEnsAddress({ name: "a.off.eth", universalResolverAddress: entry })
      )
      assert.strictEqual(other?.toLowerCase(), DAVE)
      const [{ init }] = requests as [(typeof requests)[0]]
      assert.include(init, { method: "GET", redirect: "error", credentials: "omit" })
    })
  )

  it.effect("is asked for by POST if the URL has no place for the data", () =>
    Effect.gen(function* () {
      const { ccip, requests } = counting()
      const verdict = yield* read((ens) => ens.text("a.post.eth", "url"), ccip)
      assert.strictEqual(verdict.value, "from the gateway")
      assert.deepStrictEqual(
        requests.map(({ init }) => init?.method),
        ["POST"]
      )
    })
  )

  it.effect("comes from a later gateway if the earlier ones fail, and never from a fifth", () =>
    Effect.gen(function* () {
      const { ccip, requests } = counting()
      assert.strictEqual((yield* read((ens) => ens.address("a.second.eth"), ccip)).value, DAVE)
      assert.deepStrictEqual(
        requests.map(({ path }) => path),
        ["s500", "html", "nothing", "honest"]
      )
      const { paths, reason } = yield* failure("a.fifth.eth")
      assert.deepStrictEqual(paths, ["s500", "s500", "s500", "s500"])
      assert.deepStrictEqual(
        reason._tag === "Gateway" && reason.failures.map(({ status }) => status),
        [500, 500, 500, 500]
      )
    })
  )

  it.effect("is given up at a status from 400 to 499", () =>
    Effect.gen(function* () {
      const { paths, reason } = yield* failure("a.stops.eth")
      assert.deepStrictEqual(paths, ["s404"])
      assert.deepStrictEqual(reason, {
        _tag: "Gateway",
        failures: [{ host: `127.0.0.1:${world().gateway}`, status: 404, fault: "Status" }]
      })
    })
  )
})

describe("a gateway that lies is refused by the contract's callback:", () => {
  it.effect("an answer to another question", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failure("a.swapped.eth")).reason._tag, "ResolverReverted")
    })
  )

  it.effect("bytes without a signature", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failure("a.wrong.eth")).reason._tag, "ResolverReverted")
    })
  )
})

describe("a gateway that misbehaves is bounded:", () => {
  it.effect("a large answer", () =>
    Effect.gen(function* () {
      const { reason } = yield* failure("a.large.eth")
      assert.strictEqual(reason._tag === "Gateway" && reason.failures[0]!.fault, "TooLarge")
    })
  )

  it.live("no answer", () =>
    Effect.gen(function* () {
      const { reason } = yield* failure("a.silent.eth", { loopback: true, timeout: "50 millis" })
      assert.strictEqual(reason._tag === "Gateway" && reason.failures[0]!.fault, "TimedOut")
    })
  )

  it.effect("a redirect, which is not followed", () =>
    Effect.gen(function* () {
      const { reason } = yield* failure("a.moved.eth")
      assert.strictEqual(reason._tag === "Gateway" && reason.failures[0]!.fault, "Unreachable")
    })
  )
})

describe("a URL is refused before a request:", () => {
  for (const [what, name, options] of [
    ["http on this machine, unless it is allowed", "a.off.eth", { loopback: false }],
    ["http elsewhere", "a.plain.eth", allowed],
    ["a URL with a user name", "a.secret.eth", allowed]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { message, paths, reason } = yield* failure(name, options)
        assert.deepStrictEqual(paths, [])
        assert.strictEqual(reason._tag === "Gateway" && reason.failures[0]!.fault, "RefusedUrl")
        // no part of a URL but its host is shown
        assert.notMatch(`${message}${JSON.stringify(reason)}`, /sesame|user:|\/key/u)
      })
    )
  }
})

describe("lookups", () => {
  it.effect("follow one another, at most 4", () =>
    Effect.gen(function* () {
      const { ccip, requests } = counting()
      assert.strictEqual((yield* read((ens) => ens.text("repeat.eth", "4"), ccip)).value, "the end")
      assert.strictEqual(requests.length, 4)
      const error = yield* Effect.flip(read((ens) => ens.text("repeat.eth", "5"), allowed))
      assert.deepStrictEqual(error._tag === "EnsError" && error.reason, { _tag: "LookupRefused", check: "lookups" })
    })
  )

  it.effect("of another contract are refused", () =>
    Effect.gen(function* () {
      const chain = { chainId: 31_337n, universalResolver: world().contracts["forbidden"] as never }
      const { ccip, requests } = counting()
      const error = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { chain, ccip }))
      assert.deepStrictEqual(error._tag === "EnsError" && error.reason, { _tag: "LookupRefused", check: "sender" })
      assert.strictEqual(requests.length, 0)
    })
  )
})

const Word = Reason.kind("Word", () => "a word")
const abi = parseAbi([
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)",
  "struct Query { address sender; string[] urls; bytes data; }",
  "function query(Query[])"
])
const sender = EnsChain.mainnet.universalResolver

/** Returns the reason for which a contract that asks for these URLs, with these data, gives no answer. */
const reasonOf = (urls: ReadonlyArray<string>, data: Hex, ccip?: CcipRead.CcipReadOptions) => {
  const lookup = encodeErrorResult({
    abi,
    errorName: "OffchainLookup",
    args: [sender, urls, data, "0x00000000", "0x"]
  })
  const outcome = { _tag: "Reverted", data: lookup, reason: undefined, gasUsed: 0n } as const
  const ens = Ens.make({ call: () => Effect.succeed(Verdict.claim(outcome, Word({}))) }, { ccip })
  return Effect.map(Effect.flip(ens.address("alice.eth")), (error) => {
    if (error._tag !== "EnsError") throw error
    return error.reason
  })
}

it.effect("gateways that are silent hold an answer for four times the time of a request", () =>
  Effect.gen(function* () {
    let requests = 0
    const fetch = () => {
      requests += 1
      return new Promise<never>(() => {})
    }
    const queries = Array.from(
      { length: 32 },
      () => ({ sender, urls: ["https://gateway.example"], data: "0x" }) as const
    )
    const batch = encodeFunctionData({ abi, functionName: "query", args: [queries] })
    const reason = yield* Effect.forkChild(reasonOf(["x-batch-gateway:true"], batch, { fetch, timeout: "3 seconds" }))
    // four of a batch are asked at once
    for (const asked of [4, 8, 12, 16]) {
      yield* TestClock.adjust("2999 millis")
      assert.strictEqual(requests, asked)
      assert.isUndefined(reason.pollUnsafe())
      yield* TestClock.adjust("1 millis")
    }
    assert.deepStrictEqual(yield* Fiber.join(reason), { _tag: "LookupRefused", check: "time" })
    assert.strictEqual(requests, 16)
  })
)

describe("a URL that a contract makes long", () => {
  /** As `reasonOf`, for long data. Nothing may be asked. */
  const asked = (urls: ReadonlyArray<string>, isAllowed: boolean) => {
    const fetch = () => Promise.reject(new Error("a gateway was asked"))
    return reasonOf(urls, `0x${"00".repeat(15_000)}`, isAllowed ? { fetch } : undefined)
  }

  it.effect("by its host is not shown, and not asked", () =>
    Effect.gen(function* () {
      const urls = [`https://${"a.".repeat(30_000)}example/{data}`]
      assert.deepStrictEqual(yield* asked(urls, false), { _tag: "OffchainNotAllowed", hosts: [] })
      assert.deepStrictEqual(yield* asked(urls, true), {
        _tag: "Gateway",
        failures: [{ host: undefined, status: undefined, fault: "RefusedUrl" }]
      })
    })
  )

  it.effect("by its templates is not asked", () =>
    Effect.gen(function* () {
      for (const part of ["{data}".repeat(3), "{sender}".repeat(1600)]) {
        assert.deepStrictEqual(yield* asked([`https://gateway.example/${part}`], true), {
          _tag: "Gateway",
          failures: [{ host: "gateway.example", status: undefined, fault: "RefusedUrl" }]
        })
      }
    })
  )
})
