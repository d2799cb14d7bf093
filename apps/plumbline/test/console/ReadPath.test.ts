import type { IncomingMessage } from "node:http"

import { expect, test } from "vitest"

import * as ReadPath from "../../src/console/ReadPath.ts"

const request = (headers: Readonly<Record<string, string>>, remoteAddress = "127.0.0.1"): IncomingMessage =>
  ({ headers: { host: "127.0.0.1:8645", ...headers }, socket: { remoteAddress } }) as unknown as IncomingMessage

test("a page of this service on this machine is local", () => {
  expect(ReadPath.isLocal(request({}))).toBe(true)
  expect(ReadPath.isLocal(request({ origin: "http://127.0.0.1:8645", "sec-fetch-site": "same-origin" }))).toBe(true)
  expect(ReadPath.isLocal(request({ host: "localhost:8645", origin: "http://localhost:8645" }, "::1"))).toBe(true)
})

test.each([
  ["another machine", {}, "192.168.0.7"],
  ["another name that resolves to this machine", { host: "rebound.example:8645" }],
  ["a name that begins with this machine's", { host: "localhost.example" }],
  ["a page of another site", { origin: "http://other.example" }],
  ["a page of another port", { origin: "http://127.0.0.1:9000" }],
  ["a page that the browser calls foreign", { "sec-fetch-site": "cross-site" }],
  ["a page of another port, as the browser says", { "sec-fetch-site": "same-site" }],
  ["an opaque origin", { origin: "null" }],
  ["a proxy", { "x-forwarded-for": "203.0.113.9" }],
  ["another proxy", { via: "1.1 proxy" }],
  ["a proxy of RFC 7239", { forwarded: "for=203.0.113.9" }]
] as const)("%s is not local", (_: string, headers: object, address: string = "127.0.0.1") => {
  expect(ReadPath.isLocal(request(headers as Record<string, string>, address))).toBe(false)
})

test("only calls that read pass", () => {
  const call = (method: unknown) => ({ jsonrpc: "2.0", id: 1, method, params: [] })
  const refusal = (body: unknown) => ReadPath.refusedIn(JSON.stringify(body))
  expect(refusal(call("eth_getProof"))).toBeUndefined()
  expect(refusal([call("eth_getProof"), call("eth_getBlockByHash")])).toBeUndefined()
  expect(refusal([call("eth_call"), call("eth_gasPrice"), call("starknet_getNonce")])).toBeUndefined()
  for (const method of [
    "starknet_addInvokeTransaction",
    "anvil_setBalance",
    "evm_mine",
    "eth_sign",
    "debug_traceCall"
  ]) {
    expect(refusal([call("eth_getProof"), call(method)])).toBe(method)
  }
  expect(refusal(call("eth_sendRawTransaction"))).toBe("eth_sendRawTransaction")
  expect(refusal([call("eth_getProof"), call("anvil_setBalance")])).toBe("anvil_setBalance")
  expect(refusal(call("__proto__"))).toBe("__proto__")
  expect(refusal([])).toBe("an empty batch")
  expect(refusal([[call("eth_getProof")]])).toBe("a message without a method")
  expect(refusal(call(7))).toBe("a message without a method")
  expect(refusal(null)).toBe("a message without a method")
  expect(ReadPath.refusedIn("{")).toBe("a body that is not JSON")
})
