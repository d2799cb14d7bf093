/**
 * The matrix of refusals: each reason on each transport. The answers are as in the README, no refused call reaches a
 * node, and exactly the listed usage is metered. `http/Admission.test.ts` tests the rates and command lists that
 * only IPFS has. `rpc/Revocation.test.ts` tests the end of an open WebSocket.
 */
import { assert, describe, it } from "@effect/vitest"
import { AccessPolicy, Allowlist } from "@plumbline/gateway"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import * as Metered from "@plumbline/gateway/support/metered"
import { ADDRESS } from "@plumbline/gateway/support/methods"
import * as Service from "@plumbline/gateway/support/service"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { Clock, Effect, type Scope } from "effect"

import * as Ipfs from "./support/ipfs.ts"

// The request. It is the same on every transport, except for what a case changes.

const NOBODY = "f".repeat(32)

interface Caller {
  readonly key?: string | undefined
  /** The secret. A JSON-RPC request has it only if a case sets it; an IPFS request always has one. */
  readonly secret?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const PARAMS = [ADDRESS, "0x00", "latest"]
const storageAt = (id: number) => Service.call("eth_getStorageAt", PARAMS, id)
/** A notification. It is never answered, and costs as much as a call. */
const notification = JSON.stringify({ jsonrpc: "2.0", method: "eth_getStorageAt", params: PARAMS })
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

interface Answered {
  /** The HTTP status; undefined for a message on a WebSocket. */
  readonly status: number | undefined
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

type Service = Metered.Metered & { readonly ipfsCalls: () => number }
type Way = "HTTP" | "a batch" | "a WebSocket" | "IPFS"
const ways: ReadonlyArray<Way> = ["HTTP", "a batch", "a WebSocket", "IPFS"]

const send: Readonly<Record<Way, (service: Service, caller: Caller) => Effect.Effect<Answered, never, Scope.Scope>>> = {
  HTTP: (service, caller) => Service.ask(service, { ...rpc("/v3/", caller), body: storageAt(1) }),
  "a batch": (service, caller) =>
    Service.ask(service, { ...rpc("/v3/", caller), body: `[${storageAt(1)},${notification},${storageAt(2)}]` }),
  "a WebSocket": (service, caller) =>
    Effect.gen(function* () {
      const client = yield* Service.connect(service, rpc("/ws/v3/", caller))
      if (!(client instanceof Service.Client)) return client
      client.socket.send(storageAt(1))
      return { status: undefined, body: yield* Effect.promise(() => client.next()), headers: {} }
    }),
  IPFS: (service, { headers, key = KEY, secret = SECRET }) =>
    Service.ask(service, {
      path: "/api/v0/version",
      headers: { ...(key === "" ? {} : { authorization: basic(key, secret) }), ...headers }
    })
}

const rpc = (path: string, { headers, key = KEY, secret }: Caller) => ({
  path: `${path}${key}`,
  headers: { ...(secret === undefined ? {} : { authorization: basic("", secret) }), ...headers }
})

// Private: the expected answers, and the metered usage as `product method status calls credits`.

interface Expected {
  readonly status: number | undefined
  readonly body: string | RegExp
  readonly headers?: Readonly<Record<string, string | RegExp>>
  readonly metered: ReadonlyArray<string>
}

type Ways = Partial<Readonly<Record<Way, Expected>>>

const TEXT = { "content-type": "text/plain; charset=utf-8" }
const JSON_TYPE = { "content-type": "application/json" }

/** An unknown caller gets a short plain text, and nothing is metered. */
const unknown = (text: string, ofIpfs?: string): Ways => {
  const said = (text: string): Expected => ({
    status: 401,
    body: `${text}\n`,
    headers: { ...TEXT, "www-authenticate": `Basic realm="Auth failure, ${text}"` },
    metered: []
  })
  const rpc = { HTTP: said(text), "a batch": said(text), "a WebSocket": said(text) }
  return ofIpfs === undefined ? rpc : { ...rpc, IPFS: said(ofIpfs) }
}

/**
 * A refusal decided from the request head is the same on every transport, and no WebSocket opens. IPFS costs no
 * credits.
 */
const byHead = (body: string, headers: Readonly<Record<string, string>>): Ways => {
  const rpc: Expected = { status: 403, body, headers, metered: ["rpc unknown 403 1 5"] }
  return { HTTP: rpc, "a batch": rpc, "a WebSocket": rpc, IPFS: { ...rpc, metered: ["ipfs version 403 1 0"] } }
}

const withError = (id: number | null, error: string): string => `{"jsonrpc":"2.0","id":${id},"error":${error}}`
const both = (error: string): string => `[${withError(1, error)},${withError(2, error)}]`

const NOT_LISTED =
  "rejected due to project ID settings: the project's allowlist of networks lacks ipfs. Add ipfs to the list\n"
const REJECTED = '{"code":-32002,"message":"rejected due to project ID settings"}'
const NO_CARD = "a billing card is required: add one to your account\n"

/** A refusal of single calls: a batch is answered, and each of its items is an error. */
const byCall: Ways = {
  HTTP: { status: 403, body: withError(1, REJECTED), headers: JSON_TYPE, metered: ["rpc eth_getStorageAt 403 1 5"] },
  "a batch": {
    status: 200,
    body: both(REJECTED),
    headers: JSON_TYPE,
    metered: ["rpc batch 200 0 1", "rpc eth_getStorageAt 403 3 15"]
  },
  "a WebSocket": { status: undefined, body: withError(1, REJECTED), metered: ["rpc eth_getStorageAt 403 1 5"] }
}

/** Over a limit, the whole packet is refused and costs nothing. `retryAfter` is absent if waiting does not help. */
const overLimit = (message: string, data: string, retryAfter?: RegExp): Ways => {
  const error = String.raw`\{"code":-32005,"message":"${message}","data":\{"see":"https:[^"]*"${data}\}\}`
  const headers = { ...JSON_TYPE, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) }
  const said = (id: number) => String.raw`\{"jsonrpc":"2\.0","id":${id},"error":${error}\}`
  return {
    HTTP: {
      status: 429,
      body: new RegExp(`^${said(1)}$`, "u"),
      headers,
      metered: ["rpc eth_getStorageAt 429 1 0"]
    },
    "a batch": {
      status: 429,
      body: new RegExp(String.raw`^\[${said(1)},${said(2)}\]$`, "u"),
      headers,
      metered: ["rpc batch 429 0 0", "rpc eth_getStorageAt 429 3 0"]
    },
    "a WebSocket": {
      status: undefined,
      body: new RegExp(`^${said(1)}$`, "u"),
      metered: ["rpc eth_getStorageAt 429 1 0"]
    }
  }
}

/** If a store is down, the service cannot look up the caller or cannot record the usage. Nothing is charged. */
const unavailable = (isMetered: boolean): Ways => {
  const down = { status: 503, body: "service unavailable\n", headers: { ...TEXT, "retry-after": "1" } }
  const metered = (...lines: ReadonlyArray<string>) => (isMetered ? lines : [])
  return {
    HTTP: { ...down, metered: metered("rpc eth_getStorageAt 503 1 0") },
    "a batch": { ...down, metered: metered("rpc batch 503 0 0", "rpc eth_getStorageAt 503 3 0") },
    "a WebSocket": {
      status: undefined,
      body: withError(1, '{"code":-32002,"message":"service unavailable"}'),
      metered: metered("rpc eth_getStorageAt 503 1 0")
    },
    IPFS: { ...down, metered: metered("ipfs version 503 1 0") }
  }
}

/** The call is not refused. */
const answered: Ways = {
  HTTP: {
    status: 200,
    body: '{"jsonrpc":"2.0","id":1,"result":"eth_getStorageAt"}',
    metered: ["rpc eth_getStorageAt 200 1 80"]
  },
  "a batch": {
    status: 200,
    body: '[{"jsonrpc":"2.0","id":1,"result":"eth_getStorageAt"},{"jsonrpc":"2.0","id":2,"result":"eth_getStorageAt"}]',
    metered: ["rpc batch 200 0 1", "rpc eth_getStorageAt 200 3 240"]
  },
  "a WebSocket": {
    status: undefined,
    body: '{"jsonrpc":"2.0","id":1,"result":"eth_getStorageAt"}',
    metered: ["rpc eth_getStorageAt 200 1 80"]
  },
  IPFS: { status: 200, body: /^\{"Version":"1",/u, metered: ["ipfs version 200 1 0"] }
}

// The cases.

interface Case {
  readonly expected: Ways
  readonly options?: Metered.Options
  readonly policy?: AccessPolicy.Policy
  /** Prepares the state before the request. */
  readonly before?: (service: Service) => Effect.Effect<unknown, unknown, Scope.Scope>
  readonly caller?: Caller
  /** True if the call must reach the node, because it is not refused. */
  readonly reaches?: boolean
}

const allowing = (allowlist: Partial<Allowlist.Allowlist>): Metered.Options => ({
  project: { allowlist: { ...Allowlist.none, ...allowlist } }
})

const limited = (limits: NonNullable<NonNullable<Metered.Options["project"]>["limits"]>): Metered.Options => ({
  project: { limits }
})

const WRONG_BASIC = "basic auth failure: invalid project id or project secret"

const cases: Readonly<Record<string, Case>> = {
  "a wrong key": { caller: { key: NOBODY }, expected: unknown("invalid project id", WRONG_BASIC) },
  "no key": { caller: { key: "" }, expected: unknown("project id required in the url", "project id required") },
  "a revoked key": {
    before: ({ accounts, holder }) => accounts.revokeKey(holder.key.id),
    expected: unknown("invalid project id", WRONG_BASIC)
  },
  "a key that was rotated out": {
    before: ({ accounts, holder }) => accounts.rotateKey(holder.key.id, { overlap: 0 }),
    expected: unknown("invalid project id", WRONG_BASIC)
  },
  "a key that was rotated, and still overlaps": {
    before: ({ accounts, holder }) => accounts.rotateKey(holder.key.id, { overlap: "1 hour" }),
    reaches: true,
    expected: answered
  },
  "a key that has expired": {
    before: ({ accounts, holder }) =>
      Effect.gen(function* () {
        // late enough to be in the future when the account is written
        const expiresAt = (yield* Clock.currentTimeMillis) + 1000
        yield* accounts.updateKey(holder.key.id, { expiresAt })
        yield* Effect.sleep("1010 millis")
      }),
    expected: unknown("invalid project id", WRONG_BASIC)
  },
  "more requests than the key may send": {
    before: (service) =>
      Effect.andThen(
        service.accounts.updateKey(service.holder.key.id, { limits: { requestsPerSecond: 1, burst: 3 } }),
        Effect.replicateEffect(Service.ask(service, { body: storageAt(0) }), 3)
      ),
    expected: overLimit(
      "request rate of the API key exceeded",
      String.raw`,"current_rps":[0-9.]+,"allowed_rps":1,"backoff_seconds":[0-9.]+`,
      /^[1-9][0-9]*$/u
    )
  },
  "no credits of the day for the key": {
    options: { gateway: { wording: { dayStatus: 402 } } },
    before: (service) =>
      Effect.andThen(
        service.accounts.updateKey(service.holder.key.id, { limits: { creditsPerDay: 300 } }),
        Effect.replicateEffect(Service.ask(service, { body: storageAt(0) }), 3)
      ),
    expected: overLimit(
      "daily credits of the API key exceeded, request rate limited",
      String.raw`,"backoff_seconds":[0-9.]+`,
      /^[1-9][0-9]*$/u
    )
  },
  "a suspended project": {
    options: { project: { suspended: true } },
    expected: byHead("project is suspended\n", TEXT)
  },
  "a missing secret": {
    options: { project: { secretRequired: true } },
    expected: unknown("invalid project id or project secret")
  },
  "an empty secret": {
    caller: { secret: "" },
    expected: unknown("invalid project id or project secret", WRONG_BASIC)
  },
  "a wrong secret": {
    caller: { secret: NOBODY },
    expected: unknown("invalid project id or project secret", WRONG_BASIC)
  },
  "a network that is not listed": {
    options: allowing({ networks: ["mainnet"] }),
    expected: { ...byHead(withError(null, REJECTED), JSON_TYPE), IPFS: byHead(NOT_LISTED, TEXT).IPFS! }
  },
  "a method that is not listed": { options: allowing({ methods: ["eth_call"] }), expected: byCall },
  "an address that is not listed": {
    options: allowing({ addresses: [`0x${"01".repeat(20)}`] }),
    expected: byCall
  },
  "an origin that is not listed": {
    options: allowing({ origins: ["https://app.example"] }),
    caller: { headers: { origin: "https://other.example" } },
    expected: byHead(withError(null, REJECTED), JSON_TYPE)
  },
  "a user agent that is not listed": {
    options: allowing({ userAgents: ["Wallet/"] }),
    caller: { headers: { "user-agent": "curl/8" } },
    expected: byHead(withError(null, REJECTED), JSON_TYPE)
  },
  "no card, where IPFS asks for one": {
    options: { project: { card: false } },
    expected: { IPFS: byHead(NO_CARD, TEXT).IPFS! }
  },
  "no card, where calls ask for one": {
    options: { project: { card: false } },
    policy: AccessPolicy.card({ rpc: true }),
    expected: byHead(NO_CARD, TEXT)
  },
  "no credits of the day": {
    options: limited({ creditsPerDay: 300 }),
    before: (service) => Effect.replicateEffect(Service.ask(service, { body: storageAt(0) }), 3),
    expected: overLimit(
      "daily request count exceeded, request rate limited",
      String.raw`,"backoff_seconds":[0-9.]+`,
      /^[1-9][0-9]*$/u
    )
  },
  "more than the rate": {
    options: limited({ creditsPerSecond: 1, burst: 300 }),
    before: (service) => Effect.replicateEffect(Service.ask(service, { body: storageAt(0) }), 3),
    expected: overLimit(
      "project ID request rate exceeded",
      String.raw`,"current_rps":[0-9.]+,"allowed_rps":1,"backoff_seconds":[0-9.]+`,
      /^[1-9][0-9]*$/u
    )
  },
  "more at a time": {
    options: { ...limited({ concurrency: 1 }), node: () => () => undefined },
    before: (service) =>
      Effect.gen(function* () {
        const client = yield* Service.connected(service)
        client.socket.send(storageAt(0))
        yield* Effect.promise(() => service.node.wasAsked(1))
      }),
    expected: overLimit("too many requests in flight", ',"in_flight":1,"allowed":1,"backoff_seconds":1', /^1$/u)
  },
  "more than the bucket ever holds": {
    options: limited({ creditsPerSecond: 1, burst: 79 }),
    expected: overLimit("request costs more than the rate limit allows at once", ',"credits":(?:80|241),"allowed":79')
  },
  "limits that cannot be counted": {
    options: { ...limited({ creditsPerDay: 1000, ipfsReadsPerSecond: 1500 }), instead: Metered.limiterDown("closed") },
    expected: unavailable(true)
  },
  "usage that cannot be recorded": {
    options: { instead: Metered.meteringDown(false) },
    expected: unavailable(false)
  }
}

/** Returns the usage that was metered between two reads. */
const since = (before: ReadonlyArray<Metered.Row>, after: ReadonlyArray<Metered.Row>): ReadonlyArray<string> =>
  after.flatMap((row) => {
    const { method, network, product, status } = row
    const old = before.find((other) => other.method === method && other.status === status && other.product === product)
    const [calls, credits] = [row.calls - (old?.calls ?? 0), row.credits - (old?.credits ?? 0)]
    assert.strictEqual(network, product === "ipfs" ? "ipfs" : "live")
    const isNew = old === undefined || calls > 0 || credits > 0
    return isNew ? [`${product} ${method} ${status} ${calls} ${credits}`] : []
  })

describe("refused:", () => {
  for (const [name, { before, caller = {}, expected, options = {}, policy, reaches = false }] of Object.entries(
    cases
  )) {
    for (const way of ways) {
      const said = expected[way]
      if (said === undefined) continue
      it.live(`${name}, on ${way}`, () =>
        Effect.gen(function* () {
          let ipfsCalls = 0
          const node = Ipfs.nodeOf({
            version: Effect.sync(() => {
              ipfsCalls += 1
              return { version: "1", commit: "", repo: "1", system: "", golang: "" }
            })
          })
          const started = Metered.start({
            ...options,
            project: { card: true, ...options.project },
            gateway: { ipfs: IpfsProduct.make({ node: () => node }), ...options.gateway }
          })
          const metered = yield* policy === undefined
            ? started
            : Effect.provideService(started, AccessPolicy.AccessPolicy, policy)
          const service = { ...metered, ipfsCalls: () => ipfsCalls }
          if (before !== undefined) yield* before(service)
          const [asked, rows] = [service.node.asked.length, yield* service.rows]

          const answer = yield* send[way](service, caller)

          assert.strictEqual(answer.status, said.status)
          if (typeof said.body === "string") assert.strictEqual(answer.body, said.body)
          else assert.match(answer.body, said.body)
          for (const [header, value] of Object.entries(said.headers ?? {})) {
            if (typeof value === "string") assert.strictEqual(answer.headers[header], value)
            else assert.match(String(answer.headers[header]), value)
          }
          if (said.headers?.["retry-after"] === undefined) assert.isUndefined(answer.headers["retry-after"])
          // A web page can read only the headers that the answer exposes to it.
          if (answer.headers["retry-after"] !== undefined && way !== "a WebSocket") {
            assert.match(String(answer.headers["access-control-expose-headers"]), /(?:^|, )retry-after$/u)
          }
          const reached = { HTTP: 1, "a batch": 3, "a WebSocket": 1, IPFS: 1 }[way] * (reaches ? 1 : 0)
          assert.strictEqual(service.node.asked.length - asked + service.ipfsCalls(), reached)
          assert.deepStrictEqual(since(rows, yield* service.rows), [...said.metered])
        }).pipe(Effect.scoped)
      )
    }
  }
})
