/** The settings of IPFS: each is described, and an invalid one stops the service. */
import { assert, describe, it } from "@effect/vitest"
import { IpfsNodes, IpfsOptions, IpfsProduct } from "@plumbline/gateway-ipfs"
import * as Described from "@plumbline/gateway/support/described"
import * as Service from "@plumbline/gateway/support/service"
import { Effect } from "effect"

import * as Ipfs from "./support/ipfs.ts"

describe("options of IPFS that make no sense stop the service:", () => {
  const node = () => Ipfs.nodeOf({})
  const cases: ReadonlyArray<readonly [expected: string, options: Omit<IpfsOptions.IpfsOptions, "node">]> = [
    ["ipfs.limits.parts: must be a whole number from 1 to 1000000000", { limits: { parts: 0 } }],
    [
      "ipfs.limits.blockBytes: must be a number of bytes, or a text such as 64KiB, 5MiB or 2GiB",
      { limits: { blockBytes: 0.5 } }
    ],
    ["ipfs.disallowed.0: must be a command, such as pin/rm", { disallowed: ["repo/gc"] }],
    [
      "ipfs.allowedOrigins.0: must be an origin such as https://app.example, or *",
      { allowedOrigins: ["https://app.example/"] }
    ],
    ["ipfs.uploadIdle: must be a time from 1ms to 24d", { uploadIdle: "30 days" }]
  ]
  it.live.each(cases)("%s", ([expected, options]) =>
    Effect.gen(function* () {
      const ipfs = IpfsProduct.make({ node, ...options })
      const { message } = yield* Effect.flip(Service.start({ call: () => Effect.never }, { ipfs }))
      assert.strictEqual(message, expected)
    }).pipe(Effect.scoped)
  )
})

describe("every setting", () => {
  it.each(Object.entries({ IpfsOptions: IpfsOptions.fields, IpfsNodes: IpfsNodes.fields }))(
    "of %s is described",
    (_, fields) => assert.deepStrictEqual(Described.faults(fields), [])
  )
})
