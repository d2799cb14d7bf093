/** A service with IPFS that changes its options while a command is under way. */
import { assert, describe, it } from "@effect/vitest"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import * as Held from "@plumbline/gateway/support/held"
import * as Service from "@plumbline/gateway/support/service"
import { Deferred, Effect, Fiber } from "effect"

import * as Ipfs from "./support/ipfs.ts"

describe("a reload", () => {
  it.live("waits for an IPFS command, from the moment that its node was chosen", () =>
    Effect.gen(function* () {
      const answer = { version: "old", commit: "", repo: "1", system: "", golang: "" }
      const begun = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<typeof answer>()
      const version = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(finish))
      const service = yield* Held.start({ ipfs: IpfsProduct.make({ node: () => Ipfs.nodeOf({ version }) }) })
      service.gates.lookup.close()
      const asking = yield* Effect.forkChild(
        Service.ask(service, {
          path: "/api/v0/version",
          headers: { authorization: `Basic ${btoa(`${Service.KEY}:${Service.SECRET}`)}` }
        })
      )
      yield* service.gates.lookup.reached
      const reloading = yield* Effect.forkChild(service.reload({ networks: [network] }))
      yield* Effect.sleep(10)
      assert.isUndefined(reloading.pollUnsafe())
      yield* service.gates.lookup.open
      yield* Deferred.await(begun)
      yield* Effect.sleep(10)
      assert.isUndefined(reloading.pollUnsafe())
      yield* Deferred.succeed(finish, answer)
      assert.include((yield* Fiber.join(asking)).body, '"Version":"old"')
      yield* Fiber.join(reloading)
    }).pipe(Effect.scoped)
  )

  it.live("replaces the node, and removes the paths of a product that the new options lack", () =>
    Effect.gen(function* () {
      const version = (version: string) => Effect.succeed({ version, commit: "", repo: "1", system: "", golang: "" })
      const product = (name: string) => IpfsProduct.make({ node: () => Ipfs.nodeOf({ version: version(name) }) })
      const service = yield* Held.start({ ipfs: product("old") })
      const asked = Effect.map(Ipfs.ask(service, "version"), ({ body, status }) => [status, body.slice(0, 16)])
      assert.deepStrictEqual(yield* asked, [200, '{"Version":"old"'])
      yield* service.reload({ networks: [network], ipfs: product("new") })
      assert.deepStrictEqual(yield* asked, [200, '{"Version":"new"'])
      yield* service.reload({ networks: [network] })
      assert.strictEqual((yield* asked)[0], 404)
      const invalid = IpfsProduct.make({ node: () => Ipfs.nodeOf({}), disallowed: ["repo/gc"] })
      const error = yield* Effect.flip(service.reload({ networks: [network], ipfs: invalid }))
      assert.strictEqual(error.message, "ipfs.disallowed.0: must be a command, such as pin/rm")
    }).pipe(Effect.scoped)
  )
})

const network = Service.network({ call: () => Effect.succeed(Ipfs.bytesOf('"new"')) })
