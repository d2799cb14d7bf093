/** The rules for requests. The name of each test is Kubo's sentence about the rule. */
import { assert, describe, it } from "@effect/vitest"
import { AccessPolicy, HttpRefusal, StateError } from "@plumbline/gateway"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import * as State from "@plumbline/gateway/support/accounts"
import * as Service from "@plumbline/gateway/support/service"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { type IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import * as Ipfs from "../support/ipfs.ts"
import { bytesOf, HELLO } from "../support/ipfs.ts"

const hello = String(HELLO)
const version = Effect.succeed({ version: "1", commit: "", repo: "18", system: "s", golang: "g" })
const cat: IpfsNode.IpfsNodeCommands["cat"] = (path) => Effect.succeed({ size: 0, bytes: Stream.make(bytesOf(path)) })

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
})

const REQUIRED = "project id required\n"
const WRONG = "basic auth failure: invalid project id or project secret\n"

describe("authentication", () => {
  const cases: ReadonlyArray<readonly [name: string, headers: Readonly<Record<string, string>>, text: string]> = [
    ["no credentials", {}, REQUIRED],
    ["a wrong secret", basic(KEY, KEY), WRONG],
    ["no secret", basic(KEY, ""), WRONG],
    ["a key that nobody has", basic(SECRET, SECRET), WRONG],
    ["an empty key, which JSON-RPC takes from the path", basic("", SECRET), WRONG],
    ["an endless key", basic("x".repeat(5000), SECRET), WRONG],
    ["no colon", { authorization: `Basic ${Buffer.from(KEY).toString("base64")}` }, WRONG],
    ["another scheme", { authorization: `Bearer ${KEY}` }, WRONG],
    ["text that is not base64", { authorization: "Basic {}" }, WRONG]
  ]
  it.live.each(cases)("with %s is 401, for known and unknown commands alike", ([, headers, text]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version })
      for (const path of ["version", "nothing", `cat/${KEY}`, "add?pin=maybe"]) {
        for (const method of ["POST", "GET"]) {
          const answer = yield* Service.ask(service, { path: `/api/v0/${path}`, headers, method })
          assert.deepStrictEqual([answer.status, answer.body], [401, text])
          assert.strictEqual(answer.headers["www-authenticate"], `Basic realm="Auth failure, ${text.trim()}"`)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("with key and secret is enough", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version })
      const answer = yield* Ipfs.ask(service, "version")
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("by a store that fails is 503, never 401", () =>
    Effect.gen(function* () {
      const failing = Effect.fail(new StateError.StateError({ problem: "Unavailable", detail: "no connection" }))
      const service = yield* Ipfs.start({ version }, { state: State.withLookup(() => failing) })
      const answer = yield* Ipfs.ask(service, "version")
      assert.deepStrictEqual([answer.status, answer.body], [503, "service unavailable\n"])
    }).pipe(Effect.scoped)
  )

  it.live("says which project asks", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const state = State.layer([
        { id: "other", key: Service.GUARDED_KEY, secret: SECRET, card: true },
        { id: "p1", key: KEY, secret: SECRET, card: true }
      ])
      const service = yield* Service.start(
        { call: () => Effect.succeed(bytesOf("1")) },
        { ipfs: IpfsProduct.make({ node: ({ project }) => (seen.push(project.id), Ipfs.nodeOf({ version })) }) },
        state
      )
      for (const key of [KEY, Service.GUARDED_KEY]) {
        const headers = basic(key, SECRET)
        assert.strictEqual((yield* Service.ask(service, { path: "/api/v0/version", headers })).status, 200)
      }
      assert.deepStrictEqual(seen, ["p1", "other"])
    }).pipe(Effect.scoped)
  )
})

