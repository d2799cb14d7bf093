/** Puts the lane in front of the server of a listener, with the limits, counters and drains of that listener. */
import type { Server } from "node:http"

import type { CallDoor, CallHead } from "../callDoor.ts"
import type { ClientAddressOf } from "../clientAddress.ts"
import type { Connections } from "../connections.ts"
import type { Exchange, ExchangeHooks } from "../exchange.ts"
import * as HttpRefusal from "../HttpRefusal.ts"
import * as HttpTarget from "../httpTarget.ts"
import type { InFlight } from "../inFlight.ts"
import type { MemoryBudget } from "../memoryBudget.ts"
import type { Mount } from "../Mount.ts"
import * as Mounts from "../mounts.ts"
import { refuseRaw } from "../rawRefusal.ts"
import { Lane, type LaneTimes } from "./lane.ts"
import { LaneExchange } from "./laneExchange.ts"
import type { LaneHead } from "./laneHead.ts"

export interface LaneService {
  /** Sets the door that calls go through, and the name of its route. Without a door the lane takes nothing. */
  readonly serve: (door: CallDoor | undefined, name: string) => void
  /** Applies the settings of the current configuration. */
  readonly configure: () => void
}

/** The part of the listener's settings that the lane reads. */
export interface LaneSettings {
  readonly lane: boolean
  readonly limits: { readonly bodyBytes: number }
  readonly timeouts: { readonly headers: number; readonly request: number; readonly idle: number }
  readonly callerOf: ClientAddressOf
  readonly mounts: ReadonlyArray<Mount>
}

export const make = (
  server: Server,
  settings: () => LaneSettings,
  listener: {
    readonly connections: Connections
    readonly budget: MemoryBudget
    readonly inFlight: InFlight<Exchange>
    readonly hooks: ExchangeHooks
  }
): LaneService => {
  const { budget, connections, hooks, inFlight } = listener
  let door: CallDoor | undefined
  let route = ""

  const open = (head: LaneHead): CallHead | undefined =>
    Mounts.find(settings().mounts, head.url) === undefined
      ? door?.headOf(HttpTarget.parse(head.url), head.headers)
      : undefined

  const times = (): LaneTimes => {
    const { headers, idle, request } = settings().timeouts
    return { first: Math.min(headers, request), idle }
  }

  const lane = new Lane(server, times(), {
    isOn: () => door !== undefined && settings().lane,
    open,
    // Without memory for it, `node:http` reads the request, and refuses it if there is still none.
    admits: (bytes) => bytes <= settings().limits.bodyBytes && budget.take(bytes),
    onCall: (call) => {
      const { socket } = call.connection
      connections.begin(socket, call)
      const exchange = new LaneExchange(call, hooks)
      exchange.route = route
      inFlight.add(exchange)
      const address = settings().callerOf({ headers: call.head.headers, socket })
      door!.serve(exchange, call.known, address, call.body)
    },
    onEnter: (connection) => connections.enter(connection.socket, connection),
    onLeave: ({ socket }) => connections.leave(socket),
    isEnded: (socket) => connections.isEnded(socket),
    onIdle: (socket) => connections.endIdle(socket),
    onSilent: (socket) => refuseRaw(socket, HttpRefusal.tooSlow)
  })

  return {
    serve: (next, name) => {
      door = next
      route = name
      lane.configure(times())
    },
    configure: () => lane.configure(times())
  }
}
