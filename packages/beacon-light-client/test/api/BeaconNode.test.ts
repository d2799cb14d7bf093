/** Tests the HTTP calls to a beacon node, with nodes that give every kind of right and wrong answer. */
import { type AddressInfo, createServer, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { BeaconNode, type BeaconNodes, Codec, type Form, MadeChain, Network } from "@plumbline/beacon-light-client"
import { Bytes, Hex } from "@plumbline/codec"
import * as Spans from "@plumbline/seeded/Spans"
import { Duration, Effect, Fiber, Redacted, Result, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

import * as ForkDigest from "../../src/network/forkDigest.ts"
import { allForks } from "../support/networks.ts"

const chain = MadeChain.make(allForks)
const SLOT = 500n
const form: Form.ContainerForm = { fork: "electra", syncCommitteeSize: 32 }
const bootstrap = chain.bootstrap(SLOT, "electra")
const updateOf = (attested: bigint) => chain.update({ attested, finalized: SLOT - 20n, fork: "electra" })
const updates = [updateOf(SLOT), updateOf(SLOT + 1n)] as const
const root = chain.root(SLOT)

const json = (body: unknown, init?: ResponseInit): Response => Response.json(body, init)

const ssz = (body: Uint8Array, version: string | undefined = "electra"): Response =>
  new Response(body.slice(), {
    headers: {
      "content-type": "application/octet-stream",
      ...(version === undefined ? {} : { "eth-consensus-version": version })
    }
  })

/** Makes a node that answers each request with a response, and records the requests. */
const node = (answer: () => Response, endpoint: Partial<BeaconNodes.BeaconEndpoint> = {}) => {
  const asked: Array<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      asked.push({ url: url.href, headers: request.headers })
      return HttpClientResponse.fromWeb(request, answer())
    })
  )
  const made = BeaconNode.make({ url: "https://beacon.example", ...endpoint }, allForks)
  return Effect.map(Effect.provideService(made, HttpClient.HttpClient, client), (made) => ({ asked, made }))
}

const chunk = (update: (typeof updates)[number], digest: Uint8Array): Uint8Array => {
  const payload = Bytes.concat(digest, Codec.update.encode(update, form))
  const length = new Uint8Array(8)
  new DataView(length.buffer).setBigUint64(0, BigInt(payload.length), true)
  return Bytes.concat(length, payload)
}

/** A digest that belongs to no fork before Fulu. From Fulu on, digests also depend on the blob schedule. */
const UNKNOWN = Uint8Array.of(1, 2, 3, 4)

const whyOf = (failure: BeaconNode.BeaconNodeFailure): string =>
  failure._tag === "RefutedError" ? failure.check : failure.reason._tag

