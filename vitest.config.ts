/** The tests of the product: the packages, the apps, the interface and the conformance to real data. */
import * as path from "node:path"

import * as Examples from "./tools/examples/plugin.ts"
import { configure, heavy } from "./vitest.shared.ts"

export default configure({
  members: ["packages/*", "apps/*", "tools/seeded", "lab/{conformance,interface}"],
  heavy: [
    "{packages,apps}/*/test/**/*.heavy.test.ts",
    "lab/interface/test/**/*.heavy.test.ts",
    "tools/examples/*.heavy.test.ts"
  ],
  setup: ["apps/console/test/support/Build.ts"],
  alone: [
    "packages/gateway/test/Drains.heavy.test.ts",
    "apps/plumbline/test/service/up/{Outages,Shared}.heavy.test.ts",
    "apps/plumbline/test/beacon/Year.heavy.test.ts",
    "lab/interface/test/{chaos/*,cluster,upgrades}.heavy.test.ts"
  ],
  more: [
    {
      extends: true,
      plugins: [Examples.plugin(import.meta.dirname)],
      test: { name: "examples", include: ["tools/examples/*.test.ts"], exclude: [heavy] }
    },
    {
      // what holds for the listener of calls holds with and without its lane
      extends: true,
      root: path.join(import.meta.dirname, "packages/gateway/test"),
      test: {
        name: "gateway without lane",
        include: [
          "http/*.test.ts",
          "{GracefulShutdown,Reload,conversations}.test.ts",
          "pipeline/{GivenUp,NothingBad,Outcomes,Settlement}.test.ts",
          "rpc/{NetworkPaths,Revocation}.test.ts"
        ],
        exclude: [heavy],
        env: { PLUMBLINE_LANE: "off" }
      }
    },
    { extends: true, test: { name: "scripts", include: ["scripts/test/*.test.ts"] } }
  ]
})
