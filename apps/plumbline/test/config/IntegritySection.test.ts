/** The settings of a network's integrity and trust. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { Redacted, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as IntegritySection from "../../src/config/IntegritySection.ts"
import * as SettingsView from "../../src/config/SettingsView.ts"

const HASH = Hash32.fromHexUnsafe(`0x${"ab".repeat(32)}`)

const read = (text: string) => Configuration.read({ text, file: "plumbline.yaml", variables: {} })

const network = (settings: string, nodes = 2) => {
  const upstreams = Array.from({ length: nodes }, (_, index) => `{ url: "https://n${index}.example/s3cret" }`)
  return `networks: { a: { chainId: 1, upstreams: [${upstreams.join(", ")}], ${settings} } }`
}

const integrityOf = (settings: string) => Result.getOrThrow(read(network(settings))).settings().networks[0]!

const linesOf = (text: string): ReadonlyArray<string> => {
  const config = read(text)
  if (Result.isSuccess(config)) throw new Error("it was taken")
  return config.failure.lines
}

describe("integrity", () => {
  it("can trust a rollup by its parent chain, with the defaults of a light client", () => {
    const l1 = `url: "https://l1.example/s3cret"`
    const trusting = (trust: string) => network(`integrity: prove, trust: { ${trust} }`)
    const pinned = integrityOf(`integrity: prove, trust: { rollup: base, l1: { ${l1}, block: "${HASH}" } }`).trust
    assert.deepInclude(pinned, { rollup: "base" })
    assert.deepInclude(pinned?.l1, { block: HASH })
    const light = `checkpoint: "${HASH}", beacon: ["https://b.example"]`
    const state = integrityOf(
      `integrity: prove, trust: { rollup: base, state: proposed, l1: { ${l1}, ${light} } }`
    ).trust
    assert.deepInclude(state, { state: "proposed" })
    assert.deepInclude(state?.l1, { checkpoint: HASH, network: "mainnet" })
    const mistakes: ReadonlyArray<readonly [trust: string, mistake: RegExp]> = [
      ["rollup: base", /needs the parent chain of the rollup/u],
      [
        `rollup: base, block: "${HASH}", l1: { ${l1}, block: "${HASH}" }`,
        /must have one of block, checkpoint, rollup/u
      ],
      [`rollup: base, l1: { ${l1} }`, /l1 must have one of block and checkpoint/u],
      [`rollup: base, l1: { ${l1}, ${light}, block: "${HASH}" }`, /l1 must have one of block and checkpoint/u],
      [
        `rollup: base, l1: { ${l1}, block: 0x${"5".repeat(64)} }`,
        /l1\.block must be 0x and 64 hex digits. YAML reads it as a number: put it in quotation marks/u
      ],
      [`rollup: base, l1: { ${l1}, block: 12 }`, /l1\.block must be 0x and 64 hex digits(?!\.)/u],
      [`rollup: base, l1: { ${l1}, checkpoint: "${HASH}" }`, /l1 needs beacon nodes/u],
      [`rollup: base, l1: { ${l1}, block: "${HASH}", beacon: ["https://b.example"] }`, /beacon means nothing without/u],
      [`rollup: base, state: settled, l1: { ${l1}, block: "${HASH}" }`, /state must be resolved or proposed/u],
      [`block: "${HASH}", state: proposed`, /state means nothing without a rollup/u],
      [`rollup: base, accept: true, l1: { ${l1}, block: "${HASH}" }`, /accept means nothing without a quorum/u]
    ]
    for (const [trust, mistake] of mistakes) {
      const lines = linesOf(trusting(trust)).join(" ").replaceAll(/ +/gu, " ")
      assert.match(lines, mistake)
      assert.notInclude(lines, "s3cret")
    }
  })

  it("is off where nothing is said", () => {
    for (const settings of ["balance: order", "integrity: off"]) {
      assert.deepInclude(integrityOf(settings), { integrity: "off" })
      assert.doesNotHaveAnyKeys(integrityOf(settings), ["unprovable", "rest", "logWork", "trust"])
    }
  })

  it("has a trust of one kind, with the defaults of what was left out", () => {
    assert.deepInclude(integrityOf("integrity: check"), { integrity: "check", rest: 10_000 })
    assert.deepInclude(integrityOf("integrity: prove"), {
      integrity: "prove",
      unprovable: "refuse",
      rest: 10_000,
      logWork: 20_000
    })
    assert.deepInclude(integrityOf(`integrity: prove, trust: { block: "${HASH.toUpperCase().replace("X", "x")}" }`), {
      trust: { block: HASH }
    })
    assert.deepInclude(integrityOf("integrity: prove, unprovable: mark, rest: 1m, trust: { quorum: 2 }"), {
      unprovable: "mark",
      rest: 60_000,
      trust: { quorum: 2, accept: false }
    })
    assert.deepInclude(integrityOf("integrity: prove, trust: { quorum: 2, accept: true }"), {
      trust: { quorum: 2, accept: true }
    })
    const own = integrityOf('integrity: prove, trust: { operator: "https://own.example/s3cret", accept: true }').trust
    assert.deepInclude(own, { accept: true })
    const trust = integrityOf(
      `integrity: prove, trust: { checkpoint: "${HASH}", beacon: ["https://b.example/s3cret"], maxCheckpointAge: 2d }`
    ).trust
    assert.deepInclude(trust, { checkpoint: HASH, network: "mainnet", maxCheckpointAge: 172_800_000 })
    assert.deepStrictEqual(trust?.beacon?.map(Redacted.value), ["https://b.example/s3cret"])
  })

  it("is shown without what is secret in it", () => {
    const text = network(
      `integrity: prove, trust: { checkpoint: "${HASH}", beacon: ["https://b.example/s3cret"], network: net.json }`
    )
    const { settings } = Result.getOrThrow(read(text))
    const { integrity, rest, trust, unprovable } = (SettingsView.file(settings()) as any).networks.a
    assert.deepStrictEqual(JSON.parse(JSON.stringify({ integrity, unprovable, rest, trust })), {
      integrity: "prove",
      unprovable: "refuse",
      rest: "10s",
      trust: { checkpoint: HASH, beacon: ["https://b.example"], network: "net.json", maxCheckpointAge: "14d" }
    })
  })

  it("reads the file of a beacon chain beside the configuration, and known names as they are", () => {
    const at = (name: string) =>
      IntegritySection.resolved(
        integrityOf(
          `integrity: prove, trust: { checkpoint: "${HASH}", beacon: ["https://b.example"], network: ${name} }`
        ),
        (file) => `/etc/${file}`
      ).trust
    assert.deepInclude(at("net.json"), { network: "/etc/net.json" })
    assert.deepInclude(at("hoodi"), { network: "hoodi" })
  })

  const mistakes: ReadonlyArray<readonly [name: string, text: string, line: RegExp]> = [
    ["an unknown word", network("integrity: yes"), /integrity.*must be off, check or prove/u],
    ["no hash", network('integrity: prove, trust: { block: "0x1" }'), /trust\.block.*64 hex digits/u],
    ["two trusts", network(`integrity: prove, trust: { block: "${HASH}", quorum: 2 }`), /trust.*one of block/u],
    ["no trust in it", network("integrity: prove, trust: {}"), /trust.*one of block/u],
    ["a checkpoint alone", network(`integrity: prove, trust: { checkpoint: "${HASH}" }`), /trust.*needs beacon nodes/u],
    [
      "beacon nodes alone",
      network('integrity: prove, trust: { quorum: 2, beacon: ["https://b.example"] }'),
      /trust\.beacon.*means nothing without a checkpoint/u
    ],
    [
      "consent to nothing",
      network(`integrity: prove, trust: { block: "${HASH}", accept: true }`),
      /trust\.accept.*means nothing without a quorum or an operator/u
    ],
    [
      "an operator that is no URL",
      network('integrity: prove, trust: { operator: "https://" }'),
      /trust\.operator.*(?:URL|https)/u
    ],
    ["too many votes", network("integrity: prove, trust: { quorum: 3 }"), /quorum.*at most the number of nodes, 2/u],
    ["trust without proofs", network("integrity: check, trust: { quorum: 2 }"), /trust.*unless integrity is prove/u],
    ["a bound on proofs without proofs", network("logWork: 5"), /logWork.*unless integrity is prove/u],
    ["a policy without proofs", network("unprovable: mark"), /unprovable.*unless integrity is prove/u],
    ["a rest without checks", network("rest: 5s"), /rest.*means nothing without integrity/u],
    ["later forks without checks", network("laterForks: forks.json"), /laterForks.*means nothing without integrity/u],
    ["rules without proofs", network("hardforks: []"), /hardforks.*unless integrity is prove/u],
    [
      "a hardfork without a beginning",
      network("integrity: prove, hardforks: [{ hardfork: osaka }]"),
      /hardforks.*0.*must have one of block and time/u
    ],
    [
      "hardforks out of order",
      network("integrity: prove, hardforks: [{ hardfork: prague, time: 5 }, { hardfork: cancun, time: 9 }]"),
      /hardforks.*1.*must follow the hardfork before it/u
    ],
    [
      "a hardfork that begins before its predecessor",
      network("integrity: prove, hardforks: [{ hardfork: cancun, time: 9 }, { hardfork: prague, time: 5 }]"),
      /hardforks.*1.*must follow the hardfork before it/u
    ],
    [
      "a hardfork that nobody knows",
      network("integrity: prove, hardforks: [{ hardfork: petersburgh, block: 0 }]"),
      /hardforks/u
    ],
    [
      "the second chain",
      "networks: { a: { chainId: SN_MAIN, kind: starknet, integrity: check, upstreams: [{ url: https://n.example }] } }",
      /integrity.*must be off/u
    ]
  ]
  for (const [name, text, line] of mistakes) {
    it(`has a mistake that is told: ${name}`, () => {
      const lines = linesOf(text)
      assert.isTrue(
        lines.some((one) => line.test(one)),
        lines.join("\n")
      )
      assert.notInclude(lines.join("\n"), "s3cret")
    })
  }

  describe("of a quorum", () => {
    const quorum = (trust: string, ...nodes: ReadonlyArray<string>) => {
      const upstreams = nodes.map((node) => `{ ${node} }`).join(", ")
      const text = `networks: { a: { chainId: 1, upstreams: [${upstreams}], integrity: prove, trust: ${trust} } }`
      return JSON.stringify(Result.getOrThrow(read(text)).warnings)
    }
    const [own, other, third] = ["a.example.com", "b.example.com", "c.org"].map((host) => `url: "https://${host}"`)

    it("warns of nodes that are one voice, and of a quorum that they cannot reach", () => {
      const equals = quorum("{ quorum: 2, accept: true }", own!, other!)
      assert.match(equals, /counts a-1 and a-2 once/u)
      assert.match(equals, /can never be reached: the nodes have 1 of 2 operators/u)
      const named = quorum("{ quorum: 2, accept: true }", `${own}, operator: us`, `${other}, operator: them`, third!)
      assert.strictEqual(named, "[]")
    })

    it("warns of a quorum of all, which has no failover", () => {
      assert.match(quorum("{ quorum: 2, accept: true }", own!, third!), /needs all 2 operators/u)
      const agreed = `networks: { a: { chainId: 1, upstreams: [{ ${own} }, { ${third} }], quorum: { methods: [eth_call], agree: 2, of: 2 } } }`
      assert.match(JSON.stringify(Result.getOrThrow(read(agreed)).warnings), /quorum\.agree.*needs all 2 operators/u)
    })

    it("warns of a word that nobody accepts", () => {
      for (const trust of ["{ quorum: 2 }", '{ operator: "https://own.example" }']) {
        assert.match(quorum(trust, own!, third!), /is not accepted: answers that rest on it are refused/u)
      }
    })
  })

  it("warns of calls without rules, unless the chain is known, or embedded, or has none to run", () => {
    const warned = (chainId: string, settings: string, node = "url: https://n.example") =>
      JSON.stringify(
        Result.getOrThrow(read(`networks: { a: { ${chainId} upstreams: [{ ${node} }], ${settings} } }`)).warnings
      ).includes("eth_call is not proven")
    assert.isTrue(warned("chainId: 4242,", "integrity: prove"))
    assert.isFalse(warned("chainId: 4242,", "integrity: prove, hardforks: [{ hardfork: osaka, block: 0 }]"))
    assert.isFalse(warned("chainId: 4242,", "integrity: check"))
    assert.isFalse(warned("chainId: 560048,", "integrity: prove"))
    assert.isFalse(warned("", "integrity: prove", "embedded: history"))
  })

  it("warns of proofs that end at nothing", () => {
    const warned = (text: string) => JSON.stringify(Result.getOrThrow(read(text)).warnings)
    assert.include(warned(network("integrity: prove")), "only answers about a hash")
    assert.notInclude(warned(network("integrity: prove, trust: { quorum: 2 }")), "only answers about a hash")
    assert.notInclude(
      warned("networks: { a: { integrity: prove, upstreams: [{ embedded: live }] } }"),
      "only answers about a hash"
    )
  })
})
