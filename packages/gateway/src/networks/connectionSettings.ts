/** The settings of a connection to a node. */
import * as Setting from "../schema/Setting.ts"

const { bytes, defaulted, duration, integer, optional, struct } = Setting

/** The settings of every kind of connection. */
export const fields = {
  timeout: defaulted(
    duration({ description: "Maximum time from a call to the last byte of its answer.", default: "30s" })
  ),
  connectTimeout: defaulted(duration({ description: "Maximum time to open a connection.", default: "5s" })),
  maxAnswerBytes: defaulted(bytes({ description: "Size of an answer or a message.", default: "64MiB", least: 1 }))
}

/** The settings of connections over HTTP. */
export const httpFields = {
  ...fields,
  connections: defaulted(
    integer(1, 65_535, { description: "Connections at a time; further calls wait.", default: 64 })
  ),
  batch: optional(
    struct(
      {
        most: defaulted(
          integer(1, 1000, {
            description: "Maximum number of calls in a packet; 1 sends each call alone.",
            default: 50
          })
        ),
        wait: optional(
          duration({
            description:
              "Time for which a call waits for others. Default: a packet contains only calls that come at the same time."
          })
        )
      },
      "Sends reads that come at the same time as one packet, to a node behind HTTP. Left out: as if it were empty with integrity prove, else each by itself."
    )
  )
}

/** The settings of one connection that stays open. */
export const socketFields = {
  ...fields,
  inFlight: defaulted(
    integer(1, Setting.COUNT, { description: "Calls at a time; further calls wait.", default: 1024 })
  ),
  heartbeat: defaulted(
    duration({
      description: "Interval between pings. The connection is closed if nothing arrives before the next ping.",
      default: "15s"
    })
  ),
  maxBackoff: defaulted(
    duration({
      description:
        "Maximum wait before the next attempt to connect. The first wait is 100ms, and each further wait is twice as long. A random part of up to a half is subtracted.",
      default: "5s"
    })
  )
}