describe("the card rule", () => {
  const refused = [403, "a billing card is required: add one to your account\n"]
  const rpc = (service: { readonly port: number }) => Service.ask(service, { body: Service.call("eth_chainId") })
  const answersOf = (options: Parameters<typeof Ipfs.start>[1], policy?: AccessPolicy.Policy) =>
    Effect.gen(function* () {
      const started = Ipfs.start({ version }, options)
      const service = yield* policy === undefined
        ? started
        : Effect.provideService(started, AccessPolicy.AccessPolicy, policy)
      const ipfs = yield* Ipfs.ask(service, "version")
      const http = yield* rpc(service)
      const socket = yield* Service.connect(service)
      return {
        ipfs: [ipfs.status, ipfs.body],
        http: [http.status, http.body],
        socket: socket instanceof Service.Client ? "open" : [socket.status, socket.body]
      }
    }).pipe(Effect.scoped)

  it.live("refuses IPFS to an account without a card, and not JSON-RPC", () =>
    Effect.gen(function* () {
      const { http, ipfs, socket } = yield* answersOf({ card: false })
      assert.deepStrictEqual(ipfs, refused)
      assert.strictEqual(http[0], 200)
      assert.strictEqual(socket, "open")
    })
  )

  it.live("can be switched on for JSON-RPC, over HTTP and WebSocket, and off for IPFS", () =>
    Effect.gen(function* () {
      const policy = AccessPolicy.card({ rpc: true, ipfs: false })
      const { http, ipfs, socket } = yield* answersOf({ card: false }, policy)
      assert.strictEqual(ipfs[0], 200)
      assert.deepStrictEqual(http, refused)
      assert.deepStrictEqual(socket, refused)
      const withCard = yield* answersOf({ card: true }, policy)
      assert.deepStrictEqual([withCard.http[0], withCard.socket], [200, "open"])
    })
  )

  it.live("is a policy, and any other may stand in its place, also one that must ask somebody", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const policy: AccessPolicy.Policy = {
        check: ({ project }, product) =>
          Effect.andThen(
            Effect.sleep(1),
            Effect.suspend(() => {
              asked.push(`${project.id} ${product}`)
              return product === "ipfs" ? Effect.fail(HttpRefusal.unavailable) : Effect.void
            })
          )
      }
      const { http, ipfs, socket } = yield* answersOf({}, policy)
      assert.deepStrictEqual(ipfs, [503, "service unavailable\n"])
      assert.deepStrictEqual([http[0], socket], [200, "open"])
      assert.deepStrictEqual(asked, ["p1 ipfs", "p1 rpc", "p1 rpc"])
    })
  )
})

describe("only POST:", () => {
  it.live.each(["GET", "PUT", "DELETE", "HEAD", "PATCH"])("%s is 405, with what is allowed", (method) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version })
      const { body, headers, status } = yield* Ipfs.ask(service, "version", { method })
      assert.deepStrictEqual(
        [status, headers.allow, body],
        [405, "OPTIONS, POST", method === "HEAD" ? "" : "405 - Method Not Allowed\n"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("OPTIONS that is not a preflight is 204 and says what is allowed, without credentials", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({})
      const answer = yield* Service.ask(service, { path: "/api/v0/version", method: "OPTIONS" })
      assert.deepStrictEqual([answer.status, answer.headers.allow, answer.body], [204, "OPTIONS, POST", ""])
    }).pipe(Effect.scoped)
  )
})

