/** The ways to read a network, and reading through each of them from a running service. */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as ReadTransport from "../src/chain/ReadTransport.ts"
import * as Service from "./support/Service.ts"

const secret = Redacted.make("0123456789abcdef")
const none = { session: undefined, key: undefined }
const tags = (open: boolean, held: ReadTransport.HeldSecrets) =>
  ReadTransport.readTransports({ open }, held).map(({ _tag }) => _tag)

test("a session comes before a key, and a key before the machine of the service", () => {
  expect(tags(true, { session: secret, key: secret })).toEqual(["Session", "Key", "Loopback"])
  expect(tags(false, { session: secret, key: undefined })).toEqual(["Session"])
  expect(tags(false, { session: undefined, key: secret })).toEqual(["Key"])
  expect(tags(true, none)).toEqual(["Loopback"])
  expect(tags(false, none)).toEqual([])
})

test("the reader's choice counts for the networks that have it", () => {
  const all = ReadTransport.readTransports({ open: true }, { session: secret, key: secret })
  expect(ReadTransport.choose(all, "Loopback")?._tag).toBe("Loopback")
  expect(ReadTransport.choose(all, undefined)?._tag).toBe("Session")
  expect(
    ReadTransport.choose(ReadTransport.readTransports({ open: false }, { session: secret, key: undefined }), "Key")
      ?._tag
  ).toBe("Session")
  expect(ReadTransport.choose([], "Key")).toBeUndefined()
})

/** A console with a port of its own. */
const APART: ReadTransport.PageOrigins = { page: "http://127.0.0.1:8647", service: "http://127.0.0.1:8645" }

test("a key reads at the service, and every other way at the page's own origin", () => {
  const urls = ReadTransport.readTransports({ open: true }, { session: secret, key: secret }).map((way) => {
    const { url } = ReadTransport.endpoint(way, "history", APART)
    return typeof url === "string" ? url : Redacted.value(url)
  })
  expect(urls).toEqual([
    `${APART.page}/admin/v1/networks/history/rpc`,
    `${APART.service}/history/v3/0123456789abcdef`,
    `${APART.page}/console/api/read/history`
  ])
})

test("no secret stands in a text of a way", () => {
  for (const way of ReadTransport.readTransports({ open: true }, { session: secret, key: secret })) {
    expect(ReadTransport.toSentence(way)).not.toContain("0123456789abcdef")
    expect(JSON.stringify([way, ReadTransport.endpoint(way, "history", APART)])).not.toContain("0123456789abcdef")
  }
})

describe("a running service", () => {
  let service: Service.Service
  let cookie: string
  let csrf: string

  beforeAll(async () => {
    service = await Service.start()
    const begun = await fetch(`${service.url}/admin/v1/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.adminToken}`, origin: service.url }
    })
    if (begun.status !== 201) throw new Error(`no session: ${begun.status}`)
    cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!
    csrf = ((await begun.json()) as { readonly csrfToken: string }).csrfToken
  })
  afterAll(() => service?.stop())

  /** Sends a request like a browser, which adds the cookie itself. */
  const ask = (way: ReadTransport.ReadTransport, network: string, sent: string | undefined = cookie) => {
    const withCookie: typeof fetch = (url, init) => {
      const headers = new Headers(init?.headers)
      if (sent !== "") headers.set("cookie", sent)
      return fetch(url, { ...init, headers })
    }
    const transport = HttpTransport.layer({
      ...ReadTransport.endpoint(way, network, { page: service.url, service: service.url }),
      fetch: withCookie
    })
    const call = Transport.use((node) => node.call({ method: "eth_blockNumber", params: [] }))
    return Effect.runPromise(Effect.result(Effect.provide(call, transport)))
  }
  const HEAD = `0x${HistoryChain.head.number.toString(16)}`
  const statusOf = (result: Awaited<ReturnType<typeof ask>>) =>
    Result.isFailure(result) && "status" in result.failure.reason ? result.failure.reason.status : undefined

  test("is read on each way", async () => {
    const session: ReadTransport.ReadTransport = { _tag: "Session", csrfToken: Redacted.make(csrf) }
    const key: ReadTransport.ReadTransport = { _tag: "Key", key: Redacted.make(service.apiKey) }
    for (const way of [session, key, { _tag: "Loopback" } as const]) {
      expect(Result.getOrThrow(await ask(way, "history"))).toBe(HEAD)
    }
  })

  test("refuses a session without its cookie, and one with another token", async () => {
    expect(statusOf(await ask({ _tag: "Session", csrfToken: Redacted.make(csrf) }, "history", ""))).toBe(401)
    expect(statusOf(await ask({ _tag: "Session", csrfToken: Redacted.make("another") }, "history"))).toBe(403)
  })

  test("refuses a network that is not embedded without a key", async () => {
    expect(statusOf(await ask({ _tag: "Loopback" }, "remote"))).toBe(404)
  })
})
