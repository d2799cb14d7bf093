import { assert, it } from "@effect/vitest"
import * as gateway from "@plumbline/gateway"

it("the package exports these names, and no others", () => {
  const names = Object.fromEntries(
    Object.entries(gateway).map(([module, exports]) => [module, Object.keys(exports).sort()])
  )
  assert.deepStrictEqual(names, {
    ApiKeys: ["ApiKeys", "generate", "layerFile", "layerMemory"],
    ApiKeysError: ["ApiKeysError"],
    Authentication: ["authenticate"],
    Check: ["check"],
    Gateway: ["Gateway", "layer"],
    GatewayError: ["GatewayError"],
    GatewayOptions: ["defaultLimits", "defaultTimeouts", "resolve"],
    HttpUpstream: ["make"],
    Network: [],
    Pipeline: ["make"],
    Project: ["Project", "digest", "make"],
    Redaction: ["path", "text"],
    Refusal: [
      "badRequest",
      "busy",
      "encoded",
      "failed",
      "headersTooLarge",
      "make",
      "methodNotAllowed",
      "missingKey",
      "notFound",
      "notJson",
      "tooLarge",
      "tooManySockets",
      "tooSlow",
      "unavailable",
      "unknownKey",
      "upgradeRequired",
      "wrongSecret"
    ],
    Routing: ["hostName", "make"],
    Upstream: [],
    UpstreamFault: ["UpstreamFault"]
  })
})
