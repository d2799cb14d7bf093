/** `server`: the address of the service, and its bounds. */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as GatewayOptions from "@plumbline/gateway/settings/GatewayOptions"

/** The port of the service if the file does not set it, and the port is free. */
export const USUAL_PORT = 8645

const { slowCall: _, ...fields } = GatewayOptions.fields

export const section = Setting.group(
  {
    ...fields,
    port: Setting.optional(
      Setting.integer(0, 65_535, {
        description: `Port to listen on; 0 means any free port. Left out, it is ${USUAL_PORT}, or any free port if that is busy.`
      })
    ),
    workers: Setting.defaulted(
      Setting.integer(1, 64, {
        description:
          "Number of processes that answer calls on the port. With more than one, a further process has the admin API, IPFS and the state, and the limits and timeouts of this group hold for each process.",
        default: 1
      })
    )
  },
  "Address of the service, and its bounds."
)

/**
 * The settings of the service. If `port` is undefined, the service takes the usual port, or any free port if that one is
 * busy.
 */
export type ServerSettings = typeof section.Type

/** Milliseconds of `server.timeouts.grace` if the file does not set it, and the service does not run in a terminal. */
export const USUAL_GRACE: number = Setting.usualOf(GatewayOptions.fields.timeouts.to.fields.grace.schema)

export const shown = (settings: ServerSettings): ServerSettings => ({
  ...settings,
  timeouts: { grace: USUAL_GRACE, ...settings.timeouts }
})
