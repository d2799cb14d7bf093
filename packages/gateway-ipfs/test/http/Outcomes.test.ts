/** The recorded outcomes of IPFS commands. */
import { assert, describe, it } from "@effect/vitest"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import * as Metered from "@plumbline/gateway/support/metered"
import { Effect } from "effect"

import * as Ipfs from "../support/ipfs.ts"

describe("the usage of IPFS", () => {
  it.live("names the IPFS command that an allowlist of networks refuses", () =>
    Effect.gen(function* () {
      const allowlist = { networks: ["live"], methods: [], addresses: [], origins: [], userAgents: [] }
      const service = yield* Metered.start({
        project: { card: true, allowlist },
        gateway: { ipfs: IpfsProduct.make({ node: () => Ipfs.nodeOf({}) }) }
      })
      for (const command of ["add", "pin/ls", "unheard/of"]) {
        const answer = yield* Ipfs.ask(service, command)
        assert.strictEqual(answer.status, 403)
      }
      assert.deepStrictEqual(
        (yield* service.rows).map(({ method, status }) => `${method} ${status}`),
        ["add 403", "pin/ls 403", "unknown 403"]
      )
    }).pipe(Effect.scoped)
  )
})