describe("pages of browsers:", () => {
  const APP = "https://app.example"
  const MOZILLA = "Mozilla/5.0 (X11; Linux x86_64)"
  const cases: ReadonlyArray<
    readonly [name: string, headers: (port: number) => Readonly<Record<string, string>>, isAllowed: boolean]
  > = [
    ["no origin at all", () => ({}), true],
    ["the service's own page", (port) => ({ origin: `http://127.0.0.1:${port}` }), true],
    ["the same by its name", (port) => ({ origin: `https://localhost:${port}` }), true],
    ["the same over IPv6", (port) => ({ origin: `http://[::1]:${port}` }), true],
    ["another port of this machine", (port) => ({ origin: `http://127.0.0.1:${port + 1}` }), false],
    ["IPFS Companion", () => ({ origin: "chrome-extension://nibjojkomfdiaoajekhjakgkdhaomnch" }), true],
    ["an origin of the list", () => ({ origin: APP }), true],
    ["a foreign origin", () => ({ origin: "https://evil.example" }), false],
    ["an origin that begins like one of the list", () => ({ origin: `${APP}.evil.example` }), false],
    ["an origin that is null", () => ({ origin: "null" }), false],
    ["a referer of the list", () => ({ referer: `${APP}/page?x=1` }), true],
    ["a foreign referer", () => ({ referer: "https://evil.example/" }), false],
    ["a referer with the allowed one as its user", () => ({ referer: `${APP}@evil.example/` }), false],
    ["a referer that is not a URL", () => ({ referer: "about:blank" }), false],
    ["a good origin and a foreign referer", () => ({ origin: APP, referer: "https://evil.example/" }), false],
    ["a browser that does not say where it comes from", () => ({ "user-agent": MOZILLA }), false],
    ["a browser that does", () => ({ "user-agent": MOZILLA, origin: APP }), true],
    ["Electron", () => ({ "user-agent": `${MOZILLA} Electron/30` }), true],
    ["a program", () => ({ "user-agent": "curl/8" }), true]
  ]
  it.live.each(cases)("%s", ([, headersOf, isAllowed]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version }, { ipfs: { allowedOrigins: [APP] } })
      const headers = headersOf(service.port)
      const answer = yield* Ipfs.ask(service, "version", { headers })
      assert.strictEqual(answer.status, isAllowed ? 200 : 403, answer.body)
      if (!isAllowed) assert.strictEqual(answer.body, "403 - Forbidden\n")
      assert.strictEqual(answer.headers.vary, "Origin")
      if (isAllowed) assert.strictEqual(answer.headers["access-control-allow-origin"], headers["origin"])
    }).pipe(Effect.scoped)
  )

  it.live("any origin, where the operator says so", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version }, { ipfs: { allowedOrigins: ["*"] } })
      const answer = yield* Ipfs.ask(service, "version", { headers: { origin: "https://any.example" } })
      assert.deepStrictEqual(
        [answer.status, answer.headers["access-control-allow-origin"]],
        [200, "https://any.example"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a preflight is answered without credentials, and only for who may call", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({}, { ipfs: { allowedOrigins: [APP] } })
      const ask = (origin: string) =>
        Service.ask(service, {
          path: "/api/v0/add",
          method: "OPTIONS",
          headers: { origin, "access-control-request-method": "POST", "user-agent": MOZILLA }
        })
      const good = yield* ask(APP)
      assert.strictEqual(good.status, 204)
      assert.strictEqual(good.headers["access-control-allow-origin"], APP)
      assert.include(good.headers["access-control-allow-methods"], "POST")
      assert.include(good.headers["access-control-allow-headers"], "authorization")
      const bad = yield* ask("https://evil.example")
      assert.strictEqual(bad.status, 403)
      assert.isUndefined(bad.headers["access-control-allow-origin"])
    }).pipe(Effect.scoped)
  )

  it.live("a page that may call can read why it was refused", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({}, { ipfs: { allowedOrigins: [APP] } })
      const answer = yield* Service.ask(service, { path: "/api/v0/version", headers: { origin: APP } })
      assert.deepStrictEqual([answer.status, answer.headers["access-control-allow-origin"]], [401, APP])
    }).pipe(Effect.scoped)
  )
})

const MUTABLE =
  '{"Message":"this node does not support files/ls, projects have no mutable tree: list a directory by its CID with ls, and your own roots with pin/ls","Code":0,"Type":"error"}\n'

