/** Tests the admission and the limits of IPFS commands by the client's answers, the node's calls and the usage. */
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import {
  Accounts,
  Allowlist,
  type IpfsQuota,
  Limiter,
  ProjectLimits,
  Metering,
  MeteringError,
  UsageFigures
} from "@plumbline/gateway"
import { type IpfsOptions, IpfsProduct } from "@plumbline/gateway-ipfs"
import * as State from "@plumbline/gateway/support/accounts"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { Block, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Context, Deferred, type Duration, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"

import * as Ipfs from "../support/ipfs.ts"
import * as Memory from "../support/ipfsMemoryNode.ts"
import { over } from "../support/ipfsProjects.ts"

const { BOUNDARY, HELLO, MULTIPART, ask, bytesOf, multipart, nodeOf } = Ipfs

const pin = nodeOf({
  pinAdd: () => Effect.succeed(HELLO),
  pinRm: () => Effect.succeed(HELLO)
})
const cat = (...pieces: ReadonlyArray<string>): Partial<IpfsNode.IpfsNodeCommands> => ({
  cat: () =>
    Effect.succeed({
      size: pieces.join("").length,
      bytes: Stream.rechunk(Stream.fromIterable(pieces.map(bytesOf)), 1)
    })
})

interface Options {
  readonly given?: Partial<State.Given>
  readonly ipfs?: Omit<IpfsOptions.IpfsOptions, "node">
  readonly drain?: Duration.Input
  /** Returns functions that replace parts of the metering. */
  readonly metering?: (real: Metering.Metering["Service"]) => Partial<Metering.Metering["Service"]>
}

/** A limiter without time: each bucket starts full, and is never filled again. */
const still = (real: Limiter.Limiter["Service"]): Limiter.Limiter["Service"] => {
  const buckets = new Map<string, number>()
  return {
    ...real,
    plain: undefined,
    admit: (id, limits, credits) =>
      Effect.suspend(() => {
        const allowed = limits.burst ?? Infinity
        if (allowed === Infinity) return Effect.succeed({ _tag: "Admission", reservation: undefined } as const)
        const left = (buckets.get(id) ?? allowed) - credits
        if (left < 0) {
          return Effect.fail({
            _tag: "LimitExceeded",
            limit: "rate",
            allowed,
            current: allowed - left,
            retryAfter: 1400,
            at: 0
          } as const)
        }
        buckets.set(id, left)
        return Effect.succeed({ _tag: "Admission", reservation: undefined } as const)
      })
  }
}

/** Starts a service over a node that counts its calls. Returns the usage of its project too. */
const start = Effect.fnUntraced(function* (
  node: IpfsNode.IpfsNodeCommands,
  { drain = "1 minute", given, ipfs, metering }: Options = {}
) {
  const context = yield* Layer.build(State.layer([{ id: "p1", key: KEY, secret: SECRET, card: true, ...given }]))
  const real = Context.get(context, Metering.Metering)
  const state = context.pipe(
    Context.add(Metering.Metering, { ...real, plain: undefined, ...metering?.(real) }),
    Context.add(Limiter.Limiter, still(Context.get(context, Limiter.Limiter)))
  )
  let asked = 0
  const quotas: Array<IpfsQuota.IpfsQuotaLimits> = []
  const service = yield* Ipfs.start(
    (_, its) => {
      asked++
      quotas.push(its)
      return node
    },
    { state: Layer.succeedContext(state), timeouts: { drain }, ...(ipfs === undefined ? {} : { ipfs }) }
  )
  const figures = Context.get(context, UsageFigures.UsageFigures)
  const range = { from: 0, to: Date.now() + 3_600_000, project: "p1" }
  return {
    port: service.port,
    asked: () => asked,
    /** The quotas of the project that each call of `node` got. */
    quotas,
    accounts: Context.get(context, Accounts.Accounts),
    /** For each method and status: calls, bytes in and out, uploaded and downloaded bytes. */
    recorded: Effect.map(
      figures.by({ ...range, product: "ipfs", network: "ipfs", by: ["method", "status"] }),
      ({ rows }) =>
        rows
          .map(({ bytesIn, bytesOut, calls, downloaded, method, status, uploaded }) => [
            `${method} ${status}`,
            ...[calls, bytesIn, bytesOut, uploaded, downloaded].map(Number)
          ])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    ),
    totals: Effect.map(figures.totals(range), ({ totals }) => totals),
    stored: Effect.map(figures.stored({ ...range, from: Date.now() - 60_000, every: "1 minute" }), ({ levels }) =>
      levels.map(({ bytes }) => Number(bytes))
    )
  }
})

/**
 * Repeats the effect until `is` accepts its value. A request is recorded some time after its client has disconnected.
 */
const until = <A, E>(effect: Effect.Effect<A, E>, is: (value: A) => boolean) =>
  Effect.repeat(Effect.delay(effect, "5 millis"), { until: is })

const failing = Effect.fail(
  new IpfsNodeError.IpfsNodeError({ reason: new IpfsNodeError.Failed({ doing: "reading", detail: "EIO" }) })
)
const exceeded = Effect.fail(
  new IpfsNodeError.IpfsNodeError({
    reason: new IpfsNodeError.QuotaExceeded({ quota: "stored", limit: 10, used: 8 })
  })
)

describe("a command is recorded once, under what became of it:", () => {
  it.live.each<
    readonly [
      what: string,
      node: Partial<IpfsNode.IpfsNodeCommands>,
      command: string,
      options: Omit<Service.Ask, "path">,
      status: number,
      row: string,
      moved: readonly [uploaded: number, downloaded: number]
    ]
  >([
    ["done", cat("some ", "bytes"), "cat?arg=a", {}, 200, "cat 200", [0, 10]],
    ["whose answer is a value", pin, "pin/add?arg=a", {}, 200, "pin/add 200", [0, 0]],
    [
      "that takes a file",
      Ipfs.taking().node,
      "add",
      { body: multipart({ content: "hello" }), headers: MULTIPART },
      200,
      "add 200",
      [5, 0]
    ],
    ["of an unknown name", {}, "nothing", {}, 404, "unknown 404", [0, 0]],
    ["without its argument", {}, "cat", {}, 400, "cat 400", [0, 0]],
    ["by another method", {}, "cat?arg=a", { method: "GET" }, 405, "cat 405", [0, 0]],
    ["by HEAD, which has no body", {}, "cat?arg=a", { method: "HEAD" }, 405, "cat 405", [0, 0]],
    ["of a foreign page", {}, "cat?arg=a", { headers: { origin: "https://other.example" } }, 403, "cat 403", [0, 0]],
    ["that is not served", {}, "block/get?arg=a", {}, 403, "block/get 403", [0, 0]],
    ["at which the node fails", { cat: () => failing }, "cat?arg=a", {}, 500, "cat 500", [0, 0]],
    ["over a quota", { pinAdd: () => exceeded }, "pin/add?arg=a", {}, 500, "pin/add 429", [0, 0]],
    ["at which the service dies", {}, "version", {}, 500, "version 500", [0, 0]],
    [
      "whose upload is broken",
      Ipfs.taking().node,
      "add",
      { body: Buffer.from(`--${BOUNDARY}\r\nfoo\r\n`), headers: MULTIPART },
      400,
      "add 400",
      [0, 0]
    ]
  ])("one %s", ([, does, command, options, status, row, moved]) =>
    Effect.gen(function* () {
      const service = yield* start(nodeOf(does), { ipfs: { disallowed: ["block/get"] } })
      const answer = yield* ask(service, command, options)
      assert.strictEqual(answer.status, status)
      const sent = options.body === undefined ? 0 : options.body.length
      assert.deepStrictEqual(yield* service.recorded, [[row, 1, sent, Buffer.byteLength(answer.body), ...moved]])
      assert.strictEqual((yield* service.totals).credits, 0n)
    }).pipe(Effect.scoped)
  )

  it.live("one that breaks off behind its first byte", () =>
    Effect.gen(function* () {
      const bytes = Stream.concat(Stream.make(bytesOf("some ")), Stream.fromEffectDrain(failing))
      const service = yield* start(nodeOf({ cat: () => Effect.succeed({ size: 10, bytes }) }))
      const answer = yield* Service.raw(service, Ipfs.head("cat?arg=a", { "content-length": "0" }))
      assert.include(answer, "X-Stream-Error: reading: EIO")
      assert.deepStrictEqual(yield* service.recorded, [["cat 500", 1, 0, 5, 0, 5]])
    }).pipe(Effect.scoped)
  )

  it.live("one whose client leaves, at any moment", () =>
    Effect.gen(function* () {
      const bytes = Stream.concat(Stream.make(bytesOf("some ")), Stream.never)
      const service = yield* start(
        nodeOf({ cat: () => Effect.succeed({ size: 10, bytes }), version: Effect.never, ...takingAll })
      )
      const leave = (request: string, said: string) =>
        Effect.callback<void>((resume) => {
          const socket = net.connect(service.port, "127.0.0.1", () => socket.write(request))
          socket.on("data", (data) => {
            if (String(data).includes(said)) socket.destroy()
          })
          socket.on("close", () => resume(Effect.void))
          if (said === "") setTimeout(() => socket.destroy(), 50)
        })
      yield* leave(Ipfs.head("cat?arg=a", { "content-length": "0" }), "some ")
      yield* leave(Ipfs.head("version", { "content-length": "0" }), "")
      const upload = multipart({ content: "hello" }).subarray(0, -BOUNDARY.length - 10)
      yield* leave(`${Ipfs.head("add", { "content-length": "1000", ...MULTIPART })}${upload.toString("latin1")}`, "")
      const rows = yield* until(service.recorded, ({ length }) => length === 3)
      assert.deepStrictEqual(
        rows.map(([row, calls]) => [row, calls]),
        [
          ["add 499", 1],
          ["cat 499", 1],
          ["version 499", 1]
        ]
      )
      assert.deepStrictEqual(rows[1], ["cat 499", 1, 0, 5, 0, 5])
      assert.strictEqual(rows[0]![2], upload.length)
    }).pipe(Effect.scoped)
  )

  it.live("one whose client leaves behind any byte, if its head was whole", () =>
    Effect.gen(function* () {
      const service = yield* start(Ipfs.taking().node)
      const body = multipart({ content: "a".repeat(300) }, { content: "b" })
      const head = Ipfs.head("add", { "content-length": String(body.length), ...MULTIPART })
      const request = Buffer.concat([Buffer.from(head), body])
      const cuts = Array.from({ length: Math.ceil(request.length / 7) }, (_, i) => i * 7)
      yield* Effect.forEach(
        cuts,
        (cut) =>
          Effect.callback<void>((resume) => {
            const socket = net.connect(service.port, "127.0.0.1", () =>
              socket.write(request.subarray(0, cut), () => setTimeout(() => socket.destroy(), 10))
            )
            socket.on("error", () => undefined)
            socket.on("close", () => resume(Effect.void))
          }),
        { concurrency: 8 }
      )
      const whole = cuts.filter((cut) => cut >= head.length)
      const done = yield* until(service.totals, ({ calls }) => Number(calls) >= whole.length)
      assert.strictEqual(Number(done.calls), whole.length)
      // bytes that arrived together with the end of the connection can remain unread, so they are not counted
      assert.isAtMost(
        Number(done.bytesIn),
        whole.reduce((sum, cut) => sum + cut - head.length, 0)
      )
      assert.deepStrictEqual(
        (yield* service.recorded).map(([row]) => row),
        ["add 499"]
      )
      // The uploads that were cut off are not counted again later.
      yield* ask(service, "nothing")
      assert.strictEqual(Number((yield* service.totals).calls), whole.length + 1)
    }).pipe(Effect.scoped)
  )

  it.live("one that the service gives up when it ends", () =>
    Effect.gen(function* () {
      const rows: Array<string> = []
      const metering = ({ recordAll }: Metering.Metering["Service"]) => ({
        recordAll: (usages: Parameters<typeof recordAll>[0]) => {
          for (const { bytesOut, method, status } of usages) rows.push(`${method} ${status} ${bytesOut}`)
          return recordAll(usages)
        }
      })
      const asked = yield* Deferred.make<void>()
      const bytes = Stream.concat(Stream.make(bytesOf("some ")), Stream.fromEffectDrain(Effect.never))
      const node = nodeOf({
        cat: () => Effect.succeed({ size: 10, bytes }),
        version: Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      })
      const scope = yield* Scope.make()
      const service = yield* Scope.provide(start(node, { drain: "30 millis", metering }), scope)
      const value = yield* Effect.forkChild(ask(service, "version"))
      const stream = yield* Effect.forkChild(Service.raw(service, Ipfs.head("cat?arg=a", { "content-length": "0" })))
      yield* Deferred.await(asked)
      yield* until(Effect.sync(service.asked), (count) => count === 2)
      yield* Scope.close(scope, Exit.void)
      const { body, status } = yield* Fiber.join(value)
      assert.deepStrictEqual([status, body], [503, "service unavailable\n"])
      assert.match(yield* Fiber.join(stream), /some \r\n0\r\nX-Stream-Error: service unavailable\r\n$/u)
      assert.sameMembers(rows, ["version 503 20", "cat 503 5"])
    })
  )

  it.live("and bytes add up to what was on the wire, whatever is asked", () =>
    Effect.gen(function* () {
      const random = Random.make(7700)
      const service = yield* start(
        nodeOf({ ...pin, ...cat("a".repeat(100), "b"), ...Ipfs.taking().node, blockGet: () => failing })
      )
      const commands = ["cat?arg=a", "pin/add?arg=a", "block/get?arg=a", "nothing", "cat", "add"]
      let [calls, bytesIn, bytesOut] = [0, 0, 0]
      yield* Effect.forEach(
        Array.from({ length: 60 }, () => Random.pick(random, commands)),
        (command) =>
          Effect.gen(function* () {
            const body = command === "add" ? multipart({ content: "x".repeat(Random.int(random, 5000)) }) : undefined
            const { body: answer } = yield* ask(
              service,
              command,
              body === undefined ? {} : { body, headers: MULTIPART }
            )
            calls++
            bytesIn += body?.length ?? 0
            bytesOut += Buffer.byteLength(answer)
          }),
        { concurrency: 8 }
      )
      const totals = yield* service.totals
      assert.deepStrictEqual([totals.calls, totals.bytesIn, totals.bytesOut].map(Number), [calls, bytesIn, bytesOut])
    }).pipe(Effect.scoped)
  )
})

const takingAll = { add: Ipfs.taking().node.add }

describe("what a project has stored", () => {
  it.live("is recorded behind each command that may change it, and behind no other", () =>
    Effect.gen(function* () {
      let level = 0
      const service = yield* start(nodeOf({ ...pin, ...cat("a") }), {
        ipfs: { stored: () => Effect.sync(() => (level += 100)) }
      })
      yield* ask(service, "cat?arg=a")
      assert.deepStrictEqual([level, yield* service.stored], [0, []])
      yield* ask(service, "pin/add?arg=a")
      yield* ask(service, "pin/rm?arg=a")
      assert.strictEqual(level, 200)
      // the record of a minute keeps only the highest number of stored bytes; the commands can be in two minutes
      assert.include([[200], [100, 200]].map(String), String(yield* service.stored))
    }).pipe(Effect.scoped)
  )
})

describe("the rate of a project", () => {
  it.live("is one for commands that write and one for the others, and what is over it is 429 and asks no node", () =>
    Effect.gen(function* () {
      const service = yield* start(nodeOf({ ...pin, ...cat("a") }), {
        given: { limits: { ipfsWritesPerSecond: 2, ipfsReadsPerSecond: 3 } }
      })
      for (const [command, allowed] of [
        ["pin/add?arg=a", 2],
        ["cat?arg=a", 3]
      ] as const) {
        for (let i = 0; i < allowed; i++) assert.strictEqual((yield* ask(service, command)).status, 200)
        const before = service.asked()
        const over = yield* ask(service, command)
        assert.deepStrictEqual(
          [over.status, over.headers["retry-after"], over.headers["content-type"]],
          [429, "2", "application/json"]
        )
        assert.deepStrictEqual(JSON.parse(over.body), {
          Message: "project ID request rate exceeded",
          Code: 3,
          Type: "error"
        })
        assert.strictEqual(service.asked(), before)
      }
      // unknown commands are limited too
      assert.strictEqual((yield* ask(service, "nothing")).status, 429)
      assert.deepStrictEqual(
        (yield* service.recorded).map(([row, calls]) => [row, calls]),
        [
          ["cat 200", 3],
          ["cat 429", 1],
          ["pin/add 200", 2],
          ["pin/add 429", 1],
          ["unknown 429", 1]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is changed for one project, and none where it has none", () =>
    Effect.gen(function* () {
      const service = yield* start(pin, { given: { limits: {} } })
      const statuses = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () =>
          Effect.map(ask(service, "pin/add?arg=a"), ({ status }) => status)
        )
      // without limits, more commands pass than Infura's 150 a second
      assert.deepStrictEqual(new Set(yield* statuses(200)), new Set([200]))
      yield* service.accounts.updateProject("p1", { limits: { ipfsWritesPerSecond: 1 } })
      assert.deepStrictEqual(yield* statuses(2), [200, 429])
    }).pipe(Effect.scoped)
  )

  it("is Infura's for new projects unless told otherwise", () => {
    // https://docs.metamask.io/services/reference/ipfs/concepts/rate-limits/
    const { ipfsReadsPerSecond, ipfsStored, ipfsWritesPerSecond } = ProjectLimits.defaults
    assert.deepStrictEqual([ipfsReadsPerSecond, ipfsWritesPerSecond, ipfsStored], [1500, 150, undefined])
  })
})

describe("the quotas of a project", () => {
  it.live("are among its limits", () =>
    Effect.gen(function* () {
      const service = yield* start(pin, {
        given: { limits: { ipfsStored: 0, ipfsUploadedPerDay: 5, ipfsDownloadedPerDay: 6 } }
      })
      yield* ask(service, "pin/add?arg=a")
      yield* service.accounts.updateProject("p1", { limits: {} })
      yield* ask(service, "pin/add?arg=a")
      assert.deepStrictEqual(service.quotas, [
        { stored: 0, uploaded: 5, downloaded: 6 },
        { stored: undefined, uploaded: undefined, downloaded: undefined }
      ])
    }).pipe(Effect.scoped)
  )
})

describe("who is not let in", () => {
  const rejected = JSON.stringify({ jsonrpc: "2.0", id: null, error: Allowlist.rejected.error })
  const settings = "rejected due to project ID settings: the project's allowlist of"
  const noNetwork = `${settings} networks lacks ipfs. Add ipfs to the list\n`
  const noMethod = `${settings} methods lacks pin/add. Add pin/add to the list\n`

  it.live.each<readonly [what: string, changes: Partial<Allowlist.Allowlist>, refusal: string | undefined]>([
    ["a list of networks without ipfs", { networks: ["live"] }, noNetwork],
    ["a list of networks with it", { networks: ["live", "ipfs"] }, undefined],
    ["a list of methods without the command", { methods: ["eth_call", "pin"] }, noMethod],
    ["a list of methods with it", { methods: ["eth_call", "pin/add"] }, undefined],
    ["a list of addresses", { addresses: [`0x${"ab".repeat(20)}`] }, undefined],
    ["a list of user agents", { userAgents: ["wallet/"] }, rejected],
    ["a list of origins", { origins: ["https://app.example"] }, rejected]
  ])("over %s", ([, changes, refusal]) =>
    Effect.gen(function* () {
      const allowed = refusal === undefined
      const service = yield* start(pin)
      yield* service.accounts.updateProject("p1", { allowlist: { ...Allowlist.none, ...changes } })
      const { body, status } = yield* ask(service, "pin/add?arg=a")
      assert.deepStrictEqual([status, service.asked()], allowed ? [200, 1] : [403, 0])
      if (!allowed) assert.strictEqual(body, refusal)
      const rows = yield* service.recorded
      assert.deepStrictEqual([rows.length, rows[0]![1], rows[0]![3]], [1, 1, Buffer.byteLength(body)])
      assert.match(String(rows[0]![0]), allowed ? /^pin\/add 200$/u : / 403$/u)
    }).pipe(Effect.scoped)
  )

  it.live(
    "is refused at the rate of commands, whatever calls of JSON-RPC may cost, and in words that clients know",
    () =>
      Effect.gen(function* () {
        const service = yield* start(pin, {
          given: {
            suspended: true,
            limits: { creditsPerSecond: 1, burst: 1, ipfsWritesPerSecond: 1, ipfsReadsPerSecond: 3 }
          }
        })
        const answers = yield* Effect.forEach(Array.from({ length: 4 }), () => ask(service, "pin/add?arg=a"))
        assert.deepStrictEqual(
          answers.map(({ body, headers, status }) => [status, body, headers["retry-after"]]),
          [
            ...Array.from({ length: 3 }, () => [403, "project is suspended\n", undefined]),
            [429, "project ID request rate exceeded\n", "2"]
          ]
        )
        assert.deepStrictEqual(
          (yield* service.recorded).map(([row, calls]) => [row, calls]),
          [
            ["pin/add 403", 3],
            ["pin/add 429", 1]
          ]
        )
        assert.strictEqual(service.asked(), 0)
      }).pipe(Effect.scoped)
  )

  it.live("is a suspended project, from the next command on", () =>
    Effect.gen(function* () {
      const service = yield* start(pin)
      yield* ask(service, "pin/add?arg=a")
      yield* service.accounts.updateProject("p1", { suspended: true })
      const { body, status } = yield* ask(service, "pin/add?arg=a")
      assert.deepStrictEqual([status, body, service.asked()], [403, "project is suspended\n", 1])
    }).pipe(Effect.scoped)
  )
})

describe("an answer ends when its command is on the disk:", () => {
  /** A metering whose recording waits until the test releases it. */
  const waiting = Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const metering = ({ recordAll }: Metering.Metering["Service"]) => ({
      recordAll: (usages: Parameters<typeof recordAll>[0]) =>
        Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.andThen(recordAll(usages)))
    })
    return { begun: Deferred.await(begun), go: Deferred.succeed(go, undefined), metering }
  })
  /** Sends a command on a new connection, and collects the answer while it arrives. */
  const open = (service: { readonly port: number }, command: string) =>
    Effect.sync(() => {
      const heard = { text: "" }
      const socket = net.connect(service.port, "127.0.0.1")
      socket.on("data", (data) => (heard.text += data.toString("latin1")))
      socket.write(Ipfs.head(command, { "content-length": "0", connection: "close" }))
      return { heard, closed: Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void))) }
    })

  it.live.each([
    ["a value has not begun", "pin/add?arg=a", /^$/u, /"Pins"/u],
    ["a stream has no end", "cat?arg=a", /some bytes\r\n$/u, /some bytes\r\n0\r\n\r\n$/u]
  ] as const)("before, %s", ([, command, before, after]) =>
    Effect.gen(function* () {
      const { begun, go, metering } = yield* waiting
      const service = yield* start(nodeOf({ ...pin, ...cat("some bytes") }), { metering })
      const { closed, heard } = yield* open(service, command)
      const end = yield* Effect.forkChild(closed, { startImmediately: true })
      yield* begun
      yield* Effect.sleep(50)
      assert.match(heard.text, before)
      yield* go
      yield* Fiber.join(end)
      assert.match(heard.text, after)
    }).pipe(Effect.scoped)
  )

  const down = new MeteringError.MeteringError({ problem: "Unavailable", detail: "no answer" })

  it.live("where that fails, nobody is told that it went well", () =>
    Effect.gen(function* () {
      const service = yield* start(nodeOf({ ...pin, ...cat("some bytes") }), {
        metering: () => ({ recordAll: () => Effect.fail(down) })
      })
      const value = yield* ask(service, "pin/add?arg=a")
      assert.deepStrictEqual([value.status, value.body], [503, "service unavailable\n"])
      const { closed, heard } = yield* open(service, "cat?arg=a")
      yield* closed
      assert.match(heard.text, /some bytes\r\n0\r\nX-Stream-Error: service unavailable\r\n$/u)
    }).pipe(Effect.scoped)
  )

  it.live("and while nothing can be recorded, no node is asked", () =>
    Effect.gen(function* () {
      const service = yield* start(pin, { metering: () => ({ ready: Effect.fail(down) }) })
      const { body, status } = yield* ask(service, "pin/add?arg=a")
      assert.deepStrictEqual([status, body, service.asked()], [503, "service unavailable\n", 0])
    }).pipe(Effect.scoped)
  )
})

