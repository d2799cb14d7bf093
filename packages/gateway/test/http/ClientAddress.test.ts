import type { IncomingMessage } from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as ClientAddress from "../../src/http/clientAddress.ts"
import * as Mounts from "../../src/http/mounts.ts"
import * as Service from "../support/service.ts"

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as unknown as IncomingMessage

describe("the address of a caller", () => {
  const callerOf = ClientAddress.make(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"])

  it("is the other end of the connection, whatever is said, unless that is a trusted proxy", () => {
    assert.strictEqual(ClientAddress.make([])(from("10.0.0.1", "1.1.1.1")), "10.0.0.1")
    assert.strictEqual(callerOf(from("192.0.2.2", "1.1.1.1")), "192.0.2.2")
    assert.strictEqual(callerOf(from("11.0.0.1", "1.1.1.1")), "11.0.0.1")
  })

  it("is the last one that is not a proxy, of those that proxies name", () => {
    const cases: ReadonlyArray<readonly [forwarded: string | undefined, caller: string]> = [
      [undefined, "10.1.2.3"],
      ["", "10.1.2.3"],
      ["1.1.1.1", "1.1.1.1"],
      ["6.6.6.6, 1.1.1.1", "1.1.1.1"],
      ["6.6.6.6,1.1.1.1 , 10.9.9.9,192.0.2.1", "1.1.1.1"],
      ["10.0.0.5, 10.0.0.6", "10.0.0.5"],
      ["1.1.1.1:4711", "1.1.1.1"],
      ["[2001:db9::1]:443", "2001:db9::1"],
      ["2001:db9::1, 2001:db8::9", "2001:db9::1"],
      // An entry that is not an address ends the list: no trusted proxy wrote the entries before it.
      ["1.1.1.1, unknown", "10.1.2.3"],
      ["1.1.1.1, unknown, 10.0.0.5", "10.0.0.5"],
      ["1.1.1.1, 999.1.1.1", "10.1.2.3"],
      ["1.1.1.1, ", "10.1.2.3"],
      ['1.1.1.1, "[2001:db9::1]:443"', "10.1.2.3"],
      ["1.1.1.1, [2001:db9::1]443", "10.1.2.3"],
      ["1.1.1.1, 2.2.2.2:x", "10.1.2.3"],
      ["1.1.1.1, for=2.2.2.2", "10.1.2.3"],
      ["6.6.6.6, ::ffff:1.1.1.1", "::ffff:1.1.1.1"],
      ["6.6.6.6, 1.1.1.1, ::ffff:10.0.0.7", "1.1.1.1"],
      ["6.6.6.6, fe80::1%eth0", "fe80::1%eth0"],
      [`6.6.6.6${", 10.0.0.5".repeat(1700)}`, "6.6.6.6"]
    ]
    for (const [forwarded, caller] of cases)
      assert.strictEqual(callerOf(from("10.1.2.3", forwarded)), caller, forwarded)
    assert.strictEqual(callerOf(from("::ffff:10.1.2.3", "1.1.1.1")), "1.1.1.1")
    assert.strictEqual(callerOf(from("2001:db8::1", "1.1.1.1")), "1.1.1.1")
  })

  it("is not asked of what are not addresses", () => {
    for (const proxy of ["", "proxy.example", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1"]) {
      assert.isFalse(ClientAddress.isProxy(proxy), proxy)
    }
  })
})

describe("mounts", () => {
  const mount = (path: string) => ({ path, handle: () => undefined })

  it("have what is below their path, and the longest of several has it", () => {
    const mounts = [mount("/admin"), mount("/admin/docs"), mount("/console")]
    const pathOf = (target: string) => Mounts.find(mounts, target)?.path
    assert.deepStrictEqual(
      ["/admin", "/admin/", "/admin?x", "/admin#x", "/admin/v1/projects?after=1", "/console/a/b"].map(pathOf),
      ["/admin", "/admin", "/admin", "/admin", "/admin", "/console"]
    )
    assert.deepStrictEqual(["/admin/docs", "/admin/docs/x"].map(pathOf), ["/admin/docs", "/admin/docs"])
    assert.strictEqual(pathOf("/admin/docsx"), "/admin")
    for (const target of ["/", "", "/administrator", "/x/admin", "/Admin", "http://x/admin", "?/admin"]) {
      assert.isUndefined(pathOf(target), target)
    }
  })

  it.live("get the browsers that open the root, if they are its home; programs get a pointer", () =>
    Effect.gen(function* () {
      const pointer = "not found: calls are made with POST to /v3/<key> or /<network>/v3/<key>"
      const get = (path: string, accept: string) => ({ path, method: "GET", headers: { accept } })
      const upstream = { call: () => Effect.never }
      const service = yield* Service.start(upstream, {
        mounts: [mount("/admin"), { ...mount("/console"), isHome: true }]
      })
      for (const path of ["/", "/?from=mail"]) {
        const { headers, status } = yield* Service.ask(service, get(path, "text/html,application/xhtml+xml,*/*;q=0.8"))
        assert.deepStrictEqual([status, headers.location], [302, "/console"])
      }
      const { body, status } = yield* Service.ask(service, get("/", "*/*"))
      assert.deepStrictEqual([status, body], [404, `${pointer}; the console is at /console\n`])
      const bare = yield* Service.start(upstream, { mounts: [mount("/console")] })
      const answer = yield* Service.ask(bare, get("/", "text/html"))
      assert.deepStrictEqual([answer.status, answer.body, answer.headers.location], [404, `${pointer}\n`, undefined])
    }).pipe(Effect.scoped)
  )

  it("must be paths, each once, and none of the service's own", () => {
    const flaw = (...paths: ReadonlyArray<string>) => Mounts.flawOf(paths.map(mount))
    assert.isUndefined(flaw("/admin", "/console", "/billing/events", "/v4"))
    for (const path of ["", "/", "admin", "/admin/", "/a//b", "/a?b", "/ä"])
      assert.include(flaw(path)!, "such as", path)
    assert.strictEqual(flaw("/a", "/b", "/a"), "a path is used twice")
    for (const path of ["/v3", "/v3/x", "/ws", "/ws/v3", "/api", "/api/v0/cat", "/health", "/health/x"]) {
      assert.include(flaw(path)!, "must be none of", path)
    }
  })
})
