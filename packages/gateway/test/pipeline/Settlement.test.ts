/** The metered bytes are exactly the bytes on the wire, and the charged credits are exactly the costs. */
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Allowlist, Metering, type Usage } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Layer, Result, Schedule } from "effect"

import * as State from "../support/accounts.ts"
import * as FakeNode from "../support/fakeNode.ts"
import * as Held from "../support/held.ts"
import * as Metered from "../support/metered.ts"
import { ADDRESS, HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"

/** One message of a packet, and its expected usage. */
interface Item {
  readonly text: string
  readonly method: string
  readonly status: number
  readonly credits: number
}

const ids = ["1", "1.0", '"\\u00e9"', '"é 👛"', "null", "12345678901234567890"]
const spaces = ["", " ", "\n\t"]

/** Returns a random message with its expected usage. The credits repeat Infura's table. */
const item = (random: Random.Random): Item => {
  const id = Random.int(random, 4) === 0 ? "" : `"id":${Random.pick(random, ids)},`
  const space = Random.pick(random, spaces)
  const call = (method: string, params: unknown, metered: Omit<Item, "text">): Item => ({
    text: `{${space}"jsonrpc":"2.0",${id}"method":"${method}","params":${JSON.stringify(params)}${space}}`,
    ...metered
  })
  switch (Random.int(random, 8)) {
    case 0:
      return call("eth_chainId", [], { method: "eth_chainId", status: 200, credits: 5 })
    case 1: {
      const params = [ADDRESS, "0x00", "latest"]
      return call("eth_getStorageAt", params, { method: "eth_getStorageAt", status: 200, credits: 80 })
    }
    case 2: {
      // The node answers garbage.
      const params = [ADDRESS, "0xff", "latest"]
      return call("eth_getStorageAt", params, { method: "eth_getStorageAt", status: 502, credits: 0 })
    }
    case 3:
      // The node refuses this call with an error object.
      return call("eth_call", [{ to: ADDRESS }], { method: "eth_call", status: 200, credits: 80 })
    case 4:
      return call("eth_call", ["é"], { method: "eth_call", status: 200, credits: 80 })
    case 5:
      return call("eth_getBlockByHash", [HASH, true], { method: "eth_getBlockByHash", status: 403, credits: 5 })
    case 6:
      return call(`eth_é${Random.int(random, 9)}`, [], { method: "unknown", status: 200, credits: 80 })
    default:
      return {
        text: Random.pick(random, ["7", "{}", '"é"', "null", "[1]", '{"jsonrpc":"2.0","id":1,"result":2}']),
        method: "invalid",
        status: 200,
        credits: 5
      }
  }
}

/** Maximum number of calls in a batch. */
const MOST = 6

interface Packet {
  readonly text: string
  readonly items: ReadonlyArray<Item>
  /** True if the items are in an array, which costs a credit. */
  readonly isBatch: boolean
}

const packet = (random: Random.Random): Packet => {
  const broken = Random.int(random, 12)
  if (broken === 0) {
    const text = Random.pick(random, ["{", '["é"', "[]", "", "nothing"])
    return { text, items: [{ text, method: "invalid", status: 200, credits: 5 }], isBatch: false }
  }
  if (broken < 5) {
    const one = item(random)
    // `[1]` alone is a batch, so it is not used as a single message.
    if (one.text !== "[1]") return { text: one.text, items: [one], isBatch: false }
  }
  if (broken === 5) {
    // A batch with too many messages gets a single error, and only the array is metered.
    const text = `[${Array.from({ length: MOST + 1 + Random.int(random, 3) }, () => item(random).text).join(", ")}]`
    return { text, items: [{ text: "", method: "invalid", status: 200, credits: 5 }], isBatch: true }
  }
  const items = Array.from({ length: 1 + Random.int(random, MOST) }, () => item(random))
  const separator = Random.pick(random, [",", " , ", ",\n"])
  const around = Random.pick(random, spaces)
  return { text: `${around}[${around}${items.map(({ text }) => text).join(separator)}]`, items, isBatch: true }
}

const options: Metered.Options = {
  project: {
    allowlist: { ...Allowlist.none, methods: ["eth_chainId", "eth_getStorageAt", "eth_call"] },
    limits: { creditsPerDay: 1_000_000_000 }
  },
  gateway: { limits: { batch: MOST } },
  node: ({ method, params }) => {
    if (method === "eth_call") return { error: { code: 3, message: "execution reverted: é" } }
    return params[1] === "0xff" ? (response) => response.end("garbage") : { result: `${method} é` }
  }
}

/** Returns the expected calls, credits and bytes, by method and status. */
const expected = (packets: ReadonlyArray<Packet>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const rows = new Map<string, [calls: number, credits: number, bytesIn: number]>()
  const add = (key: string, calls: number, credits: number, bytesIn: number) => {
    const row = rows.get(key) ?? [0, 0, 0]
    rows.set(key, [row[0] + calls, row[1] + credits, row[2] + bytesIn])
  }
  for (const { isBatch, items, text } of packets) {
    const whole = Buffer.byteLength(text)
    let inside = 0
    for (const { credits, method, status, text: own } of items) {
      const size = isBatch ? Buffer.byteLength(own) : whole
      inside += size
      add(`${method} ${status}`, 1, credits, size)
    }
    if (isBatch) add("batch 200", 0, 1, whole - inside)
  }
  return rows
}

const actual = (rows: ReadonlyArray<Metered.Row>): ReadonlyMap<string, ReadonlyArray<number>> =>
  new Map(rows.map(({ bytesIn, calls, credits, method, status }) => [`${method} ${status}`, [calls, credits, bytesIn]]))

describe("of packets at random, rows are what was on the wire, and the day is charged what they say,", () => {
  for (const seed of [1, 2, 3]) {
    it.live(`over HTTP, seed ${seed}`, () =>
      Effect.gen(function* () {
        const random = Random.make(seed)
        const service = yield* Metered.start(options)
        const packets = Array.from({ length: Random.runs(40) }, () => packet(random))
        const answers = yield* Effect.forEach(packets, ({ text }) => Service.ask(service, { body: text }), {
          concurrency: 8
        })
        const rows = yield* service.rows
        assert.deepStrictEqual(actual(rows), expected(packets))
        assert.strictEqual(
          Metered.sum(rows, "bytesOut"),
          answers.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
        )
        yield* charged(service, Metered.sum(rows, "credits"))
      }).pipe(Effect.scoped)
    )

    it.live(`over a WebSocket, seed ${seed}`, () =>
      Effect.gen(function* () {
        const random = Random.make(seed + 100)
        const service = yield* Metered.start(options)
        const client = yield* Service.connected(service)
        let received = 0
        client.socket.on("message", (data) => (received += (data as Buffer).length))
        const packets = Array.from({ length: Random.runs(40) }, () => packet(random))
        for (const { text } of packets) client.socket.send(text)
        const calls = packets.reduce((sum, { items }) => sum + items.length, 0)
        const rows = yield* Effect.repeat(service.rows, { until: (found) => Metered.sum(found, "calls") === calls })
        assert.deepStrictEqual(actual(rows), expected(packets))
        const bytesOut = Metered.sum(rows, "bytesOut")
        yield* Effect.repeat(Effect.sleep(1), { until: () => received >= bytesOut })
        assert.strictEqual(received, bytesOut)
        yield* charged(service, Metered.sum(rows, "credits"))
      }).pipe(Effect.scoped)
    )
  }
})

/** Checks that exactly the given number of credits of the day are used. */
const charged = ({ holder, limiter }: Metered.Metered, credits: number) =>
  Effect.gen(function* () {
    const { limits } = holder.project
    const exceeded = yield* Effect.flip(limiter.admit("p1", limits, 1_000_000_000 - credits + 1))
    assert.strictEqual(exceeded._tag === "LimitExceeded" && exceeded.current, credits)
    yield* limiter.admit("p1", limits, 1_000_000_000 - credits)
  })

const body = Service.call("eth_chainId")
const head = `POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`

/**
 * For each step at which the caller leaves: the recorded `status credits`, and the number of calls that the node
 * finished.
 */
const moments = {
  lookup: { recorded: [], asked: 0 },
  admit: { recorded: ["499 5"], asked: 0 },
  node: { recorded: ["499 5"], asked: 0 },
  record: { recorded: ["200 5"], asked: 1 }
} as const

describe("a client that leaves", () => {
  for (const [moment, { asked, recorded }] of Object.entries(moments)) {
    const name = moment as keyof typeof moments
    it.live(`at the step "${moment}" is recorded once and settled once`, () =>
      Effect.gen(function* () {
        const service = yield* Held.start()
        service.gates[name].close()
        const socket = net.connect(service.port, "127.0.0.1")
        socket.on("error", () => undefined)
        socket.write(head + body)
        yield* service.gates[name].reached
        socket.destroy()
        // The server notices the closed connection before it reads a later request.
        yield* Service.ask(service, { path: "/health", method: "GET" })
        yield* Held.noticed
        yield* service.gates[name].open
        // An ordinary call still works.
        assert.strictEqual((yield* Service.ask(service, { body })).status, 200)
        yield* Held.noticed
        const { admitted, charged, settled } = service.counts
        const lines = service.recorded.map(({ credits, status }) => `${status} ${credits}`)
        assert.deepStrictEqual(lines.toSorted(), [...recorded, "200 5"].toSorted())
        assert.strictEqual(settled, admitted)
        assert.strictEqual(admitted, recorded.length + 1)
        assert.strictEqual(charged, 5 * admitted)
        assert.strictEqual(service.asked(), asked + 1)
      }).pipe(Effect.scoped)
    )

    if (name === "lookup") {
      it.live("while it is looked up for a message has asked for nothing", () =>
        Effect.gen(function* () {
          const service = yield* Held.start()
          const client = yield* Service.connected(service)
          service.gates.lookup.close()
          client.socket.send(body)
          yield* service.gates.lookup.reached
          client.socket.terminate()
          yield* Held.noticed
          yield* service.gates.lookup.open
          yield* Held.noticed
          assert.deepStrictEqual(service.recorded, [])
          assert.deepStrictEqual(service.counts, { admitted: 0, settled: 0, charged: 0 })
        }).pipe(Effect.scoped)
      )
      continue
    }
    it.live(`at the step "${moment}" of a message is recorded once and settled once`, () =>
      Effect.gen(function* () {
        const service = yield* Held.start()
        const client = yield* Service.connected(service)
        service.gates[name].close()
        client.socket.send(body)
        yield* service.gates[name].reached
        client.socket.terminate()
        yield* Held.noticed
        yield* service.gates[name].open
        yield* Effect.repeat(Effect.sleep(1), { until: () => service.counts.settled > 0 })
        yield* Held.noticed
        assert.deepStrictEqual(
          service.recorded.map(({ credits, status }) => `${status} ${credits}`),
          [...recorded]
        )
        assert.deepStrictEqual(service.counts, { admitted: 1, settled: 1, charged: 5 })
        assert.strictEqual(service.asked(), asked)
      }).pipe(Effect.scoped)
    )
  }

  const breaks: ReadonlyArray<readonly [how: string, end: (socket: net.Socket) => void, row: ReadonlyArray<unknown>]> =
    [
      ["resets the connection", (socket) => socket.resetAndDestroy(), ["unknown", 499, 5, 10, 0]],
      // The client sent no complete request, but it may still read. So it gets an error.
      ["ends its half", (socket) => socket.end(), ["unknown", 400, 5, 10, "bad request\n".length]]
    ]
  it.live.each(breaks)("in the middle of its body and %s is recorded as one that asked nothing", ([, end, row]) =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const socket = net.connect(service.port, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.write(head + body.slice(0, 10))
      yield* Held.noticed
      end(socket)
      const rows = yield* Effect.repeat(service.rows, { until: (found) => found.length > 0 })
      assert.deepStrictEqual(
        rows.map(({ bytesIn, bytesOut, credits, method, status }) => [method, status, credits, bytesIn, bytesOut]),
        [row]
      )
    }).pipe(Effect.scoped)
  )

  it.live("at any moment leaves no place taken, and the day is charged what the rows say", () =>
    Effect.gen(function* () {
      const random = Random.make(7)
      const limits = { concurrency: 6, creditsPerDay: 1_000_000_000 }
      const service = yield* Metered.start({
        project: { limits },
        node:
          ({ id }) =>
          (response) =>
            setTimeout(
              () => FakeNode.json(response, JSON.stringify({ jsonrpc: "2.0", id, result: 1 })),
              Random.int(random, 4)
            )
      })
      const text = `[${body},${Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"])}]`
      const request = `POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`
      const leave = Effect.suspend(() => {
        const pause = Effect.sleep(Random.int(random, 12))
        if (Random.int(random, 2) === 0) {
          return Effect.gen(function* () {
            const client = yield* Service.connected(service)
            for (let count = 0; count < 3; count++) client.socket.send(text)
            yield* pause
          }).pipe(Effect.scoped)
        }
        const socket = net.connect(service.port, "127.0.0.1")
        socket.on("error", () => undefined)
        socket.write(request.slice(0, Random.int(random, 2) === 0 ? undefined : Random.int(random, request.length)))
        return Effect.map(pause, () => socket.destroy())
      })
      yield* Effect.replicateEffect(leave, Random.runs(80), { concurrency: 8 })
      // Tries to take all places for concurrent calls at once. This succeeds only if no call is in flight.
      const admit = service.limiter.admit("p1", limits, 0)
      yield* Effect.gen(function* () {
        const all = yield* Effect.replicateEffect(Effect.result(admit), limits.concurrency)
        const taken = all.filter(Result.isSuccess)
        yield* Effect.forEach(taken, ({ success }) => service.limiter.settle(success, 0))
        return taken.length
      }).pipe(Effect.repeat({ until: (count) => count === limits.concurrency, schedule: Schedule.spaced(5) }))
      const rows = yield* service.rows
      assert.isAbove(Metered.sum(rows, "calls"), 0)
      yield* charged(service, Metered.sum(rows, "credits"))
    }).pipe(Effect.scoped)
  )

  it.live("that does not read its answer is charged for it: it was answered", () =>
    Effect.gen(function* () {
      const large = JSON.stringify("x".repeat(8_000_000))
      const upstream = { call: () => Effect.succeed(new TextEncoder().encode(large)) }
      const memory = yield* Layer.build(State.layer(Service.projects))
      const recorded: Array<Usage.Usage> = []
      const metering = Layer.succeed(Metering.Metering, {
        ...Context.get(memory, Metering.Metering),
        recordAll: (usages) => Effect.sync(() => void recorded.push(...usages)),
        plain: undefined
      })
      const service = yield* Service.start(upstream, {}, Layer.merge(Layer.succeedContext(memory), metering))
      const socket = net.connect(service.port, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.write(head + body)
      socket.pause()
      yield* Effect.repeat(Effect.sleep(1), { until: () => recorded.length > 0 })
      socket.destroy()
      yield* Held.noticed
      assert.deepStrictEqual(
        recorded.map(({ bytesOut, status }) => [status, bytesOut]),
        [[200, large.length + 34]]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a mistake of the service", () => {
  it.live("is answered, charged to nobody, and leaves no place taken", () =>
    Effect.gen(function* () {
      const memory = yield* Layer.build(
        State.layer([
          { id: "p1", key: Service.KEY, secret: Service.SECRET, limits: { concurrency: 1, creditsPerDay: 5 } }
        ])
      )
      let isBroken = true
      const metering = Layer.succeed(Metering.Metering, {
        ...Context.get(memory, Metering.Metering),
        recordAll: () => (isBroken ? Effect.die(new Error("a mistake")) : Effect.void),
        plain: undefined
      })
      const upstream = { call: () => Effect.succeed(new TextEncoder().encode("1")) }
      const service = yield* Service.start(upstream, {}, Layer.merge(Layer.succeedContext(memory), metering))
      const failed = yield* Service.ask(service, { body })
      assert.deepStrictEqual([failed.status, failed.body], [500, "internal error\n"])
      const client = yield* Service.connected(service)
      client.socket.send(body)
      assert.strictEqual(
        yield* Effect.promise(() => client.next()),
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}'
      )
      isBroken = false
      client.socket.send(body)
      assert.strictEqual(yield* Effect.promise(() => client.next()), '{"jsonrpc":"2.0","id":1,"result":1}')
    }).pipe(Effect.scoped)
  )
})

describe("a refusal of a known project is metered under its own status", () => {
  const cases: ReadonlyArray<readonly [name: string, ask: Service.Ask, row: string]> = [
    ["another method", { method: "GET" }, "unknown 405 1 5"],
    ["a HEAD, whose answer has no body", { method: "HEAD" }, "unknown 405 1 5"],
    ["another type", { body, headers: { "content-type": "text/plain" } }, "unknown 415 1 5"],
    ["an encoding", { body, headers: { "content-encoding": "gzip" } }, "unknown 415 1 5"],
    ["a body that is too large", { body: " ".repeat(5000) }, "unknown 413 1 5"],
    [
      "a body that turns out to be",
      { body: " ".repeat(5000), headers: { "transfer-encoding": "chunked" } },
      "unknown 413 1 5"
    ],
    ["no upgrade", { method: "GET", path: `/ws/v3/${Service.KEY}` }, "unknown 426 1 5"]
  ]
  it.live.each(cases)("%s", ([, ask, row]) =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ gateway: { limits: { bodyBytes: 4096 } } })
      const answer = yield* Service.ask(service, ask)
      const rows = yield* service.rows
      assert.deepStrictEqual(Metered.summary(rows), [row])
      assert.strictEqual(Metered.sum(rows, "bytesOut"), Buffer.byteLength(answer.body))
      assert.deepStrictEqual(service.node.asked, [])
    }).pipe(Effect.scoped)
  )

  it.live("a HEAD of a project that is suspended", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ project: { suspended: true } })
      for (const path of [`/v3/${Service.KEY}`, `/ws/v3/${Service.KEY}`]) {
        assert.strictEqual((yield* Service.ask(service, { method: "HEAD", path })).body, "")
      }
      const rows = yield* service.rows
      assert.deepStrictEqual(Metered.summary(rows), ["unknown 403 2 10"])
      assert.strictEqual(Metered.sum(rows, "bytesOut"), 0)
    }).pipe(Effect.scoped)
  )

  it.live("too many WebSockets, and a service that is busy", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({
        gateway: { limits: { socketsPerProject: 1, requests: 1 }, timeouts: { drain: "50 millis" } },
        node: () => () => undefined
      })
      yield* Service.connected(service)
      const second = yield* Service.connect(service)
      assert.strictEqual("status" in second && second.status, 429)
      const first = yield* Effect.forkChild(Service.ask(service, { body }))
      yield* Effect.promise(() => service.node.wasAsked(1))
      const busy = yield* Service.ask(service, { body })
      assert.deepStrictEqual([busy.status, busy.body], [503, "service busy\n"])
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["unknown 429 1 0", "unknown 503 1 0"])
      first.interruptUnsafe()
    }).pipe(Effect.scoped)
  )

  it.live("but of those whom nobody knows nothing is metered", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      for (const path of ["/v3/", `/v3/${"f".repeat(32)}`, "/nothing", "/health"]) {
        yield* Service.ask(service, { body, path })
        yield* Service.connect(service, { path: `/ws${path}` })
      }
      const secret = { authorization: `Basic ${btoa(":wrong")}` }
      assert.strictEqual((yield* Service.ask(service, { body, headers: secret })).status, 401)
      assert.deepStrictEqual(yield* service.rows, [])
    }).pipe(Effect.scoped)
  )
})
