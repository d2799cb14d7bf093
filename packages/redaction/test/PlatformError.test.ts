import { createServer, type AddressInfo, type Socket } from "node:net"

import { PlatformError } from "@plumbline/redaction"
import { assert, describe, it } from "vitest"

/** Returns the error of a `fetch` from a server that treats each connection so. */
const fetchError = async (treat: (socket: Socket) => void): Promise<unknown> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => treat(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/k3y`).then(
      () => assert.fail("answered"),
      (error) => error
    )
  } finally {
    server.close()
  }
}

describe("the error of the platform's fetch", () => {
  it("says that the server closed the connection", async () => {
    const closed = await fetchError((socket) => socket.end())
    const reset = await fetchError((socket) => socket.resetAndDestroy())
    assert.isTrue(PlatformError.isClosed(closed))
    assert.isTrue(PlatformError.isClosed(reset))
  })

  it("says that the answer is not HTTP, which is no closed connection", async () => {
    const rubbish = await fetchError((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"))
    assert.isFalse(PlatformError.isClosed(rubbish))
    assert.isTrue(PlatformError.causes(rubbish).some(({ name }) => name === "HTTPParserError"))
  })

  it("has no code if fetch itself refuses the port", async () => {
    const refused = await fetch("http://127.0.0.1:1/v3/k3y").catch((error: unknown) => error)
    assert.instanceOf(refused, TypeError)
    assert.isUndefined(PlatformError.codeOf(refused))
    assert.isFalse(PlatformError.isClosed(refused))
  })
})

describe("a code", () => {
  it("is shown only in the form of a code", () => {
    for (const code of ["https://node.example/key", "k3y", 7, "E".repeat(49), "", "EX\n"]) {
      assert.isUndefined(PlatformError.codeOf({ code }))
    }
    assert.strictEqual(PlatformError.codeOf({ code: "E".repeat(48) }), "E".repeat(48))
  })

  it("is found within four errors, and a circle ends the search", () => {
    const wrapped = (depth: number): unknown =>
      depth === 0 ? { code: "EPIPE" } : { code: "not a code", cause: wrapped(depth - 1) }
    assert.strictEqual(PlatformError.codeOf(wrapped(3)), "EPIPE")
    assert.isUndefined(PlatformError.codeOf(wrapped(4)))
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    assert.strictEqual(PlatformError.causes(circle).length, 4)
    assert.isUndefined(PlatformError.codeOf(undefined))
  })
})
