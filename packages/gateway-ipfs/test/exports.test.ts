import { assert, it } from "@effect/vitest"
import * as gatewayIpfs from "@plumbline/gateway-ipfs"

it("the package exports these names, and no others", () => {
  const names = Object.fromEntries(
    Object.entries(gatewayIpfs).map(([module, exports]) => [module, Object.keys(exports).sort()])
  )
  assert.deepStrictEqual(names, {
    IpfsNodes: ["cacheFields", "defaults", "fields", "make"],
    IpfsProduct: ["make"],
    IpfsOptions: ["defaults", "fields", "resolve"],
    IpfsProjects: ["IpfsProjects", "defaults", "layer", "make", "migrations"]
  })
})
