/** Tokens of a project's users on the paths of the trustless gateway that hold the project's key. */
import { generateKeyPairSync, sign } from "node:crypto"

import { assert, it } from "@effect/vitest"
import type { KeyLimits } from "@plumbline/gateway"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import * as Metered from "@plumbline/gateway/support/metered"
import * as Service from "@plumbline/gateway/support/service"
import { Cid } from "@plumbline/ipfs-client"
import { Clock, Effect } from "effect"

import * as Ipfs from "../support/ipfs.ts"

const BLOCK = Ipfs.bytesOf("hello")

/** A service whose project has a public key, with the tokens of its users. */
const start = Effect.gen(function* () {
  const node = Ipfs.nodeOf({
    blockGet: () => Effect.succeed(BLOCK),
    blockStat: () => Effect.succeed({ cid: Ipfs.RAW, size: BLOCK.length }),
    dagResolve: () => Effect.succeed({ cid: Ipfs.RAW, remainder: "" })
  })
  const service = yield* Metered.start({
    project: { card: true },
    gateway: { ipfs: IpfsProduct.make({ node: () => node }) }
  })
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const keys = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "own" }] }
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return {
    now,
    setTokens: (rules: { readonly required?: boolean; readonly userLimits?: KeyLimits.KeyLimits }) =>
      service.accounts.setTokens("p1", { keys, ...rules }),
    token: (claims: object) => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const text = `${encode({ alg: "EdDSA", kid: "own" })}.${encode({ aud: "p1", exp: now + 60, ...claims })}`
      return `Bearer ${text}.${sign(undefined, Buffer.from(text), privateKey).toString("base64url")}`
    },
    ask: (authorization?: string) =>
      Effect.map(
        Service.ask(service, {
          method: "GET",
          path: `/v3/${Service.KEY}/ipfs/${Cid.toText(Ipfs.RAW)}?format=raw`,
          headers: authorization === undefined ? {} : { authorization }
        }),
        ({ status }) => status
      )
  }
})

it.live("admits the users of a project that requires their tokens, who may do less than the project", () =>
  Effect.gen(function* () {
    const { ask, now, setTokens, token } = yield* start
    const secret = `Basic ${Buffer.from(`:${Service.SECRET}`).toString("base64")}`
    yield* setTokens({ required: true })
    for (const [authorization, status] of [
      [undefined, 401],
      // neither the secret nor a token of others is one of the project's own
      [secret, 401],
      [token({ aud: "p2" }), 401],
      [token({ exp: now - 3600 }), 401],
      [token({}).slice(0, -8), 401],
      [token({}), 200],
      [token({ networks: ["ipfs"] }), 200],
      [token({ networks: ["mainnet"] }), 403],
      [token({ methods: ["eth_call"] }), 403]
    ] as const) {
      assert.strictEqual(yield* ask(authorization), status, authorization)
    }
    yield* setTokens({ required: false })
    for (const [authorization, status] of [
      [undefined, 200],
      [secret, 200],
      [token({}), 200],
      [token({ aud: "p2" }), 401]
    ] as const) {
      assert.strictEqual(yield* ask(authorization), status, authorization)
    }
  }).pipe(Effect.scoped)
)

it.live("keeps each user to the limits of users", () =>
  Effect.gen(function* () {
    const { ask, setTokens, token } = yield* start
    yield* setTokens({ userLimits: { requestsPerSecond: 1, burst: 2 } })
    const asked = Array.from({ length: 12 }, () => ask(token({ sub: "one" })))
    const statuses = yield* Effect.all(asked, { concurrency: "unbounded" })
    assert.sameMembers([...new Set(statuses)], [200, 429])
    assert.strictEqual(yield* ask(token({ sub: "other" })), 200)
  }).pipe(Effect.scoped)
)