describe("the path:", () => {
  const cases: ReadonlyArray<readonly [path: string, status: number, body: string]> = [
    [`cat/${hello}`, 200, hello],
    ["cat/Qm%2Fa%20b", 200, "Qm/a b"],
    [`cat/x?arg=y`, 200, "xy"],
    ["version/", 200, ""],
    ["cat/%zz", 400, "bad request\n"],
    ["nothing", 404, "404 page not found\n"],
    ["", 404, "404 page not found\n"],
    ["pin", 404, "404 page not found\n"],
    ["pin/nothing", 404, "404 page not found\n"],
    [`cat/ipfs/${hello}`, 404, "404 page not found\n"],
    ["files", 404, "404 page not found\n"],
    ["files/nothing", 404, "404 page not found\n"],
    ["files/constructor", 404, "404 page not found\n"],
    ["files/ls/a/b", 404, "404 page not found\n"],
    ["files/ls", 500, MUTABLE],
    ["files/ls/a", 500, MUTABLE],
    ["constructor", 404, "404 page not found\n"],
    ["__proto__/x", 404, "404 page not found\n"],
    ["CAT/x", 404, "404 page not found\n"]
  ]
  it.live.each(cases)("/api/v0/%s is %i", ([path, status, body]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat, version })
      const answer = yield* Ipfs.ask(service, path)
      assert.strictEqual(answer.status, status)
      if (path !== "version/") assert.strictEqual(answer.body, body)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["chcid", "add"],
    ["chmod", "add"],
    ["chroot", "add"],
    ["cp", "pin/update"],
    ["flush", "pin/add"],
    ["ls", "ls"],
    ["mkdir", "pin/update"],
    ["mv", "pin/update"],
    ["read", "cat"],
    ["rm", "pin/rm"],
    ["touch", "add"],
    ["write", "pin/update"]
  ])("files/%s is refused, and the refusal names %s as the way out, to each client in its type", ([name, instead]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat, version })
      const { body, status } = yield* Ipfs.ask(service, `files/${name}?arg=/a`)
      assert.strictEqual(status, 500)
      const { Message } = JSON.parse(body)
      assert.include(Message, ` ${instead}`)
      assert.isTrue(Message.startsWith(`this node does not support files/${name}, `))
      const get = yield* Ipfs.ask(service, `files/${name}`, { method: "GET" })
      assert.strictEqual(get.status, 405)
    }).pipe(Effect.scoped)
  )

  it.live("a command that the operator does not serve is 403", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat, version }, { ipfs: { disallowed: ["cat"] } })
      const answer = yield* Ipfs.ask(service, `cat?arg=${hello}`)
      assert.deepStrictEqual([answer.status, answer.body], [403, "command not allowed\n"])
      assert.strictEqual((yield* Ipfs.ask(service, "version")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("without IPFS there is nothing", () =>
    Effect.gen(function* () {
      const service = yield* Service.start({ call: () => Effect.succeed(bytesOf("1")) })
      const answer = yield* Ipfs.ask(service, "version")
      assert.deepStrictEqual([answer.status, answer.body], [404, "not found\n"])
    }).pipe(Effect.scoped)
  )
})

