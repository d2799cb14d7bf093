/**
 * Tokens of a project's users, tested through a whole service. The tokens are signed with Node's own cryptography. The
 * service verifies them with another library.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import type { TokenRules } from "@plumbline/gateway"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

import * as Metered from "../support/metered.ts"
import { ADDRESS } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const storageAt = Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"])
const chainId = Service.call("eth_chainId")

interface Pair {
  readonly alg: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const ES256: Pair = { alg: "ES256", ...generateKeyPairSync("ec", { namedCurve: "P-256" }) }
const OTHER_ES256: Pair = { alg: "ES256", ...generateKeyPairSync("ec", { namedCurve: "P-256" }) }
const EDDSA: Pair = { alg: "EdDSA", ...generateKeyPairSync("ed25519") }
const RS256: Pair = { alg: "RS256", ...generateKeyPairSync("rsa", { modulusLength: 2048 }) }
const pairs = { ES256, EDDSA, RS256 }

const jwkOf = ({ publicKey }: Pair, kid: string) => ({ ...publicKey.export({ format: "jwk" }), kid })
const jwks = { keys: Object.entries(pairs).map(([kid, pair]) => jwkOf(pair, kid)) }

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

const signatureOf = ({ alg, privateKey }: Pair, text: string): string => {
  const key = alg === "ES256" ? { key: privateKey, dsaEncoding: "ieee-p1363" as const } : privateKey
  return sign(alg === "EdDSA" ? undefined : "sha256", Buffer.from(text), key).toString("base64url")
}

const AUDIENCE = "p1"

/** Makes a token that is valid for a minute. `changes` replace its claims. */
const tokenOf = (
  now: number,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
  pair: Pair = ES256
): string => {
  const head = { alg: pair.alg, typ: "JWT", kid: "ES256", ...header }
  const text = `${encode(head)}.${encode({ aud: AUDIENCE, exp: Math.floor(now / 1000) + 60, sub: "ada", ...claims })}`
  return `${text}.${signatureOf(pair, text)}`
}

const start = Effect.fnUntraced(function* (
  rules: Partial<TokenRules.TokenRulesInput> = {},
  options: Metered.Options = {}
) {
  const service = yield* Metered.start(options)
  yield* service.accounts.setTokens("p1", { keys: jwks, ...rules })
  yield* TestClock.adjust("1 second")
  const ask = (token: string | undefined, more: Service.Ask = {}) =>
    Service.ask(service, {
      body: storageAt,
      ...more,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more.headers }
    })
  return { ...service, ask, now: yield* Clock.currentTimeMillis }
})

const REFUSED = 'Bearer realm="plumbline"'