it.live("what is recorded is what quotas count, to the byte, also where they are exceeded", () =>
  Effect.gen(function* () {
    const state = Memory.empty()
    const projects = yield* over(Memory.make(state), yield* Databases.kinds[0]!.fresh)
    const quotas: Array<string> = []
    const context = yield* Layer.build(State.layer([{ id: "p1", key: KEY, secret: SECRET, card: true }]))
    const service = yield* Service.start(
      { call: () => Effect.never },
      {
        ipfs: IpfsProduct.make({
          quotas: ({ project }) => {
            quotas.push(project.id)
            return { uploaded: 1000, downloaded: 100, stored: 1000 }
          },
          node: ({ project }, limits) => projects.node(project, limits),
          stored: ({ project }) => projects.stored(project)
        })
      },
      Layer.succeedContext(context)
    )
    const upload = (length: number) => Ipfs.upload(service, "add", { content: "x".repeat(length) })
    assert.strictEqual((yield* upload(400)).status, 200)
    assert.strictEqual((yield* upload(601)).status, 500)
    assert.strictEqual((yield* Ipfs.upload(service, "block/put", { content: "y".repeat(601) })).status, 500)
    const small = String(Memory.put(state, Block.RAW, new Uint8Array(60)))
    assert.strictEqual((yield* ask(service, `block/get?arg=${small}`)).status, 200)
    assert.strictEqual((yield* ask(service, `block/get?arg=${small}`)).status, 500)
    yield* Service.raw(service, Ipfs.head(`cat?arg=${small}`, { "content-length": "0" }))
    const used = yield* projects.usage({ id: "p1" })
    const figures = Context.get(context, UsageFigures.UsageFigures)
    const range = { from: Date.now() - 60_000, to: Date.now() + 3_600_000, project: "p1" }
    const { totals } = yield* figures.totals(range)
    assert.deepStrictEqual([totals.uploaded, totals.downloaded].map(Number), [used.uploaded, used.downloaded])
    assert.deepStrictEqual([used.uploaded, used.downloaded], [400, 63])
    const { levels } = yield* figures.stored({ ...range, every: "1 minute" })
    assert.strictEqual(Number(levels.at(-1)?.bytes), used.stored)
    assert.strictEqual(new Set(quotas).size, 1)
  }).pipe(Effect.scoped)
)
