import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, it } from "@effect/vitest"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as BillingCards from "@plumbline/gateway-admin/cards/BillingCards"
import { BillingCardsError } from "@plumbline/gateway-admin/cards/BillingCardsError"
import * as BillingEvents from "@plumbline/gateway-admin/cards/BillingEvents"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as Gateway from "@plumbline/gateway/Gateway"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import * as ServiceState from "@plumbline/gateway/ServiceState"
import * as Sqlite from "@plumbline/gateway/state/Sqlite"
import { StateError } from "@plumbline/gateway/state/StateError"
import { Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"

import * as Stripe from "../support/stripe.ts"

/** Starts a listener that serves only the mount. */
const serve = Effect.gen(function* () {
  const { handle } = yield* BillingEvents.mount
  const server = createServer((request, response) => handle(request, response, "127.0.0.1"))
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const events = (url: string) => `${url}${BillingEvents.PATH}`

const post = (url: string, body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", body, headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

const signed = (body: Uint8Array, secret?: string) =>
  Effect.promise(() => Stripe.sign(body, Math.floor(Date.now() / 1000), secret))

const real = BillingCards.layer({ webhookSecret: Redacted.make(Stripe.SECRET) }).pipe(
  Layer.provideMerge(Accounts.layer()),
  Layer.provide(Sqlite.layer({ file: ":memory:" }))
)

/** Makes a `BillingCards` service with the given `receive`. */
const fake = (receive: BillingCards.BillingCards["Service"]["receive"]) => {
  const unused = () => Effect.die("not asked for")
  return Layer.succeed(BillingCards.BillingCards, {
    status: unused,
    customer: unused,
    setManual: unused,
    link: unused,
    receive
  })
}

it.live("events are taken when they are signed, whether they are new, known or about something else", () =>
  Effect.gen(function* () {
    const url = events(yield* serve)
    const accounts = yield* Accounts.Accounts
    const cards = yield* BillingCards.BillingCards
    const { id } = yield* accounts.createAccount({ name: "Ada" })
    yield* cards.link(id, "cus_ada")
    const stripe = new Stripe.Stripe(1, Math.floor(Date.now() / 1000))
    const card = { ...Stripe.VISA, exp_year: 9999 }
    const token = stripe.attach("cus_ada", card)
    const [event] = stripe.events
    for (const sent of [event, event, { ...event, type: "invoice.paid" }]) {
      const body = Stripe.bytesOf(sent) as Uint8Array<ArrayBuffer>
      const answer = yield* post(url, body, { "stripe-signature": yield* signed(body), "content-type": "text/x" })
      assert.deepStrictEqual([answer.status, answer.text], [200, "ok\n"])
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    }
    assert.deepStrictEqual(yield* cards.status(id), Stripe.statusOf(token, card))
    assert.isTrue((yield* accounts.account(id))!.card)
  }).pipe(Effect.scoped, Effect.provide(real))
)

it.live("a project is let in by the card of its account within a second, and is out when the card is gone", () => {
  const network: Network = {
    name: "live",
    hosts: ["127.0.0.1"],
    chainId: 1,
    methods: EthMethods.group,
    upstream: { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }
  }
  const gateway = Layer.unwrap(
    Effect.map(BillingEvents.mount, (mount) => Gateway.layer({ networks: [network], mounts: [mount] }))
  )
  const layer = gateway.pipe(
    Layer.provideMerge(BillingCards.layer({ webhookSecret: Redacted.make(Stripe.SECRET) })),
    Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })),
    Layer.provide(Layer.succeed(AccessPolicy.AccessPolicy, AccessPolicy.card({ rpc: true })))
  )
  return Effect.gen(function* () {
    const { url } = yield* Gateway.Gateway
    const accounts = yield* Accounts.Accounts
    const cards = yield* BillingCards.BillingCards
    const { id } = yield* accounts.createAccount({ name: "Ada" })
    const { issued } = yield* accounts.createProject({ account: id, name: "wallet" })
    yield* cards.link(id, "cus_ada")
    const status = Effect.map(
      post(
        `${url}/v3/${Redacted.value(issued.apiKey)}`,
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
        { "content-type": "application/json" }
      ),
      (answer) => answer.status
    )
    const stripe = new Stripe.Stripe(3, Math.floor(Date.now() / 1000))
    const deliver = Effect.gen(function* () {
      const body = Stripe.bytesOf(stripe.events.at(-1)) as Uint8Array<ArrayBuffer>
      const answer = yield* post(events(url), body, { "stripe-signature": yield* signed(body) })
      assert.strictEqual(answer.status, 200)
    })
    const until = (wanted: number) => Effect.repeat(Effect.delay(status, "20 millis"), { until: (is) => is === wanted })
    assert.strictEqual(yield* status, 403)
    const token = stripe.attach("cus_ada", { ...Stripe.VISA, exp_year: 9999 })
    yield* deliver
    yield* until(200)
    stripe.detach(token)
    yield* deliver
    yield* until(403)
  }).pipe(Effect.provide(layer))
})

it.live("what is not signed is refused, and nothing of it is told or logged", () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => logged.push(message))
  return Effect.gen(function* () {
    const url = events(yield* serve)
    const stripe = new Stripe.Stripe(2, Math.floor(Date.now() / 1000))
    stripe.attach("cus_secret", Stripe.VISA)
    const body = Stripe.bytesOf(stripe.events[0]) as Uint8Array<ArrayBuffer>
    const header = yield* signed(body)
    const old = yield* Effect.promise(() => Stripe.sign(body, Math.floor(Date.now() / 1000) - 302))
    for (const headers of [
      {},
      { "stripe-signature": "" },
      { "stripe-signature": yield* signed(body, "whsec_other") },
      { "stripe-signature": old },
      { "stripe-signature": header.slice(0, 20) }
    ]) {
      const answer = yield* post(url, body, headers)
      assert.deepStrictEqual(
        [answer.status, answer.text],
        [400, "the event has no valid signature of the provider, or its signature is too old or too new\n"]
      )
    }
    const twice = yield* Effect.promise(
      () =>
        new Promise<number | undefined>((resolve, reject) => {
          const request = httpRequest(url, { method: "POST", headers: { "stripe-signature": [header, header] } })
          request.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject)
          request.end(body)
        })
    )
    assert.strictEqual(twice, 400)
    const wrong = Stripe.bytesOf({ id: "evt_1", type: "customer.deleted" }) as Uint8Array<ArrayBuffer>
    const answer = yield* post(url, wrong, { "stripe-signature": yield* signed(wrong) })
    assert.deepStrictEqual([answer.status, answer.text], [400, "the event does not have the form of its type\n"])
    assert.deepStrictEqual(logged, [])
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(real, Logger.layer([logger]))))
})

