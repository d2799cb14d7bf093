/** Ports that are in each other's way, quorums of methods that do not read, and costs of names that nothing has. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"

const read = (text: string) => Configuration.read({ text, file: "/etc/plumbline.yaml", variables: {} })

const mistakes = (text: string): ReadonlyArray<string> => {
  const config = read(text)
  return Result.isSuccess(config) ? [] : config.failure.mistakes.map(({ path, problem }) => `${path} ${problem}`)
}

describe("ports", () => {
  it.each([
    ["server: { port: 9000 }\nobservability: { metrics: { port: 9000 } }", "observability.metrics.port", "server.port"],
    ["server: { port: 9000, host: 0.0.0.0 }\nadmin: { port: 9000 }", "admin.port", "server.port"],
    ["observability: { metrics: { port: 9000 } }\nadmin: { port: 9000 }", "admin.port", "observability.metrics.port"],
    // the usual port of the service
    ["admin: { port: 8645 }", "admin.port", "server.port"]
  ])("must differ: %s", (text, path, other) => {
    expect(mistakes(text)).toEqual([`${path} must differ from ${other}`])
  })

  it.each([
    "server: { port: 0 }\nobservability: { metrics: { port: 0 } }\nadmin: { port: 0 }",
    "server: { port: 9000, host: 10.0.0.1 }\nadmin: { port: 9000, host: 127.0.0.1 }",
    "server: { port: 9000 }\nadmin: { port: 9001 }"
  ])("may be: %s", (text) => expect(mistakes(text)).toEqual([]))

  it("of the admin API are not beside a socket", () => {
    expect(mistakes("admin: { port: 9001, socket: admin.sock }")).toEqual(["admin.socket cannot be beside a port"])
    expect(mistakes("admin: { socket: admin.sock }")).toEqual([])
  })

  it("of the admin API have a host only together", () => {
    expect(mistakes("admin: { host: 127.0.0.1 }")).toEqual(["admin.host means nothing without a port of the admin API"])
  })
})

describe("a quorum", () => {
  const quorum = (method: string, more = "") =>
    `networks: { a: { chainId: 1, upstreams: [{ url: "http://a" }, { url: "http://b" }], ${more} quorum: { methods: [${method}], agree: 2, of: 2 } } }`

  it.each(["eth_getBlok", "trace_block", "eth_sendRawTransaction"])("refuses %s, as the service does", (method) => {
    expect(mistakes(quorum(method))).toEqual([
      "networks.a.quorum.methods[0] must be a method of the network that only reads"
    ])
  })

  it.each([
    ["eth_getBalance", ""],
    ["trace_block", "readMethods: [trace_block],"]
  ])("takes %s", (method, more) => expect(mistakes(quorum(method, more))).toEqual([]))

  it("refuses a further method that may write", () => {
    expect(mistakes(quorum("trace_block", "methods: [trace_block],"))).toHaveLength(1)
  })
})

describe("costs", () => {
  it("of a method or network that nothing has are warned of, with the name that is meant", () => {
    const config = Result.getOrThrow(
      read(`networks: { main: { chainId: 1, upstreams: [{ url: "http://a" }], methods: [trace_block] } }
costs: { methods: { eth_cal: 1, eth_call: 1, trace_block: 2, eth_subscribe: 3 }, networks: { mian: { eth_call: 1 } } }`)
    )
    const found = config.warnings.map(({ path, problem }) => `${path} ${problem}`)
    expect(found).toEqual([
      "costs.methods.eth_cal has no effect: it is the name of no method; is eth_call meant?",
      "costs.networks.mian has no effect: it is the name of no network; is main meant?"
    ])
  })
})
