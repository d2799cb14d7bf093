import { assert, describe, it } from "@effect/vitest"
import { type GatewayOptions, Routing } from "@plumbline/gateway"
import { Effect } from "effect"

import * as Service from "../support/service.ts"

const upstream = { call: () => Effect.succeed(new Uint8Array()) }
const network = (name: string, ...hosts: ReadonlyArray<string>) => ({ ...Service.network(upstream, name), hosts })

/** Returns the reason why a service does not start. */
const problem = (
  networks: ReadonlyArray<ReturnType<typeof network>>,
  options: Omit<GatewayOptions.GatewayOptions, "networks"> = {}
) =>
  Service.start(networks, options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("options that make no sense stop the service:", () => {
  const one = [network("live", "live.localhost")]
  const cases: ReadonlyArray<readonly [expected: string, ...Parameters<typeof problem>]> = [
    ["networks: must not be empty", []],
    ['networks: the name "live" is empty or used twice', [...one, network("live")]],
    ['networks: the name "" is empty or used twice', [network("")]],
    ['networks: the name "ipfs" is reserved for IPFS commands', [network("ipfs")]],
    ...["main net", "é", "a\0", "a".repeat(65), "a/b", "a?b", "a%62", "main:net", ".", ".."].map(
      (name) =>
        [
          "networks: a name must have 1 to 64 letters, digits, dots, hyphens, underscores or tildes",
          [network(name)]
        ] as const
    ),
    ...[
      "v3",
      "ws",
      "api",
      "admin",
      "health",
      "ready",
      "livez",
      "readyz",
      "metrics",
      "console",
      "billing",
      "Health"
    ].map((name) => [`networks: the name "${name}" is reserved for paths of the service`, [network(name)]] as const),
    [
      "mounts: the path /live/extra begins with the name of a network",
      one,
      { mounts: [{ path: "/live/extra", handle: () => undefined }] }
    ],
    ['networks: the host "LIVE.localhost.:1" is empty or used twice', [...one, network("b", "LIVE.localhost.:1")]],
    ['networks: the host "" is empty or used twice', [network("a", "")]],
    ['defaultNetwork: no network is called "b"', one, { defaultNetwork: "b" }],
    ["port: must be a whole number from 0 to 65535", one, { port: 65_536 }],
    ["port: must be a whole number from 0 to 65535", one, { port: 0.5 }],
    ["limits.requests: must be a whole number from 1 to 1000000000", one, { limits: { requests: 0 } }],
    [
      "limits.bodyBytes: must be a number of bytes, or a text such as 64KiB, 5MiB or 2GiB",
      one,
      { limits: { bodyBytes: Number.NaN } }
    ],
    ["limits.batch: must be a whole number from 1 to 1000000000", one, { limits: { batch: Infinity } }],
    ["timeouts.drain: must be a time from 1ms to 24d", one, { timeouts: { drain: 0 } }],
    ["timeouts.idle: must be a time such as 250ms, 30s, 5m, 12h or 8d", one, { timeouts: { idle: "Infinity" } }],
    ["timeouts.write: must be a time from 1ms to 24d", one, { timeouts: { write: "25 days" } }]
  ]
  it.live.each(cases)("%s", ([expected, networks, options]) =>
    Effect.map(problem(networks, options), (message) => assert.strictEqual(message, expected))
  )

  it.live("a port that is taken", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(one)
      const message = yield* problem(one, { port: service.port })
      assert.strictEqual(message, `cannot listen on 127.0.0.1:${service.port} (EADDRINUSE)`)
    }).pipe(Effect.scoped)
  )
})

describe("a service", () => {
  it.live("knows its URLs", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([network("live")], { limits: { batch: 1 } })
      assert.strictEqual(service.url, `http://127.0.0.1:${service.port}`)
      assert.strictEqual(service.wsUrl, `ws://127.0.0.1:${service.port}`)
      const v6 = yield* Service.start([network("live")], { host: "::1" })
      assert.strictEqual(v6.url, `http://[::1]:${v6.port}`)
    }).pipe(Effect.scoped)
  )
})

describe("hostName", () => {
  it("is the name in a Host header", () => {
    const names = {
      "live.localhost": "live.localhost",
      "Live.LOCALHOST": "live.localhost",
      "live.localhost:8545": "live.localhost",
      "live.localhost.": "live.localhost",
      "live.localhost.:8545": "live.localhost",
      "127.0.0.1:1": "127.0.0.1",
      "[::1]": "[::1]",
      "[FE80::1]:8545": "[fe80::1]",
      "[broken": "[broken",
      ":8545": ":8545",
      "": "",
      ".": ""
    }
    for (const [host, expected] of Object.entries(names)) assert.strictEqual(Routing.hostName(host), expected)
  })
})