describe("the query:", () => {
  const options = (query: string) =>
    Effect.gen(function* () {
      const { asked, node } = Ipfs.taking()
      const service = yield* Ipfs.start(() => node)
      const { body, status } = yield* Ipfs.upload(service, `add?${query}`, { content: "x" })
      return status === 200 ? asked[0]! : `${status} ${body}`
    }).pipe(Effect.scoped)

  // The values that Go's parsers return for these texts: strconv.ParseBool, and ParseInt with base 0.
  const good: ReadonlyArray<readonly [query: string, options: IpfsNode.AddOptions]> = [
    ["", {}],
    ...["1", "t", "T", "TRUE", "true", "True", ""].map((text) => [`pin=${text}`, { pin: true }] as const),
    ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [`pin=${text}`, { pin: false }] as const),
    ["pin", { pin: true }],
    ["w=true&t=1&n=f", { wrapWithDirectory: true, trickle: true, onlyHash: false }],
    ["mode=0644", { mode: 0o644 }],
    ["mode=420", { mode: 420 }],
    ["mode=0o17&mtime=-0x10", { mode: 15, mtime: -16 }],
    ["mtime=%2B5&inline-limit=0b11", { mtime: 5, inlineLimit: 3 }],
    ["nobody-knows-this=1&nobody-knows-this=2&__proto__=1", {}],
    ["stream-channels=true&encoding=json", {}],
    ["quiet=true&Q=1", {}]
  ]
  it.live.each(good)("?%s is understood", ([query, expected]) =>
    Effect.map(options(query), (got) => assert.deepStrictEqual<unknown>(got, expected))
  )

  const bad: ReadonlyArray<readonly [path: string, text: string]> = [
    ["cat", 'argument "ipfs-path" is required'],
    ["cat/", 'argument "ipfs-path" is required'],
    ["pin/update?arg=a", 'argument "to-path" is required'],
    ["block/get?arg=a&arg=b", "expected at most 1 arguments, received 2"],
    ["cat?arg=x&offset=1&offset=2", "expected key offset to have only a single value, received [1 2]"],
    ["cat?arg=x&offset=1&o=2", "expected key offset to have only a single value, received [1 2]"],
    ["pin/add?arg=x&recursive=maybe", 'could not convert value "maybe" to type "bool" (for option "-recursive")'],
    ["cat?arg=x&length=", 'could not convert empty value to type "int" (for option "-length")'],
    ["cat?arg=x&length=1.5", 'could not convert value "1.5" to type "int" (for option "-length")'],
    ["cat?arg=x&length=09", 'could not convert value "09" to type "int" (for option "-length")'],
    [
      "cat?arg=x&length=99999999999999999999",
      'could not convert value "99999999999999999999" to type "int" (for option "-length")'
    ],
    ["cat?arg=x&timeout=soon", 'could not convert value "soon" to type "duration" (for option "-timeout")'],
    ["cat?arg=x&timeout=5", 'could not convert value "5" to type "duration" (for option "-timeout")'],
    ["version?encoding=xml", "encoding is not supported by this command"],
    ["version?enc=text", "encoding is not supported by this command"],
    ["add", "file argument 'path' is required"],
    ["add?mode=-1", 'could not convert value "-1" to type "uint" (for option "-mode")'],
    ["dag/put", "file argument 'object data' is required"]
  ]
  it.live.each(bad)("%s is 400 in plain text: %s", ([path, text]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version })
      const { body, headers, status } = yield* Ipfs.ask(service, path)
      assert.deepStrictEqual([status, body], [400, `${text}\n`])
      assert.match(headers["content-type"] ?? "", /^text\/plain/u)
    }).pipe(Effect.scoped)
  )

  it.live("every argument comes in its order, that of the path first", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat })
      assert.strictEqual((yield* Ipfs.ask(service, "cat/0?arg=1&pin=x&arg=2&arg=1")).body, "0121")
    }).pipe(Effect.scoped)
  )

  it.live("timeout ends a command that takes longer, with the words that clients look for", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version: Effect.never, cat })
      const late = yield* Ipfs.ask(service, "version?timeout=5ms")
      assert.deepStrictEqual(
        [late.status, JSON.parse(late.body)],
        [500, { Message: "context deadline exceeded", Code: 0, Type: "error" }]
      )
      assert.strictEqual((yield* Ipfs.ask(service, "cat/x?timeout=1h2m3.5s")).body, "x")
    }).pipe(Effect.scoped)
  )

  it.live("bytes may be asked for as text", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat })
      assert.strictEqual((yield* Ipfs.ask(service, "cat/x?encoding=text")).body, "x")
    }).pipe(Effect.scoped)
  )
})

describe("JSON-RPC", () => {
  it.live("is beside it as before", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ version: Effect.never }, { timeouts: { drain: "10 millis" } })
      yield* Effect.forkChild(Ipfs.ask(service, "version"))
      const answer = yield* Service.ask(service, { body: Service.call("eth_chainId") })
      assert.strictEqual(answer.body, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId"))
      assert.include(yield* Effect.promise(() => client.next()), "0x1")
    }).pipe(Effect.scoped)
  )
})
