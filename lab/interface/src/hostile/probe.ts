/**
 * Requests `/health` repeatedly, in a separate thread with its own connection, and reports the time of the slowest
 * answer.
 */
import * as http from "node:http"
import { parentPort, workerData } from "node:worker_threads"

const port = workerData as number
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
let longest = 0

const ask = (): void => {
  const start = performance.now()
  const request = http.get({ host: "127.0.0.1", port, path: "/health", agent }, (response) => {
    response.resume()
    response.once("end", () => {
      longest = Math.max(longest, performance.now() - start)
      setTimeout(ask, 2)
    })
  })
  request.once("error", () => setTimeout(ask, 2))
}
ask()

parentPort!.on("message", () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage(longest)
  longest = 0
})
