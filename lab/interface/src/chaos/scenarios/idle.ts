/** Many open WebSockets that send nothing. */
import { Effect } from "effect"
import { WebSocket } from "ws"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Number of sockets that are opened at a time. */
const AT_ONCE = 50

export const idle: Scenario = {
  name: "idle",
  about:
    "10,000 WebSockets are open and idle (fewer in short runs). Other clients are answered as usual, and when the service ends, each socket is closed with 1001.",
  run: Effect.fnUntraced(function* ({ clients, idle }) {
    const folder = yield* temporaryFolder
    const node = yield* Node.start()
    const most = idle + 1000
    const service = yield* Service.start(folder, {
      ...Node.networks([node]),
      server: {
        limits: { connections: most, sockets: most, socketsPerProject: most },
        timeouts: { grace: "500ms", heartbeat: "60s" }
      }
    })
    return yield* Effect.promise(async () => {
      const memory = () => service.metric("process_resident_memory_bytes")
      const { key } = await service.project("idle")
      const questions = await Node.questions()
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u, rest: 20 })
      await Judged.within(10, () => load.right() > 100)
      const before = (await memory())!
      const codes: Array<Promise<number>> = []
      let refused = 0
      const open = () =>
        new Promise<void>((resolve) => {
          const socket = new WebSocket(`ws://127.0.0.1:${service.port}/ws/v3/${key}`, { perMessageDeflate: false })
          socket.once("open", () => {
            codes.push(new Promise((closed) => socket.once("close", closed)))
            resolve()
          })
          socket.on("error", () => {
            if (socket.readyState === WebSocket.CLOSED || socket.readyState === WebSocket.CLOSING) {
              refused++
              resolve()
            }
          })
        })
      let left = idle
      const opener = async () => {
        while (left-- > 0) await open()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, opener))
      const counted = await service.metric("plumbline_websockets")
      const after = (await memory())!
      const at = load.right()
      const answering = await Judged.within(20, () => load.right() > at + 100)
      const outcome = await load.stop()
      const { code, took } = await service.stop()
      const closed = await Promise.all(codes)
      const wrong = closed.filter((each) => each !== 1001).length
      return Judged.finding(outcome, service, {
        operator: [`\`plumbline_websockets\` is ${counted}`],
        measured: [
          `${codes.length} idle sockets, ${((after - before) / idle / 1024).toFixed(1)} KiB of resident memory for each`,
          `${closed.length - wrong} sockets closed with 1001; the service ended with code ${code} in ${Math.round(took)} ms`
        ],
        promises: {
          "a socket was refused": refused === 0 && codes.length === idle,
          "the metric does not show the sockets": (counted ?? 0) >= idle,
          "other clients were not answered beside them": answering,
          "a socket was not closed with 1001": wrong === 0,
          "the service did not end cleanly": code === 0
        }
      })
    })
  })
}
