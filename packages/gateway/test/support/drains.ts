/**
 * Ends whole services with SIGTERM while clients call them, and counts the outcome of every request.
 *
 * A request is lost if a client sent it, but the client gets no answer and no notice that the request was not
 * processed. A refused connection loses nothing. A connection that was closed before the client sent anything on it
 * loses nothing either.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import * as Random from "@plumbline/seeded/Random"
import { WebSocket } from "ws"

import { call, KEY } from "./service.ts"

/** The number of requests by outcome. */
export interface Outcome {
  answered: number
  /**
   * Requests that were answered with 408, and messages whose answer was a WebSocket's close frame. The clients know
   * that these requests were not processed.
   */
  told: number
  lost: number
  /** Calls that the service has passed on to its node. */
  processed: number
  /** Milliseconds from the signal to the end of the process. */
  took: number
}

/**
 * Number of callers that keep their connections. There are also WebSockets, each with one message in flight at a time.
 */
export const CALLERS = 200
const WEB_SOCKETS = 20

/** Number of connections that send one request each, and the milliseconds within which they send it. */
export const SOCKETS = 400
const WITHIN = 1200

const BODY = call("eth_chainId")

/**
 * Runs a service with one kind of client and ends it. `callers`: 200 callers and 20 WebSockets that send without a
 * pause. `sockets`: 400 connections, each of which sends one request. `lane`: whether calls are read by the lane.
 */
export const run = async (
  kind: "callers" | "sockets",
  grace: number,
  random: Random.Random,
  lane: "on" | "off" = "on"
): Promise<Outcome> => {
  const outcome: Outcome = { answered: 0, told: 0, lost: 0, processed: 0, took: 0 }
  const fixture = path.join(import.meta.dirname, "../fixtures/drain-service.ts")
  const child: ChildProcess = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", fixture, String(grace), lane],
    {
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const closed = once(child, "close")
  try {
    const [first] = (await Promise.race([
      once(child.stdout!, "data"),
      closed.then(() => Promise.reject(new Error("the service ended by itself")))
    ])) as [Buffer]
    const port = Number(first.toString("utf8"))
    let text = ""
    child.stdout!.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
    const { ended } = kind === "callers" ? await callers(port, outcome, random) : await sockets(port, outcome, random)
    await setTimeout(Random.int(random, kind === "callers" ? 200 : WITHIN))
    const began = performance.now()
    if (!child.kill("SIGTERM")) throw new Error("the service ended by itself")
    await closed
    outcome.took = Math.round(performance.now() - began)
    await ended
    outcome.processed = Number(text)
    return outcome
  } finally {
    child.kill("SIGKILL")
  }
}

/** Running clients. `ended` resolves when the service has ended for all of them. */
interface Working {
  readonly ended: Promise<unknown>
}

/** Starts the callers, and waits until each has an answer. */
const callers = async (port: number, outcome: Outcome, random: Random.Random): Promise<Working> => {
  const running: Array<Promise<void>> = []
  const begun: Array<Promise<void>> = []
  const start = (client: typeof overHttp) => {
    const first = Promise.withResolvers<void>()
    begun.push(first.promise)
    running.push(client(port, outcome, Random.make(Random.int(random, 2 ** 31)), first.resolve))
  }
  for (let index = 0; index < CALLERS; index++) start(overHttp)
  for (let index = 0; index < WEB_SOCKETS; index++) start(overWebSocket)
  await Promise.all(begun)
  return { ended: Promise.all(running) }
}

/** Sends one request after another, until no connection can be opened. */
const overHttp = async (port: number, outcome: Outcome, random: Random.Random, onAnswer: () => void): Promise<void> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    const said = await ask(port, agent)
    if (said === "refused") break
    if (said === "answered") {
      outcome.answered++
      onAnswer()
    } else if (said === "told") outcome.told++
    else outcome.lost++
    await setTimeout(Random.int(random, 10))
  }
  agent.destroy()
}

const ask = (port: number, agent: http.Agent): Promise<"answered" | "told" | "lost" | "refused"> =>
  new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": BODY.length }
    const request = http.request({ agent, port, host: "127.0.0.1", method: "POST", path: `/v3/${KEY}`, headers })
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? "refused" : "lost"))
    request.once("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.once("error", () => resolve("lost"))
      response.once("end", () => {
        if (response.statusCode === 408) resolve("told")
        else resolve(response.statusCode === 200 && text.includes('"result":"0x2a"') ? "answered" : "lost")
      })
    })
    request.end(BODY)
  })

const overWebSocket = (port: number, outcome: Outcome, _random: Random.Random, onAnswer: () => void): Promise<void> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${KEY}`)
    let pending = false
    const send = () => {
      if (socket.readyState !== socket.OPEN) return
      pending = true
      socket.send(BODY)
    }
    socket.on("error", () => undefined)
    socket.once("open", send)
    socket.on("message", (data: Buffer) => {
      pending = false
      if (data.toString("utf8").includes('"result":"0x2a"')) outcome.answered++
      else outcome.lost++
      onAnswer()
      send()
    })
    socket.once("close", (code) => {
      if (pending && code === 1001) outcome.told++
      else if (pending || code !== 1001) outcome.lost++
      resolve()
    })
  })

/** Opens all sockets. Each of them then sends at a random moment. */
const sockets = async (port: number, outcome: Outcome, random: Random.Random): Promise<Working> => {
  const opened = await Promise.all(Array.from({ length: SOCKETS }, () => connected(port)))
  return { ended: Promise.all(opened.map((socket) => sendOnce(socket, outcome, Random.int(random, WITHIN)))) }
}

const connected = (port: number): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => resolve(socket))
    socket.once("error", reject)
  })

const sendOnce = async (socket: net.Socket, outcome: Outcome, after: number): Promise<void> => {
  let heard = ""
  let sent = false
  let isGone = false
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => undefined)
  socket.on("end", () => (isGone = true))
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1")
    if (/\r\n\r\n.*"result":"0x2a"\}$/su.test(heard)) socket.end()
  })
  await Promise.race([closed, setTimeout(after)])
  if (!isGone && socket.writable) {
    sent = true
    socket.write(
      `POST /v3/${KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
    )
  }
  await closed
  if (!sent) return
  if (/^HTTP\/1\.1 200 .*"result":"0x2a"\}$/su.test(heard)) outcome.answered++
  else if (heard.startsWith("HTTP/1.1 408 ")) outcome.told++
  else outcome.lost++
}
