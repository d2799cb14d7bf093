/** The rules for tokens of a project's users, over both databases, and the keys that the rules accept. */
import { createPublicKey, generateKeyPairSync } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import { Accounts, TokenKeys } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Databases from "../support/databases.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
const jwk = { ...ec.publicKey.export({ format: "jwk" }), kid: "one" }
/** RFC 8037, appendix A.2. */
const ed = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "two" }
const rsa = (modulusLength: number) => ({
  ...generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" }),
  kid: "rsa"
})

describe("public keys", () => {
  it("are taken one by one, as a list, or as a set, and only what verifies is kept", () => {
    const more = { ...jwk, use: "sig", key_ops: ["verify"], alg: "ES256", x5t: "x", name: "of a person" }
    const expected = { kid: "one", alg: "ES256", kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }
    for (const given of [jwk, [jwk], { keys: [jwk] }, more]) {
      assert.deepStrictEqual<unknown>(Result.getOrThrow(TokenKeys.parse(given)), [expected])
    }
    assert.lengthOf(Result.getOrThrow(TokenKeys.parse({ keys: [jwk, ed, rsa(2048)] })), 3)
  })

  const off = createPublicKey(ec.publicKey.export({ format: "pem", type: "spki" })).export({ format: "jwk" })
  const wrong: Readonly<Record<string, readonly [given: unknown, problem: string]>> = {
    "a private key": [
      { ...ec.privateKey.export({ format: "jwk" }), kid: "k" },
      "must be public: it has the private member d"
    ],
    "a secret": [{ kty: "oct", k: "AAAA", kid: "k" }, "must be public: it has the private member k"],
    "no kid": [{ ...jwk, kid: undefined }, "must have a kid"],
    "an empty kid": [{ ...jwk, kid: "" }, "must have a kid"],
    "another curve": [{ ...jwk, crv: "P-384" }, "must be a key of P-256, Ed25519 or RSA"],
    "a key for agreement": [{ ...ed, crv: "X25519" }, "must be a key of P-256, Ed25519 or RSA"],
    "another algorithm": [{ ...jwk, alg: "ES384" }, "must have the alg ES256"],
    "a key for encryption": [{ ...jwk, use: "enc" }, "must be for signatures"],
    "a key that signs": [{ ...jwk, key_ops: ["sign"] }, "must be for the verification of signatures"],
    "a point off the curve": [{ ...jwk, x: off.y, y: off.x }, "must be a valid key; RSA has 2048 to 4096 bits"],
    "a small modulus": [rsa(1024), "must be a valid key; RSA has 2048 to 4096 bits"],
    "coordinates that are not base64url": [{ ...jwk, x: "é" }, "must have the members of its kind, as base64url"],
    "no object": ["{}", "must be a JWK: a JSON object"],
    null: [null, "must be a JWK: a JSON object"]
  }
  for (const [name, [given, problem]] of Object.entries(wrong)) {
    it(`${name} is refused, and not repeated`, () => {
      const parsed = TokenKeys.parse(given)
      if (Result.isSuccess(parsed)) return assert.fail("it was taken")
      assert.deepStrictEqual([parsed.failure.setting, parsed.failure.problem], ["keys[0]", problem])
      const secret = ec.privateKey.export({ format: "jwk" }).d!
      assert.notInclude(JSON.stringify(parsed.failure), secret)
    })
  }

  it("are at most ten, each with its own kid", () => {
    const twice = TokenKeys.parse([jwk, jwk])
    assert.isTrue(Result.isFailure(twice) && twice.failure.setting === "keys[1]")
    const many = Array.from({ length: 11 }, (_, index) => ({ ...jwk, kid: String(index) }))
    for (const given of [many, [], { keys: [] }]) {
      const parsed = TokenKeys.parse(given)
      assert.isTrue(Result.isFailure(parsed) && parsed.failure.setting === "keys")
    }
    assert.isTrue(Result.isSuccess(TokenKeys.parse(many.slice(1))))
  })
})

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`rules for tokens over ${name}`, () => {
    it.effect("are set, replaced and removed, reach other processes within a second, and go with their project", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const join = Effect.map(
          Layer.build(Layer.fresh(Accounts.layer().pipe(Layer.provide(database.layer)))),
          (context) => Context.get(context, Accounts.Accounts)
        )
        const [here, there] = [yield* join, yield* join]
        const { id: account } = yield* here.createAccount({ name: "Ada" })
        const { issued, project } = yield* here.createProject({ account, name: "wallet" })
        const found = (store: Accounts.AccountsService) =>
          Effect.map(store.lookup(Redacted.value(issued.apiKey)), (holder) => holder?.tokens)
        assert.isUndefined(yield* here.tokens(project.id))
        assert.isUndefined(yield* found(there))
        const rules = yield* here.setTokens(project.id, { keys: jwk })
        assert.deepStrictEqual(
          [rules.audience, rules.required, rules.toleranceSeconds, rules.userLimits],
          [project.id, false, 30, {}]
        )
        assert.deepStrictEqual(yield* here.tokens(project.id), rules)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* found(there), rules)
        const next = yield* there.setTokens(project.id, {
          keys: { keys: [ed] },
          required: true,
          audience: "app",
          userLimits: { creditsPerDay: 5 },
          toleranceSeconds: 0
        })
        assert.deepStrictEqual(yield* there.tokens(project.id), next)
        // Unchanged rules stay the same object, so tokens that were verified by them stay verified.
        yield* there.updateProject(project.id, { name: "renamed" })
        assert.strictEqual(yield* found(there), yield* there.tokens(project.id))
        yield* here.removeTokens(project.id)
        assert.isUndefined(yield* found(here))
        yield* here.setTokens(project.id, { keys: jwk })
        yield* here.removeProject(project.id)
        assert.isUndefined(yield* here.tokens(project.id))
        for (const refused of [here.setTokens("nobody", { keys: jwk }), here.removeTokens("nobody")]) {
          const error = yield* Effect.flip<unknown, { readonly _tag: string }, never>(refused)
          assert.strictEqual(error._tag, "AccountsError")
        }
        for (const [setting, given] of [
          ["audience", { keys: jwk, audience: "" }],
          ["toleranceSeconds", { keys: jwk, toleranceSeconds: 301 }],
          ["toleranceSeconds", { keys: jwk, toleranceSeconds: 0.5 }],
          ["requestsPerSecond", { keys: jwk, userLimits: { requestsPerSecond: 0 } }],
          ["keys[0]", { keys: {} }]
        ] as const) {
          const error = yield* Effect.flip(here.setTokens(project.id, given))
          assert.strictEqual(error._tag === "SettingError" && error.setting, setting)
        }
      }).pipe(Effect.scoped)
    )
  })
}