describe("BeaconNode", () => {
  it.effect("reads the same values from SSZ and from JSON, and prefers SSZ", () =>
    Effect.gen(function* () {
      const inJson = yield* node(() => json({ version: "electra", data: Codec.bootstrap.toJson(bootstrap, form) }))
      const inSsz = yield* node(() => ssz(Codec.bootstrap.encode(bootstrap, form)))
      assert.deepStrictEqual(yield* inJson.made.bootstrap(root), bootstrap)
      assert.deepStrictEqual(yield* inSsz.made.bootstrap(root), bootstrap)
      assert.strictEqual(inSsz.asked[0]!.headers["accept"], "application/octet-stream;q=1, application/json;q=0.9")
      const list = updates.map((update) => ({ version: "electra", data: Codec.update.toJson(update, form) }))
      const asJson = yield* node(() => json(list))
      const asSsz = yield* node(() => ssz(Bytes.join(updates.map((update) => chunk(update, UNKNOWN)))))
      assert.deepStrictEqual(yield* asJson.made.updates(7n, 2), [...updates])
      assert.deepStrictEqual(yield* asSsz.made.updates(7n, 2), [...updates])
      const [{ attestedHeader, finalityBranch, finalizedHeader, signatureSlot, syncAggregate }] = updates
      const finality = { attestedHeader, finalizedHeader, finalityBranch, syncAggregate, signatureSlot }
      const optimistic = { attestedHeader, syncAggregate, signatureSlot }
      const finalityNode = yield* node(() => ssz(Codec.finalityUpdate.encode(finality, form)))
      assert.deepStrictEqual(yield* finalityNode.made.finalityUpdate, finality)
      const optimisticNode = yield* node(() => ssz(Codec.optimisticUpdate.encode(optimistic, form)))
      assert.deepStrictEqual(yield* optimisticNode.made.optimisticUpdate, optimistic)
    })
  )

  it.effect("is alive if it answers at all, unless it reports an error of its own", () =>
    Effect.gen(function* () {
      const isAlive = (answer: () => Response) =>
        Effect.flatMap(node(answer), ({ made }) => Effect.isSuccess(made.alive!))
      for (const status of [200, 206, 401, 404]) {
        assert.isTrue(yield* isAlive(() => new Response("", { status })), String(status))
      }
      assert.isTrue(yield* isAlive(() => new Response("<html>")))
      for (const status of [500, 502, 503]) {
        assert.isFalse(yield* isAlive(() => new Response("", { status })), String(status))
      }
      const { asked, made } = yield* node(() => new Response(""), { url: "https://beacon.example/k3y" })
      yield* made.alive!
      assert.deepStrictEqual(
        asked.map(({ url }) => url),
        ["https://beacon.example/k3y/eth/v1/node/health"]
      )
    })
  )

  it.effect("names nothing but the checkpoint and periods in its requests", () =>
    Effect.gen(function* () {
      const { asked, made } = yield* node(() => json({}, { status: 500 }), {
        url: "https://u:p@beacon.example/key/?a=b"
      })
      yield* Effect.ignore(made.bootstrap(root))
      yield* Effect.ignore(made.updates(7n, 3))
      yield* Effect.ignore(made.finalityUpdate)
      yield* Effect.ignore(made.optimisticUpdate)
      const base = "https://beacon.example/key/eth/v1/beacon/light_client"
      assert.deepStrictEqual(
        asked.map(({ url }) => url),
        [
          `${base}/bootstrap/${root}?a=b`,
          `${base}/updates?start_period=7&count=3&a=b`,
          `${base}/finality_update?a=b`,
          `${base}/optimistic_update?a=b`
        ]
      )
      assert.strictEqual(asked[0]!.headers["authorization"], `Basic ${btoa("u:p")}`)
    })
  )

  it.effect("has a span for each call, whose id the node gets, and no secret in it", () =>
    Effect.gen(function* () {
      const { asked, made } = yield* node(() => ssz(Codec.bootstrap.encode(bootstrap, form)), {
        url: "https://user:the-key@beacon.example/the-key"
      })
      const { spans, tracer } = Spans.collecting()
      yield* Effect.provideService(made.bootstrap(root), Tracer.Tracer, tracer)
      yield* made.bootstrap(root)
      const [{ attributes, kind, name, spanId, traceId }] = spans as [Tracer.NativeSpan]
      assert.deepStrictEqual([spans.length, name, kind], [1, "beacon bootstrap", "client"])
      assert.deepStrictEqual(
        asked.map(({ headers }) => headers["traceparent"]),
        [`00-${traceId}-${spanId}-01`, undefined]
      )
      assert.notInclude(JSON.stringify([...attributes]), "the-key")
    })
  )

  it.effect("sends a request once more if the server closed the connection before its answer began", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ data: { genesis_validators_root: allForks.genesisValidatorsRoot } })
      const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      let requests = 0
      /** The server's treatment of the requests, by their number. */
      const treat = (socket: Socket, nth: number): void => {
        // A kept connection is closed at its reuse, then every connection, then one within an answer.
        if (nth === 1 || nth === 3 || nth === 4) socket.destroy()
        else if (nth === 5) socket.end(answer.slice(0, -1))
        else socket.write(answer)
      }
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.on("data", () => treat(socket, requests++))
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { genesis } = yield* Effect.provide(BeaconNode.make({ url }, allForks), FetchHttpClient.layer)
      assert.strictEqual(yield* genesis!, allForks.genesisValidatorsRoot)
      assert.strictEqual(yield* genesis!, allForks.genesisValidatorsRoot)
      assert.strictEqual(requests, 3)
      const closed = yield* Effect.flip(genesis!)
      assert.match(closed.reason.message, /^connection failed \((?:UND_ERR_SOCKET|ECONNRESET)\)$/)
      assert.strictEqual(requests, 5)
      const cut = yield* Effect.flip(genesis!)
      assert.match(cut.reason.message, /^the answer was cut off/)
      assert.strictEqual(requests, 6)
    })
  )

  it.effect("refuses what is not an answer by name, and shows no secret", () =>
    Effect.gen(function* () {
      const good = Codec.bootstrap.encode(bootstrap, form)
      const octets = { headers: { "content-type": "application/octet-stream" } }
      const answers: ReadonlyArray<readonly [string, () => Response]> = [
        ["ProtocolError", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
        ["ProtocolError", () => new Response("{", { headers: { "content-type": "application/json" } })],
        ["ProtocolError", () => new Response(new Uint8Array(64 * 1024 + 1), octets)],
        ["ProtocolError", () => ssz(new Uint8Array(64 * 1024 + 1))],
        ["ConnectionError", () => new Response(null, { status: 302, headers: { location: "https://other.example" } })],
        ["UnavailableError", () => json({ code: 404 }, { status: 404 })],
        ["StatusError", () => json({ message: "secret" }, { status: 500 })],
        ["shape", () => ssz(good.subarray(0, good.length - 40))],
        ["shape", () => ssz(good, "phase0")],
        ["shape", () => new Response(good.slice(), octets)],
        ["shape", () => json({ version: "ELECTRA", data: {} })],
        ["shape", () => json([])],
        ["shape", () => json(null)]
      ]
      for (const [why, answer] of answers) {
        const { made } = yield* node(answer, { url: "https://user:hunter2@beacon.example/0123456789abcdef" })
        const failure = yield* Effect.flip(made.bootstrap(root))
        assert.strictEqual(whyOf(failure), why)
        assert.notMatch(`${failure.message} ${JSON.stringify(failure)}`, /hunter2|0123456789abcdef|secret/)
      }
    })
  )

  it.effect("refuses ranges that are cut, too long or not in chunks", () =>
    Effect.gen(function* () {
      const whole = Bytes.join(updates.map((update) => chunk(update, UNKNOWN)))
      const huge = whole.slice()
      huge.fill(0xff, 0, 8)
      const answers: ReadonlyArray<readonly [string, Uint8Array]> = [
        ["shape", whole.subarray(0, whole.length - 1)],
        ["shape", whole.subarray(0, 4)],
        ["shape", huge],
        ["shape", new Uint8Array(8)]
      ]
      for (const [why, bytes] of answers) {
        const { made } = yield* node(() => ssz(bytes))
        assert.strictEqual(whyOf(yield* Effect.flip(made.updates(7n, 2))), why)
      }
      const tooMany = yield* node(() => ssz(whole))
      assert.strictEqual(whyOf(yield* Effect.flip(tooMany.made.updates(7n, 1))), "bounds")
      const data = Codec.update.toJson(updates[0], form)
      const many = yield* node(() => json([1, 2].map(() => ({ version: "electra", data }))))
      assert.strictEqual(whyOf(yield* Effect.flip(many.made.updates(7n, 1))), "bounds")
      const object = yield* node(() => json({ data: [] }))
      assert.strictEqual(whyOf(yield* Effect.flip(object.made.updates(7n, 1))), "shape")
    })
  )

  it.effect("gives up an answer that is not complete in time", () =>
    Effect.gen(function* () {
      const never = new HttpClientNever()
      const made = yield* Effect.provideService(
        BeaconNode.make({ url: "https://beacon.example", timeout: "5 seconds" }, allForks),
        HttpClient.HttpClient,
        never.client
      )
      const asking = yield* Effect.forkChild(Effect.flip(made.finalityUpdate))
      yield* TestClock.adjust("5 seconds")
      const failure = yield* Fiber.join(asking)
      assert(failure._tag === "BeaconApiError" && failure.reason._tag === "TimeoutError")
      assert.strictEqual(Duration.toMillis(failure.reason.after), 5000)
      assert.isTrue(never.isAborted)
    })
  )

  it.effect("refuses endpoints that make no sense", () =>
    Effect.gen(function* () {
      for (const url of ["nonsense", "ftp://beacon.example", "https://%zz@beacon.example"]) {
        const failure = yield* Effect.flip(node(() => json({}), { url: Redacted.make(url) }))
        assert.strictEqual(failure.reason._tag, "EndpointError")
        assert.notInclude(failure.message, url)
      }
    })
  )
})

/** A client whose answer never arrives. */
class HttpClientNever {
  isAborted = false
  readonly client = HttpClient.make(() =>
    Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (this.isAborted = true)))
  )
}

describe("forkDigest", () => {
  it("knows the digests of mainnet, and takes others for Fulu and newer", () => {
    const forksOf = (digest: Hex.Hex) => ForkDigest.forksOf(Network.mainnet, Result.getOrThrow(Hex.toBytes(digest)))
    assert.deepStrictEqual(forksOf("0xbba4da96"), ["capella"])
    assert.deepStrictEqual(forksOf("0x6a95a1a9"), ["deneb"])
    assert.deepStrictEqual(forksOf("0xad532ceb"), ["electra"])
    assert.deepStrictEqual(forksOf("0x00000000"), ["fulu", "gloas"])
  })
})