describe("a token of a user", () => {
  it.effect("is admitted with each kind of key, over HTTP and WebSocket, and a call without one still is", () =>
    Effect.gen(function* () {
      const service = yield* start()
      for (const [kid, pair] of Object.entries(pairs)) {
        const token = tokenOf(service.now, {}, { kid }, pair)
        for (const scheme of ["Bearer", "bearer", "BEARER  "]) {
          const headers = { authorization: `${scheme} ${token}` }
          assert.strictEqual((yield* service.ask(undefined, { headers })).status, 200, `${kid} ${scheme}`)
        }
        const socket = yield* Service.connected(service, { headers: { authorization: `Bearer ${token}` } })
        socket.socket.send(storageAt)
        assert.include(yield* Effect.promise(() => socket.next()), '"result"')
      }
      assert.strictEqual((yield* service.ask(undefined)).status, 200)
      // A token may have a list of audiences, and may leave out its type.
      const listed = tokenOf(service.now, { aud: ["other", AUDIENCE] }, { typ: undefined })
      assert.strictEqual((yield* service.ask(listed)).status, 200)
    }).pipe(Effect.scoped)
  )

  /** Attacks and mistakes, each with a part of the expected refusal. */
  const wrong: Readonly<Record<string, readonly [why: string, token: (now: number) => string]>> = {
    "without a signature": [
      "not a JSON Web Token",
      (now) => `${tokenOf(now, {}, { alg: "none" }).split(".").slice(0, 2).join(".")}.`
    ],
    "of the algorithm none": ["alg is not the one of the key", (now) => tokenOf(now, {}, { alg: "none" })],
    "whose algorithm is NONE in other letters": ["alg is not", (now) => tokenOf(now, {}, { alg: "nOnE" })],
    "whose public key is used as a secret": [
      "alg is not the one of the key",
      (now) => {
        const text = tokenOf(now, {}, { alg: "HS256", kid: "RS256" }).split(".").slice(0, 2).join(".")
        const pem = RS256.publicKey.export({ format: "pem", type: "spki" })
        return `${text}.${createHmac("sha256", pem).update(text).digest("base64url")}`
      }
    ],
    "whose algorithm is that of another key": [
      "alg is not the one of the key",
      (now) => tokenOf(now, {}, { kid: "ES256" }, RS256)
    ],
    "without kid": ["no kid", (now) => tokenOf(now, {}, { kid: undefined })],
    "with a kid that is not text": ["no kid", (now) => tokenOf(now, {}, { kid: 0 })],
    "of an unknown kid": ["kid is not one of the project", (now) => tokenOf(now, {}, { kid: "nobody" })],
    "whose kid is a name of objects": ["kid is not one", (now) => tokenOf(now, {}, { kid: "__proto__" })],
    "of another key": ["signature does not match", (now) => tokenOf(now, {}, {}, OTHER_ES256)],
    "that brings its own key": [
      "signature does not match",
      (now) => tokenOf(now, {}, { jwk: jwkOf(OTHER_ES256, "ES256"), jku: "https://evil.example/jwks" }, OTHER_ES256)
    ],
    "whose header was changed": [
      "signature does not match",
      (now) => {
        const [, claims, signature] = tokenOf(now).split(".")
        return `${encode({ alg: "ES256", kid: "ES256", typ: "JWT", more: 1 })}.${claims}.${signature}`
      }
    ],
    "in another spelling of base64url": [
      "not a JSON Web Token",
      (now) => {
        // the last character of 64 bytes has four bits that belong to no byte
        const token = tokenOf(now)
        const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        const other = token.slice(0, -1) + letters[letters.indexOf(token.at(-1)!) + 1]!
        const bytes = (text: string) => Buffer.from(text.split(".")[2]!, "base64url").toString("hex")
        assert.strictEqual(bytes(other), bytes(token))
        return other
      }
    ],
    "whose claims were changed": [
      "signature does not match",
      (now) => {
        const [header, , signature] = tokenOf(now).split(".")
        return `${header}.${encode({ aud: AUDIENCE, exp: now / 1000 + 9999, sub: "eve" })}.${signature}`
      }
    ],
    "with critical members": ["critical members", (now) => tokenOf(now, {}, { crit: ["b64"], b64: false })],
    "of another type": ["typ is not JWT", (now) => tokenOf(now, {}, { typ: "dpop+jwt" })],
    "for another audience": ["for another audience", (now) => tokenOf(now, { aud: "p2" })],
    "for no audience": ["for another audience", (now) => tokenOf(now, { aud: undefined })],
    "that has expired": ["has expired", (now) => tokenOf(now, { exp: Math.floor(now / 1000) - 31 })],
    "that never expires": ["no valid exp", (now) => tokenOf(now, { exp: undefined })],
    "that expires at a text": ["no valid", (now) => tokenOf(now, { exp: "tomorrow" })],
    "that is not valid yet": ["not valid yet", (now) => tokenOf(now, { nbf: Math.floor(now / 1000) + 32 })],
    "with an empty sub": ["sub must be", (now) => tokenOf(now, { sub: "" })],
    "with a sub that is not text": ["", (now) => tokenOf(now, { sub: { name: "ada" } })],
    "with an empty list of methods": ["claims must be lists", (now) => tokenOf(now, { methods: [] })],
    "with methods that are not a list": ["claims must be lists", (now) => tokenOf(now, { methods: "eth_call" })],
    "with an address that is none": ["claims must be lists", (now) => tokenOf(now, { addresses: ["0x12"] })],
    "that is too long": ["too long", (now) => tokenOf(now, { more: "x".repeat(8000) })],
    "whose header is not an object": ["not a JSON Web Token", () => `${encode("[]")}.${encode("{}")}.AAAA`],
    "whose header is not JSON": ["not a JSON Web Token", () => `${encode("{")}.${encode("{}")}.AAAA`],
    "that is encrypted": ["not a JSON Web Token", (now) => `${tokenOf(now)}.AAAA.AAAA`]
  }

  for (const [name, [why, make]] of Object.entries(wrong)) {
    it.effect(`${name} is refused, the second time too, and nothing of it is repeated`, () =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.make<unknown, void>(({ message }) => void logged.push(JSON.stringify(message)))
        const service = yield* start({ required: true }, { loggers: [logger] })
        const token = make(service.now)
        for (const _ of [1, 2]) {
          const { body, headers, status } = yield* service.ask(token)
          assert.deepStrictEqual([status, body], [401, "invalid JWT\n"])
          const challenge = headers["www-authenticate"] ?? ""
          assert.isTrue(challenge.startsWith(`${REFUSED}, error="invalid_token"`), challenge)
          assert.include(challenge, why)
          const [head = "", claims = "", signature = ""] = token.split(".")
          for (const part of [head, claims, signature].filter(({ length }) => length > 4)) {
            assert.notInclude(JSON.stringify([body, headers, logged]), part)
          }
        }
        assert.strictEqual(service.node.asked.length, 0)
        const good = yield* service.ask(tokenOf(service.now))
        assert.strictEqual(good.status, 200)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is good until it expires, with the tolerance, and closes its WebSocket then", () =>
    Effect.gen(function* () {
      const service = yield* start({ toleranceSeconds: 10 })
      const early = tokenOf(service.now, { nbf: Math.floor(service.now / 1000) + 15 })
      assert.strictEqual((yield* service.ask(early)).status, 401)
      const token = tokenOf(service.now)
      const end = (Math.floor(service.now / 1000) + 60 + 10) * 1000
      const { closed } = yield* Service.connected(service, { headers: { authorization: `Bearer ${token}` } })
      yield* TestClock.setTime(end - 1)
      assert.strictEqual((yield* service.ask(token)).status, 200)
      assert.strictEqual((yield* service.ask(early)).status, 200)
      yield* TestClock.setTime(end)
      assert.strictEqual((yield* service.ask(token)).status, 401)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Effect.promise(() => closed), { code: 1008, reason: "invalid JWT" })
    }).pipe(Effect.scoped)
  )

  it.effect("is required if the project says so, and a secret is not a substitute; IPFS keeps key and secret", () =>
    Effect.gen(function* () {
      const service = yield* start({ required: true })
      const secret = { authorization: `Basic ${Buffer.from(`:${Service.SECRET}`).toString("base64")}` }
      for (const headers of [{}, secret]) {
        const answer = yield* service.ask(undefined, { headers })
        assert.deepStrictEqual([answer.status, answer.headers["www-authenticate"]], [401, REFUSED])
      }
      assert.strictEqual((yield* service.ask(tokenOf(service.now))).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("stands for the secret, where the project requires that", () =>
    Effect.gen(function* () {
      const service = yield* start({}, { project: { secretRequired: true } })
      assert.strictEqual((yield* service.ask(undefined)).status, 401)
      assert.strictEqual((yield* service.ask(tokenOf(service.now))).status, 200)
      assert.strictEqual((yield* service.ask(tokenOf(service.now, {}, {}, OTHER_ES256))).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its key, with the rules, and with a change of the audience, also in a WebSocket", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const token = tokenOf(service.now)
      const headers = { authorization: `Bearer ${token}` }
      const { closed } = yield* Service.connected(service, { headers })
      assert.strictEqual((yield* service.ask(token)).status, 200)
      yield* service.accounts.setTokens("p1", { keys: jwks.keys.slice(1) })
      assert.strictEqual((yield* service.ask(token)).status, 401)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Effect.promise(() => closed), { code: 1008, reason: "invalid JWT" })
      yield* service.accounts.setTokens("p1", { keys: jwks })
      assert.strictEqual((yield* service.ask(token)).status, 200)
      yield* service.accounts.setTokens("p1", { keys: jwks, audience: "other" })
      assert.strictEqual((yield* service.ask(token)).status, 401)
      yield* service.accounts.removeTokens("p1")
      assert.strictEqual((yield* service.ask(token)).status, 401)
      assert.strictEqual((yield* service.ask(undefined)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("narrows the allowlist of its project, and never widens it", () =>
    Effect.gen(function* () {
      const lists = { networks: [], addresses: [], origins: [], userAgents: [] }
      const service = yield* start(
        {},
        {
          project: { allowlist: { ...lists, methods: ["eth_getStorageAt"] } }
        }
      )
      const statusOf = (claims: Readonly<Record<string, unknown>>, more: Service.Ask = {}) =>
        Effect.map(service.ask(tokenOf(service.now, claims), more), ({ status }) => status)
      assert.strictEqual(yield* statusOf({}), 200)
      assert.strictEqual(yield* statusOf({ methods: ["eth_chainId"] }), 403)
      assert.strictEqual(yield* statusOf({ methods: ["eth_getStorageAt", "eth_chainId"] }), 200)
      // The token allows the method, but the project does not.
      assert.strictEqual(yield* statusOf({ methods: ["eth_chainId"] }, { body: chainId }), 403)
      assert.strictEqual(yield* statusOf({ addresses: [ADDRESS] }), 200)
      assert.strictEqual(yield* statusOf({ addresses: [`0x${"01".repeat(20)}`] }), 403)
      assert.strictEqual(yield* statusOf({ networks: ["other"] }), 403)
      assert.strictEqual(yield* statusOf({ networks: ["live"] }), 200)
      const origin = { headers: { origin: "https://app.example" } }
      assert.strictEqual(yield* statusOf({ origins: ["app.example"] }, origin), 200)
      assert.strictEqual(yield* statusOf({ origins: ["other.example"] }, origin), 403)
      assert.strictEqual(yield* statusOf({ user_agents: ["Wallet/"] }, { headers: { "user-agent": "curl/8" } }), 403)
    }).pipe(Effect.scoped)
  )

  it.effect("has the limits of its user, who is told by the sub and shares them over all tokens", () =>
    Effect.gen(function* () {
      const service = yield* start({ userLimits: { requestsPerSecond: 1, burst: 2 } })
      const ada = (more = {}) => service.ask(tokenOf(service.now, { sub: "ada", ...more }))
      assert.deepStrictEqual([(yield* ada()).status, (yield* ada({ jti: "2" })).status], [200, 200])
      const over = yield* ada({ jti: "3" })
      assert.deepStrictEqual([over.status, over.headers["retry-after"]], [429, "1"])
      assert.include(over.body, "request rate of the user exceeded")
      assert.strictEqual((yield* service.ask(tokenOf(service.now, { sub: "bob" }))).status, 200)
      assert.strictEqual((yield* service.ask(undefined)).status, 200)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* ada()).status, 200)
      const nameless = yield* service.ask(tokenOf(service.now, { sub: undefined }))
      assert.strictEqual(nameless.status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("follows a change of its project, though it was verified before", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const token = tokenOf(service.now)
      assert.strictEqual((yield* service.ask(token)).status, 200)
      yield* service.accounts.updateProject("p1", { suspended: true })
      assert.strictEqual((yield* service.ask(token)).status, 403)
      yield* service.accounts.updateProject("p1", { suspended: false })
      assert.strictEqual((yield* service.ask(token)).status, 200)
    }).pipe(Effect.scoped)
  )
})