it.live("another path, method or size is refused before the store is asked", () => {
  const asked: Array<number> = []
  return Effect.gen(function* () {
    const base = yield* serve
    for (const path of ["/billing/events/", "/billing/events/x", "/billing", "/"]) {
      assert.strictEqual((yield* post(`${base}${path}`, "{}")).status, 404)
    }
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const response = yield* Effect.promise(() => fetch(events(base), { method }))
      assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, "POST"])
    }
    const most = new Uint8Array(BillingEvents.MAX_BYTES)
    const more = new Uint8Array(BillingEvents.MAX_BYTES + 1)
    assert.strictEqual((yield* post(events(base), most)).status, 200)
    assert.strictEqual((yield* post(`${events(base)}?live=1`, "")).status, 200)
    assert.strictEqual((yield* post(events(base), more)).status, 413)
    // Without a Content-Length the bytes are counted while they arrive.
    const chunked = yield* Effect.promise(
      () =>
        new Promise<number | undefined>((resolve, reject) => {
          const request = httpRequest(events(base), { method: "POST" })
          request.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject)
          request.write(most)
          request.write("x")
        })
    )
    assert.strictEqual(chunked, 413)
    assert.deepStrictEqual(asked, [BillingEvents.MAX_BYTES, 0])
  }).pipe(
    Effect.scoped,
    Effect.provide(
      fake((payload) =>
        Effect.sync(() => {
          asked.push(payload.length)
          return "Ignored" as const
        })
      )
    )
  )
})

it.live("when the store is down, or the service ends, the provider is asked to send again", () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => logged.push(message))
  const down = new StateError({ problem: "Unavailable", detail: "no connection" })
  const failing = fake((payload) => {
    const text = new TextDecoder().decode(payload)
    if (text === "down") return Effect.fail(down)
    return text === "number" ? Effect.fail(new BillingCardsError({ problem: "CardNumber" })) : Effect.die("bug")
  })
  return Effect.gen(function* () {
    const url = events(yield* serve)
    const answer = yield* post(url, "down")
    assert.deepStrictEqual([answer.status, answer.text], [503, "service unavailable\n"])
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    assert.strictEqual((yield* post(url, "number")).status, 400)
    assert.strictEqual((yield* post(url, "defect")).status, 503)
    assert.deepStrictEqual(logged, [
      ["a billing event cannot be stored", "the state is not available: no connection"],
      ["a billing event cannot be handled"]
    ])
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(failing, Logger.layer([logger]))))
})

it.live("what is on its way when the endpoint ends is answered, and not left hanging", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(fake(() => Effect.never))
    const scope = yield* Scope.make()
    const { handle } = yield* BillingEvents.mount.pipe(Scope.provide(scope), Effect.provide(context))
    const server = createServer((request, response) => {
      handle(request, response, "127.0.0.1")
      request.on("end", () => Effect.runFork(Scope.close(scope, Exit.void)))
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close())
    )
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BillingEvents.PATH}`
    assert.strictEqual((yield* post(url, "{}")).status, 503)
  }).pipe(Effect.scoped)
)
