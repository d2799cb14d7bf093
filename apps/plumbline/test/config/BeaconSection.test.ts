/** The settings of the beacon chains that the service keeps and serves. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as SettingsView from "../../src/config/SettingsView.ts"

const ROOT = `0x${"ab".repeat(32)}`

const read = (text: string) => Configuration.read({ text, file: "plumbline.yaml", variables: {} })

const linesOf = (text: string): ReadonlyArray<string> => {
  const config = read(text)
  if (Result.isSuccess(config)) throw new Error("it was taken")
  return config.failure.lines
}

const chain = (settings = "") =>
  `{ nodes: ["https://b.example/s3cret"], checkpoint: "${ROOT.toUpperCase().replace("X", "x")}" ${settings} }`

describe("beacon", () => {
  it("is nothing where nothing is said", () => {
    assert.notProperty(Result.getOrThrow(read("{}")).settings(), "beacon")
  })

  it("takes the network from the name, and has defaults for how much is kept", () => {
    const { beacon } = Result.getOrThrow(read(`beacon: { sepolia: ${chain()} }`)).settings()
    const { nodes, ...rest } = beacon!["sepolia"]!
    assert.deepStrictEqual(rest, { checkpoint: ROOT as never, network: "sepolia", periods: 1024, epochs: 3200 })
    assert.deepStrictEqual(nodes.map(Redacted.value), ["https://b.example/s3cret"])
    const other = Result.getOrThrow(
      read(`beacon: { live: ${chain(", network: hoodi, periods: 2, epochs: 9, maxCheckpointAge: 90d")} }`)
    ).settings().beacon!["live"]!
    assert.deepInclude(other, { network: "hoodi", periods: 2, epochs: 9, maxCheckpointAge: 90 * 86_400_000 })
  })

  it("is shown without the keys of nodes", () => {
    const lines = SettingsView.lines(Result.getOrThrow(read(`beacon: { sepolia: ${chain()} }`)).settings())
    const own = lines.filter(([path]) => path.startsWith("beacon."))
    assert.deepStrictEqual(own, [
      ["beacon.sepolia.nodes", "https://b.example"],
      ["beacon.sepolia.checkpoint", ROOT],
      ["beacon.sepolia.network", "sepolia"],
      ["beacon.sepolia.periods", "1024"],
      ["beacon.sepolia.epochs", "3200"]
    ])
  })

  const refused: ReadonlyArray<readonly [text: string, line: RegExp]> = [
    [`live: ${chain()}`, /beacon\.live.*needs a network/u],
    [`9x: ${chain(", network: mainnet")}`, /must be named with a letter/u],
    [`mainnet: { nodes: [], checkpoint: "${ROOT}" }`, /beacon\.mainnet\.nodes.*at least one node/u],
    [`mainnet: { nodes: ["https://b.example"] }`, /beacon\.mainnet\.checkpoint/u],
    [`mainnet: { nodes: ["ws://b.example"], checkpoint: "${ROOT}" }`, /beacon\.mainnet\.nodes\[0\]/u],
    [`mainnet: { nodes: ["https://b.example"], checkpoint: "0x12" }`, /beacon\.mainnet\.checkpoint.*64 hex digits/u],
    [`mainnet: ${chain(", periods: 0")}`, /beacon\.mainnet\.periods/u],
    [`mainnet: ${chain(", archive: true")}`, /beacon\.mainnet\.archive/u]
  ]
  for (const [text, line] of refused) {
    it(`refuses ${text}`, () => assert.match(linesOf(`beacon: { ${text} }`).join("\n"), line))
  }
})
