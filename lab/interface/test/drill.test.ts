/** The outage drill against services that hang, answer late, or drop a call: it must say so, and must not take it for success. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { freePort } from "@plumbline/gateway/support/ports"
import { assert, describe, it, type TestContext } from "vitest"
import { WebSocketServer, type WebSocket } from "ws"

import * as Chart from "../src/cluster/chart.ts"
import * as Load from "../src/cluster/clusterLoad.ts"
import * as Outages from "../src/cluster/outages.ts"
import * as Readiness from "../src/cluster/readiness.ts"
import * as Member from "../src/member.ts"
import type { Target } from "../src/target.ts"

type Context = Pick<TestContext, "onTestFinished">

/** Starts a server whose WebSockets `speak` gets, and returns its port. It ends with the test. */
const serve = async (
  { onTestFinished }: Context,
  listener: RequestListener,
  speak: (socket: WebSocket) => void = () => undefined
): Promise<number> => {
  const server = createServer(listener)
  const sockets = new WebSocketServer({ server })
  sockets.on("connection", speak)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const podOf = (port: number): Chart.Pod => ({
  port,
  adminPort: port,
  metricsPort: port,
  adminToken: "",
  stop: () => Promise.resolve(0),
  kill: () => Promise.resolve(),
  restart: () => Promise.resolve()
})

const probe: Chart.Probe = { path: "/readyz", periodSeconds: 0.01, timeoutSeconds: 5, failureThreshold: 2 }

/** Milliseconds in which the waits of these tests must succeed. */
const LIMIT = 100

describe("a wait", () => {
  it("does not count a success that comes after its limit", async (context) => {
    const late = await serve(context, (_, response) => {
      setTimeout(() => response.end("plumbline_limiter_up 1\n"), 2 * LIMIT)
    })
    for (const wait of [
      await Readiness.until(true, probe, podOf(late), LIMIT),
      await Readiness.untilMetric("plumbline_limiter_up", true, podOf(late), LIMIT)
    ]) {
      assert.isFalse(Readiness.arrived(wait))
      assert.match(
        Readiness.said(wait),
        /^never \(last: (?:status 200|plumbline_limiter_up 1), too late, after \d+ ms\)$/u
      )
    }
    const refusing = await serve(context, (_, response) => {
      setTimeout(() => response.writeHead(503).end(), 2 * LIMIT)
    })
    assert.match(
      Readiness.said(await Readiness.untilRefused(probe, podOf(refusing), LIMIT)),
      /^never \(last: status 503, too late/u
    )
  })

  it("counts a success within its limit, and failures in a row up to the threshold", async (context) => {
    let asked = 0
    const port = await serve(context, (_, response) => {
      asked++
      response.writeHead(asked < 3 ? 200 : 503).end("plumbline_limiter_up 0\n")
    })
    assert.isTrue(Readiness.arrived(await Readiness.until(true, probe, podOf(port), Readiness.LIMIT)))
    assert.isTrue(Readiness.arrived(await Readiness.until(false, probe, podOf(port), Readiness.LIMIT)))
    assert.strictEqual(asked, 4)
    assert.isTrue(
      Readiness.arrived(await Readiness.untilMetric("plumbline_limiter_up", false, podOf(port), Readiness.LIMIT))
    )
  })

  it("ends where a probe hangs, and says what it saw last", async (context) => {
    const hanging = await serve(context, () => undefined)
    const short = { ...probe, timeoutSeconds: 0.05 }
    assert.strictEqual(
      Readiness.said(await Readiness.until(true, short, podOf(hanging), LIMIT)),
      "never (last: no answer within 50 ms)"
    )
    assert.match(
      Readiness.said(await Readiness.untilMetric("plumbline_limiter_up", true, podOf(hanging), LIMIT)),
      /^never \(last: no answer within \d+ ms, without plumbline_limiter_up\)$/u
    )
    const closed = await serve(context, (_, response) => void response.end("plumbline_other 1\n"))
    assert.strictEqual(
      Readiness.said(await Readiness.untilMetric("plumbline_limiter_up", true, podOf(closed), LIMIT)),
      "never (last: status 200, without plumbline_limiter_up)"
    )
  })

  it("looks at as many samples as Kubernetes, so that a success before a failure does not hide it", async (context) => {
    let asked = 0
    const port = await serve(context, (_, response) => void response.writeHead(asked++ === 0 ? 200 : 503).end())
    assert.deepStrictEqual(await Readiness.samples(probe, podOf(port)), [
      { seen: "status 200", isSuccess: true },
      { seen: "status 503", isSuccess: false }
    ])
  })
})

describe("the load", () => {
  const targetOf = (port: number): Target => {
    const none = { id: "", key: "", secret: "" }
    return { port, adminToken: "", projects: { open: none, cardless: none, limited: none } }
  }
  const answer = '{"jsonrpc":"2.0","id":1,"result":"0x0"}'
  /** Answers every call on a WebSocket. */
  const speak = (socket: WebSocket) => void socket.on("message", () => socket.send(answer))
  const failure = (run: Promise<unknown>) =>
    run.then(
      () => assert.fail("the run did not fail"),
      (error: Error) => error.message
    )
  const forever = () => new Promise<void>(() => undefined)

  it("ends with the name and the age of a call that has no answer, over HTTP", async (context) => {
    let asked = 0
    const port = await serve(
      context,
      (_, response) => {
        if (asked++ < 2) response.end(answer)
      },
      speak
    )
    assert.match(
      await failure(Load.load(targetOf(port), { name: "outage", keys: ["a", "b"], deadline: 2000 }, forever)),
      /^call 3 of "outage 0" over HTTP \(eth_getTransactionCount\) has had no answer for \d{4} ms$/u
    )
  })

  it("ends with the name and the age of a call that has no answer, over a WebSocket", async (context) => {
    const port = await serve(context, (_, response) => void response.end(answer))
    assert.match(
      await failure(Load.load(targetOf(port), { name: "outage", keys: ["a", "b"], deadline: 2000 }, forever)),
      /^call 1 of "outage 1" over WebSocket \(eth_getTransactionCount\) has had no answer for \d{4} ms$/u
    )
  })

  for (const [close, lost] of [
    ["cut off", 1],
    ["given back with 1001", 0]
  ] as const) {
    it(`counts a call on a WebSocket that was ${close} as ${lost} lost`, async (context) => {
      let connections = 0
      let again = () => {}
      const reconnected = new Promise<void>((resolve) => (again = resolve))
      const port = await serve(
        context,
        (_, response) => void response.end(answer),
        (socket) => {
          if (connections++ > 0) {
            speak(socket)
            again()
          } else {
            socket.on("message", () => (lost === 1 ? socket.terminate() : socket.close(1001)))
          }
        }
      )
      let seen: number | undefined
      const [, outcomes] = await Load.load(targetOf(port), { name: "outage", keys: ["a", "b"] }, async (progress) => {
        await reconnected
        seen = progress.lost()
      })
      assert.strictEqual(seen, lost)
      assert.strictEqual(outcomes![0], lost === 1 ? undefined : 408)
    })
  }
})

/** A service that is no longer ready once it gets SIGTERM, and then ends if `isEnding`. */
const service = (port: number, isEnding: boolean): string => `
import { createServer } from "node:http"
let status = 200
createServer((_, response) => response.writeHead(status).end()).listen(${port}, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: "http://127.0.0.1:${port}" }))
})
process.on("SIGTERM", () => {
  status = 503
  if (${isEnding}) setTimeout(() => process.exit(), 500)
})
`

describe("the end of a process", () => {
  for (const [name, isEnding, said] of [
    ["holds within", true, /, ended after \d+ ms of 2 s, /u],
    [
      "kills the process, and fails, after",
      false,
      /, still ran after the 2 s of terminationGracePeriodSeconds and was killed, as Kubernetes does, /u
    ]
  ] as const) {
    it(`${name} the chart's time`, async ({ onTestFinished }) => {
      const folder = await mkdtemp(path.join(tmpdir(), "plumbline-drill-"))
      onTestFinished(() => rm(folder, { recursive: true }))
      const program = path.join(folder, "service.mjs")
      const port = await freePort()
      await writeFile(program, service(port, isEnding))
      const start = () => Member.run({ args: [], env: {}, adminToken: "" }, program)
      let member = await start()
      onTestFinished(() => member.kill())
      const pod: Chart.Pod = {
        ...podOf(port),
        stop: () => Chart.stopWithin(member, 2000),
        restart: async () => {
          member = await start()
        }
      }
      const deployment: Chart.Deployment = {
        replicas: 2,
        terminationGracePeriodSeconds: 2,
        readiness: probe,
        start: () => Promise.resolve(pod)
      }
      let answered = 0
      const progress: Load.Progress = { answered: () => (answered += 101), refused: () => 0, lost: () => 0 }
      const finding = await Outages.processEnds({ deployment, members: [pod, pod] }, progress)
      assert.match(finding.measured, said)
      assert.strictEqual(finding.holds, isEnding)
    })
  }
})
