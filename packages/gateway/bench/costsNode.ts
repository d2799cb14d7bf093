/** The node of `costs.ts`. It reads little of a request, so that it leaves the processor to the services. */
import * as net from "node:net"

/** Starts a node that answers each call with the same result. */
export const start = async (result: string): Promise<{ readonly url: string; readonly close: () => void }> => {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    let text = ""
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.setEncoding("latin1")
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (chunk: string) => {
      text += chunk
      const head = text.indexOf("\r\n\r\n")
      const [, length] = /content-length: *(\d+)/iu.exec(text) ?? []
      if (head === -1 || text.length < head + 4 + Number(length)) return
      const [, id] = /"id":(\d+)/u.exec(text)!
      text = ""
      const body = `{"jsonrpc":"2.0","id":${id},"result":${result}}`
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        "latin1"
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
