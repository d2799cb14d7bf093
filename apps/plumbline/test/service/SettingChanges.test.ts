/** The difference between two configurations, by the names of the settings. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as SettingChanges from "../../src/service/SettingChanges.ts"

const settings = (text: string) =>
  Result.getOrThrow(Configuration.read({ text, file: "/plumbline.yaml", variables: {} })).settings()

const network = (url: string, more = "") => `chainId: 1, upstreams: [{ url: "${url}", headers: { x-key: k${more} } }]`

describe("the names of changed settings", () => {
  const changes: ReadonlyArray<readonly [before: string, after: string, names: ReadonlyArray<string>]> = [
    ["{}", "{}", []],
    ["{}", "{ limits: { project: { creditsPerSecond: 500 } } }", []],
    ["{}", "{ limits: { project: { creditsPerSecond: 501 } } }", ["limits.project.creditsPerSecond"]],
    // the secret differs, and only its name is shown
    [
      `networks: { a: { ${network("http://n/1")} } }`,
      `networks: { a: { ${network("http://n/2")} } }`,
      ["networks.a.upstreams[0].url"]
    ],
    [
      `networks: { a: { ${network("http://n")} } }`,
      `networks: { a: { ${network("http://n", "2")} } }`,
      ["networks.a.upstreams[0].headers.x-key"]
    ],
    // a network that is there on one side only is one change
    [
      `networks: { a: { ${network("http://n")} } }`,
      `networks: { a: { ${network("http://n")} }, b: { ${network("http://m")} } }`,
      ["networks.b"]
    ],
    [
      `networks: { a: { chainId: 1, upstreams: [{ url: "http://n" }] } }`,
      `networks: { a: { chainId: 1, upstreams: [{ url: "http://n" }, { url: "http://m.example" }] } }`,
      ["networks.a.upstreams"]
    ],
    [
      "wording: { see: https://a.example }",
      "{ costs: { networks: { 'https://user:s3cret@n': { eth_call: 1 } } } }",
      ["costs.networks", "wording.see"]
    ],
    [
      "costs: { networks: { a: { eth_call: 1 } } }",
      "costs: { networks: { a: { eth_call: 1 }, 'https://user:s3cret@n': { eth_call: 1 } } }",
      ["costs.networks.<url>"]
    ]
  ]
  for (const [before, after, names] of changes) {
    it(`from ${before} to ${after}`, () => {
      assert.deepStrictEqual(SettingChanges.changed(settings(before), settings(after)), names)
      assert.deepStrictEqual(SettingChanges.changed(settings(after), settings(before)), names)
    })
  }
})
